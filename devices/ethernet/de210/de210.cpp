// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/de210/de210.hpp"

#include "devices/adapter/station_options.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint32_t ram_size = 0x10000, rom_base = 0xC000;
enum Nicsr : std::uint8_t { IEN = 0x02, IM = 0x04, BUF = 0x20, SHE = 0x80 };
enum Port : std::uint32_t { NICSR = 0x0, RBI = 0x2, DATA = 0x4, ADDR = 0x6, PROM_DATA = 0xC, RBSA = 0xE };
/// Drivers know the family by this in the first 16 bytes of the ROM. All that there is of it: no vendor's code.
constexpr std::string_view rom_signature = "  DE210  planar ";

constexpr std::string_view limitations[] = {
    "The diagnostic and boot ROM is 16 bytes of signature, enough for drivers to know the family; there is no code in "
    "it.",
    "DE210 and DE212 differ in nothing but their ID; what differs on the real boards is not known.",
    "The 2 KB buffer mode (+2, +E), bank select, remote boot and the LED keep their bits and do nothing.",
    "NICSR bit 5 always shows POS 2 bit 5; the LANCE sees 64 KB of RAM in the 32 KB mode too.",
    "Who waits how long for the RAM is inferred: the LANCE keeps it for whole bursts, the host for one access.",
    "The transceiver is taken to deliver the collision heartbeat; chip: see the simplifications of the Am7990.",
};

constexpr SisterId sister_ids[] = {{De210::de212_id, "DE210/DE212"}, {De210::de210_id, "DE210 of later lists"}};

/// Digital's check word: per little-endian address word the sum doubled, the word added, both with end-around carry.
std::uint16_t address_checksum(const net::MacAddress& mac) {
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < 6; i += 2) {
    sum <<= 1;
    if (sum > 0xFFFF) sum -= 0xFFFF;
    sum += mac[i] | std::uint32_t{mac[i + 1]} << 8;
    if (sum > 0xFFFF) sum -= 0xFFFF;
  }
  return static_cast<std::uint16_t>(sum == 0xFFFF ? 0 : sum);
}

/// Address and check word, both backwards, both again, and the pattern by which drivers find the start.
std::array<std::uint8_t, 32> address_prom(const net::MacAddress& mac) {
  std::array<std::uint8_t, 32> prom{};
  const std::uint16_t check = address_checksum(mac);
  for (unsigned i = 0; i < 6; ++i) prom[i] = prom[15 - i] = prom[16 + i] = mac[i];
  prom[6] = prom[9] = prom[22] = static_cast<std::uint8_t>(check);
  prom[7] = prom[8] = prom[23] = static_cast<std::uint8_t>(check >> 8);
  constexpr std::uint8_t pattern[] = {0xFF, 0x00, 0x55, 0xAA};
  for (unsigned i = 24; i < 32; ++i) prom[i] = pattern[i & 3];
  return prom;
}

std::unique_ptr<NetworkAdapter> make_de210(const AdapterContext& context) {
  const StationOptions o = station_options(context, "de210", sister_ids, {0x08, 0x00, 0x2B});
  auto card = std::make_unique<De210>(context.slot, o.adapter_id, o.mac, o.profile, o.seed);
  if (context.medium) card->chip().port().attach(*context.medium);
  return card;
}

std::vector<TimingValue> timing_rows() { return TimingProfile::embedded(profile_path("de210")).rows(); }

}  // namespace

const AdapterEntry De210::entry{"de210",      "Digital EtherWORKS MC (DE210)",
                                de212_id,     MediumKind::ethernet_10,
                                "shared RAM", 16,
                                make_de210,   timing_rows,
                                limitations};

De210::De210(bus::Slot& slot, std::uint16_t adapter_id, const net::MacAddress& mac, const TimingProfile& profile,
             std::uint64_t seed)
    : LanceRam(slot.scheduler(), slot.device_name("de210"), ram_size, profile, seed),
      slot_(slot),
      adapter_id_(adapter_id),
      port_cycle_{16, bus::CycleKind::asynchronous, profile.time("port.ready_delay")},
      prom_(address_prom(mac)) {}

// ---- POS ----

std::uint8_t De210::pos_peek(unsigned reg) const {
  switch (reg) {
    case 0: return static_cast<std::uint8_t>(adapter_id_);
    case 1: return static_cast<std::uint8_t>(adapter_id_ >> 8);
    case 2:
    case 3: return pos_[reg - 2];
    default: return 0xFF;
  }
}

void De210::pos_write(unsigned reg, std::uint8_t value, Time now) {
  if (reg < 2 || reg > 3 || pos_[reg - 2] == value) return;
  pos_[reg - 2] = value;
  decode(now);
}

unsigned De210::irq_line() const {
  switch (pos_[1] & 0x0F) {
    case 1: return 9;
    case 2: return 5;
    case 4: return 10;
    case 8: return 11;
    default: return 0;
  }
}

void De210::decode(Time now) {
  slot_.release_irqs(now);
  drive_interrupt(now);
  claim_ranges();
}

void De210::claim_ranges() {
  port_claim_.release();
  memory_claim_.release();
  if (!enabled()) return;
  const auto base = static_cast<std::uint16_t>(0x2C00 + 0x10 * (pos_[0] >> 1 & 3));
  port_claim_ = slot_.claim_io(base, base + 0x0F, ports_, port_cycle_);
  const unsigned n = pos_[0] >> 3 & 3;
  if (n < 3)
    memory_claim_ = slot_.claim_memory(0xC0000 + n * ram_size + window_offset(), ram_size - window_offset(), window_,
                                       window_cycle());
}

void De210::channel_reset(Time now) {
  pos_[0] = pos_[1] = 0;
  nicsr_ = 0;
  prom_at_ = 0;
  chip_.reset(now);
  decode(now);
}

// ---- memory ----

bool De210::shows_rom(std::uint32_t offset) const { return !(nicsr_ & SHE) && offset + window_offset() >= rom_base; }

std::uint8_t De210::rom_byte(std::uint32_t offset) const {
  const std::uint32_t at = offset + window_offset() - rom_base;
  return at < rom_signature.size() ? static_cast<std::uint8_t>(rom_signature[at]) : 0xFF;
}

std::uint32_t De210::Window::peek(std::uint32_t offset, unsigned bytes) const {
  if (!card.shows_rom(offset)) return card.ram_peek(offset + card.window_offset(), bytes);
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::uint32_t{card.rom_byte(offset + i)} << 8 * i;
  return value;
}

std::uint32_t De210::Window::read(std::uint32_t offset, unsigned bytes, Time now) {
  return card.shows_rom(offset) ? peek(offset, bytes) : card.ram_read(offset + card.window_offset(), bytes, now);
}

void De210::Window::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  if (!card.shows_rom(offset)) card.ram_write(offset + card.window_offset(), bytes, value, now);
}

// ---- ports ----

std::uint8_t De210::nicsr() const { return static_cast<std::uint8_t>((nicsr_ & ~BUF) | (pos_[0] & 0x20 ? BUF : 0)); }

std::uint32_t De210::Ports::peek(std::uint32_t offset, unsigned bytes) const {
  const unsigned shift = 8 * (offset & 1);
  std::uint32_t value = 0xFFFF;
  switch (offset & ~1u) {
    case NICSR: value = card.nicsr(); break;
    case RBI: value = card.rbi_; break;
    case DATA: value = card.chip_.read_rdp(); break;
    case ADDR: value = card.chip_.read_rap(); break;
    case PROM_DATA: value = 0xFF00u | card.prom_[card.prom_at_]; break;
    case RBSA: value = card.rbsa_; break;
    default: break;
  }
  return value >> shift & (bytes == 1 ? 0xFF : 0xFFFF);
}

std::uint32_t De210::Ports::read(std::uint32_t offset, unsigned bytes, Time) {
  const std::uint32_t value = peek(offset, bytes);
  if (offset == PROM_DATA) card.prom_at_ = (card.prom_at_ + 1) & 31;
  return value;
}

void De210::Ports::write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) {
  const auto word = static_cast<std::uint16_t>(value);
  switch (offset) {
    case NICSR:
      card.nicsr_ = static_cast<std::uint8_t>(word & ~BUF);
      card.drive_interrupt(now);
      break;
    case RBI: card.rbi_ = word; break;
    case DATA: card.chip_.write_rdp(word, now); break;
    case ADDR: card.chip_.write_rap(word); break;
    case RBSA: card.rbsa_ = word; break;
    default: break;
  }
}

Time De210::Ports::ready(std::uint32_t offset, unsigned, Direction, Time start) {
  if (offset < DATA || offset > ADDR + 1) return start;
  const Time free = card.chip_.local_bus_free(start);
  return free > start ? free + card.port_cycle_.ready_delay : start;
}

void De210::interrupt(bool asserted, Time now) {
  interrupt_ = asserted;
  drive_interrupt(now);
}

void De210::drive_interrupt(Time now) {
  if (enabled() && irq_line()) slot_.set_irq(irq_line(), interrupt_ && (nicsr_ & (IEN | IM)) == IEN, now);
}

NetCounters De210::counters() const {
  const Am7990::Counters& c = chip_.counters();
  return ethernet_counters(c);
}

void De210::archive(Archive& a) {
  a.section("de210", 1);
  a(adapter_id_, prom_, pos_, nicsr_, rbi_, rbsa_, prom_at_, interrupt_);
  prom_at_ &= 31;
  archive_ram(a);
  chip_.archive(a);
  if (a.loading()) claim_ranges();  // the interrupt lines restore their own levels
}

}  // namespace planar::ethernet
