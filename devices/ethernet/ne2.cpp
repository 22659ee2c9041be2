// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/ne2.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "devices/ethernet/station_options.hpp"

namespace planar::ethernet {
namespace {

constexpr std::array<std::uint16_t, 8> io_bases{0, 0x1000, 0x2020, 0x8020, 0xA0A0, 0xB0B0, 0xC0C0, 0xC3D0};
constexpr std::array<unsigned, 4> irq_lines{3, 4, 5, 9};
constexpr std::uint16_t ram_base = 0x4000, ram_size = 0x4000;
constexpr std::uint16_t prom_packed = 0x0400;  // below it every byte stands twice
constexpr std::uint8_t prom_filler = 0x57;     // 'W': the NE2000's mark of a 16-bit card

constexpr std::string_view limitations[] = {
    "The boot ROM socket is empty; POS 2 bit 4 and the ROM addresses of the choices have no effect.",
    "The layout of the address PROM is inferred: it satisfies both Linux (bytes at 0000h) and NetBSD (words at 0400h).",
    "Ports +11h to +1Fh alias the data port and +21h to +2Fh the reset port; the real decode is not known.",
    "A data port access without a remote DMA ends at once; on the real card it may hold the channel until it times out.",
    "The transceiver is taken to deliver the collision heartbeat; there is no jabber cut-off.",
    "Chip: no 32-bit DMA addresses; after a ring overflow the receiver stays off until it is stopped and started.",
};

constexpr SisterId sister_ids[] = {{Ne2::novell_id, "Novell"}, {0x6354, "Arco AE/2"}, {0x70DE, "Compex ENET16-MC/P"}};

Dp8390Timing chip_timing(const TimingProfile& profile) {
  const auto clocks = [&](std::string_view name, std::int64_t least) {
    return static_cast<unsigned>(profile.integer(name, least, 10'000));
  };
  return {static_cast<std::uint64_t>(profile.integer("chip.bus_clock", 1'000'000, 100'000'000)),
          clocks("chip.transfer", 1), clocks("chip.remote_handshake", 0), clocks("chip.transmit_start", 0),
          clocks("chip.receive_end", 0)};
}

std::unique_ptr<NetworkAdapter> make_ne2(const AdapterContext& context) {
  const StationOptions o = station_options(context, "ne2", sister_ids, {0x00, 0x00, 0xD8});
  auto card = std::make_unique<Ne2>(context.slot, o.adapter_id, o.mac, o.profile, o.seed);
  if (context.segment) card->chip().port().attach(*context.segment);
  return card;
}

std::vector<TimingValue> timing_rows() { return TimingProfile::embedded(profile_path("ne2")).rows(); }

}  // namespace

const AdapterEntry Ne2::entry{"ne2", "Novell NE/2", novell_id, "ethernet-10", "PIO (remote DMA)", 16,
                              make_ne2, timing_rows, limitations};

Ne2::Ne2(bus::Slot& slot, std::uint16_t adapter_id, const net::MacAddress& mac, const TimingProfile& profile,
         std::uint64_t seed)
    : slot_(slot),
      adapter_id_(adapter_id),
      mac_(mac),
      register_cycle_{8, CycleKind::asynchronous, profile.time("register.ready_delay")},
      data_cycle_{16, CycleKind::asynchronous, profile.time("data_port.ready_delay")},
      reset_cycle_{8, CycleKind::synchronous_extended, {}},
      ram_(ram_size),
      chip_(slot.scheduler(), fmt::format("slot{}.ne2", slot.number() + 1), *this, chip_timing(profile), seed) {}

// ---- POS ----

std::uint8_t Ne2::pos_peek(unsigned reg) const {
  switch (reg) {
    case 0: return static_cast<std::uint8_t>(adapter_id_);
    case 1: return static_cast<std::uint8_t>(adapter_id_ >> 8);
    case 2: return pos2_;
    default: return 0xFF;
  }
}

void Ne2::pos_write(unsigned reg, std::uint8_t value, Time now) {
  if (reg != 2 || value == pos2_) return;
  pos2_ = value;
  decode(now);
}

unsigned Ne2::irq_line() const { return irq_lines[pos2_ >> 5 & 3]; }

void Ne2::decode(Time now) {
  slot_.release_irqs(now);
  if (pos2_ & 1 && interrupt_) slot_.set_irq(irq_line(), true, now);
  claim_ports();
}

void Ne2::claim_ports() {
  register_claim_.release();
  data_claim_.release();
  reset_claim_.release();
  const std::uint16_t base = io_bases[pos2_ >> 1 & 7];
  if (!(pos2_ & 1) || !base) return;
  register_claim_ = slot_.claim_io(base, base + 0x0F, registers_, register_cycle_);
  data_claim_ = slot_.claim_io(base + 0x10, base + 0x1F, data_port_, data_cycle_);
  reset_claim_ = slot_.claim_io(base + 0x20, base + 0x2F, reset_port_, reset_cycle_);
}

void Ne2::channel_reset(Time now) {
  pos2_ = 0;
  chip_.reset(now);
  decode(now);
}

// ---- the chip's surroundings ----

std::uint8_t Ne2::buffer_read(std::uint16_t address) const {
  if (address >= ram_base && address < ram_base + ram_size) return ram_[address - ram_base];
  if (address >= ram_base) return 0xFF;
  const unsigned n = (address & prom_packed ? address : address >> 1) & 0x0F;
  return n < mac_.size() ? mac_[n] : prom_filler;
}

void Ne2::buffer_write(std::uint16_t address, std::uint8_t value) {
  if (address >= ram_base && address < ram_base + ram_size) ram_[address - ram_base] = value;
}

void Ne2::interrupt(bool asserted, Time now) {
  interrupt_ = asserted;
  if (pos2_ & 1) slot_.set_irq(irq_line(), asserted, now);
}

NetCounters Ne2::counters() const {
  const Dp8390::Counters& c = chip_.counters();
  return {c.sent, c.received, c.collisions, c.overruns};
}

void Ne2::archive(Archive& a) {
  a.section("ne2", 1);
  a(adapter_id_, mac_, pos2_, interrupt_, ram_);
  if (a.loading() && ram_.size() != ram_size)
    throw Error("snapshot holds a damaged NE/2 buffer; take a new one", ExitCode::missing_file);
  chip_.archive(a);
  if (a.loading()) claim_ports();  // the interrupt lines restore their own levels
}

}  // namespace planar::ethernet
