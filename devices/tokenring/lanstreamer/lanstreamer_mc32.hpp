// SPDX-License-Identifier: GPL-2.0-or-later
// IBM LANStreamer MC 32 and Auto LANStreamer MC 32: the LANStreamer chip set on a 32-bit bus master card.
//
// HYPOTHETICAL INTERFACE: the adapter IDs are the cards' own, their POS bits and how the Micro Channel reaches the
// registers are unknown (docs/hardware/streamer.md#lanstreamer-mc-32). This is planar's own definition, the same for
// both:
//
//   POS 0,1  adapter ID: 8FA0h, Auto 8FA2h
//   POS 2    bit 0 enable; bits 2:1 interrupt 5, 9, 10, 11; bits 7:4 I/O base in units of 1000h (0: none)
//   POS 3    bits 3:0 arbitration level, bit 4 fairness, bit 5 streaming data
//   POS 4    bits 1:0 data rate 16, 4 Mbit/s, the ring's (Auto only; else 16); bit 2 no early token release; bits 7:4
//            memory window, C0000h + n x 2000h (0: none)
//
//   base +00..FF, and every 256 bytes of the memory window: the chip's registers; 16 bits, descriptor addresses 32
//
// In a 32-bit slot an access of 32 bits is one cycle, in a 16-bit slot two. Byte accesses: a read gives its half of the
// word, with the word's effects, a write changes nothing.
#pragma once

#include <cstdint>

#include "devices/adapter/mca/bus_master_card.hpp"
#include "devices/adapter/word_registers.hpp"
#include "devices/chips/lanstreamer/lanstreamer.hpp"

namespace planar::tokenring {

class LanStreamerMc32 final : public BusMasterCard<LanStreamer> {
 public:
  static constexpr std::uint16_t id = 0x8FA0, auto_id = 0x8FA2;
  static const McaEntry entry, auto_entry;  ///< their rows of the registry

  LanStreamerMc32(const McaContext& context, const McaEntry& entry, const ethernet::StationOptions& options);

  // bus::Adapter
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override;

 private:
  // McaCard
  unsigned irq_line() const override;
  void apply_pos() override;
  void reset_board(Time now) override { chip_.reset(now); }
  void describe_board(Description& d) const override;

  CycleSpec cycle_;
  WordRegisters<LanStreamer> registers_{chip_, LanStreamer::window_bytes};
  IoClaim io_;
  MemoryClaim memory_;
};

}  // namespace planar::tokenring
