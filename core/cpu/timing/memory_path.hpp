// SPDX-License-Identifier: GPL-2.0-or-later
// The processor's way to memory as two timed resources: its bus, and the DRAM behind it (one and the same without a
// second-level cache), with open rows and refresh.
//
// Times inside are ticks: 1/core_per_bus_den of a core clock, so that a 60 MHz bus on a 90 MHz core (3 ticks a bus clock,
// 2 a core clock) stays integer. The bus clock's edges are the multiples of core_per_bus_num ticks.
// Not modelled: pipelined bus cycles of the 486 and Pentium; ECC read-modify-write; snoop cycles' own bus time.
#pragma once

#include <array>
#include <cstdint>

#include "core/archive.hpp"
#include "core/cpu/timing/config.hpp"
#include "core/cpu/timing/tag_cache.hpp"

namespace planar::cpu {

class MemoryPath {
 public:
  explicit MemoryPath(const TimingConfig& config);

  /// First and last datum of a burst, in core clocks.
  struct Burst { std::uint64_t first, done; };

  /// The core clock from which the bus is free.
  std::uint64_t free() const { return core(bus_free_); }
  /// The start of the first bus cycle possible at or after core clock `at`.
  std::uint64_t next_start(std::uint64_t at) const {
    const std::uint64_t t = ticks(at);
    return core(aligned(t > bus_free_ ? t : bus_free_));
  }
  /// The bus is taken until core clock `until`; whoever took it left no row open.
  void occupy(std::uint64_t until);
  /// Another master has the memory for `clocks` core clocks from `from`.
  void steal(std::uint64_t from, unsigned clocks);

  /// 386SX bus cycles for the words from `address` (even) up to `limit`, the first not before `at` and none that would
  /// start at `until` or later; returns the address reached. free() is the end of the last. Core and bus clock are the same.
  std::uint32_t words(std::uint64_t at, std::uint64_t until, std::uint32_t address, std::uint32_t limit, bool writing) {
    const std::uint64_t t = at > bus_free_ ? at : bus_free_;
    if (t >= until) return address;
    const unsigned hit = writing ? config_.dram.write_hit : config_.dram.read_hit;
    // In closed form within an open row and up to the next refresh. ROM opens no row.
    if (row_open(address) && row_open(limit - 2) && rows_apart_) [[likely]] {
      const std::uint64_t wanted = (limit - address) / 2;
      std::uint64_t count = wanted;
      if (until - t < wanted * hit) count = hit == 2 ? (until - t + 1) / 2 : (until - t + hit - 1) / hit;
      const std::uint64_t end = t + count * hit;
      if (end - hit < next_refresh_) [[likely]] {
        bus_free_ = end;
        return address + 2 * static_cast<std::uint32_t>(count);
      }
    }
    return words_one_by_one(t, until, address, limit, writing);
  }

  /// Fetches `bytes` (a cache line) around `address`, the wanted datum first, not before core clock `at`.
  Burst fetch_line(std::uint64_t at, std::uint32_t address, unsigned bytes);
  /// Single reads of every datum that [address, address+bytes) touches.
  Burst read_single(std::uint64_t at, std::uint32_t address, unsigned bytes);
  /// A write of up to a datum or two: the core clocks at which it begins on the bus and at which the bus has taken it.
  Burst write(std::uint64_t at, std::uint32_t address, unsigned bytes);
  /// A displaced dirty line of the first level goes out.
  void write_back(std::uint64_t at, std::uint32_t line, unsigned bytes);
  /// Writes `lines` dirty lines of `bytes` one after the other; returns the end (WBINVD).
  std::uint64_t write_back_all(std::uint64_t at, unsigned lines, unsigned bytes);

  /// Moves the time from which the bus is free (the 486's read that overtakes buffered writes).
  std::uint64_t take_back(std::uint64_t until);
  void give_back(std::uint64_t until);

  bool rom(std::uint32_t address) const { return special(address) && in(config_.rom_ranges, address); }
  /// Whether the line at `address` may be cached (KEN#).
  bool cacheable(std::uint32_t address) const {
    if (!special(address)) return true;
    return !in(config_.uncached, address) && (config_.rom.cacheable || !in(config_.rom_ranges, address));
  }

  TagCache& l2() { return l2_; }
  void archive(Archive& a);

 private:
  using Ranges = std::array<AddressRange, 4>;
  std::uint32_t words_one_by_one(std::uint64_t t, std::uint64_t until, std::uint32_t address, std::uint32_t limit,
                                 bool writing);
  static bool in(const Ranges& ranges, std::uint32_t address) {
    for (const auto& r : ranges)
      if (r.holds(address)) return true;
    return false;
  }
  /// Whether `address` lies in a page that any range of the configuration touches.
  bool special(std::uint32_t address) const {
    if (address < 0x100000) return (special_low_[address >> 18] >> ((address >> 12) & 63)) & 1;
    return address >= special_high_;
  }
  std::uint64_t ticks(std::uint64_t core_clock) const { return core_clock << den_shift_; }
  std::uint64_t core(std::uint64_t t) const { return (t + (1u << den_shift_) - 1) >> den_shift_; }
  /// The bus clock's edge at or after `t`. By constants where it matters: a division is as slow as a cache hit of the guest.
  std::uint64_t aligned(std::uint64_t t) const {
    if (bus_ == 1) return t;
    if (bus_ == 3) return (t + 2) / 3 * 3;
    return (t + bus_ - 1) / bus_ * bus_;
  }
  std::uint64_t bus_start(std::uint64_t at) const {
    const std::uint64_t t = ticks(at);
    return aligned(t > bus_free_ ? t : bus_free_);
  }
  /// The earliest tick at or after `t` at which the DRAM can begin, refresh included.
  std::uint64_t memory_start(std::uint64_t t);
  std::uint64_t refresh(std::uint64_t t);
  std::uint64_t refresh_at(std::uint64_t number) const;
  unsigned bank(std::uint32_t address) const { return (address >> config_.dram.bank_shift) & (config_.dram.banks - 1u); }
  bool row_open(std::uint32_t address) const { return open_row_[bank(address)] == address >> row_shift_; }
  /// Opens the row of `address`; bus clocks to the first datum.
  unsigned open(std::uint32_t address, unsigned hit, unsigned miss) {
    if (row_open(address)) return hit;
    open_row_[bank(address)] = address >> row_shift_;
    return miss;
  }
  /// Bus clocks from the first datum of a DRAM burst to its last.
  unsigned burst_rest(unsigned bytes) const;
  void set_bus_free(std::uint64_t t) { bus_free_ = t; }

  TimingConfig config_;
  TagCache l2_;
  std::uint64_t bus_free_ = 0;     // ticks
  std::uint64_t memory_free_ = 0;  // ticks; with a second-level cache only
  std::uint64_t refresh_number_ = 1;
  std::uint64_t next_refresh_ = UINT64_MAX;  // ticks
  std::array<std::uint32_t, 8> open_row_;
  std::array<std::uint64_t, 4> special_low_{};  // one bit a page below 1 MB
  std::uint32_t special_high_ = 0xFFFFFFFF;
  bool rows_apart_ = true;  // no row holds both ROM and other memory
  std::uint8_t row_shift_ = 12;
  std::uint8_t den_shift_ = 0;
  std::uint8_t bus_ = 1;  // ticks a bus clock
};

}  // namespace planar::cpu
