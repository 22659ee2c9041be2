// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/common/remote_dma_card.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"
#include "devices/chips/dp8390/dp8390_profile.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint16_t ram_base = 0x4000, ram_size = 0x4000;
constexpr std::uint16_t decoded = 0x7FFF;  // A15 is not

}  // namespace

RemoteDmaCard::RemoteDmaCard(const AdapterContext& context, const AdapterEntry& entry, StationOptions options)
    : slot_(context.slot),
      entry_(entry),
      options_(std::move(options)),
      register_cycle_{8, bus::CycleKind::asynchronous, options_.profile.time("register.ready_delay")},
      data_cycle_{16, bus::CycleKind::asynchronous, options_.profile.time("data_port.ready_delay")},
      ram_(ram_size),
      chip_(slot_.scheduler(), slot_.device_name(entry.name), *this, dp8390_timing(options_.profile), options_.seed) {
  chip_.set_memory(ram_base, ram_, decoded);
  if (context.medium) chip_.port().attach(*context.medium);
}

// ---- POS ----

std::uint8_t RemoteDmaCard::pos_peek(unsigned reg) const {
  switch (reg) {
    case 0: return static_cast<std::uint8_t>(options_.adapter_id);
    case 1: return static_cast<std::uint8_t>(options_.adapter_id >> 8);
    case 2: return pos2_;
    default: return 0xFF;
  }
}

void RemoteDmaCard::pos_write(unsigned reg, std::uint8_t value, Time now) {
  if (reg != 2 || value == pos2_) return;
  pos2_ = value;
  decode(now);
}

void RemoteDmaCard::decode(Time now) {
  slot_.release_irqs(now);
  if (enabled() && interrupt_) slot_.set_irq(irq_line(pos2_), true, now);
  claim_ports();
}

void RemoteDmaCard::claim_ports() {
  register_claim_.release();
  data_claim_.release();
  claim_card_ports(0);
  const std::uint16_t base = enabled() ? io_base(pos2_) : 0;
  if (!base) return;
  register_claim_ = slot_.claim_io(base, base + 0x0F, registers_, register_cycle_);
  claim_card_ports(base);
}

void RemoteDmaCard::claim_data_port(std::uint16_t first, std::uint16_t last) {
  data_claim_ = slot_.claim_io(first, last, data_port_, data_cycle_);
}

void RemoteDmaCard::channel_reset(Time now) {
  pos2_ = 0;
  chip_.reset(now);
  decode(now);
}

// ---- the chip's surroundings: what lies beside the RAM, which it has itself ----

std::uint8_t RemoteDmaCard::buffer_read(std::uint16_t address) const { return prom(address); }

void RemoteDmaCard::buffer_write(std::uint16_t, std::uint8_t) {}

void RemoteDmaCard::interrupt(bool asserted, Time now) {
  interrupt_ = asserted;
  if (enabled()) slot_.set_irq(irq_line(pos2_), asserted, now);
}

NetCounters RemoteDmaCard::counters() const {
  const Dp8390::Counters& c = chip_.counters();
  return ethernet_counters(c);
}

void RemoteDmaCard::archive(Archive& a) {
  a.section(entry_.name, 1);
  a(options_.adapter_id, options_.mac, pos2_, interrupt_, ram_);
  if (a.loading() && ram_.size() != ram_size)
    throw Error(fmt::format("snapshot holds a damaged {} buffer; take a new one", entry_.title),
                ExitCode::missing_file);
  chip_.set_memory(ram_base, ram_, decoded);
  chip_.archive(a);
  archive_card(a);
  if (a.loading()) claim_ports();  // the interrupt lines restore their own levels
}

}  // namespace planar::ethernet
