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
#include "core/cpu/timing/common/instruction_table.hpp"
#include "core/cpu/timing/timing.hpp"

namespace planar::cpu {
namespace {

constexpr std::uint32_t bus_cycle = 2;       // clocks of a cycle without wait states, inside the table
constexpr std::uint64_t refill_decode = 3;   // informed by published figures, see above
constexpr std::uint64_t starved_decode = 2;  // arrival of the last byte to execution: decode, hand over [I]
constexpr std::uint64_t refill_lead = 4;     // a taken branch's fetch starts so long before the end of its table clocks

std::uint64_t back(std::uint64_t clock, std::uint64_t by) { return clock > by ? clock - by : 0; }

}  // namespace

/// Brings the queue up to `until`, or to what begin_next_386() put off if that is later. False, with nothing done, if
/// that takes the long way.
inline bool Timing::prefetch_plain_386(std::uint64_t until) {
  if (until < fetch_put_off_) until = fetch_put_off_;
  const std::uint64_t from = fetch_from_ > path_.word_free() ? fetch_from_ : path_.word_free();
  if (until <= from || refill_) return true;  // nothing can begin, or it is not known where
  const auto room = static_cast<std::int32_t>((fetch_eip_ & fetch_mask_) + queue_bytes - fetch_next_);
  return room <= 0 || path_.prefetch_plain(from, until, fetch_next_, room);
}

void Timing::prefetch_386(std::uint64_t until) {
  if (prefetch_plain_386(until)) [[likely]]
    return;
  const std::uint32_t full = (fetch_eip_ & fetch_mask_) + queue_bytes;
  path_.fetch(fetch_from_, until < fetch_put_off_ ? fetch_put_off_ : until, fetch_next_, fetch_next_, full);
}

/// A full queue gets room from here on; `line` is the request that holds the instruction's first byte.
inline void Timing::supplied_386(std::uint32_t line) {
  if (fetch_next_ - line >= queue_bytes) fetch_from_ = clock_;
  fetch_put_off_ = 0;
}

/// The latest word fetched is the one that was waited for.
inline void Timing::starve_386() {
  ++counters_.code_misses;
  const std::uint64_t decoded = path_.word_free() + starved_decode;
  if (clock_ < decoded) clock_ = decoded;
}

/// The instruction is not known to be in the queue, or the queue could have filled up meanwhile.
void Timing::supply_386(const Op& op) {
  const std::uint32_t eip = fetch_eip_;
  const std::uint32_t line = eip & fetch_mask_;
  const auto must = static_cast<std::int32_t>(((eip + op.length + ~fetch_mask_) & fetch_mask_) - fetch_next_);
  const auto room = static_cast<std::int32_t>(line + queue_bytes - fetch_next_);
  const std::uint64_t from = fetch_from_ > path_.word_free() ? fetch_from_ : path_.word_free();
  const MemoryPath::Fetched fetched = path_.fetch_on(from, clock_, fetch_next_, must, room);
  if (fetched == MemoryPath::Fetched::not_plain) [[unlikely]]
    return supply_in_new_row_386(op, eip);
  if (fetched == MemoryPath::Fetched::late) starve_386();
  supplied_386(line);
}

/// The same where the row may have to be opened, or the closed form does not hold.
void Timing::supply_in_new_row_386(const Op& op, std::uint32_t eip) {
  const std::uint32_t line = eip & fetch_mask_, needed = (eip + op.length + ~fetch_mask_) & fetch_mask_;
  if (path_.fetch(fetch_from_, clock_, fetch_next_, needed, line + queue_bytes)) starve_386();
  supplied_386(line);
}

/// Behind a jump, or straight on into another page frame.
void Timing::supply_afresh_386(const Op& op, std::uint32_t eip) {
  if (!refill_) {
    prefetch_386(0);
    fetch_next_ += eip - fetch_eip_;
    path_.fetch_from(fetch_next_);
    return supply_in_new_row_386(op, eip);
  }
  refill_ = false;
  fetch_next_ = eip & ~1u;
  path_.fetch_from(fetch_next_);
  const std::uint32_t needed = (eip + op.length + ~fetch_mask_) & fetch_mask_;
  const std::uint64_t from = fetch_from_ > path_.word_free() ? fetch_from_ : path_.word_free();
  if (!path_.fetch_at_once(from, fetch_next_, needed)) [[unlikely]]
    path_.fetch(fetch_from_, 0, fetch_next_, needed, fetch_next_);
  const std::uint64_t decoded = path_.word_free() + refill_decode;
  clock_ = (clock_ > decoded ? clock_ : decoded) + op.timing_flags;  // m
  supplied_386(eip & fetch_mask_);
}

inline void Timing::finish_read_386() {
  const std::uint64_t end = path_.word_free() + tail_;
  if (clock_ < end) clock_ = end;
  if (tail_ == 0)
    credit_ += bus_cycle;
  else
    tail_ = tail_ > bus_cycle ? tail_ - bus_cycle : 0;
}

void Timing::read_386(std::uint32_t address, unsigned bytes) {
  const std::uint64_t wanted = back(clock_, tail_ + bus_cycle);
  prefetch_386(wanted);
  path_.access(wanted, address & ~1u, (address + bytes + 1) & ~1u, false);
  finish_read_386();
}

void Timing::read_aligned_386(std::uint32_t address, unsigned bytes) {
  const std::uint64_t wanted = back(clock_, tail_ + bus_cycle);
  if (!prefetch_plain_386(wanted) || !path_.access_in_row(wanted, address, (bytes + 1) / 2, false)) [[unlikely]]
    return read_386(address, bytes);
  finish_read_386();
}

void Timing::write_386(std::uint32_t address, unsigned bytes) {
  if (clock_ < write_starts_) clock_ = write_starts_;  // the latch still holds the write before
  prefetch_386(clock_);
  write_starts_ = clock_ > path_.word_free() ? clock_ : path_.word_free();
  path_.access(write_starts_, address & ~1u, (address + bytes + 1) & ~1u, true);
}

void Timing::write_aligned_386(std::uint32_t address, unsigned bytes) {
  if (clock_ < write_starts_) clock_ = write_starts_;
  if (!prefetch_plain_386(clock_)) [[unlikely]]
    return write_386(address, bytes);
  const std::uint64_t starts = clock_ > path_.word_free() ? clock_ : path_.word_free();
  if (!path_.access_in_row(starts, address, (bytes + 1) / 2, true)) [[unlikely]]
    return write_386(address, bytes);
  write_starts_ = starts;
}

void Timing::refill_386() {
  const std::uint64_t from = back(clock_, refill_lead);
  prefetch_386(from);
  refill_ = true;
  fetch_from_ = from;
}

void Timing::branch_386(const Op& op, bool taken) {
  if (!taken) return;
  switch (branch_kind(op)) {
    case BranchKind::conditional:
    case BranchKind::jcxz: clock_ += 4; break;  // 7+m against 3, 9+m against 5
    default: break;
  }
  refill_386();
}

}  // namespace planar::cpu
