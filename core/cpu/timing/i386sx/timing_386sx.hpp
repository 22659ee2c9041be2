// SPDX-License-Identifier: GPL-2.0-or-later
// The 386SX: an execution unit that follows the instruction table, and a bus unit that data and prefetch share.
//
// The prefetch unit requests aligned doublewords while its four-doubleword queue has room; on the 16-bit bus each takes
// two cycles, and the decoder sees it when both have ended. Any data cycle goes first, but waits for a word that is
// already on the bus. Reads are placed where the table has them (the 2-clock cycle of an n-clock instruction with a
// memory source ends n-4 clocks before the instruction does); writes are posted, one deep. A taken branch empties the
// queue.
//
// refill_lead and refill_decode: the manual's 7+m includes the fetch of the target's first doubleword on a 32-bit bus.
// It is split into 3 clocks before the first fetch cycle, the cycle, and 3 clocks + m of decoding after it, one clock
// more than the manual, as the class's BogoMIPS factor requires (0.18 per MHz for a 386DX from cache = 11 clocks for
// the two-instruction loop that the manual puts at 10); the same loop then gives the 386SX its 0.14 [those two
// published factors, S] (P: model56sx 386SX refill_decode).
//
// Prefetch cycles are not counted at every instruction, but when something else needs the bus or the queue might run
// dry or full; and in closed form within an open row, with the same clocks as word by word
// (tests/core/cpu/timing/test_timing_386sx.cpp).
//
// Not modelled: the decoder's three-instruction queue (prefetched bytes leave the queue when their instruction starts)
// and its rate of one byte per clock, the TLB (the executor's page walks arrive as reads), NA# pipelining beyond the
// page-hit figure, a locked cycle's idle clocks.
#pragma once

#include <cstdint>

#include "core/cpu/timing/common/processor_timing.hpp"
#include "core/cpu/timing/i386sx/bus_unit.hpp"
#include "core/cpu/timing/i386sx/word_path.hpp"
#include "core/cpu/x86/op.hpp"

namespace planar::cpu {

class Timing386sx final : public ProcessorTiming {
 public:
  explicit Timing386sx(const TimingConfig& config);

  void set_static_clocks(Op& op) const;
  void begin(const Op& op, std::uint32_t physical_eip);
  /// Whether an instruction at `eip` directly follows the one that began last, with no branch or flush in between. If
  /// not, begin() does the same as begin_afresh().
  bool goes_on_at(std::uint32_t eip) const { return !bus_.refill && eip == bus_.fetch_eip; }
  void begin_afresh(const Op& op, std::uint32_t eip);
  /// If it does, begin() has three cases: the queue is known to hold the instruction; the words fetched before it
  /// begins lie in the open row, up to the next refresh; any other. False: it is another case, and nothing has been
  /// done.
  bool begin_from_queue(const Op& op);
  bool begin_in_row(const Op& op);
  void begin_in_new_row(const Op& op);
  void read(std::uint32_t physical, unsigned bytes);
  void write(std::uint32_t physical, unsigned bytes);
  /// The same for an address that is a multiple of `bytes`.
  void read_aligned(std::uint32_t physical, unsigned bytes) {
    return bytes > 2 ? read_words<4>(physical) : read_words<1>(physical);
  }
  void write_aligned(std::uint32_t physical, unsigned bytes) {
    return bytes > 2 ? write_words<4>(physical) : write_words<1>(physical);
  }
  void branch(const Op& op, bool taken, std::uint32_t linear_target);
  /// The figures include a zero-wait cycle for each access of the microcode, which is counted only once.
  void spend(unsigned clocks) { clock_ = overlap_.spend(clock_, clocks); }
  /// The same for an iteration that ends by writing what it has read: there are no clocks between its read and that
  /// write, nor between the write and the next iteration's read (386 PRM: four clocks for a word of REP MOVS, two of
  /// them the read's and two the write's).
  void spend_before_write(unsigned clocks) { clock_ = overlap_.spend_before_write(clock_, clocks); }
  std::uint64_t cycle_start(bool io);
  /// When an instruction that has reached `clock` wants a cycle on the pins.
  static std::uint64_t cycle_wanted(std::uint64_t clock, bool io) {
    return !io && clock >= TableOverlap::bus_cycle ? clock - TableOverlap::bus_cycle : clock;
  }
  void wait_until(std::uint64_t clock) { end_cycle(path_, clock); }
  void steal(std::uint64_t from, unsigned clocks);
  /// There is one path to memory: it is taken for all of the lines at once.
  void share(const MemoryShare& share) {
    steal(share.from, static_cast<unsigned>((share.to - share.from) / share.period + 1) * share.each);
  }
  void master_wrote(std::uint32_t, std::uint32_t) {}  // no cache
  void flush_caches(bool) {}
  void interrupt_flush();
  void archive(Archive& a);
  void describe(Description&) const {}

 private:
  friend class Steady386;
  friend struct DataCycles<Timing386sx>;
  static constexpr std::uint32_t queue_bytes = 16;
  static constexpr std::uint64_t starved_decode = 2;  // last byte's arrival to execution: decode, hand-over [I]

  // For DataCycles.
  std::uint64_t& clock() { return clock_; }
  std::uint64_t& bus_free() { return path_.bus_free(); }
  TableOverlap& overlap() { return overlap_; }
  WriteLatch& latch() { return bus_.latch; }
  WordPath& path() { return path_; }
  /// Counts the words that begin before `until`, or before fetch_put_off_ if that is later. False: the next one is in
  /// another row of memory.
  bool bring_up_to(std::uint64_t until);

  /// Bytes that the queue may still request; not positive when it is full.
  std::int32_t room() const {
    return static_cast<std::int32_t>((bus_.fetch_eip & fetch_mask_) + queue_bytes - bus_.fetch_next);
  }
  /// When the next prefetch cycle may begin.
  std::uint64_t fetch_at() const { return std::max(bus_.fetch_from, path_.bus_free()); }
  /// The end of the prefetch request that brings the byte before `end`.
  std::uint32_t requested_to(std::uint32_t end) const { return (end + ~fetch_mask_) & fetch_mask_; }
  void issue(const Op& op, std::uint32_t end);
  /// read_aligned() and write_aligned() for an operand in one word (`bytes` 1) or in two (4).
  template <unsigned bytes>
  [[gnu::noinline]] void read_words(std::uint32_t address);
  template <unsigned bytes>
  [[gnu::noinline]] void write_words(std::uint32_t address);
  /// Counts the words that begin before `until`.
  void prefetch(std::uint64_t until) {
    if (!bring_up_to(until)) [[unlikely]]
      prefetch_in_new_row(until);
  }
  [[gnu::noinline]] void prefetch_in_new_row(std::uint64_t until);
  [[gnu::noinline]] void refill_one_by_one(const Op& op, std::uint32_t eip, std::uint32_t needed);
  void begin_refilled(const Op& op, std::uint32_t eip);
  void supplied(std::uint32_t line);
  void starve();

  WordPath path_;
  BusUnitState bus_;
  TableOverlap overlap_;
  std::uint32_t fetch_mask_;         // of a prefetch request's address
  std::uint64_t fetch_put_off_ = 0;  // words that begin before this are still to be counted; 0 in a snapshot
};

inline bool Timing386sx::bring_up_to(std::uint64_t until) {
  if (until < fetch_put_off_) until = fetch_put_off_;
  const std::uint64_t from = fetch_at();
  if (until <= from || bus_.refill) return true;  // nothing can begin, or it is not known where
  const std::int32_t left = room();
  return left <= 0 || path_.prefetch_on(from, until, bus_.fetch_next, left);
}

inline bool Timing386sx::begin_from_queue(const Op& op) {
  const std::uint32_t end = bus_.fetch_eip + op.length;
  // If the queue holds the instruction and cannot have filled up since it got room (at least two clocks per word),
  // nothing that happens in between can be observed before the next cycle of another kind: the words are counted then.
  if (static_cast<std::int32_t>(bus_.fetch_next - requested_to(end)) < 0 ||
      static_cast<std::int64_t>(clock_ - fetch_at()) + 1 >= room())
    return false;
  fetch_put_off_ = clock_;
  issue(op, end);
  return true;
}

/// If the queue was full, it has room from now on; `line` is the request that holds the instruction's first byte.
inline void Timing386sx::supplied(std::uint32_t line) {
  if (bus_.fetch_next - line >= queue_bytes) bus_.fetch_from = clock_;
  fetch_put_off_ = 0;
}

/// The word fetched last is the one that execution waited for.
inline void Timing386sx::starve() {
  ++counters_.code_misses;
  jump_to(path_.bus_free() + starved_decode);
}

inline bool Timing386sx::begin_in_row(const Op& op) {
  const std::uint32_t eip = bus_.fetch_eip, end = eip + op.length;
  const auto must = static_cast<std::int32_t>(requested_to(end) - bus_.fetch_next);
  const WordPath::Fetched fetched = path_.fetch_on(fetch_at(), clock_, bus_.fetch_next, must, room());
  if (fetched == WordPath::Fetched::not_closed) [[unlikely]]
    return false;
  if (fetched == WordPath::Fetched::late) starve();
  supplied(eip & fetch_mask_);
  issue(op, end);
  return true;
}

inline void Timing386sx::begin(const Op& op, std::uint32_t eip) {
  if (!goes_on_at(eip)) return begin_afresh(op, eip);
  if (!begin_from_queue(op) && !begin_in_row(op)) begin_in_new_row(op);
}

inline void Timing386sx::issue(const Op& op, std::uint32_t end) {
  bus_.fetch_eip = end;
  clock_ += op.clocks;
  overlap_ = {.tail = op.i386sx.tail, .credit = 0};
}

}  // namespace planar::cpu
