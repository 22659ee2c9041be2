// SPDX-License-Identifier: GPL-2.0-or-later
// 3Com 3C529 EtherLink III/MC: the EtherLink III chip on the Micro Channel, a 16-bit slave of sixteen ports.
// Source of behaviour: the MCA parts of Linux 2.2 3c509.c and NetBSD if_ep_mca.c
// (docs/hardware/etherlink3.md#3com-3c529).
//
//   POS 0,1  adapter ID: 627Ch (coax, AUI); by setting 627Dh (TP, AUI), 62DBh (all three), 62F6h (TP, coax), 62F7h (TP)
//   POS 2    bit 0 enable
//   POS 3    boot ROM range (no ROM fitted)
//   POS 4    bits 7:2 I/O base 0200h + n x 0400h; bits 1:0 transceiver 0 TP, 1 AUI, 3 coax
//   POS 5    bits 3:0 interrupt line in binary
#pragma once

#include <cstdint>

#include "devices/adapter/chip_registers.hpp"
#include "devices/adapter/mca/mca_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/chips/etherlink3/etherlink3.hpp"

namespace planar::ethernet {

class ThreeC529 final : public McaNetworkCard, private ChipHost {
 public:
  static constexpr std::uint16_t coax_id = 0x627C;
  static const McaEntry entry;  ///< its row of the registry

  explicit ThreeC529(const McaContext& context);

  // bus::Adapter
  void pos_write(unsigned reg, std::uint8_t value, Time now) override;
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override { return ethernet_counters(chip_.counters()); }
  net::Port& port() override { return chip_.port(); }

  EtherLink3& chip() { return chip_; }

 private:
  ThreeC529(const McaContext& context, const StationOptions& options);

  void interrupt(bool asserted, Time now) override { irq_.set(asserted, now); }
  // McaCard
  unsigned irq_line() const override { return pos_[5] & 15; }
  void apply_pos() override;
  void reset_board(Time now) override;
  void describe_board(Description& d) const override;

  CycleSpec cycle_;
  EtherLink3 chip_;
  ChipRegisters<EtherLink3> ports_{chip_};
  IoClaim claim_;
};

}  // namespace planar::ethernet
