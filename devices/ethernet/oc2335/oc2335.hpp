// SPDX-License-Identifier: GPL-2.0-or-later
// Olicom OC-2335 Fast Ethernet for Micro Channel: a DP83800 with a 16-bit slave port.
//
// HYPOTHETICAL INTERFACE: only the card's name, its 100 Mbit/s, the name of its controller and the fact that it is not
// a bus master are known (docs/hardware/oc2335.md). ID, POS, ports and registers are planar's own definition.
//
//   POS 0,1  adapter ID: 6F35h (our choice; no list known to us has it)
//   POS 2    bit 0 enable; bits 2:1 interrupt 5, 9, 10, 11; bits 7:4 I/O base in units of 1000h (0: none)
//
//   base +00..2F  DP83800 registers, a word each (dp83800.hpp, word_registers.hpp)
#pragma once

#include <cstdint>

#include "devices/adapter/mca/mca_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/adapter/word_registers.hpp"
#include "devices/chips/dp83800/dp83800.hpp"

namespace planar::ethernet {

class Oc2335 final : public McaNetworkCard, private ChipHost {
 public:
  static constexpr std::uint16_t declared_id = 0x6F35;
  static const McaEntry entry;  ///< its row of the registry

  explicit Oc2335(const McaContext& context);

  // bus::Adapter
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override { return ethernet_counters(chip_.counters()); }
  net::Port& port() override { return chip_.port(); }

  Dp83800& chip() { return chip_; }

 private:
  Oc2335(const McaContext& context, const StationOptions& options);

  void interrupt(bool asserted, Time now) override { irq_.set(asserted, now); }
  // McaCard
  unsigned irq_line() const override;
  void apply_pos() override;
  void reset_board(Time now) override;
  void describe_board(Description& d) const override;

  CycleSpec cycle_;
  Dp83800 chip_;
  WordRegisters<Dp83800> registers_{chip_};
  IoClaim claim_;
};

}  // namespace planar::ethernet
