// SPDX-License-Identifier: GPL-2.0-or-later
// The parameters of a processor's memory side. The values live in the machine files; docs/hardware/memory-timing.md
// lists them side by side with source and confidence.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/common/error.hpp"
#include "core/cpu/x86/model.hpp"

namespace planar::cpu {

/// Planar DRAM with rows held open (page mode). Clocks are bus clocks.
struct DramTiming {
  /// Bytes moved by one bus cycle or one beat of a burst: 2 (386SX), 4 (486), 8 (Pentium).
  std::uint8_t width = 4;
  /// Bytes covered by one open row as the bus sees it; a power of two, 256..65536.
  std::uint32_t page_bytes = 4096;
  /// Banks that each hold a row open; a power of two, 1..8.
  std::uint8_t banks = 1;
  /// Number of address bits below those that choose the bank: bank = (address >> bank_shift) % banks; 1..31. Equal to
  /// log2(page_bytes) for rows that alternate between banks, larger for banks stacked one above the other.
  std::uint8_t bank_shift = 12;
  /// From the start of the cycle to the first datum, with the row open / with it closed or another one open; 2..63. A
  /// 386SX cycle without wait states is 2.
  std::uint8_t read_hit = 4;
  std::uint8_t read_miss = 7;
  /// Each further datum of a burst; 1..15. Not used by the 386SX, which has no bursts.
  std::uint8_t burst_step = 2;
  /// Duration of a single write; 2..63.
  std::uint8_t write_hit = 3;
  std::uint8_t write_miss = 6;
  /// From one line of a stream to the next, where the bus starts the next transaction before the previous one's data
  /// are over (P6): 4..63.
  std::uint8_t line_clocks = 8;
};

/// Firmware ROM on the planar. Clocks are bus clocks.
struct RomTiming {
  std::uint8_t width = 2;   ///< bytes per access: 1, 2 or 4
  std::uint8_t clocks = 4;  ///< one access; 2..63
  bool cacheable = true;    ///< KEN# is active for the ROM ranges
};

/// DRAM refresh and what it takes from the memory path.
struct RefreshTiming {
  /// Period in core clocks, period_num / period_den (15.12 us at 20 MHz: 1512 / 5). 0 / 1: no visible refresh.
  std::uint32_t period_num = 0;
  std::uint32_t period_den = 1;
  std::uint8_t hold = 0;  ///< bus clocks during which memory cannot be reached; 0..63
};

/// A first-level cache, unified or each half of a split pair.
struct L1Config {
  std::uint32_t bytes = 0;  ///< per cache; a power of two; 0 = none
  std::uint8_t ways = 4;    ///< 1, 2 or 4
  std::uint8_t line = 16;   ///< bytes; 16 or 32
  bool split = false;       ///< separate code and data caches of `bytes` each
  bool write_back = false;  ///< data lines are written back; otherwise every write goes to the bus
  /// A line is written back in bursts, as it is fetched; otherwise as single writes, as on a bus made for the 486.
  bool write_burst = true;
};

/// A second-level cache between the bus and the DRAM. Clocks are bus clocks, start of cycle to first datum.
struct L2Config {
  std::uint32_t bytes = 0;   ///< a power of two; 0 = none
  std::uint8_t ways = 2;     ///< 1, 2, 4 or 8
  std::uint8_t line = 32;    ///< bytes; 32 or 64, at least the first level's
  std::uint8_t hit_mru = 2;  ///< the way used last was the right guess
  std::uint8_t hit_other = 3;
  std::uint8_t burst_step = 1;
  std::uint8_t write_hit = 2;  ///< a write that the cache accepts
  bool write_allocate = true;  ///< a write miss fetches the line
  // On the P6 it has a bus of its own, and these replace all the clocks above. Core clocks:
  std::uint8_t latency = 4;      ///< of a load that hits here, beyond one that hits the first level
  std::uint8_t line_clocks = 2;  ///< for which a line occupies that bus
};

/// An inclusive range of physical addresses.
struct AddressRange {
  std::uint32_t first = 1;
  std::uint32_t last = 0;
  constexpr bool holds(std::uint32_t address) const { return address >= first && address <= last; }
};

struct TimingConfig {
  Model model = Model::i386sx;
  /// Core clocks per bus clock as a fraction, each 1..8: 1/1, 2/1 (DX2), 3/2 (Pentium 90 on 60 MHz), 5/2 (83 on 33).
  std::uint8_t core_per_bus_num = 1;
  std::uint8_t core_per_bus_den = 1;
  DramTiming dram;
  RomTiming rom;
  RefreshTiming refresh;
  L1Config l1;
  L2Config l2;
  std::uint8_t write_buffers =
      0;  ///< posted writes that the processor holds: 0..8 (486: 4, Pentium: 2, 386: in its bus unit)
  /// Prefetch on the 386SX: bytes per request of the prefetch unit, 2 or 4 (a 4-byte request is two bus cycles).
  std::uint8_t prefetch_request = 4;
  /// P6: clocks before the first element of a repeated string; 1..127. GMP's authors measured 15, Fog's figures say 72.
  std::uint8_t repeat_start = 15;
  /// The same outside the fast mode; GMP's authors note 70 for a copy downwards.
  std::uint8_t repeat_slow_start = 15;
  /// P6: clocks of INT through a gate to ring 0 and of IRET back; 10..200. Other paths take a proportional share.
  std::uint8_t interrupt_entry = 110, interrupt_return = 90;
  /// P6: clocks of a TLB miss in addition to its two reads; 1..63.
  std::uint8_t page_walk = 2;
  /// Masters share the memory line by line (MemoryShare) instead of taking the path for whole bursts.
  bool shared_by_line = false;
  /// Never cached (adapter memory); unused entries are empty.
  std::array<AddressRange, 4> uncached{{{0x000A0000, 0x000DFFFF}}};
  /// Firmware ROM; unused entries are empty.
  std::array<AddressRange, 4> rom_ranges{{{0x000E0000, 0x000FFFFF}, {0xFFFE0000, 0xFFFFFFFF}}};
};

/// A value that no processor can be built with.
class TimingError : public Error {
 public:
  TimingError(std::string field, std::uint64_t value, const std::string& range);
  const std::string& field() const { return field_; }      ///< of TimingConfig: "dram.banks"
  const std::string& problem() const { return problem_; }  ///< "3 is out of range; it must be 1, 2, 4 or 8"

 private:
  std::string field_, problem_;
};

/// Throws TimingError, naming the field and its range, if `config` cannot be built.
void check(const TimingConfig& config);

}  // namespace planar::cpu
