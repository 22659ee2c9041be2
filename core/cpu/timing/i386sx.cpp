// SPDX-License-Identifier: GPL-2.0-or-later
// The 386SX: an execution unit that runs by the table, and a bus unit that data and prefetch share.
//
// The prefetch unit asks for aligned doublewords while its four-doubleword queue has room; on the 16-bit bus each is two
// cycles, and the decoder sees it when both have arrived. Any data cycle goes first, but waits for the word that is
// already on the bus. Reads are placed where the table has them (an instruction of n clocks with a memory source has its
// 2-clock cycle n-4 clocks before its end), writes are posted one deep. A taken branch empties the queue.
//
// refill_lead and refill_decode: the manual's 7+m has the target's first doubleword on a 32-bit bus inside. It is split
// into 3 clocks before the first fetch cycle, the cycle, and 3 clocks + m of decoding behind it, one clock more than the
// manual: the class's BogoMIPS factor (0.18 a MHz for a 386DX from cache = 11 clocks for the two-instruction loop that
// the manual puts at 10) says so; the same loop then gives the 386SX its 0.14 [calibrated on those two, S].
//
// Not modelled: the decoder's three-instruction queue (prefetched bytes leave the queue when their instruction starts),
// its one byte a clock, the TLB (the executor's page walks come in as reads), NA# pipelining other than in the page-hit
// figure, a locked cycle's idle clocks.
#include "core/cpu/timing.hpp"
#include "core/cpu/timing/instruction_table.hpp"

namespace planar::cpu {
namespace {

constexpr std::uint32_t bus_cycle = 2;       // clocks of a cycle without wait states, inside the table
constexpr std::uint64_t refill_lead = 4;     // a taken branch's fetch starts so long before the end of its table clocks
constexpr std::uint64_t refill_decode = 3;   // calibrated, see above
constexpr std::uint64_t starved_decode = 2;  // arrival of the last byte to execution: decode, hand over [I]
constexpr std::uint32_t queue_bytes = 16;

std::uint64_t back(std::uint64_t clock, std::uint64_t by) { return clock > by ? clock - by : 0; }

}  // namespace

void Timing::prefetch_386(std::uint64_t until) {
  if (refill_) return;  // the next address is not known yet
  const std::uint32_t full = (fetch_eip_ & ~(config_.prefetch_request - 1u)) + queue_bytes;
  if (static_cast<std::int32_t>(full - fetch_next_) <= 0) return;
  fetch_next_ = path_.words(fetch_from_, until, fetch_next_, full, false);
}

void Timing::begin_386(const Op& op, std::uint32_t eip) {
  const std::uint32_t grain = config_.prefetch_request - 1u;
  const std::uint32_t end = eip + op.length;
  const std::uint32_t needed = (end + grain) & ~grain;  // whole requests
  if (refill_) {
    refill_ = false;
    fetch_next_ = path_.words(fetch_from_, UINT64_MAX, eip & ~1u, needed, false);
    const std::uint64_t decoded = path_.free() + refill_decode;
    clock_ = (clock_ > decoded ? clock_ : decoded) + op.timing_flags;  // m
  } else {
    if (eip != fetch_eip_) {  // straight on into another page frame
      fetch_next_ += eip - fetch_eip_;
      fetch_eip_ = eip;
    }
    prefetch_386(clock_);
    if (static_cast<std::int32_t>(needed - fetch_next_) > 0) {
      ++counters_.code_misses;
      fetch_next_ = path_.words(fetch_from_, UINT64_MAX, fetch_next_, needed, false);
      const std::uint64_t decoded = path_.free() + starved_decode;
      if (clock_ < decoded) clock_ = decoded;
    }
  }
  if (fetch_next_ - (eip & ~grain) >= queue_bytes) fetch_from_ = clock_;
  fetch_eip_ = end;
  clock_ += op.clocks;
  tail_ = op.clocks > 4 ? op.clocks - 4u : 0;
  credit_ = 0;
}

void Timing::read_386(std::uint32_t address, unsigned bytes) {
  const std::uint64_t wanted = back(clock_, tail_ + bus_cycle);
  prefetch_386(wanted);
  path_.words(wanted, UINT64_MAX, address & ~1u, (address + bytes + 1) & ~1u, false);
  const std::uint64_t end = path_.free() + tail_;
  if (clock_ < end) clock_ = end;
  if (tail_ == 0) credit_ += bus_cycle;
  tail_ = tail_ > bus_cycle ? tail_ - bus_cycle : 0;
}

void Timing::write_386(std::uint32_t address, unsigned bytes) {
  if (clock_ < write_starts_) clock_ = write_starts_;  // the latch still holds the write before
  prefetch_386(clock_);
  write_starts_ = clock_ > path_.free() ? clock_ : path_.free();
  path_.words(clock_, UINT64_MAX, address & ~1u, (address + bytes + 1) & ~1u, true);
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
