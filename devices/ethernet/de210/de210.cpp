// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/de210/de210.hpp"

#include "core/common/little_endian.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint32_t ram_size = 0x10000, rom_base = 0xC000;
enum Nicsr : std::uint8_t { IEN = 0x02, IM = 0x04, BUF = 0x20, SHE = 0x80 };
enum Port : std::uint32_t { NICSR = 0x0, RBI = 0x2, DATA = 0x4, ADDR = 0x6, PROM_DATA = 0xC, RBSA = 0xE };
/// Drivers recognise the family by this in the first 16 bytes of the ROM. It is the ROM's only content: no vendor code.
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

constexpr OemId oem_ids[] = {{De210::de212_id, "DE210/DE212"}, {De210::de210_id, "DE210 of later lists"}};

/// Digital's check word: for each little-endian address word the sum is doubled and the word added, both with
/// end-around carry.
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

/// Address and check word, both reversed, both again, and the pattern by which drivers find the start.
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

bool enables_interrupt(std::uint8_t nicsr) { return (nicsr & (IEN | IM)) == IEN; }

}  // namespace

const McaEntry De210::entry{.name = "de210",
                            .title = "Digital EtherWORKS MC (DE210)",
                            .adapter_id = de212_id,
                            .medium = MediumKind::ethernet_10,
                            .data_path = "shared RAM",
                            .bus_width = 16,
                            .make = make_network_card<De210>,
                            .limits = limitations};

De210::De210(const McaContext& context)
    : De210(context, station_options(context, entry.name, oem_ids, {0x08, 0x00, 0x2B})) {}

De210::De210(const McaContext& context, const StationOptions& o)
    : McaNetworkCard(context.slot, entry, o.adapter_id, {whole_byte, whole_byte}),
      LanceRam(slot_.scheduler(), slot_.device_name(entry.name), ram_size, o.profile, o.seed),
      port_cycle_{16, bus::CycleKind::asynchronous, o.profile.time("port.ready_delay")},
      prom_(address_prom(o.mac)) {
  irq_.gate(enables_interrupt(nicsr_), {});
}

// ---- POS ----

unsigned De210::irq_line() const {
  switch (pos_[3] & 0x0F) {
    case 1: return 9;
    case 2: return 5;
    case 4: return 10;
    case 8: return 11;
    default: return 0;
  }
}

void De210::apply_pos() {
  port_claim_.release();
  memory_claim_.release();
  if (!enabled()) return;
  const auto base = static_cast<std::uint16_t>(0x2C00 + 0x10 * (pos_[2] >> 1 & 3));
  port_claim_ = slot_.claim_io(base, base + 0x0F, ports_, port_cycle_);
  const unsigned n = pos_[2] >> 3 & 3;
  if (n < 3)
    memory_claim_ = slot_.claim_memory(0xC0000 + n * ram_size + window_offset(), ram_size - window_offset(), window_,
                                       window_cycle());
}

void De210::reset_board(Time now) {
  nicsr_ = 0;
  irq_.gate(enables_interrupt(nicsr_), now);
  prom_at_ = 0;
  chip_.reset(now);
}

// ---- memory ----

bool De210::shows_rom(std::uint32_t offset) const { return !(nicsr_ & SHE) && offset + window_offset() >= rom_base; }

std::uint8_t De210::rom_byte(std::uint32_t offset) const {
  const std::uint32_t at = offset + window_offset() - rom_base;
  return at < rom_signature.size() ? static_cast<std::uint8_t>(rom_signature[at]) : 0xFF;
}

std::uint32_t De210::Window::peek(std::uint32_t offset, unsigned bytes, Time now) const {
  if (!card.shows_rom(offset)) return SharedRam::peek(offset + card.window_offset(), bytes, now);
  return join_little(bytes, [&](unsigned i) { return card.rom_byte(offset + i); });
}

std::uint32_t De210::Window::read(std::uint32_t offset, unsigned bytes, Time now) {
  return card.shows_rom(offset) ? peek(offset, bytes, now) : SharedRam::read(offset + card.window_offset(), bytes, now);
}

void De210::Window::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  if (!card.shows_rom(offset)) SharedRam::write(offset + card.window_offset(), bytes, value, now);
}

// ---- ports ----

std::uint8_t De210::nicsr() const { return static_cast<std::uint8_t>((nicsr_ & ~BUF) | (pos_[2] & 0x20 ? BUF : 0)); }

std::uint32_t De210::Ports::peek(std::uint32_t offset, unsigned bytes, Time) const {
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

std::uint32_t De210::Ports::read(std::uint32_t offset, unsigned bytes, Time now) {
  const std::uint32_t value = peek(offset, bytes, now);
  if (offset == PROM_DATA) card.prom_at_ = (card.prom_at_ + 1) & 31;
  return value;
}

void De210::Ports::write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) {
  const auto word = static_cast<std::uint16_t>(value);
  switch (offset) {
    case NICSR:
      card.nicsr_ = static_cast<std::uint8_t>(word & ~BUF);
      card.irq_.gate(enables_interrupt(card.nicsr_), now);
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

void De210::describe_board(Description& d) const {
  d.reg("NICSR", nicsr(), 8).reg("buffer index", rbi_, 16).reg("buffer start", rbsa_, 16);
  d.reg("station address", big_endian(std::span(prom_).first(6)), 48).number("PROM position", prom_at_);
  chip_.describe(d.part("Am7990"));
}

void De210::archive(Archive& a) {
  a.section("de210", 1);
  a(adapter_id_, prom_, pos_, nicsr_, rbi_, rbsa_, prom_at_, irq_);
  prom_at_ &= 31;
  archive_ram(a);
  chip_.archive(a);
  if (a.loading()) restored(irq_.cause(), enables_interrupt(nicsr_));
}

}  // namespace planar::ethernet
