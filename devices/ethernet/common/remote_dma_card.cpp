// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/common/remote_dma_card.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"
#include "devices/ethernet/common/dp8390_profile.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint16_t ram_base = 0x4000, ram_size = 0x4000;
constexpr std::uint16_t decoded = 0x7FFF;  // A15 is not decoded

}  // namespace

RemoteDmaCard::RemoteDmaCard(const McaContext& context, const McaEntry& entry, StationOptions options)
    : McaNetworkCard(context.slot, entry, options.adapter_id, {whole_byte}),
      options_(std::move(options)),
      register_cycle_{8, bus::CycleKind::asynchronous, options_.profile.time("register.ready_delay")},
      data_cycle_{16, bus::CycleKind::asynchronous, options_.profile.time("data_port.ready_delay")},
      ram_(ram_size),
      chip_(slot_.scheduler(), slot_.device_name(entry.name), *this, dp8390_timing(options_.profile), options_.seed) {
  chip_.set_memory(ram_base, ram_, decoded);
}

void RemoteDmaCard::apply_pos() {
  for (IoClaim* claim : {&register_claim_, &data_claim_, &reset_claim_, &own_claim_}) claim->release();
  const std::uint16_t base = enabled() ? io_base(pos_[2]) : 0;
  if (!base) return;
  register_claim_ = slot_.claim_io(base, base + 0x0F, registers_, register_cycle_);
  claim_card_ports(base);
}

void RemoteDmaCard::claim_data_port(std::uint16_t first, std::uint16_t last) {
  data_claim_ = slot_.claim_io(first, last, data_port_, data_cycle_);
}

void RemoteDmaCard::claim_reset_port(std::uint16_t first, std::uint16_t last, const CycleSpec& cycle) {
  reset_claim_ = slot_.claim_io(first, last, reset_port_, cycle);
}

void RemoteDmaCard::claim_own_ports(std::uint16_t first, std::uint16_t last, Slave& slave, const CycleSpec& cycle) {
  own_claim_ = slot_.claim_io(first, last, slave, cycle);
}

void RemoteDmaCard::describe_board(Description& d) const {
  d.reg("station address", big_endian(options_.mac), 48).reg("I/O base", enabled() ? io_base(pos_[2]) : 0u, 16);
  describe_card(d);
  chip_.describe(d.part("DP8390"));
}

void RemoteDmaCard::archive(Archive& a) {
  a.section(entry_.name, 1);
  a(adapter_id_, options_.mac, pos_, irq_, ram_);
  if (a.loading() && ram_.size() != ram_size)
    throw Error(fmt::format("snapshot holds a damaged {} buffer; take a new one", entry_.title),
                ExitCode::missing_file);
  chip_.set_memory(ram_base, ram_, decoded);
  chip_.archive(a);
  archive_card(a);
  if (a.loading()) restored(irq_.cause());
}

}  // namespace planar::ethernet
