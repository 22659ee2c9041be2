// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/3c523/3c523.hpp"

#include <array>
#include <bit>

#include "core/common/error.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/chips/i82586/i82586_profile.hpp"

namespace planar::ethernet {
namespace {

constexpr std::array<std::uint16_t, 4> io_bases{0x0300, 0x1300, 0x2300, 0x3300};
constexpr std::array<std::uint32_t, 4> ram_bases{0xC0000, 0xC8000, 0xD0000, 0xD8000};
constexpr std::array<unsigned, 4> irq_lines{12, 7, 3, 9};
constexpr std::uint32_t ram_size = 0x4000;
constexpr std::uint8_t ram_bank = 3;  // of a 16 KB card; the others are empty
// control
constexpr std::uint8_t bank_bits = 0x03, enable_bit = 0x04, active_bit = 0x08, loopback_bit = 0x20,
                       attention_bit = 0x40, run_bit = 0x80;
// The request reaches the RAM's arbiter when the channel's address phase is over (100 ns of a basic cycle).
constexpr Time address_phase = 100_ns;
constexpr Time extended_cycle = 300_ns;

constexpr std::string_view limitations[] = {
    "The boot ROM socket is empty: 8 KB behind the RAM answer nobody.",
    "16 KB of RAM in bank 3; the 64 KB version with its three other banks is not built.",
    "The on-board transceiver and the DIX connector lead to the same cable.",
    "The interrupt pin is gated by the enable bit only; bit 3 latches its rising edge. What the real latch does when "
    "an event is "
    "acknowledged before it is read is not known.",
    "Clock, wait states and arbiter are inferred (see the timing table): no schematic or timing of the board is "
    "public.",
    "Chip: the 82586's own simplifications stand in its header; its cycles are not slowed down by the host's.",
};
constexpr std::string_view old_limitations[] = {
    limitations[0],
    limitations[1],
    limitations[2],
    limitations[3],
    limitations[4],
    limitations[5],
    "What differs from the later revision is not documented: the revision nibble and the synchroniser of the RAM are "
    "inferred, "
    "the restriction to the 386 is print's word.",
};

// A Model 95 reports revision Eh of the later board; what the older one says is not recorded anywhere.
constexpr std::uint8_t later_revision = 0x0E, older_revision = 0x01;

constexpr SisterId ids[] = {{EtherLinkMc::id, "3Com"}};

template <bool old>
std::unique_ptr<NetworkAdapter> make(const AdapterContext& context) {
  const AdapterEntry& row = old ? EtherLinkMc::old_entry : EtherLinkMc::entry;
  const StationOptions o = station_options(context, row.name, ids, {0x02, 0x60, 0x8C});
  auto card =
      std::make_unique<EtherLinkMc>(row, old ? older_revision : later_revision, context.slot, o.mac, o.profile, o.seed);
  if (context.medium) card->chip().port().attach(*context.medium);
  return card;
}

template <bool old>
std::vector<TimingValue> timing_rows() {
  return TimingProfile::embedded(profile_path(old ? "3c523-old" : "3c523")).rows();
}

std::string_view refuse_but_386(cpu::Model processor) {
  if (processor == cpu::Model::i386sx) return {};
  return "this revision is reported (A. Arnold, 2002) to work with a 386 only; 3c523 is the later revision";
}

}  // namespace

const AdapterEntry EtherLinkMc::entry{
    "3c523",     "3Com 3C523 EtherLink/MC", id,         MediumKind::ethernet_10, "shared RAM", 16,
    make<false>, timing_rows<false>,        limitations};
const AdapterEntry EtherLinkMc::old_entry{"3c523-old",
                                          "3Com 3C523 EtherLink/MC (older revision)",
                                          id,
                                          MediumKind::ethernet_10,
                                          "shared RAM",
                                          16,
                                          make<true>,
                                          timing_rows<true>,
                                          old_limitations,
                                          refuse_but_386};

EtherLinkMc::EtherLinkMc(const AdapterEntry& row, std::uint8_t revision, bus::Slot& slot, const net::MacAddress& mac,
                         const TimingProfile& profile, std::uint64_t seed)
    : row_(row),
      revision_(revision),
      slot_(slot),
      mac_(mac),
      register_cycle_{8, bus::CycleKind::synchronous_extended, {}},
      ram_cycle_{16, bus::CycleKind::asynchronous, profile.time("ram.ready_delay")},
      synchroniser_clocks_(static_cast<unsigned>(profile.integer("ram.synchroniser", 0, 100))),
      clock_{1'000'000'000'000 / profile.integer("chip.clock", 1'000'000, 100'000'000)},
      ram_(ram_size),
      chip_(slot.scheduler(), slot.device_name(row.name), *this, ram_, i82586_timing(profile), seed) {}

// ---- POS ----

// The lowest of the selected lines; -1 if none is.
int EtherLinkMc::irq_choice() const { return pos3_ ? std::countr_zero(pos3_) : -1; }

std::uint8_t EtherLinkMc::pos_peek(unsigned reg) const {
  switch (reg) {
    case 0: return static_cast<std::uint8_t>(id);
    case 1: return static_cast<std::uint8_t>(id >> 8);
    case 2: return static_cast<std::uint8_t>(pos2_ | (irq_choice() > 0 ? irq_choice() << 6 : 0));
    case 3: return pos3_;
    default: return 0xFF;
  }
}

void EtherLinkMc::pos_write(unsigned reg, std::uint8_t value, Time now) {
  if (reg == 2 && (value & 0x3F) != pos2_) {
    pos2_ = value & 0x3F;
    decode(now);
  } else if (reg == 3 && (value & 0x0F) != pos3_) {
    pos3_ = value & 0x0F;
    slot_.release_irqs(now);
    update_line(now);
  }
}

void EtherLinkMc::decode(Time now) {
  slot_.release_irqs(now);
  claim_ranges();
  update_line(now);
}

void EtherLinkMc::claim_ranges() {
  port_claim_.release();
  ram_claim_.release();
  if (!(pos2_ & 1)) return;
  const std::uint16_t base = io_bases[pos2_ >> 1 & 3];
  port_claim_ = slot_.claim_io(base, base + 7, ports_, register_cycle_);
  ram_claim_ = slot_.claim_memory(ram_bases[pos2_ >> 3 & 3], ram_size, window_, ram_cycle_);
}

void EtherLinkMc::channel_reset(Time now) {
  pos2_ = pos3_ = 0;
  write_control(0, now);
  latch_ = false;
  decode(now);
}

// ---- interrupt ----

void EtherLinkMc::interrupt(bool asserted, Time now) {
  if (asserted) latch_ = true;
  update_line(now);
}

void EtherLinkMc::update_line(Time now) {
  if (pos2_ & 1 && irq_choice() >= 0)
    slot_.set_irq(irq_lines[static_cast<unsigned>(irq_choice())], control_ & enable_bit && chip_.interrupt_pin(), now);
}

// ---- ports ----

std::uint32_t EtherLinkMc::Ports::peek(std::uint32_t offset, unsigned) const {
  if (offset < 6) return card.mac_[offset];
  if (offset == 7) return card.revision_ | 0xF0u;
  return card.control_ | (card.latch_ ? active_bit : 0u);
}

std::uint32_t EtherLinkMc::Ports::read(std::uint32_t offset, unsigned bytes, Time) {
  const std::uint32_t value = peek(offset, bytes);
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
  update_line(now);
}

// ---- the RAM in the host's memory ----

bool EtherLinkMc::bank_is_there() const { return (control_ & bank_bits) == ram_bank; }

std::uint32_t EtherLinkMc::Window::peek(std::uint32_t offset, unsigned bytes) const {
  if (!card.bank_is_there()) return 0xFFFFFFFF;
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::uint32_t{card.ram_[offset + i]} << (8 * i);
  return value;
}

std::uint32_t EtherLinkMc::Window::read(std::uint32_t offset, unsigned bytes, Time now) {
  card.chip_.sync(now);
  return peek(offset, bytes);
}

void EtherLinkMc::Window::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  if (!card.bank_is_there()) return;
  card.chip_.sync(now);
  for (unsigned i = 0; i < bytes; ++i) card.ram_[offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
  card.chip_.host_wrote(offset, bytes, now);
}

// The arbiter sees the request after the address phase, the older board only at its synchroniser's clock edge; then the
// chip's cycle in progress comes first, then the RAM takes the rest of the cycle.
Time EtherLinkMc::Window::ready(std::uint32_t, unsigned, Direction, Time start) {
  Time request = start + address_phase;
  if (card.synchroniser_clocks_) {
    const Time phase{request.ps % card.clock_.ps};
    if (phase > Time{}) request += card.clock_ - phase;
    request += card.clock_ * (card.synchroniser_clocks_ - 1);
  }
  return card.chip_.bus_free(request) + (extended_cycle - address_phase) + card.ram_cycle_.ready_delay;
}

NetCounters EtherLinkMc::counters() const {
  const I82586::Counters& c = chip_.counters();
  return ethernet_counters(c);
}

void EtherLinkMc::archive(Archive& a) {
  a.section("3c523", 1);
  a(mac_, pos2_, pos3_, control_, latch_);
  a.bytes(ram_);
  pos2_ &= 0x3F;
  pos3_ &= 0x0F;
  chip_.archive(a);
  if (a.loading()) claim_ranges();  // the interrupt lines restore their own levels
}

}  // namespace planar::ethernet
