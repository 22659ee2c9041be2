// SPDX-License-Identifier: GPL-2.0-or-later
// The 386SX: an execution unit that runs by the table, and a bus unit that data and prefetch share.
//
// The prefetch unit asks for aligned doublewords while its four-doubleword queue has room; on the 16-bit bus each is
// two cycles, and the decoder sees it when both have arrived. Any data cycle goes first, but waits for the word that is
// already on the bus. Reads are placed where the table has them (an instruction of n clocks with a memory source has
// its 2-clock cycle n-4 clocks before its end), writes are posted one deep. A taken branch empties the queue.
//
// refill_lead and refill_decode: the manual's 7+m has the target's first doubleword on a 32-bit bus inside. It is split
// into 3 clocks before the first fetch cycle, the cycle, and 3 clocks + m of decoding behind it, one clock more than
// the manual: the class's BogoMIPS factor (0.18 a MHz for a 386DX from cache = 11 clocks for the two-instruction loop
// that the manual puts at 10) says so; the same loop then gives the 386SX its 0.14 [informed by those two published
// factors, S].
//
// Prefetch cycles are counted when something else needs the bus or the queue might run dry or full, not at every
// instruction, and in closed form within an open row: the same to the clock as word by word
// (tests/core/cpu/timing/test_timing_386sx.cpp).
//
// Not modelled: the decoder's three-instruction queue (prefetched bytes leave the queue when their instruction starts),
// its one byte a clock, the TLB (the executor's page walks come in as reads), NA# pipelining other than in the page-hit
// figure, a locked cycle's idle clocks.
#pragma once

#include <cstdint>

#include "core/cpu/timing/common/processor_timing.hpp"
#include "core/cpu/timing/i386sx/bus_unit.hpp"
#include "core/cpu/timing/i386sx/recall.hpp"
#include "core/cpu/timing/i386sx/word_path.hpp"

namespace planar::cpu {

class Timing386sx final : public ProcessorTiming {
 public:
  explicit Timing386sx(const TimingConfig& config);

  void set_static_clocks(Op& op) const override;
  void begin(const Op& op, std::uint32_t physical_eip) override;
  /// The same for the instruction behind the one that began last, with no branch or flush in between.
  void begin_next(const Op& op);
  void read(std::uint32_t physical, unsigned bytes) override;
  void write(std::uint32_t physical, unsigned bytes) override;
  /// The same for an address that is a multiple of `bytes`.
  void read_aligned(std::uint32_t physical, unsigned bytes);
  void write_aligned(std::uint32_t physical, unsigned bytes);
  void branch(const Op& op, bool taken, std::uint32_t linear_target) override;
  std::uint64_t cycle_start(bool io) override;
  /// From when an instruction that has reached `clock` wants a cycle on the pins.
  static std::uint64_t cycle_wanted(std::uint64_t clock, bool io) {
    return !io && clock >= TableOverlap::bus_cycle ? clock - TableOverlap::bus_cycle : clock;
  }
  void wait_until(std::uint64_t clock) override { end_cycle(path_, clock); }
  void steal(std::uint64_t from, unsigned clocks) override;
  void master_wrote(std::uint32_t, std::uint32_t) override {}  // no cache
  void flush_caches(bool) override {}
  void interrupt_flush() override;
  void archive(Archive& a) override;
  void describe(Description&) const override {}

  // ---- recalling (recall.hpp, dispatch/recall.hpp): between resume() and settle() the bus unit's figures are left
  // ---- behind, and its phase stands for them
  /// From here on stretches of the code at `physical` may be recalled, until the clock reaches `stop_at`; false if none
  /// can be.
  bool resume(std::uint32_t physical, std::uint64_t stop_at);
  /// The same again, behind an instruction of that code.
  void find_phase(std::uint64_t stop_at);
  /// The figures again, the next instruction being at `eip`;
  void settle(std::uint32_t eip);
  /// and where the last instruction of the stretch that is recalled has begun; it ends at `eip`.
  void settle_issued(std::uint32_t eip);
  /// Where a fault may have come from: the same, if that is the case.
  bool phase_known() const { return phase_.key != BusPhase::unknown; }
  bool recalling() const { return recalled_ != nullptr; }
  /// Code at `physical` follows; false if it cannot be recalled.
  bool in_row(std::uint32_t physical) const { return path_.row(physical) == code_row_.row; }
  bool enter_row(std::uint32_t physical);

  std::uint64_t recall_key(std::uint16_t stretch) const { return std::uint64_t{stretch} << 32 | phase_.key; }
  /// Where that is in the table; or in the place beside.
  std::size_t recall_place(std::uint16_t stretch) const { return (stretch ^ phase_.spread) & (Recalled::places - 1); }
  bool recalls(const Recalled& r, std::uint64_t key) const {
    return r.key == key && origin_ + r.reach <= recall_until_;
  }
  /// The stretch `r` begins: all of it but what its last instruction does.
  void begin_recalled(Recalled& r) {
    if (r.special) [[unlikely]] {
      if (r.special & Recalled::opens_row) path_.set_open(code_row_.row, code_row_.bank);
      if (r.special & Recalled::moves_fetch)
        bus_.fetch_from = origin_ + static_cast<std::uint64_t>(std::int64_t{r.fetch_from});
      if (r.bus_free != Ending::unchanged) path_.bus_free() = origin_ + r.bus_free;
    }
    recalled_ = &r;
  }
  Recalled& recalled() { return *recalled_; }
  void end_recalled(const Ending& e) {
    clock_ = origin_ + static_cast<std::uint64_t>(std::int64_t{e.clock});
    origin_ += e.origin;
    phase_ = e.phase;
  }
  /// It ends with an aligned access to `address`, a write in the end if `writes`. False, with nothing done, if that end
  /// is not known.
  [[gnu::always_inline]] bool end_with_access(std::uint32_t address, bool writes) {
    const std::uint32_t row = path_.row(address), bank = path_.bank(address);
    unsigned which = path_.open(row, bank) ? Ending::open : Ending::closed;
    if (bank == code_row_.bank) [[unlikely]] {
      if (row != code_row_.row)
        which |= Ending::in_code_bank;
      else if (which == Ending::closed)
        return false;
    }
    const Ending& e = recalled_->endings[which];
    if (e.special & Ending::not_at_once || !path_.surely_ram(address)) [[unlikely]]
      return false;
    if (writes) bus_.latch.starts = origin_ + e.latch;
    end_recalled(e);
    if (e.special | which) [[unlikely]] {
      const bool code_open = !(e.phase.key & BusPhase::closed);
      if (e.special || (which & Ending::in_code_bank && code_open)) path_.set_open(code_row_.row, code_row_.bank);
      if (!(which & Ending::in_code_bank && code_open)) path_.set_open(row, bank);
    }
    return true;
  }
  /// It ends with a branch and no access; false as above.
  bool end_with_branch(bool taken) {
    const Ending& e = recalled_->endings[taken];
    if (e.special) [[unlikely]]
      return false;
    end_recalled(e);
    return true;
  }
  /// The same where the end may be one that cannot be had at once; false: it is not known.
  bool end_specially(bool taken);
  /// Behind the end of a taken branch.
  void fetch_from_target() { bus_.fetch_from = clock_ - refill_lead; }

  // Working out what is recalled later, by the bus unit itself.
  struct Start {
    BusPhase phase;
    std::uint64_t origin, bus_free, refresh;
  };
  std::uint64_t bus_is_free() const { return path_.bus_free(); }
  Start start() {
    fetch_moved_ = false;
    return {phase_, origin_, path_.bus_free(), path_.next_refresh()};
  }
  /// The last instruction of a stretch has begun, which wanted to at clock `began`. False: it cannot be recalled.
  bool record_issue(Recalled& r, const Start& start, std::uint64_t key, std::uint64_t began);
  /// That instruction will execute; an access in it is noted in front of it,
  void watch_access() { noted_ = Noted{}; }
  void note_access(std::uint32_t address);
  /// and it has executed, and the phase has been found. `bus_free_issued`: when the bus was free in front of it.
  void record_ending(Recalled& r, const Start& start, std::uint64_t bus_free_issued, const Op& op);

 private:
  friend class Steady386;
  friend struct DataCycles<Timing386sx>;
  static constexpr std::uint32_t queue_bytes = 16;
  static constexpr std::uint64_t refill_lead = 4;  // a taken branch's fetch starts so long before the end of its clocks

  // For DataCycles.
  std::uint64_t& clock() { return clock_; }
  std::uint64_t& bus_free() { return path_.bus_free(); }
  TableOverlap& overlap() { return overlap_; }
  WriteLatch& latch() { return bus_.latch; }
  WordPath& path() { return path_; }
  /// Brings the queue up to `until`, or to what begin_next() put off if that is later.
  bool bring_up_to(std::uint64_t until);

  /// Bytes that the queue may still ask for; not positive when it is full.
  std::int32_t room() const {
    return static_cast<std::int32_t>((bus_.fetch_eip & fetch_mask_) + queue_bytes - bus_.fetch_next);
  }
  /// When the next prefetch cycle may begin.
  std::uint64_t fetch_at() const { return std::max(bus_.fetch_from, path_.bus_free()); }
  void issue(const Op& op, std::uint32_t end);
  void prefetch(std::uint64_t until);
  void supply(const Op& op);
  void supply_in_new_row(const Op& op, std::uint32_t eip);
  void supply_afresh(const Op& op, std::uint32_t eip);
  void supplied(std::uint32_t line);
  void starve();

  void count_words_put_off();
  BusPhase phase() const;
  bool row_closed() const { return !path_.open(code_row_.row, code_row_.bank); }

  WordPath path_;
  BusUnitState bus_;
  std::uint32_t fetch_mask_;         // of a prefetch request's address
  std::uint64_t fetch_put_off_ = 0;  // words that begin before are still to be counted; 0 in a snapshot

  // While stretches are recalled.
  std::uint64_t origin_ = 0;
  std::uint64_t recall_until_ = 0;
  BusPhase phase_;
  Recalled* recalled_ = nullptr;  // the one in progress; null where the figures are settled
  struct {
    std::uint32_t row = 0, end = 0, bank = 0;
  } code_row_;
  bool fetch_moved_ = false;  // the queue became full
  struct Noted {
    unsigned accesses = 0;
    bool usable = false;
    std::uint8_t which = 0;
  } noted_;
};

inline bool Timing386sx::bring_up_to(std::uint64_t until) {
  if (until < fetch_put_off_) until = fetch_put_off_;
  const std::uint64_t from = fetch_at();
  if (until <= from || bus_.refill) return true;  // nothing can begin, or it is not known where
  const std::int32_t left = room();
  return left <= 0 || path_.prefetch_closed(from, until, bus_.fetch_next, left);
}

inline void Timing386sx::begin_next(const Op& op) {
  const std::uint32_t eip = bus_.fetch_eip, end = eip + op.length;
  const std::uint64_t from = fetch_at();
  // If the queue holds the instruction and cannot have filled up since `from` (two clocks a word at least), nothing
  // that happened between is seen before the next cycle of another kind: the words are counted then.
  if (static_cast<std::int32_t>(bus_.fetch_next - ((end + ~fetch_mask_) & fetch_mask_)) >= 0 &&
      static_cast<std::int64_t>(clock_ - from) + 1 < room())
    fetch_put_off_ = clock_;
  else
    supply(op);
  issue(op, end);
}

inline void Timing386sx::begin(const Op& op, std::uint32_t eip) {
  if (!bus_.refill && eip == bus_.fetch_eip) return begin_next(op);
  supply_afresh(op, eip);
  issue(op, eip + op.length);
}

// The queue has it: `end` is the address behind it.
inline void Timing386sx::issue(const Op& op, std::uint32_t end) {
  bus_.fetch_eip = end;
  clock_ += op.clocks;
  overlap_ = {.tail = op.i386sx.tail, .credit = 0};
}

}  // namespace planar::cpu
