// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/3c523/3c523.hpp"

#include <array>
#include <bit>

#include "core/common/little_endian.hpp"
#include "devices/ethernet/common/i82586_profile.hpp"

namespace planar::ethernet {
namespace {

constexpr std::array<std::uint16_t, 4> io_bases{0x0300, 0x1300, 0x2300, 0x3300};
constexpr std::array<std::uint32_t, 4> ram_bases{0xC0000, 0xC8000, 0xD0000, 0xD8000};
constexpr std::array<unsigned, 4> irq_lines{12, 7, 3, 9};
constexpr std::uint32_t ram_size = 0x4000;
constexpr std::uint8_t ram_bank = 3;  // of a 16 KB card; its other banks are empty
// control
constexpr std::uint8_t bank_bits = 0x03, enable_bit = 0x04, active_bit = 0x08, loopback_bit = 0x20,
                       attention_bit = 0x40, run_bit = 0x80;

constexpr std::string_view limitations[] = {
    "The boot ROM socket is empty: nothing answers in the 8 KB after the RAM.",
    "16 KB of RAM in bank 3; the 64 KB version with its three other banks is not modelled.",
    "The on-board transceiver and the DIX connector lead to the same cable.",
    "The interrupt pin is gated by the enable bit only; bit 3 latches its rising edge. What the real latch does when "
    "an event is acknowledged before it is read is not known.",
    "Clock, wait states and arbiter are inferred (see the timing table): no schematic or timing of the board is "
    "public.",
    "Chip: the 82586's own simplifications stand in its header; its cycles are not slowed down by the host's.",
};
constexpr auto old_limitations = limits_and(
    limitations,
    "What differs from the later revision is not documented: the revision nibble and the synchroniser of the RAM are "
    "inferred, the restriction to the 386 is a published report's.");

// A Model 95 reports revision Eh for the later board; the older board's value is not documented anywhere.
constexpr std::uint8_t later_revision = 0x0E, older_revision = 0x01;

constexpr OemId ids[] = {{EtherLinkMc::id, "3Com"}};

std::string_view refuse_but_386(ProcessorGeneration processor) {
  if (processor == ProcessorGeneration::i386) return {};
  return "this revision is reported (A. Arnold, 2002) to work with a 386 only; 3c523 is the later revision";
}

}  // namespace

const McaEntry EtherLinkMc::entry{
    .name = "3c523",
    .title = "3Com 3C523 EtherLink/MC",
    .adapter_id = id,
    .medium = MediumKind::ethernet_10,
    .data_path = "shared RAM",
    .bus_width = 16,
    .make = [](const McaContext& c) { return make_network_card<EtherLinkMc>(c, entry, later_revision); },
    .limits = limitations};

const McaEntry EtherLinkMc::old_entry{
    .name = "3c523-old",
    .title = "3Com 3C523 EtherLink/MC (older revision)",
    .adapter_id = id,
    .medium = MediumKind::ethernet_10,
    .data_path = "shared RAM",
    .bus_width = 16,
    .make = [](const McaContext& c) { return make_network_card<EtherLinkMc>(c, old_entry, older_revision); },
    .limits = old_limitations,
    .refusal = refuse_but_386};

EtherLinkMc::EtherLinkMc(const McaContext& context, const McaEntry& row, std::uint8_t revision)
    : EtherLinkMc(context, row, revision, station_options(context, row.name, ids, {0x02, 0x60, 0x8C})) {}

EtherLinkMc::EtherLinkMc(const McaContext& context, const McaEntry& row, std::uint8_t revision, const StationOptions& o)
    : McaNetworkCard(context.slot, row, o.adapter_id, {{.latched = 0x3F}, {.latched = 0x0F}}),
      revision_(revision),
      mac_(o.mac),
      register_cycle_{8, bus::CycleKind::synchronous_extended, {}},
      ram_cycle_{16, bus::CycleKind::asynchronous, o.profile.time("ram.ready_delay")},
      synchroniser_clocks_(static_cast<unsigned>(o.profile.integer("ram.synchroniser", 0, 100))),
      clock_{1'000'000'000'000 / o.profile.integer("chip.clock", 1'000'000, 100'000'000)},
      ram_(ram_size),
      chip_(slot_.scheduler(), slot_.device_name(row.name), *this, ram_, i82586_timing(o.profile), o.seed) {
  irq_.gate(control_ & enable_bit, {});
}

// ---- POS ----

// The lowest of the selected lines; -1 if none.
int EtherLinkMc::irq_choice() const { return pos_[3] ? std::countr_zero(pos_[3]) : -1; }

std::uint8_t EtherLinkMc::pos_peek(unsigned reg) const {
  const std::uint8_t value = McaCard::pos_peek(reg);
  return static_cast<std::uint8_t>(value | (reg == 2 && irq_choice() > 0 ? irq_choice() << 6 : 0));
}

void EtherLinkMc::pos_changed(unsigned reg, Time now) {
  if (reg == 3)
    select_irq(now);
  else
    decode(now);
}

void EtherLinkMc::apply_pos() {
  port_claim_.release();
  ram_claim_.release();
  if (!enabled()) return;
  const std::uint16_t base = io_bases[pos_[2] >> 1 & 3];
  port_claim_ = slot_.claim_io(base, base + 7, ports_, register_cycle_);
  ram_claim_ = slot_.claim_memory(ram_bases[pos_[2] >> 3 & 3], ram_size, window_, ram_cycle_);
}

void EtherLinkMc::reset_board(Time now) {
  write_control(0, now);
  latch_ = false;
}

// ---- interrupt ----

unsigned EtherLinkMc::irq_line() const {
  return irq_choice() >= 0 ? irq_lines[static_cast<unsigned>(irq_choice())] : 0;
}

void EtherLinkMc::interrupt(bool asserted, Time now) {
  if (asserted) latch_ = true;
  irq_.set(asserted, now);
}

// ---- ports ----

std::uint32_t EtherLinkMc::Ports::peek(std::uint32_t offset, unsigned, Time) const {
  if (offset < 6) return card.mac_[offset];
  if (offset == 7) return card.revision_ | 0xF0u;
  return card.control_ | (card.latch_ ? active_bit : 0u);
}

std::uint32_t EtherLinkMc::Ports::read(std::uint32_t offset, unsigned bytes, Time now) {
  const std::uint32_t value = peek(offset, bytes, now);
  if (offset == 6) card.latch_ = false;
  return value;
}

void EtherLinkMc::Ports::write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) {
  if (offset == 6) card.write_control(static_cast<std::uint8_t>(value), now);
}

// "CA is latched on its high to low edge" (82586 data sheet): the driver's long strobe delays its own command.
void EtherLinkMc::write_control(std::uint8_t value, Time now) {
  const std::uint8_t before = control_;
  control_ = value & (bank_bits | enable_bit | loopback_bit | attention_bit | run_bit);
  chip_.hold_reset(!(control_ & run_bit), now);
  chip_.set_serial_loopback(control_ & loopback_bit);
  if (before & attention_bit && !(control_ & attention_bit)) chip_.channel_attention(now);
  irq_.gate(control_ & enable_bit, now);
}

// ---- the RAM in the host's memory space ----

bool EtherLinkMc::bank_is_there() const { return (control_ & bank_bits) == ram_bank; }

std::uint32_t EtherLinkMc::Window::peek(std::uint32_t offset, unsigned bytes, Time) const {
  if (!card.bank_is_there()) return 0xFFFFFFFF;
  return join_little(bytes, [&](unsigned i) { return card.ram_[offset + i]; });
}

std::uint32_t EtherLinkMc::Window::read(std::uint32_t offset, unsigned bytes, Time now) {
  card.chip_.sync(now);
  return peek(offset, bytes, now);
}

void EtherLinkMc::Window::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  if (!card.bank_is_there()) return;
  card.chip_.sync(now);
  for (unsigned i = 0; i < bytes; ++i) card.ram_[offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
  card.chip_.host_wrote(offset, bytes, now);
}

// The arbiter sees the request after the address phase, on the older board only at its synchroniser's clock edge; then
// the chip's cycle in progress is completed, and the RAM takes the rest of the cycle.
Time EtherLinkMc::Window::ready(std::uint32_t, unsigned, Direction, Time start) {
  Time request = start + bus::address_phase;
  if (card.synchroniser_clocks_) {
    const Time phase{request.ps % card.clock_.ps};
    if (phase > Time{}) request += card.clock_ - phase;
    request += card.clock_ * (card.synchroniser_clocks_ - 1);
  }
  return card.chip_.bus_free(request) + (bus::extended_cycle - bus::address_phase) + card.ram_cycle_.ready_delay;
}

void EtherLinkMc::describe_board(Description& d) const {
  d.reg("station address", big_endian(mac_), 48).reg("control", ports_.peek(6, 1, {}), 8).reg("revision", revision_, 4);
  d.number("RAM bank", control_ & bank_bits).flag("interrupt latch", latch_);
  chip_.describe(d.part("82586"));
}

void EtherLinkMc::archive(Archive& a) {
  a.section("3c523", 1);
  a(mac_, pos_, control_, latch_);
  a.bytes(ram_);
  chip_.archive(a);
  if (a.loading()) restored(chip_.interrupt_pin(), control_ & enable_bit);
}

}  // namespace planar::ethernet
