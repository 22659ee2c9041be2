// SPDX-License-Identifier: GPL-2.0-or-later
// The 486: unified cache, write-through with four posted writes, one instruction after the other.
//
// Code: a 32-byte prefetch queue of two lines, modelled as "the line that executes and the one behind it": entering a
// line asks for the next one, which is fetched when the bus is free and dropped if a branch leaves before that. A read
// miss overtakes posted writes that have not reached the bus if all of them hit the cache (i486 data book [M*]). A
// target instruction that lies across two lines costs one clock more behind a jump (docs/hardware/processors.md#486 has
// 1 to 2).
//
// Not modelled: the cache port shared between prefetch and data (the table's figures contain the usual case), the cost
// of a read hit in a line that was just written, burst orders other than "wanted first".
#include "core/cpu/timing/common/instruction_table.hpp"
#include "core/cpu/timing/timing.hpp"

namespace planar::cpu {

void Timing::fetch_486(std::uint32_t eip, std::uint32_t last_line) {
  const std::uint32_t first_line = eip & line_mask_;
  if (first_line != code_line_) enter_line(first_line);
  if (last_line != first_line) {
    if (jumped_) clock_ += 1;
    enter_line(last_line);
  }
  code_line_ = last_line;
}

void Timing::branch_486(const Op& op, bool taken) {
  if (!taken) {
    if (branch_kind(op) == BranchKind::far) jumped_ = false;
    return;
  }
  switch (branch_kind(op)) {
    case BranchKind::conditional: clock_ += 2; break;  // 3 against 1
    case BranchKind::loop: clock_ += 1; break;         // 7 against 6
    case BranchKind::loop_z: clock_ += 3; break;       // 9 against 6
    case BranchKind::jcxz: clock_ += 3; break;         // 8 against 5
    default: break;
  }
  // A prefetch that is not on the bus by now never happens.
  settle_prefetch();
  prefetch_line_ = no_line;
  jumped_ = true;
  issue_.last_clocks = 3;  // decoding restarts: nothing of the target's prefixes is hidden twice
}

void Timing::bypass_read_miss(std::uint32_t address) {
  // Posted writes, oldest first, that have not reached the bus yet.
  const unsigned count = config_.write_buffers;
  std::uint64_t first_start = UINT64_MAX;
  unsigned waiting = 0;
  for (unsigned n = 0; n < count; ++n) {
    const unsigned i = (write_next_ + n) % count;
    if (write_done_[i] <= clock_ || write_start_[i] <= clock_) continue;
    if (first_start == UINT64_MAX) first_start = write_start_[i];
    ++waiting;
  }
  if (waiting == 0 || waiting > write_hits_) {
    const auto burst = fill(data_, address, clock_);
    note_fill(0, data_.line_of(address), burst.done);
    if (clock_ < burst.first) clock_ = burst.first;
    return;
  }
  const std::uint64_t resume = path_.take_back(first_start);
  const auto burst = fill(data_, address, clock_);
  note_fill(0, data_.line_of(address), burst.done);
  const std::uint64_t delay = path_.free() - first_start;
  path_.give_back(resume + delay);
  for (unsigned i = 0; i < count; ++i)
    if (write_done_[i] > clock_ && write_start_[i] >= first_start) {
      write_start_[i] += delay;
      write_done_[i] += delay;
    }
  if (clock_ < burst.first) clock_ = burst.first;
}

}  // namespace planar::cpu
