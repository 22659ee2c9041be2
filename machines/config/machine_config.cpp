// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/config/machine_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/state/sha256.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "devices/board/at/clocks/rtc_cmos.hpp"
#include "devices/medium/ethernet/ethernet_frame.hpp"
#include "machines/config/board_kind.hpp"
#include "machines/config/key_reference.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/config/network_config.hpp"
#include "machines/config/processor.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

namespace {

std::uint8_t byte(Config& c, const std::string& path, std::int64_t low, std::int64_t high,
                  std::optional<std::int64_t> fallback = {}) {
  return static_cast<std::uint8_t>(c.integer(path, low, high, fallback));
}

std::uint32_t power_of_two(Config& c, const std::string& path, std::uint64_t value, std::uint64_t low,
                           std::uint64_t high) {
  if (value != 0 && ((value & (value - 1)) != 0 || value < low || value > high))
    c.fail(path, fmt::format("must be a power of two from {} to {} bytes", low, high));
  return static_cast<std::uint32_t>(value);
}

Identity read_identity(Config& c) {
  Identity id;
  id.model = byte(c, "identity.model", 0, 255);
  id.submodel = byte(c, "identity.submodel", 0, 255);
  id.revision = byte(c, "identity.revision", 0, 255);
  const auto features = c.integers("identity.features", 0, 255);
  if (features.size() != 5) c.fail("identity.features", "expects the five feature bytes of INT 15h C0h");
  std::transform(features.begin(), features.end(), id.features.begin(),
                 [](std::int64_t v) { return static_cast<std::uint8_t>(v); });
  id.planar_id = static_cast<std::uint16_t>(c.integer("identity.planar_id", 0, 0xFFFF));
  return id;
}

/// The key of a machine file for a field of TimingConfig: "memory.dram.banks" for "dram.banks".
std::string key_of_timing(const std::string& field) {
  constexpr std::pair<std::string_view, std::string_view> own_names[] = {
      {"core_per_bus_num", "cpu.clock"},
      {"core_per_bus_den", "cpu.clock"},
      {"dram.page_bytes", "memory.dram.page"},
      {"refresh.period_num", "memory.refresh.period"},
      {"refresh.period_den", "memory.refresh.period"},
      {"l1.bytes", "cache.size"},
      {"l2.bytes", "l2.size"}};
  for (const auto& [name, key] : own_names)
    if (name == field) return std::string(key);
  if (field.starts_with("l1.")) return "cache" + field.substr(2);
  if (field.starts_with("l2.")) return field;
  return (field.find('.') == std::string::npos ? "cpu." : "memory.") + field;
}

void refuse_on_p6(const Config& c, const char* key, const char* in_its_place) {
  if (!c.has(key)) return;
  const auto file = [&](const char* of) { return c.origin(of).substr(0, c.origin(of).find(':')); };
  if (file(key).ends_with("(built in)") && file(key) != file("cpu.model"))
    c.fail("cpu.model", fmt::format("a P6 has no {}, {}, but {} has it; start the file with a machine that has a P6, "
                                    "such as machine = \"pc-p3-600\"",
                                    key, in_its_place, file(key)));
  c.fail(key, fmt::format("is not of a P6, {}; take the line out", in_its_place));
}

/// Values that are not given are not part of the machine's configuration.
void read_clocks_of_p6(Config& c, cpu::TimingConfig& t) {
  t.repeat_start = byte(c, "cpu.repeat_start", 1, 127, 15);
  const auto given = [&](const char* key, std::uint8_t& clocks, std::int64_t least, std::int64_t most) {
    if (c.has(key)) clocks = byte(c, key, least, most);
  };
  given("cpu.repeat_slow_start", t.repeat_slow_start, 1, 127);
  given("cpu.interrupt_entry", t.interrupt_entry, 10, 200);
  given("cpu.interrupt_return", t.interrupt_return, 10, 200);
  given("cpu.page_walk", t.page_walk, 1, 63);
}

void read_processor(Config& c, MachineConfig& m) {
  std::vector<std::string> names;
  for (const ProcessorModel& row : processor_models()) names.emplace_back(row.key);
  const auto model = c.choice("cpu.model", names);
  auto& t = m.timing;
  for (const ProcessorModel& row : processor_models())
    if (row.key == model) t.model = row.model;
  m.clock = c.frequency("cpu.clock");
  const auto bus = c.frequency("cpu.bus_clock");
  // Core clocks per bus clock = (cn / cd) / (bn / bd), as a small exact fraction.
  const std::uint64_t num = m.clock.num * bus.den, den = m.clock.den * bus.num;
  const std::uint64_t divisor = std::gcd(num, den);
  if (num < den || num / divisor > 8 || den / divisor > 8)
    c.fail("cpu.clock",
           fmt::format("must be a simple multiple of cpu.bus_clock, such as 1, 3/2, 2 or 5/2 times {}; thirds "
                       "are written like \"400/3 MHz\"",
                       c.text("cpu.bus_clock")));
  if (const auto parts = den / divisor; parts != 1 && parts != 2 && parts != 4)
    c.fail("cpu.clock",
           fmt::format("is {}/{} of cpu.bus_clock; the processor's clock is a whole number, halves or quarters "
                       "of the bus clock: change one of the two",
                       num / divisor, parts));
  if (t.model == cpu::Model::i386sx && num != den)
    c.fail("cpu.clock",
           fmt::format("must be cpu.bus_clock, {}: a 386SX runs at the clock of its bus", c.text("cpu.bus_clock")));
  t.core_per_bus_num = static_cast<std::uint8_t>(num / divisor);
  t.core_per_bus_den = static_cast<std::uint8_t>(den / divisor);
  m.fpu = c.flag("cpu.fpu");
  if (t.model >= cpu::Model::pentium && c.has("cpu.signature"))
    m.signature = static_cast<std::uint32_t>(c.integer("cpu.signature", 0x500, 0x3FFF));
  if (t.model == cpu::Model::p6) {
    refuse_on_p6(c, "cpu.write_buffers", "whose stores wait in a buffer of twelve");
    read_clocks_of_p6(c, t);
  } else {
    t.write_buffers = byte(c, "cpu.write_buffers", 0, 8);
  }
  if (t.model == cpu::Model::i386sx) t.prefetch_request = byte(c, "cpu.prefetch_request", 2, 4);
}

void read_caches(Config& c, cpu::TimingConfig& t) {
  if (c.has("cache")) {
    t.l1.bytes = power_of_two(c, "cache.size", c.size("cache.size"), 1024, 65536);
    t.l1.ways = byte(c, "cache.ways", 1, 4);
    t.l1.line = byte(c, "cache.line", 16, 32);
    t.l1.split = c.flag("cache.split");
    t.l1.write_back = c.flag("cache.write_back");
    if (t.l1.write_back) t.l1.write_burst = c.flag("cache.write_burst", true);
  }
  if (c.has("l2")) {
    t.l2.bytes = power_of_two(c, "l2.size", c.size("l2.size"), 16384, 1 << 20);
    t.l2.ways = byte(c, "l2.ways", 1, 8);
    t.l2.line = byte(c, "l2.line", 32, 64);
    if (t.model == cpu::Model::p6) {
      t.l2.latency = byte(c, "l2.latency", 1, 63);
      t.l2.line_clocks = byte(c, "l2.line_clocks", 1, 63);
      return;
    }
    t.l2.hit_mru = byte(c, "l2.hit_mru", 2, 15);
    t.l2.hit_other = byte(c, "l2.hit_other", 2, 15);
    t.l2.burst_step = byte(c, "l2.burst_step", 1, 15);
    t.l2.write_hit = byte(c, "l2.write_hit", 2, 15);
    t.l2.write_allocate = c.flag("l2.write_allocate");
  }
}

void read_memory(Config& c, MachineConfig& m) {
  const auto size = c.size("memory.size");
  const std::uint64_t limit = processor_model(m.timing.model).address_lines == 24 ? 16 : 256;
  if (size % (1 << 20) != 0 || size < (2u << 20) || size > (limit << 20))
    c.fail("memory.size", fmt::format("expects whole megabytes from 2 MB to {} MB on this processor", limit));
  m.memory_bytes = static_cast<std::uint32_t>(size);
  const auto path = c.choice("memory.path", {"single", "dual", "line"});
  if (const bool pci = m.board_kind->slot_bus == Pci::name; pci != (path == "line"))
    c.fail("memory.path", pci ? "a PCI host bridge gives memory to bus masters by the line; write line"
                              : "is single or dual on the Micro Channel; by the line is a PC's");
  m.memory_path = path == "single" ? MemoryPath::single : path == "dual" ? MemoryPath::dual : MemoryPath::line;
  m.timing.shared_by_line = m.memory_path == MemoryPath::line;
  auto& d = m.timing.dram;
  d.width = byte(c, "memory.dram.width", 2, 8);
  d.page_bytes = power_of_two(c, "memory.dram.page", c.size("memory.dram.page"), 256, 65536);
  d.banks = byte(c, "memory.dram.banks", 1, 8);
  d.bank_shift = byte(c, "memory.dram.bank_shift", 1, 31);
  d.read_hit = byte(c, "memory.dram.read_hit", 2, 63);
  d.read_miss = byte(c, "memory.dram.read_miss", 2, 63);
  if (m.timing.model == cpu::Model::p6)
    refuse_on_p6(c, "memory.dram.burst_step", "whose bursts take memory.dram.line_clocks");
  else
    d.burst_step = byte(c, "memory.dram.burst_step", 1, 15);
  d.write_hit = byte(c, "memory.dram.write_hit", 2, 63);
  d.write_miss = byte(c, "memory.dram.write_miss", 2, 63);
  if (m.timing.model == cpu::Model::p6) d.line_clocks = byte(c, "memory.dram.line_clocks", 4, 63);
  auto& r = m.timing.rom;
  r.width = byte(c, "memory.rom.width", 1, 4);
  r.clocks = byte(c, "memory.rom.clocks", 2, 63);
  r.cacheable = c.flag("memory.rom.cacheable");
  m.refresh_period = c.time("memory.refresh.period", "15.12 us");
  if (m.refresh_period < 500_ns || m.refresh_period > 1_s) c.fail("memory.refresh.period", "expects 500 ns to 1 s");
  m.timing.refresh.hold = byte(c, "memory.refresh.hold", 0, 63);
  // More than twice the hold, in whole clocks of the core.
  const auto least = 1 + 2 * std::uint64_t{m.timing.refresh.hold} * m.timing.core_per_bus_num;
  const Time least_period{static_cast<std::int64_t>((least * 1'000'000'000'000 * m.clock.den - 1) / m.clock.num + 1)};
  if (m.refresh_period < least_period)
    c.fail("memory.refresh.period",
           fmt::format("{} is too short; with memory.refresh.hold = {} it must be at least {:.0f} ns, more than twice "
                       "the hold",
                       c.text("memory.refresh.period", "15.12 us"), m.timing.refresh.hold,
                       std::ceil(static_cast<double>(least_period.ps) / 1000)));
  // The same period in core clocks, exact if the processor's timing can express it: ps * hz / 10^12.
  auto num = static_cast<unsigned __int128>(m.refresh_period.ps) * m.clock.num;
  std::uint64_t den = 1'000'000'000'000 * m.clock.den;
  const std::uint64_t divisor = std::gcd(static_cast<std::uint64_t>(num % den), den);
  num /= divisor;
  den /= divisor;
  while (num > 1'000'000'000 || den > 1'000'000) {
    num >>= 1;
    den >>= 1;
  }
  m.timing.refresh.period_num = static_cast<std::uint32_t>(num);
  m.timing.refresh.period_den = static_cast<std::uint32_t>(den);
}

/// The values below `table`, whose names may contain dots: [slot.1.set.data_port] ready_delay = "500 ns". `profile`:
/// the card's timing values, if it has a timing profile.
void read_settings(Config& c, const std::string& table, const std::string& prefix,
                   std::optional<TimingProfile>& profile, std::vector<std::pair<std::string, std::string>>& settings) {
  for (const auto& name : c.children(table)) {
    const auto path = table + "." + name;
    if (!c.children(path).empty()) {
      read_settings(c, path, prefix + name + ".", profile, settings);
      continue;
    }
    settings.emplace_back(prefix + name, c.text(path));
    try {
      if (profile) profile->set(prefix + name, settings.back().second);
    } catch (const Error& e) { c.fail(path, e.what()); }
  }
}

std::optional<TimingProfile> timing_profile_of(const std::string& card) {
  try {
    return TimingProfile::embedded(profile_path(card));
  } catch (const Error&) { return std::nullopt; }
}

/// The versions that a card's driver in planar's guest can imitate (roms/guest/drivers/tokenring/versions.c, ibmtr.c).
struct DriverVersions {
  std::string_view card;
  std::vector<std::string_view> versions;
};

const std::vector<DriverVersions>& driver_versions() {
  static const std::vector<std::string_view> streamer{"linux-2.4", "linux-2.6", "3.01", "3.04", "3.06", "5.23", "4.54"},
      madge{"linux-2.4", "2.21", "2.04.30"}, shared_ram{"4.0"};
  static const std::vector<DriverVersions> all{
      {"lanstreamer", streamer},    {"autolanstreamer", streamer}, {"madge-mc", madge},         {"madge-mc32", madge},
      {"tr16-4a-1989", shared_ram}, {"tr16-4a-1990", shared_ram},  {"tr16-4a-1994", shared_ram}};
  return all;
}

std::string read_driver(Config& c, const std::string& path, const std::string& card) {
  const auto version = c.text(path);
  const auto& all = driver_versions();
  const auto found = std::find_if(all.begin(), all.end(), [&](const DriverVersions& d) { return d.card == card; });
  if (found == all.end())
    c.fail(path, fmt::format("planar's guest has one driver for the {}; leave it out (docs/driver-versions.md names "
                             "the cards with several)",
                             card));
  if (std::find(found->versions.begin(), found->versions.end(), version) == found->versions.end())
    c.fail(path, fmt::format("'{}' is not a driver version of the {}; write one of {} (docs/driver-versions.md)",
                             version, card, fmt::join(found->versions, ", ")));
  return version;
}

/// Throws Error if the machine has no slots for the card.
void check_bus(const AdapterEntry& card, const MachineConfig& m) {
  if (card.bus() == m.board_kind->slot_bus) return;
  const auto bus = [](std::string_view name) { return name == Pci::name ? "PCI" : "Micro Channel"; };
  throw Error(fmt::format("{} is a {} card, and {} has {} slots; choose one with that bus from `planar list cards`",
                          card.title, bus(card.bus()), m.name, bus(m.board_kind->slot_bus)));
}

/// A card whose adapter description has the item `key`; empty if there is none.
std::string card_with_choice(const std::string& key) {
  for (const BoardKind& kind : board_kinds())
    for (const AdapterEntry& card : adapter_registry())
      if (card.bus() == kind.slot_bus && kind.card_choice(std::string(card.name), key)) return std::string(card.name);
  return {};
}

std::string read_mac(Config& c, const std::string& path) {
  const auto text = c.text(path);
  try {
    net::parse_mac(text);
  } catch (const Error& e) { c.fail(path, e.what()); }
  return text;
}

/// A resource or another item of the card's adapter description, at `path`.
void read_pin(Config& c, const MachineConfig& m, CardConfig& card, const std::string& key, const std::string& path) {
  const bool resource = key == "io" || key == "irq" || key == "mem" || key == "arb";
  if (resource && m.board_kind->firmware_assigns)
    c.fail(path, "cannot be set: the firmware gives a PCI card its addresses and interrupt");
  if (!m.board_kind->card_choice(card.name, key)) {
    if (const std::string other = card_with_choice(key); !other.empty())
      c.fail(path, fmt::format("is of other cards, such as {}, and slot {} holds {}; leave it out", other, card.slot,
                               card.name));
    c.fail(path,
           "is no option of a card; use card, io, irq, mem, arb, an item of its adapter description (`planar show " +
               card.name + "`), mac, medium, driver, enabled, adapter_id or a [slot.N.set] table");
  }
  auto value = c.text(path);
  if (const auto address = parse_number(value); address && (key == "io" || key == "mem") && c.is_number(path))
    value = fmt::format("{:X}h", *address);  // 0x1340 without quotes
  if (value != "auto") card.pins.push_back({key, value, c.origin(path) + ": " + path});
}

void read_cards(Config& c, MachineConfig& m) {
  for (const auto& name : c.children("slot")) {
    const auto number = parse_number(name);
    const auto path = "slot." + name;
    if (!number || *number < 1 || *number > m.slot_widths.size())
      c.fail(path, fmt::format("{} has slots 1 to {}; move the card", m.name, m.slot_widths.size()));
    CardConfig card;
    card.slot = static_cast<unsigned>(*number);
    if (std::any_of(m.cards.begin(), m.cards.end(), [&](const CardConfig& other) { return other.slot == card.slot; }))
      c.fail(path, fmt::format("slot {} has a card already, under another spelling; write the slot once", card.slot));
    card.name = c.text(path + ".card");
    try {
      check_bus(find_adapter(card.name), m);
    } catch (const Error& e) { c.fail(path + ".card", e.what()); }
    for (const auto& key : c.children(path)) {
      const auto at = path + "." + key;
      if (key == "card") continue;
      if (key == "mac") {
        card.mac = read_mac(c, at);
      } else if (key == "medium") {
        card.medium = c.text(at);
      } else if (key == "driver") {
        card.driver = read_driver(c, at, card.name);
      } else if (key == "enabled") {
        card.enabled = c.flag(at);
      } else if (key == "adapter_id") {
        card.settings.emplace_back(key, c.text(at));
      } else if (key == "set") {
        auto profile = timing_profile_of(card.name);
        read_settings(c, at, {}, profile, card.settings);
      } else {
        read_pin(c, m, card, key, at);
      }
    }
    m.cards.push_back(std::move(card));
  }
  std::sort(m.cards.begin(), m.cards.end(), [](const CardConfig& a, const CardConfig& b) { return a.slot < b.slot; });
}

void read_start(Config& c, StartConfig& start) {
  for (const auto& [path, value] : {std::pair{"image", &start.image},
                                    {"bios", &start.bios},
                                    {"kernel", &start.kernel},
                                    {"initrd", &start.initrd},
                                    {"append", &start.append},
                                    {"serial", &start.serial}})
    if (c.has(path)) *value = c.text(path);
  if (c.has("initrd") && start.kernel.empty()) c.fail("initrd", "is for a kernel; name it with kernel = \"FILE\"");
  if (c.has("append") && start.kernel.empty()) c.fail("append", "is for a kernel; name it with kernel = \"FILE\"");
  if (!start.image.empty() && c.has("floppy.a"))
    c.fail("image", "and floppy.a both name the diskette in drive A; give one of them");
  for (const std::string& key : c.children("guest")) start.guest.emplace_back(key, c.text("guest." + key));
  if (!start.guest.empty() && (!start.image.empty() || !start.kernel.empty()))
    c.fail("guest." + start.guest.front().first,
           "is for planar's own guest in drive A, and something else is started; leave one of the two out");
  if (c.has("serial") && start.serial != "stdio" && (!start.serial.starts_with("file:") || start.serial.size() == 5))
    c.fail("serial", "expects \"stdio\" or \"file:NAME\"");
}

storage::ImageFormat read_format(Config& c, const std::string& path) {
  return *storage::parse_image_format(c.choice(path + ".format", {"auto", "raw"}, "auto"));
}

/// The keys of [floppy.a], [floppy.b] and [disk.N]: file, mode, overlay, format.
storage::DiskSpec read_disk(Config& c, const std::string& path) {
  storage::DiskSpec disk;
  disk.file = c.text(path + ".file");
  const auto mode = c.choice(path + ".mode", {"overlay", "write-through", "memory", "read-only"}, "overlay");
  disk.mode = *storage::parse_write_mode(mode);
  disk.overlay = c.text(path + ".overlay", "");
  disk.format = read_format(c, path);
  return disk;
}

/// [disk.ID] and [cdrom.ID] name drives by their address.
void read_drives(Config& c, MachineConfig& m) {
  for (const auto& drive : c.children("floppy"))
    if (drive != "a" && drive != "b") c.fail("floppy." + drive, "the diskette drives are floppy.a and floppy.b");
  for (unsigned n = 0; n < m.floppies.size(); ++n) {
    const auto path = floppy_path(n);
    if (!c.has(path)) continue;
    if (auto disk = read_disk(c, path); !disk.file.empty()) m.floppies[n] = std::move(disk);
  }
  m.drive_b = c.has("floppy.b");
  const DrivePlaces& places = m.board_kind->drives;
  for (const auto kind : {storage::DriveKind::disk, storage::DriveKind::cdrom}) {
    const std::string table = kind == storage::DriveKind::disk ? "disk" : "cdrom";
    for (const auto& name : c.children(table)) {
      const auto path = table + "." + name;
      const auto id = parse_number(name);
      if (!id || *id >= places.count)
        c.fail(path, fmt::format("is no {} of this machine; use 0 to {}", places.name, places.count - 1));
      DriveConfig drive{kind, static_cast<unsigned>(*id), {}};
      if (kind == storage::DriveKind::disk)
        drive.disk = read_disk(c, path);
      else
        drive.disk = {c.text(path + ".file"), storage::WriteMode::read_only, {}, read_format(c, path)};
      if (kind == storage::DriveKind::disk && drive.disk.file.empty())
        c.fail(path + ".file", "names no image; a hard disk has one");
      for (const DriveConfig& other : m.drives)
        if (other.id == drive.id)
          c.fail(path,
                 fmt::format("has the {} of another drive; give each its own, 0 to {}", places.name, places.count - 1));
      m.drives.push_back(std::move(drive));
    }
  }
  std::sort(m.drives.begin(), m.drives.end(), [](const DriveConfig& a, const DriveConfig& b) { return a.id < b.id; });
}

/// Drives need an adapter: if the user has not installed one, IBM's own goes into the last free slot.
void add_storage_card(Config& c, const MachineConfig& m) {
  const auto card = [&](std::size_t slot) { return c.peek_text(fmt::format("slot.{}.card", slot)); };
  std::size_t last = 0;
  for (std::size_t slot = 1; slot <= m.slot_widths.size(); ++slot) {
    if (is_storage_card(card(slot))) return;
    if (card(slot).empty()) last = slot;
  }
  if (last == 0)
    throw Error(fmt::format("{}: no slot is free for the SCSI adapter of the disks; take a card out", m.name));
  c.set_text(fmt::format("slot.{}.card", last), std::string(m.board_kind->storage_card(m.slot_widths[last - 1])),
             "for the SCSI drives");
}

const BoardKind& read_board_kind(Config& c) {
  std::vector<std::string> names;
  for (const BoardKind& kind : board_kinds()) names.emplace_back(kind.name);
  c.choice("board", names, names.front());
  return board_kind_of(c);
}

/// Why `m` does not have a key that other machines have; empty if none has it.
std::string why_of_others(const std::string& path, const MachineConfig& m) {
  if (path == "base") return "is for built-in files; write machine = \"" + m.name + "\", and what differs from it";
  const BoardKind* const kind = board_kind_with(path.substr(0, path.find('.')));
  if (kind && kind != m.board_kind)
    return fmt::format("is of a board of the kind \"{}\", and the board of {} is \"{}\"; leave it out", kind->name,
                       m.name, m.board_kind->name);
  const std::string meaning = meaning_of_key(path);
  if (meaning.empty()) return {};
  return fmt::format(
      "is for another processor, board or medium than this machine's; leave it out (docs/machine-files.md: {})",
      meaning.substr(0, meaning.size() - 1));  // without its full stop
}

/// Reads everything except what distinguishes a changed machine from the built-in one.
MachineConfig read_values(Config& c) {
  MachineConfig m;
  m.name = c.text("machine");
  if (c.is_number("title")) c.fail("title", "expects a text in quotes");
  m.title = c.text("title");
  if (m.title.empty() ||
      std::any_of(m.title.begin(), m.title.end(), [](unsigned char b) { return b < ' ' || b == 0x7F; }))
    c.fail("title", "expects a text of one line without control characters, to be shown beside results");
  c.texts("scenario.steps");  // executed by the frontend
  m.identity = read_identity(c);
  read_processor(c, m);
  m.board_kind = &read_board_kind(c);
  read_caches(c, m.timing);
  read_memory(c, m);
  for (const auto width : c.integers("slots.widths", 16, 64)) {
    if (width != 16 && width != 32 && width != 64) c.fail("slots.widths", "each slot is 16, 32 or 64 bits wide");
    m.slot_widths.push_back(static_cast<unsigned>(width));
  }
  if (m.slot_widths.empty() || m.slot_widths.size() > 8) c.fail("slots.widths", "a planar has 1 to 8 slots");
  m.diskette = c.choice("planar.diskette", {"1.44 MB", "2.88 MB"});
  m.clock_start = c.text("planar.clock_start", "1995-01-01 00:00:00");
  try {
    DateTime::parse(m.clock_start);
  } catch (const Error& e) { c.fail("planar.clock_start", e.what()); }
  m.board = m.board_kind->read(c, m);
  read_start(c, m.start);
  read_drives(c, m);
  if (!m.drives.empty() && !m.board_kind->storage_card(m.slot_widths.front()).empty()) add_storage_card(c, m);
  read_cards(c, m);
  read_network(c, m);
  m.force = c.flag("run.force", false);
  m.seed = static_cast<std::uint64_t>(c.integer("run.seed", 0, INT64_MAX, 1));
  c.reject_unknown([&](const std::string& path) { return why_of_others(path, m); });
  try {
    cpu::check(m.timing);
  } catch (const cpu::TimingError& e) { c.fail(key_of_timing(e.field()), e.problem()); }
  return m;
}

/// The values that define the machine itself, without those of a particular run.
std::map<std::string, std::string> parts(const Config& c, const BoardKind& board) {
  std::set<std::string_view> tables = {"board", "identity", "cpu", "cache", "l2", "memory", "slots", "planar"};
  tables.insert(board.tables.begin(), board.tables.end());
  std::map<std::string, std::string> values;
  for (const auto& [path, value] : c.values())
    if (tables.contains(path.substr(0, path.find('.'))) && path != "planar.clock_start") values[path] = value;
  return values;
}

std::vector<std::string> differences(const Config& built_in, const Config& changed, const BoardKind& board) {
  const auto was = parts(built_in, board), is = parts(changed, board);
  std::vector<std::string> list;
  for (const auto& [path, value] : is)
    if (const auto old = was.find(path); old == was.end() || old->second != value)
      list.push_back(fmt::format("{} = {}", path, value));
  for (const auto& [path, value] : was)
    if (!is.contains(path)) list.push_back(fmt::format("{} left out", path));
  return list;
}

/// The first three changes; a digest covers the others, so that two different machines have different names.
std::string in_short(const std::vector<std::string>& changes) {
  constexpr std::size_t shown = 3;
  std::string text, all;
  for (std::size_t n = 0; n < changes.size(); ++n) {
    if (n < shown) text += fmt::format("{}{}", n ? ", " : "", changes[n]);
    all += changes[n] + "\n";
  }
  if (changes.size() > shown) text += fmt::format(" and {} more ({:.8})", changes.size() - shown, sha256_hex(all));
  std::erase(text, '"');
  return text;
}

}  // namespace

std::string MachineConfig::label_of_results() const {
  return own_title || changes.empty() ? shown_name() : fmt::format("{} with {}", name, in_short(changes));
}

MachineConfig read_machine(Config& c) {
  MachineConfig m = read_values(c);
  if (!is_built_in(m.name)) return m;
  Config built_in = load_machine(m.name);
  const std::string title = read_values(built_in).title;
  m.changes = differences(built_in, c, *m.board_kind);
  m.own_title = m.title != title;
  // The built-in machine's title may no longer be correct about the processor and cache.
  if (!m.changes.empty() && !m.own_title)
    m.title = fmt::format("{}, changed: {}", title.substr(0, title.find(',')), in_short(m.changes));
  return m;
}

}  // namespace planar
