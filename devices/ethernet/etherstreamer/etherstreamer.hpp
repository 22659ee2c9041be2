// SPDX-License-Identifier: GPL-2.0-or-later
// IBM EtherStreamer MC 32: the LANStreamer design on Ethernet, a 32-bit bus master.
//
// HYPOTHETICAL INTERFACE: ID, POS bits and registers are unknown (docs/hardware/streamer.md#etherstreamer-mc-32). The
// interface here is planar's own definition, modelled on the registers of a Token-Ring relative (streamer.hpp).
//
//   POS 0,1  adapter ID: 8FA7h (our choice, among those of its relatives)
//   POS 2    bit 0 enable; bits 2:1 interrupt 5, 9, 10, 11; bits 7:4 I/O base in units of 1000h (0: none)
//   POS 3    bits 3:0 arbitration level, bit 4 fairness, bit 5 streaming data
//
//   base +00..FF  registers (word_registers.hpp); 16 bits, the descriptor addresses 32
//
// In a 32-bit slot an access of 32 bits is one cycle, in a 16-bit slot two.
#pragma once

#include <cstdint>

#include "devices/adapter/mca/bus_master_card.hpp"
#include "devices/adapter/word_registers.hpp"
#include "devices/chips/etherstreamer/streamer.hpp"

namespace planar::ethernet {

class EtherStreamer final : public BusMasterCard<Streamer> {
 public:
  static constexpr std::uint16_t declared_id = 0x8FA7;
  static const McaEntry entry;  ///< its row of the registry

  explicit EtherStreamer(const McaContext& context);

  // bus::Adapter
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override { return ethernet_counters(chip_.counters()); }

 private:
  EtherStreamer(const McaContext& context, const StationOptions& options);

  // McaCard
  unsigned irq_line() const override;
  void apply_pos() override;
  void reset_board(Time now) override;
  void describe_board(Description& d) const override;

  CycleSpec cycle_;
  WordRegisters<Streamer> registers_{chip_};
  IoClaim claim_;
};

}  // namespace planar::ethernet
