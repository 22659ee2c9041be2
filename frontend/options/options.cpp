// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/options/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "frontend/guest/guest_image.hpp"
#include "frontend/options/arguments.hpp"
#include "frontend/options/option_group.hpp"
#include "machines/config/board_kind.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/config/usual_names.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

namespace {
/// The uncertain clocks of a P6 (published --sensitivity): the only processor values that --set accepts.
constexpr std::array<std::string_view, 7> p6_clocks{
    "cpu.repeat_start", "cpu.repeat_slow_start", "cpu.interrupt_entry", "cpu.interrupt_return", "cpu.page_walk",
    "l2.latency",       "l2.line_clocks"};
}  // namespace

CardOption parse_card_option(const std::string& text) {
  CardOption card;
  std::string rest = text;
  const auto colon = rest.find(':');
  std::string head = rest.substr(0, colon);
  if (const auto equals = head.find('='); equals != std::string::npos) {
    int slot = 0;
    const auto [end, error] = std::from_chars(head.data(), head.data() + equals, slot);
    if (error != std::errc{} || end != head.data() + equals || slot < 1 || slot > 8)
      throw Error(fmt::format("--card {}: '{}' is not a slot number; write for example --card 3=ne2", text,
                              head.substr(0, equals)));
    card.slot = slot;
    head = head.substr(equals + 1);
  }
  card.name = head;
  if (card.name.empty()) throw Error(fmt::format("--card {}: no card given; see `planar list cards`", text));
  if (colon == std::string::npos) return card;
  std::string options = rest.substr(colon + 1);
  // A MAC address contains colons but no commas, so commas separate options and the first '=' splits each.
  for (std::size_t at = 0; at <= options.size();) {
    const auto comma = std::min(options.find(',', at), options.size());
    const auto item = options.substr(at, comma - at);
    const auto equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(
          fmt::format("--card {}: '{}' is not option=value; for example --card ne2:irq=3,io=1000h", text, item));
    const std::string name = item.substr(0, equals);
    for (const auto& earlier : card.options)
      if (earlier.first == name) throw Error(fmt::format("--card {}: {} is given twice; give it once", text, name));
    card.options.emplace_back(name, item.substr(equals + 1));
    at = comma + 1;
  }
  return card;
}

namespace {

/// FILE[,key=value]...: known keys are parsed from the end, because a file name may contain commas.
struct DriveOption {
  std::string file;
  std::vector<std::pair<std::string, std::string>> values;
};

DriveOption parse_drive(const std::string& option, const std::string& text, const std::vector<std::string>& keys) {
  DriveOption drive;
  std::string file = text;
  while (true) {
    const auto comma = file.rfind(',');
    if (comma == std::string::npos) break;
    const auto item = file.substr(comma + 1);
    const auto equals = item.find('=');
    const auto key = item.substr(0, equals);
    if (equals == std::string::npos || std::find(keys.begin(), keys.end(), key) == keys.end()) break;
    drive.values.emplace_back(key, item.substr(equals + 1));
    file.resize(comma);
  }
  if (file.empty()) throw Error(fmt::format("{} {}: no file given; write {} FILE[,mode=MODE]", option, text, option));
  // A comma and an '=' may be part of a file name, unless only the part before the comma exists as a file.
  std::error_code unknown;
  if (const auto comma = file.rfind(','), equals = file.rfind('=');
      comma != std::string::npos && equals != std::string::npos && equals > comma &&
      !std::filesystem::exists(file, unknown) && std::filesystem::exists(file.substr(0, comma), unknown))
    throw Error(fmt::format("{} {}: '{}' is not one of its options; use {}", option, text,
                            file.substr(comma + 1, equals - comma - 1), fmt::join(keys, ", ")));
  drive.file = file;
  return drive;
}

DriveOption may_be_empty(DriveOption drive) {
  if (drive.file == empty_drive) drive.file.clear();
  return drive;
}

void set_drive(Config& config, const std::string& path, const std::string& origin, const DriveOption& drive) {
  config.set_text(path + ".file", drive.file, origin);
  for (const auto& [key, value] : drive.values)
    if (key != "id") config.set_text(path + "." + key, value, origin);
}

/// Puts each drive at the number given by id=, or at the first free number of `order`. A drive of the machine's file at
/// that number is replaced. Throws Error if the command line names two drives for one number.
void set_drives(Config& config, const std::string& table, const std::vector<std::string>& texts,
                const std::vector<unsigned>& order, const std::vector<std::string>& keys) {
  const DrivePlaces& places = board_kind_of(config).drives;
  const auto used = [&](unsigned id) {
    return config.has(fmt::format("disk.{}", id)) || config.has(fmt::format("cdrom.{}", id));
  };
  std::map<std::uint64_t, std::string> given;
  for (const auto& text : texts) {
    const auto option = "--" + table;
    DriveOption drive = parse_drive(option, text, keys);
    if (table == "cdrom") drive = may_be_empty(std::move(drive));
    std::optional<std::uint64_t> id;
    for (const auto& [key, value] : drive.values)
      if (key == "id" && (!(id = parse_number(value)) || *id >= places.count))
        throw Error(fmt::format("{} {}: this machine has no {} {}; use 0 to {}", option, text, places.name, value,
                                places.count - 1));
    if (const auto free = std::find_if_not(order.begin(), order.end(), used); !id && free != order.end()) id = *free;
    if (!id)
      throw Error(fmt::format("{} {}: every {} (0 to {}) is in use", option, text, places.name, places.count - 1));
    if (const auto [there, is_new] = given.emplace(*id, text); !is_new)
      throw Error(fmt::format("{} {}: {} {} already has {} {}; give one of them another id=, 0 to {}", option, text,
                              places.name, *id, option, there->second, places.count - 1));
    set_drive(config, fmt::format("{}.{}", table, *id), option + " " + text, drive);
  }
}

storage::DiskSpec parse_disk(const std::string& option, const std::string& text, const std::vector<std::string>& keys,
                             storage::WriteMode usual) {
  const DriveOption drive = parse_drive(option, text, keys);
  storage::DiskSpec disk{drive.file, usual, {}};
  for (const auto& [key, value] : drive.values) {
    const auto mode = storage::parse_write_mode(value);
    const auto format = storage::parse_image_format(value);
    if (key == "mode" && !mode)
      throw Error(fmt::format("{} {}: '{}' is not a mode; use overlay, write-through, memory or read-only", option,
                              text, value));
    if (key == "format" && !format)
      throw Error(fmt::format("{} {}: '{}' is not a format; use auto or raw", option, text, value));
    if (key == "mode")
      disk.mode = *mode;
    else if (key == "format")
      disk.format = *format;
    else
      disk.overlay = value;
  }
  return disk;
}

}  // namespace

storage::DiskSpec parse_floppy_option(const std::string& option, const std::string& text) {
  return parse_disk(option, text, {"mode", "overlay", "format"}, storage::WriteMode::overlay);
}

storage::DiskSpec parse_image_option(const std::string& option, const std::string& text) {
  return parse_disk(option, text, {"format"}, storage::WriteMode::memory);
}

std::string seed_problem(const std::string& text) {  // CLI::Range would clamp a number that is too large
  const auto number = parse_number(text);
  return number && *number <= INT64_MAX ? std::string() : fmt::format("{} not in range 0 to {}", text, INT64_MAX);
}

void refuse_beside(const CLI::App& verb, const std::string& option, std::initializer_list<std::string_view> allowed,
                   const std::string& why) {
  for (const CLI::Option* other : verb.get_options()) {
    const auto name = other->get_name();
    if (other->count() && name != option && std::find(allowed.begin(), allowed.end(), name) == allowed.end())
      throw Error(fmt::format("{} and {}: {}; leave {} out", option, name, why, name));
  }
}

void add_json_option(CLI::App& app, std::optional<std::string>& target, const std::string& what) {
  app.add_option("--json", target, what + " to FILE, or to standard output with -")->type_name("FILE|-");
}

void add_runs_option(CLI::App& app, unsigned& runs, const std::string& what) {
  app.add_option("--runs", runs, what)->type_name("N")->check(CLI::Range(1, 100000))->capture_default_str();
}

void add_placement_option(CLI::App& app, std::optional<unsigned>& placement, const std::string& what) {
  app.add_option(
         "--placement", placement,
         fmt::format("{}: 0 (the default) to {}. Each shifts figures by a few per cent, like another build of a "
                     "kernel",
                     what, guest_placements - 1))
      ->type_name("N")
      ->check(CLI::Range(0u, guest_placements - 1));
}

void DriveOptions::add_to(CLI::App& app) {
  const OptionGroup group(app, drive_group);
  const std::string modes =
      "mode is overlay (the default: changes go to FILE.overlay, or to overlay=F), write-through "
      "(to FILE itself), memory (discarded at the end) or read-only; format=raw: whatever its first sector looks like, "
      "FILE is a raw image";
  app.add_option("--floppy", floppy,
                 "Diskette in drive A: a raw image of any size from 160 KB to 2.88 MB, or an overlay of one; " + modes)
      ->type_name("FILE[,mode=M][,overlay=F][,format=raw]");
  app.add_option("--floppy-b", floppy_b,
                 "Add drive B with this diskette, given as for --floppy; empty: drive B without a diskette")
      ->type_name("FILE[,mode=M][,overlay=F][,format=raw]|empty");
  app.add_option("--floppy-drive", drive_type,
                 "Type of drives A and B: 1.44 MB, or the PS/2's 2.88 MB; in a 2.88 MB drive, systems that take the "
                 "diskette's size from the drive read beyond the end of a 1.44 MB image")
      ->type_name("1.44|2.88")
      ->check(CLI::IsMember({"1.44", "2.88"}));
  repeatable(
      app.add_option(
             "--disk", disks,
             "Hard disk: a raw image or an overlay, with the modes of --floppy. On a PS/2 it is on SCSI, its "
             "address is id=N (0 "
             "to 6), by default 6, 5...; if there is no SCSI adapter, IBM's is put into the last free slot. On a "
             "PC it is on "
             "IDE, id=N is 0 (master of the first channel) to 3, by default 0, 1... The first one boots")
          ->type_name("FILE[,mode=M][,overlay=F][,format=raw][,id=N]"));
  repeatable(
      app.add_option("--cdrom", cdroms,
                     "CD-ROM: an .iso image, read-only; by default at SCSI address 3, or IDE drive 2. empty: the drive "
                     "without a CD")
          ->type_name("FILE[,format=raw][,id=N]|empty[,id=N]"));
  app.add_option(
         "--boot", boot,
         "Where a PC's firmware looks for a program to start, in this order: a diskette, c first disk, d CD-ROM "
         "(by default acd)")
      ->type_name("ORDER");
}

void DriveOptions::apply(Config& config) const {
  if (boot && !board_kind_of(config).firmware_assigns)
    throw Error(fmt::format(
        "--boot {}: is for a PC; the firmware of a PS/2 always looks at drive A first, then at the first disk", *boot));
  if (boot) config.set_text("planar.boot", *boot, "--boot " + *boot);
  if (drive_type) config.set_text("planar.diskette", *drive_type + " MB", "--floppy-drive " + *drive_type);
  if (floppy)
    set_drive(config, floppy_path(0), "--floppy " + *floppy,
              parse_drive("--floppy", *floppy, {"mode", "overlay", "format"}));
  if (floppy_b)
    set_drive(config, floppy_path(1), "--floppy-b " + *floppy_b,
              may_be_empty(parse_drive("--floppy-b", *floppy_b, {"mode", "overlay", "format"})));
  const DrivePlaces& places = board_kind_of(config).drives;
  set_drives(config, "disk", disks, places.disks, {"mode", "overlay", "format", "id"});
  set_drives(config, "cdrom", cdroms, places.cdroms, {"format", "id"});
}

bool MachineOptions::machine_given() const { return machine_option_ && machine_option_->count() > 0; }

void MachineOptions::add_to(CLI::App& app, bool positional) {
  const OptionGroup group(app, machine_group);
  const std::string help = "Built-in machine (see `planar list machines`) or a machine file (see `planar config`)";
  machine_option_ = app.add_option(positional ? "machine" : "--machine", machine, help)
                        ->type_name("MACHINE|FILE")
                        ->transform(machine_argument)
                        ->capture_default_str();
  repeatable(app.add_option(
                    "--card", cards,
                    "Adapter in a slot: [SLOT=]NAME[:option=value,...]; without SLOT the first free one. Options pin a "
                    "resource (io, irq, mem, arb) or an item of the adapter's ADF (burst-mode=immediate-release), or "
                    "set mac, the "
                    "guest's driver or a variant's adapter_id; the rest is solved from the ADF")
                 ->type_name("CARD")
                 ->transform(card_argument));
  repeatable(
      app.add_option("--set", values,
                     "Override a timing value: CARD.VALUE=X, for example --set ne2.data_port.ready_delay='500 ns', or "
                     "a key of the machine below channel (on a PC pci or isa), memory, net or peer: --set "
                     "peer.turnaround='30 us'; of a P6 also the clocks that published --sensitivity varies: --set "
                     "cpu.page_walk=10")
          ->type_name("CARD.VALUE=X"));
  app.add_option(
         "--net", net,
         "What the adapter is connected to: peer (a reference station in virtual time), slirp (the host's network, "
         "without privileges), slirp:isolated (forwarded ports lead in, the guest reaches nothing outside), tap:NAME, "
         "pcap:IFACE, socket:HOST:PORT or socket:unix:PATH (another planar), none")
      ->type_name("peer|slirp|slirp:isolated|tap:NAME|pcap:IFACE|socket:ADDR|none");
  repeatable(
      app.add_option(
             "--forward", forwards,
             "A host port to forward into the guest, for example \"tcp 127.0.0.1:2323 -> 23\" (with --net slirp)")
          ->type_name("FORWARD"));
  app.add_option("--net-time", net_time,
                 "With the host's network: as-hardware (paced to real time, the default) or unthrottled (as fast as "
                 "possible, but idle time never runs ahead of the host's replies)")
      ->type_name("as-hardware|unthrottled");
  app.add_option(
         "--rate", rate,
         "One medium for all stations, at this bit rate: a ring (4 or 16 Mbit/s) in place of the ring, switch and "
         "Ethernet that a Token Ring adapter gets by default, or an Ethernet segment (10, 100 or 1000 Mbit/s)")
      ->type_name("RATE")
      ->transform(bit_rate_argument);
  app.add_option("--duplex", duplex,
                 "Duplex of the adapters' network: half or full (default: full if a PCI card is first, and on a "
                 "dedicated 16 Mbit/s ring; half otherwise)")
      ->type_name("half|full");
  app.add_option("--seed", seed, "Seed of everything random in the lab")->type_name("N")->check(seed_problem);
  app.add_option("--memory", memory, "Memory size, for example \"16 MB\"")->type_name("SIZE");
  app.add_flag("--force", force, "Allow a card in a machine whose processor it does not support");
}

namespace {

/// Settings shared by all machines of a lab; `target` is the configuration of a machine or a lab.
void apply_shared(const MachineOptions& o, auto& target) {
  if (o.net) target.set("net.attach", *o.net, "--net " + *o.net);
  if (!o.forwards.empty()) target.set_texts("net.forward", o.forwards, "--forward");
  if (o.net_time) target.set("net.time", *o.net_time, "--net-time " + *o.net_time);
  if (o.rate) target.set("net.rate", *o.rate, "--rate " + *o.rate);
  if (o.duplex) target.set("net.duplex", *o.duplex, "--duplex " + *o.duplex);
  if (o.seed) target.set("run.seed", std::to_string(*o.seed), fmt::format("--seed {}", *o.seed));
  if (o.force) target.set("run.force", "true", "--force");
}

}  // namespace

LabConfig MachineOptions::lab() const {
  LabConfig lab = load_lab(machine);
  if (!lab.named()) {
    apply(lab.machine(0), {});
    return lab;
  }
  if (const auto option = of_one_machine(); !option.empty())
    throw Error(fmt::format("{}: {} is a lab of several machines; write it below the [[machine]] that it applies to",
                            option, machine));
  apply_over(lab);
  return lab;
}

void MachineOptions::apply_over(LabConfig& lab) const { apply_shared(*this, lab); }

std::string MachineOptions::of_one_machine() const {
  const std::pair<const char*, bool> given[] = {{"--card", !cards.empty()},
                                                {"--set", !values.empty()},
                                                {"--memory", memory.has_value()},
                                                {"--floppy", drives.floppy.has_value()},
                                                {"--floppy-b", drives.floppy_b.has_value()},
                                                {"--disk", !drives.disks.empty()},
                                                {"--cdrom", !drives.cdroms.empty()},
                                                {"--boot", drives.boot.has_value()},
                                                {"--floppy-drive", drives.drive_type.has_value()}};
  for (const auto& [option, is_given] : given)
    if (is_given) return option;
  return {};
}

void MachineOptions::give(LabConfig& lab, const char* key, const std::string& value) const {
  if (lab.named())
    throw Error(fmt::format(
        "--{}: {} is a lab of several machines; write {} = \"...\" below the [[machine]] that it applies to", key,
        machine, key));
  lab.machine(0).set_text(key, value, fmt::format("--{} {}", key, value));
}

Config MachineOptions::config(bool usual_card) const {
  Config config = load_machine(machine);
  apply(config, usual_card);
  return config;
}

void MachineOptions::apply(Config& config, bool usual_card) const {
  apply_shared(*this, config);
  drives.apply(config);
  if (memory) config.set("memory.size", *memory, "--memory " + *memory);

  std::set<int> used;
  std::vector<CardOption> parsed;
  for (const auto& text : cards) parsed.push_back(parse_card_option(text));
  const auto slots = config.children("slot");
  const bool usual = parsed.empty() && usual_card && slots.empty();
  if (usual) parsed.push_back(parse_card_option(std::string(board_kind_of(config).usual_card)));
  for (const auto& name : slots)
    if (const auto n = parse_number(name)) used.insert(static_cast<int>(*n));
  std::map<int, std::string> named;
  for (const auto& card : parsed) {
    if (!card.slot) continue;
    if (const auto [there, is_new] = named.emplace(*card.slot, card.name); !is_new)
      throw Error(fmt::format("--card {0}={1}: slot {0} already has --card {0}={2}; give one of them, or another slot",
                              *card.slot, card.name, there->second));
    used.insert(*card.slot);
  }
  int next = 1;
  for (const auto& card : parsed) {
    int slot = card.slot.value_or(0);
    if (!slot) {
      while (used.contains(next)) ++next;
      slot = next;
      used.insert(slot);
    }
    const auto origin = usual ? machine + "'s usual card" : "--card " + card.name;
    config.set(fmt::format("slot.{}.card", slot), card.name, origin);
    for (const auto& [key, value] : card.options) {
      const auto path = fmt::format("slot.{}.{}", slot, key);
      if (key == "enabled")
        config.set(path, value, origin);
      else
        config.set_text(path, value, origin);
    }
  }
  std::vector<std::string_view> tables = board_kind_of(config).tables;  // of the machine's file
  tables.insert(tables.end(), {"memory", "peer", "net"});
  for (const auto& text : values) {
    const auto dot = text.find('.'), equals = text.find('=');
    if (dot == std::string::npos || equals == std::string::npos || equals < dot || dot == 0)
      throw Error(fmt::format("--set {}: is not CARD.VALUE=X; `planar show CARD` lists the values", text));
    const auto card = usual_card_name(text.substr(0, dot)), key = text.substr(dot + 1, equals - dot - 1);
    const bool of_p6 = config.peek_text("cpu.model") == "p6" &&
                       std::find(p6_clocks.begin(), p6_clocks.end(), text.substr(0, equals)) != p6_clocks.end();
    if (of_p6 || std::find(tables.begin(), tables.end(), card) != tables.end()) {
      config.set(text.substr(0, equals), text.substr(equals + 1), "--set " + text);
      continue;
    }
    bool found = false;
    for (const auto& name : config.children("slot")) {
      const auto path = "slot." + name;
      if (!config.has(path + ".card") || config.peek_text(path + ".card") != card) continue;
      config.set_text(path + ".set." + key, text.substr(equals + 1), "--set " + text);
      found = true;
    }
    if (!found && (find_mca(card) || find_pci(card)))
      throw Error(fmt::format("--set {}: no slot contains a '{}'; add --card {}", text, card, card));
    if (const BoardKind* const kind = board_kind_with(card); kind && !found)
      throw Error(
          fmt::format("--set {}: '{}' is of a board of the kind \"{}\", and the board of {} is \"{}\"; leave it out",
                      text, card, kind->name, machine, board_kind_of(config).name));
    if (!found)
      throw Error(
          fmt::format("--set {}: '{}' is neither a card nor one of {}; `planar show CARD` lists a card's values, and "
                      "what else a machine has is written into its file (planar config)",
                      text, card, fmt::join(tables, ", ")));
  }
}

void OutputOptions::add_to(CLI::App& app) {
  verb = &app;
  const OptionGroup group(app, output_group);
  add_json_option(app, json, "Write the result as JSON");
  app.add_option("--serial", serial, "Output of COM1: stdio or file:F")->type_name("stdio|file:F");
  repeatable(app.add_option("--screen", screen,
                            "At the end: text prints the text screen, png:FILE saves a screenshot (in any mode)")
                 ->type_name("text|png:FILE"));
  app.add_option("--capture", capture, "Capture every frame on the medium, in virtual time")->type_name("F.pcapng");
  trace.add_to(app);
  app.add_option("--timeline", timeline,
                 "Write a timeline of processor, buses, adapters, interrupt lines and wire, in virtual time, for "
                 "Perfetto (ui.perfetto.dev) and chrome://tracing. Without the options below it shows a full-size "
                 "frame of a connection in steady state (docs/timeline.md)")
      ->type_name("F.json");
  app.add_option("--timeline-frame", timeline_frame,
                 "Frame to show in the timeline, by its number in the capture, with some frames before it; data: the "
                 "frame that is shown by default")
      ->type_name("N|data");
  app.add_option("--timeline-from", timeline_from, "The timeline begins at this virtual time (0 s)")->type_name("TIME");
  app.add_option("--timeline-for", timeline_for, "Length of the timeline (10 ms); one second of it can take 200 MB")
      ->type_name("TIME");
  app.add_flag("--quiet", quiet, "No progress line, no configuration block");
}

void StateOptions::add_to(CLI::App& app) {
  const OptionGroup snapshots(app, snapshot_group);
  app.add_option("--snapshot-at", snapshot, "Save the whole lab to FILE at a virtual TIME and continue")
      ->type_name("TIME FILE")
      ->expected(2);
  add_restore_to(app);
  app.add_option("--gdb", gdb,
                 "Let gdb attach to the run (target remote :PORT) on the loopback interface, or at HOST; with wait: "
                 "the run begins when gdb continues it. The results of the run do not change (docs/debugging.md)")
      ->type_name("[wait:][HOST:]PORT");
  app.add_flag(
         "--lockstep", lockstep,
         "Check every instruction of the processor against Unicorn; stop at the first difference and print both states "
         "(exit 4). Slow; needs a build with Unicorn")
      ->group(check_group);
  app.add_option("--lockstep-plant", lockstep_plant, "Corrupt Unicorn's result after instruction N")->group("");
  // None of these options may change a virtual result.
  app.add_option("--check-block-length", block_length, "Decode at most N instructions per block")
      ->type_name("N")
      ->check(CLI::Range(1, 64))
      ->group(check_group);
  app.add_option("--check-flush-blocks", flush_blocks, "Flush the decoded-block cache at random times")
      ->type_name("SEED")
      ->group(check_group);
  app.add_option("--check-cut-horizons", cut_horizons, "Shorten the processor's horizons at random")
      ->type_name("SEED")
      ->group(check_group);
  app.add_option("--check-memo-room", memo_room, "Pentium II and III: keep the pipeline timing of at most N blocks")
      ->type_name("N")
      ->group(check_group);
  app.add_flag("--verify-memo", verify_memo,
               "Pentium II and III: also recompute blocks whose pipeline timing is known, and compare; a "
               "difference is an error")
      ->group(check_group);
}

void StateOptions::add_restore_to(CLI::App& app) {
  app.add_option("--restore", restore,
                 "Continue from a snapshot (machine, cards and images come from it). By itself it has no access to "
                 "this host: slirp continues as slirp:isolated, without forwarded ports, unless --net and --forward "
                 "are given")
      ->type_name("FILE");
  repeatable(
      app.add_option("--insert", insert, "With --restore: a diskette image that a step of the snapshot may insert")
          ->type_name("FILE"));
}

}  // namespace planar
