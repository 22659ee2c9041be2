// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/lan-a/lan_a.hpp"

#include <array>

#include "core/common/error.hpp"

namespace planar::ethernet {
namespace {

constexpr std::array<unsigned, 4> irq_lines{5, 15, 10, 11};
constexpr std::uint32_t ram_size = 0x8000;
constexpr std::uint16_t register_bytes = 0x80, decoded_bytes = 0xA0;
constexpr std::uint32_t prom_address = 0x12;  // of the station address, from +80h
constexpr std::uint8_t writable_control = LanA::IEN | LanA::RAMWIN | LanA::RESET | LanA::RAMEN;

constexpr std::string_view limitations[] = {
    "The RPL ROM socket is empty: with board control bit 7 at 0 nothing answers in the window.",
    "POS 2 bits 4:3 (medium) are kept, but all three connectors lead to the same cable; POS 4 to 7 read FFh.",
    "Only the station address of the identification PROM is known; its other bytes read FFh.",
    "The chip's address lines beyond 32 KB are taken as not connected: the RAM repeats.",
    "Interrupt pending (board control bit 6) is taken as the chip's INT and the interrupt enable.",
    "Chip: little-endian; no heartbeat loss, bus retry or monitored-bad status; its file says what sources leave open.",
};

constexpr OemId oem_ids[] = {{LanA::ibm_id, "IBM"}, {0xFEE6, "IBM 5494"}};

SonicConfig chip_config(const TimingProfile& profile) {
  const auto clocks = [&](std::string_view name, std::int64_t least) {
    return static_cast<unsigned>(profile.integer(name, least, 10'000));
  };
  SonicConfig config;
  config.bus_clock_hz = static_cast<std::uint64_t>(profile.integer("chip.bus_clock", 1'000'000, 100'000'000));
  config.cycle_clocks = clocks("chip.cycle", 1);
  config.arbitration_clocks = clocks("chip.arbitration", 0);
  config.command_clocks = clocks("chip.command", 0);
  config.address_mask = ram_size - 1;
  return config;
}

}  // namespace

const McaEntry LanA::entry{.name = "lan-a",
                           .title = "IBM LAN Adapter/A",
                           .adapter_id = ibm_id,
                           .medium = MediumKind::ethernet_10,
                           .data_path = "shared RAM",
                           .bus_width = 32,
                           .make = make_network_card<LanA>,
                           .limits = limitations};

LanA::LanA(const McaContext& context)
    : LanA(context, station_options(context, entry.name, oem_ids, {0x08, 0x00, 0x5A})) {}

LanA::LanA(const McaContext& context, const StationOptions& o)
    : McaNetworkCard(context.slot, entry, o.adapter_id, {whole_byte, whole_byte}),
      mac_(o.mac),
      register_cycle_{16, bus::CycleKind::asynchronous, o.profile.time("register.ready_delay")},
      window_cycle_(bus::cycle_of(
          slot_.width(),
          bus::default_cycle + o.profile.time(slot_.width() == 32 ? "ram.extension_32" : "ram.extension_16"))),
      ram_access_(o.profile.time("ram.access")),
      ram_(ram_size),
      chip_(slot_.scheduler(), slot_.device_name(entry.name), *this, chip_config(o.profile), o.seed) {
  irq_.gate(bcm_ & IEN, {});
}

// ---- POS ----

unsigned LanA::irq_line() const { return irq_lines[pos_[2] >> 1 & 3]; }

void LanA::apply_pos() {
  register_claim_.release();
  control_claim_.release();
  claim_window();
  const auto base = static_cast<std::uint16_t>((pos_[2] & 0xE0) << 7);
  if (!enabled() || !base) return;
  register_claim_ = slot_.claim_io(base, base + register_bytes - 1, registers_, register_cycle_);
  control_claim_ = slot_.claim_io(base + register_bytes, base + decoded_bytes - 1, control_,
                                  {8, bus::CycleKind::synchronous_extended, {}});
}

void LanA::claim_window() {
  window_claim_.release();
  if (!enabled() || !(bcm_ & RAMWIN) || !(bcm_ & RAMEN)) return;
  const std::uint32_t base = 0xC0000 + ((pos_[3] & 0xF0u) << 9);
  window_claim_ = slot_.claim_memory(base, pos_[3] & 1 ? ram_size : ram_size / 2, window_, window_cycle_);
}

void LanA::reset_board(Time now) {
  bcm_ = 0;
  irq_.gate(bcm_ & IEN, now);
  chip_.reset(now);
}

// ---- board control ----

void LanA::write_control(std::uint8_t value, Time now) {
  bcm_ = value & writable_control;
  if (held_in_reset()) chip_.reset(now);
  claim_window();
  irq_.gate(bcm_ & IEN, now);
}

std::uint32_t LanA::BoardControl::peek(std::uint32_t offset, unsigned, Time) const {
  if (offset == 0) {
    std::uint8_t value = card.bcm_;
    if (card.bcm_ & IEN && card.chip_.interrupt()) value |= IPEND;
    if (card.slot_.width() == 16) value |= BIT16;
    return value;
  }
  const std::uint32_t n = offset - prom_address;
  return n < card.mac_.size() ? card.mac_[n] : 0xFF;
}

void LanA::BoardControl::write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) {
  if (offset == 0) card.write_control(static_cast<std::uint8_t>(value), now);
}

// ---- the chip's registers: words; a byte access drives one half ----

std::uint32_t LanA::Registers::read(std::uint32_t offset, unsigned bytes, Time now) {
  if (!card.held_in_reset()) card.chip_.read(offset / 2, now);
  return peek(offset, bytes, now);
}

std::uint32_t LanA::Registers::peek(std::uint32_t offset, unsigned bytes, Time) const {
  if (card.held_in_reset()) return bytes == 1 ? 0xFF : 0xFFFF;
  const std::uint16_t word = card.chip_.peek(offset / 2);
  return bytes == 1 ? word >> (offset & 1 ? 8 : 0) & 0xFF : word;
}

void LanA::Registers::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  if (card.held_in_reset()) return;
  const unsigned shift = offset & 1 ? 8 : 0;
  const std::uint16_t lanes = static_cast<std::uint16_t>(bytes == 1 ? 0xFF << shift : 0xFFFF);
  card.chip_.write(offset / 2, static_cast<std::uint16_t>(value << shift), now, lanes);
}

// ---- shared RAM ----

// Data that the transmitter has not fetched yet changes too.
void LanA::Window::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  SharedRam::write(offset, bytes, value, now);
  for (unsigned i = 0; i < bytes; ++i)
    card.chip_.memory_written(offset + i, static_cast<std::uint8_t>(value >> (8 * i)), now);
}

PortRun LanA::Window::port_run(std::uint32_t offset, unsigned bytes, Direction direction) {
  return run_within(direction == Direction::write ? card.chip_.not_on_wire(offset) : ram_size, offset, bytes);
}

void LanA::describe_board(Description& d) const {
  d.reg("station address", big_endian(mac_), 48).reg("board control", control_.peek(0, 1, {}), 8);
  d.flag("RAM window", bool(window_claim_));
  chip_.describe(d.part("SONIC-T"));
}

void LanA::archive(Archive& a) {
  a.section("lan-a", 1);
  a(adapter_id_, mac_, pos_, bcm_, ram_);
  if (a.loading() && ram_.size() != ram_size)
    throw Error("snapshot holds a damaged LAN Adapter/A memory; take a new one", ExitCode::missing_file);
  chip_.archive(a);
  if (a.loading()) restored(chip_.interrupt(), bcm_ & IEN);
}

}  // namespace planar::ethernet
