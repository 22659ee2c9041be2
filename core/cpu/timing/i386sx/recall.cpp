// SPDX-License-Identifier: GPL-2.0-or-later
// The bus unit's figures to a phase and back, and what a stretch of code has cost, written down.
#include "core/cpu/timing/i386sx/recall.hpp"

#include <algorithm>

#include "core/cpu/timing/i386sx/timing_386sx.hpp"

namespace planar::cpu {

namespace {
/// Whether what lies between is short enough to be written down.
bool near(std::uint64_t clock, std::uint64_t origin) { return clock - origin + 0x8000 < 0x10000; }
std::uint64_t add(std::uint64_t origin, std::int16_t clocks) {
  return origin + static_cast<std::uint64_t>(std::int64_t{clocks});
}
bool write_down(std::uint64_t clock, std::uint64_t origin, std::uint8_t& to) {
  if (clock - origin >= Ending::unchanged) return false;
  to = static_cast<std::uint8_t>(clock - origin);
  return true;
}
bool branches_without_access(const Op& op) {
  return op.branch == BranchKind::conditional || op.branch == BranchKind::loop ||
         (op.branch == BranchKind::direct && op.opcode != 0xE8);
}
}  // namespace

inline void Timing386sx::count_words_put_off() {
  if (fetch_put_off_ == 0) return;
  prefetch(0);
  fetch_put_off_ = 0;
}

BusPhase Timing386sx::phase() const {
  const std::uint64_t origin = fetch_at();
  const auto ahead = static_cast<std::int64_t>(clock_ - origin);
  const std::uint32_t queued = bus_.fetch_next - bus_.fetch_eip;
  const std::uint64_t latch = bus_.latch.free_at(clock_) - clock_;
  const bool waiting = bus_.fetch_from > path_.bus_free();
  BusPhase p;
  if (queued > BusPhase::most_queued || overlap_.tail > 0xFF || overlap_.credit > 3 * TableOverlap::bus_cycle) return p;
  // Code behind a branch is on its way when the branch ends, and comes later than that.
  if (bus_.refill ? ahead > static_cast<std::int64_t>(refill_lead) : ahead != static_cast<std::int16_t>(ahead))
    return p;
  if (latch > BusPhase::most_latch) return p;
  std::uint32_t key = row_closed() ? BusPhase::closed : 0;
  if (bus_.refill)
    key |= BusPhase::flushed;
  else
    key |= (waiting ? BusPhase::waits : 0) | static_cast<std::uint16_t>(ahead) | queued << BusPhase::queue_shift |
           static_cast<std::uint32_t>(latch) << BusPhase::latch_shift;
  p.set(key);
  p.tail = static_cast<std::uint8_t>(overlap_.tail);
  p.credit = static_cast<std::uint8_t>(overlap_.credit / TableOverlap::bus_cycle & 3);
  p.queued = static_cast<std::uint8_t>(queued & BusPhase::most_queued);
  p.waiting = waiting;
  return p;
}

bool Timing386sx::resume(std::uint32_t physical, std::uint64_t stop_at) {
  if (!path_.surely_ram(physical)) return false;
  code_row_ = {path_.row(physical), path_.row_end(physical), path_.bank(physical)};
  find_phase(stop_at);
  return true;
}

void Timing386sx::find_phase(std::uint64_t stop_at) {
  count_words_put_off();
  recalled_ = nullptr;
  origin_ = fetch_at();
  recall_until_ = std::min(stop_at, path_.closed_fetch_until());
  phase_ = phase();
}

bool Timing386sx::enter_row(std::uint32_t physical) {
  if (!path_.surely_ram(physical)) return false;
  if (phase_.key == BusPhase::unknown) return false;
  code_row_ = {path_.row(physical), path_.row_end(physical), path_.bank(physical)};
  phase_.set(row_closed() ? phase_.key | BusPhase::closed : phase_.key & ~BusPhase::closed);
  return true;
}

void Timing386sx::settle(std::uint32_t eip) {
  recalled_ = nullptr;
  if (phase_.key == BusPhase::unknown) return;
  if (!phase_.waiting) path_.bus_free() = origin_;
  bus_.fetch_eip = eip;
  bus_.fetch_next = eip + phase_.queued;
  bus_.refill = phase_.key & BusPhase::flushed;
  overlap_ = {.tail = phase_.tail, .credit = phase_.credit * TableOverlap::bus_cycle};
  fetch_put_off_ = 0;
  path_.know_code_row(row_closed() ? 0 : code_row_.end, code_row_.bank);
}

void Timing386sx::settle_issued(std::uint32_t eip) {
  const Recalled& r = *recalled_;
  clock_ = add(origin_, r.issued_clock);
  origin_ += r.issued_origin;
  phase_ = r.issued;
  settle(eip);
}

bool Timing386sx::end_specially(bool taken) {
  const Ending& e = recalled_->endings[taken];
  if (e.special & Ending::unknown) return false;
  if (e.special & Ending::opens_row) path_.set_open(code_row_.row, code_row_.bank);
  if (e.bus_free != Ending::unchanged) path_.bus_free() = origin_ + e.bus_free;
  end_recalled(e);
  return true;
}

bool Timing386sx::record_issue(Recalled& r, const Start& start, std::uint64_t key, std::uint64_t began) {
  count_words_put_off();
  if (path_.next_refresh() != start.refresh) return false;
  const BusPhase issued = phase();
  const std::uint64_t origin = fetch_at();
  if (issued.key == BusPhase::unknown || bus_.fetch_next > code_row_.end) return false;
  // Where the queue was flushed the first instruction may begin at any clock that is no later than it can.
  const std::uint64_t latest = start.phase.key & BusPhase::flushed ? std::max(began, start.origin) : began;
  const std::uint64_t reach = std::max(latest + 1, path_.bus_free());
  if (!near(clock_, start.origin) || !near(origin, start.origin) || !near(reach, start.origin)) return false;
  r = {};
  r.key = key;
  r.reach = static_cast<std::uint16_t>(reach - start.origin);
  r.issued = issued;
  r.issued_clock = static_cast<std::int16_t>(clock_ - start.origin);
  r.issued_origin = static_cast<std::uint16_t>(origin - start.origin);
  if (start.phase.key & BusPhase::closed && !row_closed()) r.special |= Recalled::opens_row;
  if (fetch_moved_) {
    if (!near(bus_.fetch_from, start.origin)) return false;
    r.special |= Recalled::moves_fetch;
    r.fetch_from = static_cast<std::int16_t>(bus_.fetch_from - start.origin);
  }
  return !issued.waiting || (start.phase.waiting && path_.bus_free() == start.bus_free) ||
         write_down(path_.bus_free(), start.origin, r.bus_free);
}

void Timing386sx::note_access(std::uint32_t address) {
  const std::uint32_t row = path_.row(address), bank = path_.bank(address);
  unsigned which = path_.open(row, bank) ? Ending::open : Ending::closed;
  if (bank == code_row_.bank && row != code_row_.row) which |= Ending::in_code_bank;
  // Where an access opens the row of the code itself, the code may be first.
  const bool opens_code = row == code_row_.row && which == Ending::closed;
  noted_ = {.accesses = noted_.accesses + 1,
            .usable = path_.surely_ram(address) && !opens_code,
            .which = static_cast<std::uint8_t>(which)};
}

void Timing386sx::record_ending(Recalled& r, const Start& start, std::uint64_t bus_free_issued, const Op& op) {
  unsigned which;
  if (noted_.accesses == 1 && noted_.usable)
    which = noted_.which;
  else if (noted_.accesses == 0 && branches_without_access(op))
    which = bus_.refill;
  else
    return;
  Ending e;
  e.phase = phase_;
  const std::uint64_t origin = origin_;
  if (e.phase.key == BusPhase::unknown || path_.next_refresh() != start.refresh) return;
  if (bus_.fetch_next > code_row_.end) return;
  if (bus_.refill && bus_.fetch_from + refill_lead != clock_) return;
  if (!near(clock_, start.origin) || !near(origin, start.origin) || !near(path_.bus_free(), start.origin)) return;
  e.special = 0;
  if (r.issued.key & BusPhase::closed && !row_closed() && !(which & Ending::in_code_bank))
    e.special |= Ending::opens_row;
  if (e.phase.waiting) {
    e.special |= Ending::waits;
    if (!(r.issued.waiting && path_.bus_free() == bus_free_issued) &&
        !write_down(path_.bus_free(), start.origin, e.bus_free))
      return;
  }
  e.clock = static_cast<std::int16_t>(clock_ - start.origin);
  e.origin = static_cast<std::uint16_t>(origin - start.origin);
  if (bus_.latch.starts - start.origin < 0x8000) e.latch = static_cast<std::uint16_t>(bus_.latch.starts - start.origin);
  r.endings[which] = e;
  r.reach = std::max(r.reach, static_cast<std::uint16_t>(path_.bus_free() - start.origin));
}

}  // namespace planar::cpu
