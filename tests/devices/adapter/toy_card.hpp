// SPDX-License-Identifier: GPL-2.0-or-later
// A fictitious network card that shows what a card needs besides its own logic: one class and one row.
//
//   POS 2    bit 0 enable; bits 2:1 interrupt 5, 9, 10, 11; bits 7:4 I/O base in units of 1000h
//   base +0  W  next byte of the frame to send (no FCS)
//        +1  W  bit 0 sends it; bit 1 acknowledges the interrupt      R  bit 0 sending, bit 1 frame sent
//        +2  R  low byte of the number of frames received
#pragma once

#include <array>
#include <vector>

#include "devices/adapter/mca/mca_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::test {

class ToyCard final : public McaNetworkCard, private Slave, private net::EthernetStation {
 public:
  static constexpr std::uint16_t id = 0x7701;
  static const McaEntry entry;

  explicit ToyCard(const McaContext& context)
      : McaNetworkCard(context.slot, entry, id, {whole_byte}),
        port_(slot_.scheduler(), slot_.device_name(entry.name), *this, context.seed) {}

  // bus::Adapter
  void archive(Archive& a) override {
    a.section(entry.name, 1);
    a(pos_, irq_, frame_, sent_, received_, collisions_);
    port_.archive(a);
    if (a.loading()) restored(irq_.cause());
  }
  // NetworkAdapter
  NetCounters counters() const override { return {sent_, received_, 0, {{"collisions", collisions_}}}; }
  net::Port& port() override { return port_; }

 private:
  // McaCard
  unsigned irq_line() const override { return std::array{5u, 9u, 10u, 11u}[pos_[2] >> 1 & 3]; }
  void apply_pos() override {
    claim_.release();
    const auto base = static_cast<std::uint16_t>((pos_[2] & 0xF0) << 8);
    if (enabled() && base)
      claim_ = slot_.claim_io(base, base + 2, *this, {8, bus::CycleKind::synchronous_extended, {}});
  }
  void reset_board(Time now) override {
    frame_.clear();
    irq_.set(false, now);
  }
  void describe_board(Description& d) const override {
    d.number("frame bytes", frame_.size()).reg("status", peek(1, 1, {}), 8).number("received", received_);
  }
  // Slave
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return peek(offset, bytes, now); }
  std::uint32_t peek(std::uint32_t offset, unsigned, Time) const override {
    if (offset == 1) return (port_.busy() ? 1 : 0) | (irq_.cause() ? 2 : 0);
    return offset == 2 ? received_ & 0xFF : 0xFF;
  }
  void write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) override {
    if (offset == 0) frame_.push_back(static_cast<std::uint8_t>(value));
    if (offset == 1 && value & 2) irq_.set(false, now);
    if (offset == 1 && value & 1 && !port_.busy()) {
      net::append_fcs(frame_);
      port_.transmit(frame_, now);
      frame_.clear();
    }
  }
  // net::EthernetStation
  void frame_ends(const net::Reception& r, Time) override { received_ += r.fcs_ok; }
  void transmit_ends(const net::TransmitOutcome& outcome, Time now) override {
    collisions_ += outcome.collisions;
    ++sent_;
    irq_.set(true, now);
  }

  std::vector<std::uint8_t> frame_;
  std::uint64_t sent_ = 0, received_ = 0, collisions_ = 0;
  net::EthernetPort port_;
  IoClaim claim_;
};

inline const McaEntry ToyCard::entry{.name = "toy",
                                     .title = "Toy network card",
                                     .adapter_id = id,
                                     .medium = MediumKind::ethernet_10,
                                     .data_path = "PIO",
                                     .bus_width = 8,
                                     .make = make_network_card<ToyCard>,
                                     .limits = {}};

}  // namespace planar::test
