// SPDX-License-Identifier: GPL-2.0-or-later
// The processor's way to memory as two timed resources: its bus, and the DRAM behind it (one and the same without a
// second-level cache), with open rows and refresh.
//
// Times inside are ticks: 1/core_per_bus_den of a core clock, so that a 60 MHz bus on a 90 MHz core (3 ticks a bus
// clock, 2 a core clock) stays integer. The bus clock's edges are the multiples of core_per_bus_num ticks. Not
// modelled: pipelined bus cycles of the 486 and Pentium; ECC read-modify-write; snoop cycles' own bus time.
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu/timing/common/config.hpp"
#include "core/cpu/timing/common/tag_cache.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

class MemoryPath {
 public:
  explicit MemoryPath(const TimingConfig& config);

  /// First and last datum of a burst, in core clocks.
  struct Burst {
    std::uint64_t first, done;
  };

  /// The core clock from which the bus is free.
  std::uint64_t free() const { return core(bus_free_); }
  /// The start of the first bus cycle possible at or after core clock `at`.
  std::uint64_t next_start(std::uint64_t at) const {
    const std::uint64_t t = ticks(at);
    return core(aligned(t > bus_free_ ? t : bus_free_));
  }
  /// The bus is taken until core clock `until`.
  void occupy(std::uint64_t until);
  /// Another master has the memory for `clocks` core clocks from `from`.
  void steal(std::uint64_t from, unsigned clocks);

  /// 386SX bus cycles, whose core and bus clock are the same. Each is a word at an even address; words lie between an
  /// address and a limit; none begins before `at`, and word_free() is the end of the last.
  std::uint64_t word_free() const { return bus_free_; }
  std::uint64_t& word_free() { return bus_free_; }
  /// Data: all the words from `address` (at least one).
  void access(std::uint64_t at, std::uint32_t address, std::uint32_t limit, bool writing) {
    const bool one_row = (((limit - 2) ^ address) & row_mask_) == 0;
    if (!one_row || !access_in_row(bus_free_, at, address, (limit - address) / 2, writing))
      words_one_by_one(at > bus_free_ ? at : bus_free_, UINT64_MAX, address, limit, writing);
  }
  /// Code: moves `next` on over the words up to `full` that can begin before `until`, and over those up to `needed` in
  /// any case; whether one of these begins at `until` or later.
  bool fetch(std::uint64_t at, std::uint64_t until, std::uint32_t& next, std::uint32_t needed, std::uint32_t full) {
    const std::int32_t must = static_cast<std::int32_t>(needed - next);
    const std::int32_t room = static_cast<std::int32_t>(full - next);
    const std::uint64_t t = at > bus_free_ ? at : bus_free_;
    if (must <= 0 && (room <= 0 || until <= t)) return false;
    const Fetched fetched = fetch_into_row(t, until, next, must, room);
    if (fetched == Fetched::not_plain) [[unlikely]]
      return fetch_one_by_one(t, until, next, needed, full);
    return fetched == Fetched::late;
  }
  /// The same in closed form for `words` words that lie in one row: RAM, and up to the next refresh. If that does not
  /// hold it returns false and has done nothing; so do those for code below. `bus_free` is word_free(), or the caller's
  /// copy of it.
  bool access_in_row(std::uint64_t& bus_free, std::uint64_t at, std::uint32_t address, unsigned words, bool writing) {
    const std::uint32_t row = address >> row_shift_, bank = bank_of_row(row);
    const DramTiming& d = config_.dram;
    const bool open = open_row_[bank] == row;
    const std::uint32_t extra = writing ? write_extra_ : read_extra_;
    const std::uint64_t end = (at > bus_free ? at : bus_free) +
                              std::uint64_t{words} * (writing ? d.write_hit : d.read_hit) + (open ? 0u : extra);
    if (end > plain_until_ || !surely_plain(address)) [[unlikely]]
      return false;
    if (!open) {
      open_row_[bank] = row;
      if (bank == code_bank_) code_end_ = 0;
    }
    bus_free = end;
    return true;
  }
  enum class Fetched : std::uint8_t { in_time, late, not_plain };
  /// On a bus that is free at `at`, in the row of the latest fetch. `must` and `room` are bytes and may be negative. A
  /// byte of code is a clock: the closed form holds for cycles of two clocks on a hit.
  Fetched fetch_on(std::uint64_t at, std::uint64_t until, std::uint32_t& next, std::int32_t must, std::int32_t room) {
    const auto left = static_cast<std::int64_t>(until - at);
    std::int64_t bytes = left <= 0 ? 0 : words_before(left);
    if (bytes > room) bytes = room;
    const bool late = must > bytes;
    if (late) bytes = must;
    if (bytes <= 0) return Fetched::in_time;
    if (!take_code(at + static_cast<std::uint64_t>(bytes), next, next + static_cast<std::uint32_t>(bytes))) [[unlikely]]
      return Fetched::not_plain;
    return late ? Fetched::late : Fetched::in_time;
  }
  /// The words from `next` to `limit` (at least one), whenever they begin.
  bool fetch_at_once(std::uint64_t at, std::uint32_t& next, std::uint32_t limit) {
    return take_code(at + (limit - next), next, limit) ||
           fetch_into_row(at, 0, next, static_cast<std::int32_t>(limit - next), 0) != Fetched::not_plain;
  }
  /// The same for `must` 0, `until` behind `at` and `room` positive.
  bool prefetch_plain(std::uint64_t at, std::uint64_t until, std::uint32_t& next, std::int32_t room) {
    std::int64_t bytes = words_before(static_cast<std::int64_t>(until - at));
    if (bytes > room) bytes = room;
    if (take_code(at + static_cast<std::uint64_t>(bytes), next, next + static_cast<std::uint32_t>(bytes))) [[likely]]
      return true;
    return fetch_into_row(at, until, next, 0, room) != Fetched::not_plain;
  }
  /// Code will be fetched from here on, which is not where the latest fetch ended.
  void fetch_from(std::uint32_t next) {
    if (row_end(next) != code_end_) code_end_ = 0;
  }

  /// Whether the row of `address` is open.
  bool row_open(std::uint32_t address) const { return open_row_[bank(address)] == address >> row_shift_; }
  /// Words that end by this clock may be counted in closed form.
  std::uint64_t plain_until() const { return plain_until_; }
  /// Bytes from `address` to its row's end.
  std::uint32_t row_left(std::uint32_t address) const { return row_end(address) - address; }

  /// Fetches the first level's line around `address`, the wanted datum first, not before core clock `at`.
  Burst fetch_line(std::uint64_t at, std::uint32_t address) {
    const std::uint64_t t = bus_start(at);
    if (!l2_.present() || rom(address)) [[unlikely]]
      return fetch_line_from_memory(t, address);
    const bool guessed = l2_.in_mru_way(address);
    if (!guessed && !l2_.find_other(address)) [[unlikely]]
      return fill_l2(t, address);
    const std::uint64_t first = t + (guessed ? l2_hit_mru_ticks_ : l2_hit_other_ticks_);
    bus_free_ = first + l2_rest_ticks_;
    return {core(first), core(bus_free_)};
  }
  /// Single reads of every datum that [address, address+bytes) touches.
  Burst read_single(std::uint64_t at, std::uint32_t address, unsigned bytes);
  /// A write of up to a datum or two: the core clocks at which it begins on the bus and at which the bus has taken it.
  Burst write(std::uint64_t at, std::uint32_t address, unsigned bytes);
  /// Whether a write to `address` would only take the bus for a while, and how that goes (write_posted): the second
  /// level has the line, used last and dirty already.
  bool takes_write(std::uint32_t address) const { return l2_.dirty_in_mru_way(address); }
  Burst write_posted(std::uint64_t at) {
    const std::uint64_t t = bus_start(at);
    bus_free_ = t + posted_ticks_;
    return {core(t), core(bus_free_)};
  }
  /// A displaced dirty line of the first level goes out.
  void write_back(std::uint64_t at, std::uint32_t line) {
    const std::uint64_t t = bus_start(at);
    if (!l2_.present() || !l2_.find_for_write(line)) [[unlikely]]
      return write_back_to_memory(t, line);
    bus_free_ = t + l2_write_back_ticks_;
  }
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
  const TagCache& l2() const { return l2_; }
  void archive(Archive& a);

 private:
  Burst fetch_line_from_memory(std::uint64_t t, std::uint32_t address);
  Burst fill_l2(std::uint64_t t, std::uint32_t address);
  void write_back_to_memory(std::uint64_t t, std::uint32_t line);
  using Ranges = std::array<AddressRange, 4>;
  std::uint32_t words_one_by_one(std::uint64_t t, std::uint64_t until, std::uint32_t address, std::uint32_t limit,
                                 bool writing);
  bool fetch_one_by_one(std::uint64_t t, std::uint64_t until, std::uint32_t& next, std::uint32_t needed,
                        std::uint32_t full);
  /// To be called behind every change of next_refresh_.
  void settle_plain() {
    plain_until_ = one_by_one_ ? 0 : next_refresh_;
    plain_fetch_until_ = config_.dram.read_hit == 2 ? plain_until_ : 0;
  }
  /// Bytes of the words that begin within `clocks` clocks after the first one, and of that.
  static std::int64_t words_before(std::int64_t clocks) {
    const std::int64_t bytes = (clocks + 1) & ~std::int64_t{1};
    return bytes > 2 ? bytes : 2;
  }
  std::uint32_t row_end(std::uint32_t address) const { return (address & row_mask_) - row_mask_; }
  /// Code words that follow what was fetched last, up to `limit`.
  bool take_code(std::uint64_t end, std::uint32_t& next, std::uint32_t limit) {
    if (limit > code_end_ || end > plain_fetch_until_) return false;
    bus_free_ = end;
    next = limit;
    return true;
  }
  /// fetch_on() where the row of `next` may have to be opened, and something is to be fetched.
  Fetched fetch_into_row(std::uint64_t at, std::uint64_t until, std::uint32_t& next, std::int32_t must,
                         std::int32_t room);
  void close_rows() {
    open_row_.fill(no_row);
    code_end_ = 0;
  }
  /// RAM: no range of the configuration touches its page.
  bool surely_plain(std::uint32_t address) const { return address - 0x100000 < plain_bytes_ || !special(address); }
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
  /// The bus clock's edge at or after `t`. By constants where it matters: a division is as slow as a cache hit of the
  /// guest.
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
  unsigned bank(std::uint32_t address) const {
    return (address >> config_.dram.bank_shift) & (config_.dram.banks - 1u);
  }
  /// Meaningful if no row spans several banks.
  unsigned bank_of_row(std::uint32_t row) const { return (row >> bank_row_shift_) & bank_mask_; }
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
  static constexpr std::uint32_t no_row = 0xFFFFFFFF;
  std::array<std::uint32_t, 8> open_row_;
  // 386SX: the row in which code was fetched last, while it is open and RAM without a gap: its end and bank. End 0: not
  // known.
  std::uint32_t code_end_ = 0, code_bank_ = 0;
  std::array<std::uint64_t, 4> special_low_{};  // one bit a page below 1 MB
  std::uint32_t special_high_ = 0xFFFFFFFF;
  std::uint64_t plain_until_ = UINT64_MAX;  // words that end by then may be counted in closed form
  std::uint64_t plain_fetch_until_ = UINT64_MAX;
  bool one_by_one_ = false;  // a row holds ROM and other memory, or lies in several banks: no closed form
  std::uint8_t bank_row_shift_ = 0;
  std::uint32_t bank_mask_ = 0;
  std::uint32_t row_mask_ = 0;
  std::uint32_t plain_bytes_ = 0;                   // from 1 MB on, no range touches them
  std::uint32_t read_extra_ = 0, write_extra_ = 0;  // clocks of a closed row
  std::uint8_t row_shift_ = 12;
  std::uint8_t den_shift_ = 0;
  std::uint8_t bus_ = 1;  // ticks a bus clock
  // Ticks of the second level: a posted datum; of a line the first datum and the rest, and its writing back.
  std::uint32_t posted_ticks_ = 0;
  std::uint32_t l2_hit_mru_ticks_ = 0, l2_hit_other_ticks_ = 0, l2_rest_ticks_ = 0;
  std::uint32_t l2_write_back_ticks_ = 0;
};

}  // namespace planar::cpu
