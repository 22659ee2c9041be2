// SPDX-License-Identifier: GPL-2.0-or-later
// Somebody who watches a processor instruction by instruction: what it did, what it was told from outside, what others
// wrote into memory. Lockstep mirrors a run from this. Watching changes no virtual result; nobody watching costs
// nothing.
#pragma once

#include <cstdint>

#include "core/cpu/decode/op.hpp"

namespace planar::cpu {

class Observer {
 public:
  virtual ~Observer() = default;

  /// The processor stands between two instructions.
  virtual void before_step() = 0;
  /// `executed`: an instruction ran (one iteration of a REP; a fault in it has been delivered). Otherwise the processor
  /// did something at the boundary: an interrupt or trap was delivered, it was reset, or time passed in HLT or
  /// shutdown. `op` is the instruction; null if none could be fetched.
  virtual void after_step(bool executed, const Op* op) = 0;

  /// An interrupt or exception is about to be delivered; `software` for INT n, INT3, INTO. What its delivery raises in
  /// turn follows as another call.
  virtual void delivering(std::uint8_t vector, bool software, bool has_error, std::uint16_t error) = 0;
  /// The processor stored into RAM (physical; accessed and dirty bits of page tables included). It has happened.
  virtual void stored(std::uint32_t address, std::uint32_t bytes) = 0;

  virtual void port_read(std::uint16_t port, unsigned bytes, std::uint32_t value) = 0;
  virtual void port_written(std::uint16_t port, unsigned bytes, std::uint32_t value) = 0;
  /// Memory behind the pins; `fetch` for instruction bytes.
  virtual void device_read(std::uint32_t address, unsigned bytes, std::uint32_t value, bool fetch) = 0;
  virtual void device_written(std::uint32_t address, unsigned bytes, std::uint32_t value) = 0;

  /// Somebody else wrote RAM (DMA, a bus master). It has happened.
  virtual void others_wrote(std::uint32_t address, std::uint32_t bytes) = 0;
  /// RAM, ROM and devices lie elsewhere now.
  virtual void mapping_changed() = 0;
};

}  // namespace planar::cpu
