// SPDX-License-Identifier: GPL-2.0-or-later
// The 386SX's path to memory: a 16-bit bus, one word per cycle, and no cache. Core and bus clock are the same, and the
// bus is the memory's only user: it is busy while a cycle, a refresh or another master occupies it.
//
// Words lie between an even address and a limit. Runs of words within one open row and up to the next refresh are
// counted in closed form, with the same clocks as word by word (tests/core/cpu/timing/test_timing_386sx.cpp).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cpu/timing/memory/planar_memory.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

class WordPath {
 public:
  explicit WordPath(const TimingConfig& config);

  /// The clock from which the bus is free: the end of the latest word.
  std::uint64_t bus_free() const { return bus_free_; }
  std::uint64_t& bus_free() { return bus_free_; }
  /// The bus is busy until clock `until`.
  void occupy(std::uint64_t until) { bus_free_ = std::max(bus_free_, until); }
  /// Another master owns the memory for `clocks` clocks from `from`.
  void steal(std::uint64_t from, unsigned clocks);

  // ---- data ----------------------------------------------------------------------------------------------------
  /// All the words from `address` to `limit` (at least one), none before `at`.
  void access(std::uint64_t at, std::uint32_t address, std::uint32_t limit, bool writing) {
    const bool one_row = memory_.same_row(limit - 2, address);
    if (!one_row || !access_in_row(bus_free_, at, address, (limit - address) / 2, writing))
      words_one_by_one(at > bus_free_ ? at : bus_free_, UINT64_MAX, address, limit, writing);
  }
  /// The same in closed form for `words` words that lie in one row, in RAM, and end before the next refresh. Otherwise
  /// it returns false and has done nothing. `bus_free` is bus_free(), or the caller's copy of it.
  bool access_in_row(std::uint64_t& bus_free, std::uint64_t at, std::uint32_t address, unsigned words, bool writing) {
    const std::uint32_t row = memory_.row(address), bank = memory_.bank_of(row);
    const DramTiming& d = memory_.config().dram;
    const bool open = memory_.open(row, bank);
    const std::uint32_t extra = writing ? write_extra_ : read_extra_;
    const std::uint64_t end = (at > bus_free ? at : bus_free) +
                              std::uint64_t{words} * (writing ? d.write_hit : d.read_hit) + (open ? 0u : extra);
    if (end > closed_until_ || !memory_.surely_ram(address)) [[unlikely]]
      return false;
    if (!open) {
      memory_.set_open(row, bank);
      if (bank == code_bank_) code_end_ = 0;
    }
    bus_free = end;
    return true;
  }
  bool row_open(std::uint32_t address) const { return memory_.row_open(address); }
  /// Bytes from `address` to its row's end.
  std::uint32_t row_left(std::uint32_t address) const { return memory_.row_end(address) - address; }
  /// Words that end by this clock may be counted in closed form.
  std::uint64_t closed_until() const { return closed_until_; }

  // ---- code ----------------------------------------------------------------------------------------------------
  /// Advances `next` over the words up to `full` that can begin at `at` or later and before `until`, and in any case
  /// over those up to `needed`; returns whether one of the latter begins at `until` or later.
  bool fetch(std::uint64_t at, std::uint64_t until, std::uint32_t& next, std::uint32_t needed, std::uint32_t full) {
    const std::int32_t must = static_cast<std::int32_t>(needed - next);
    const std::int32_t room = static_cast<std::int32_t>(full - next);
    const std::uint64_t t = at > bus_free_ ? at : bus_free_;
    if (must <= 0 && (room <= 0 || until <= t)) return false;
    const Fetched fetched = fetch_into_row(t, until, next, must, room);
    if (fetched == Fetched::not_closed) [[unlikely]]
      return fetch_one_by_one(t, until, next, needed, full);
    return fetched == Fetched::late;
  }
  enum class Fetched : std::uint8_t { in_time, late, not_closed };
  /// The same in closed form on a bus that is free at `at`, in the row of the latest fetch; not_closed: nothing has
  /// been done. `must` and `room` are in bytes and may be negative. One byte of code takes one clock: the closed form
  /// holds for cycles of two clocks on a hit.
  Fetched fetch_on(std::uint64_t at, std::uint64_t until, std::uint32_t& next, std::int32_t must, std::int32_t room) {
    const auto left = static_cast<std::int64_t>(until - at);
    std::int64_t bytes = left <= 0 ? 0 : words_before(left);
    if (bytes > room) bytes = room;
    const bool late = must > bytes;
    if (late) bytes = must;
    if (bytes <= 0) return Fetched::in_time;
    if (!take_code(at + static_cast<std::uint64_t>(bytes), next, next + static_cast<std::uint32_t>(bytes))) [[unlikely]]
      return Fetched::not_closed;
    return late ? Fetched::late : Fetched::in_time;
  }
  /// The words from `first` to `limit` (at least one), at which code continues, in closed form and whenever they begin;
  /// false: not possible in closed form, nothing done.
  bool fetch_at_once(std::uint64_t at, std::uint32_t first, std::uint32_t limit) {
    const std::uint32_t row = memory_.row(first), bank = memory_.bank_of(row), row_end = memory_.row_end(first);
    const std::uint64_t end = at + (limit - first) + (memory_.open(row, bank) ? 0 : read_extra_);
    if (end > closed_fetch_until_ || limit > row_end || !memory_.surely_ram(first)) [[unlikely]]
      return false;
    memory_.set_open(row, bank);
    code_bank_ = bank;
    code_end_ = row_end;
    bus_free_ = end;
    return true;
  }
  /// fetch_on() for `must` 0, `until` after `at` and positive `room`; false: not possible in closed form, nothing done.
  bool prefetch_on(std::uint64_t at, std::uint64_t until, std::uint32_t& next, std::int32_t room) {
    std::int64_t bytes = words_before(static_cast<std::int64_t>(until - at));
    if (bytes > room) bytes = room;
    return take_code(at + static_cast<std::uint64_t>(bytes), next, next + static_cast<std::uint32_t>(bytes));
  }
  /// Code will be fetched from here on, which is not where the latest fetch ended.
  void fetch_from(std::uint32_t next) {
    if (memory_.row_end(next) != code_end_) code_end_ = 0;
  }

  void archive(Archive& a);

 private:
  /// To be called after every change of the next refresh.
  void settle_closed_form() {
    closed_until_ = memory_.uniform_rows() ? memory_.next_refresh() : 0;
    closed_fetch_until_ = memory_.config().dram.read_hit == 2 ? closed_until_ : 0;
  }
  /// Bytes of the first word and of those that begin within `clocks` clocks after it.
  static std::int64_t words_before(std::int64_t clocks) {
    const std::int64_t bytes = (clocks + 1) & ~std::int64_t{1};
    return bytes > 2 ? bytes : 2;
  }
  /// Fetches the code words that follow the latest fetch, up to `limit`.
  bool take_code(std::uint64_t end, std::uint32_t& next, std::uint32_t limit) {
    if (limit > code_end_ || end > closed_fetch_until_) return false;
    bus_free_ = end;
    next = limit;
    return true;
  }
  /// fetch_on() where the row of `next` may have to be opened and there is something to fetch.
  Fetched fetch_into_row(std::uint64_t at, std::uint64_t until, std::uint32_t& next, std::int32_t must,
                         std::int32_t room);
  std::uint32_t words_one_by_one(std::uint64_t t, std::uint64_t until, std::uint32_t address, std::uint32_t limit,
                                 bool writing);
  bool fetch_one_by_one(std::uint64_t t, std::uint64_t until, std::uint32_t& next, std::uint32_t needed,
                        std::uint32_t full);

  PlanarMemory memory_;
  std::uint64_t bus_free_ = 0;
  std::uint64_t closed_until_ = UINT64_MAX;
  std::uint64_t closed_fetch_until_ = UINT64_MAX;
  // The row in which code was fetched last, while it is open and RAM throughout: its end and bank. End 0: unknown.
  std::uint32_t code_end_ = 0, code_bank_ = 0;
  std::uint32_t read_extra_, write_extra_;  // additional clocks of a closed row
};

}  // namespace planar::cpu
