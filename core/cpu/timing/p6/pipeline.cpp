// SPDX-License-Identifier: GPL-2.0-or-later
// What recurs in each pass of a loop. A part that the pass uses has moved with the clock, or is unchanged where it
// holds no time. A time that the pass leaves unchanged must lie so far back that no maximum or comparison with it gives
// another result than in the pass before: before the clock that renaming had reached, since no micro-op begins earlier.
#include "core/cpu/timing/p6/pipeline.hpp"

#include <algorithm>

namespace planar::cpu {

bool FrontEnd::recurs(const FrontEnd& b, const Period& p) const {
  return p.moves(clock_, b.clock_) && p.moves(fetched_, b.fetched_) && block_ == b.block_ && line_ == b.line_ &&
         decoded_ == b.decoded_;
}
void FrontEnd::advance(const FrontEnd& b, const Period& p, std::uint64_t times) {
  p.advance(clock_, b.clock_, times);
  p.advance(fetched_, b.fetched_, times);
}

bool Window::recurs(const Window& b, const Period& p) const {
  const auto moves = [&](std::uint64_t now, std::uint64_t before) { return p.moves(now, before); };
  return moves(rename_clock_, b.rename_clock_) && moves(retire_clock_, b.retire_clock_) && taken_ == b.taken_ &&
         registers_read_ == b.registers_read_ && renamed_ == b.renamed_ && retiring_ == b.retiring_ &&
         same_by_age(retired_, at_, b.retired_, b.at_, moves) &&
         same_by_age(dispatched_, station_, b.dispatched_, b.station_, moves);
}
void Window::advance(const Window& b, const Period& p, std::uint64_t times) {
  rename_clock_ += p.clocks * times;
  retire_clock_ += p.clocks * times;
  for (std::uint64_t& t : retired_) t += p.clocks * times;
  for (std::uint64_t& t : dispatched_) t += p.clocks * times;
  at_ = static_cast<std::uint8_t>(turn(retired_, at_, b.at_, times));
  station_ = static_cast<std::uint8_t>(turn(dispatched_, station_, b.station_, times));
}

// A pass without a store leaves all entries unchanged; with stores in it, passes have replaced them all by now.
bool StoreBuffer::recurs(const StoreBuffer& b, const Period& p) const {
  if (last_ == b.last_) {
    const auto same = [](const Store& now, const Store& before) { return now == before; };
    return last_ < p.settled && next_ == b.next_ && same_by_age(stores_, next_, b.stores_, b.next_, same);
  }
  return p.moves(last_, b.last_) &&
         same_by_age(stores_, next_, b.stores_, b.next_, [&](const Store& now, const Store& before) {
           return now.address == before.address && now.bytes == before.bytes && p.moves(now.data, before.data) &&
                  p.moves(now.taken, before.taken);
         });
}
void StoreBuffer::advance(const StoreBuffer& b, const Period& p, std::uint64_t times) {
  if (last_ == b.last_) return;
  last_ += p.clocks * times;
  for (Store& s : stores_) {
    s.data += p.clocks * times;
    s.taken += p.clocks * times;
  }
  next_ = turn(stores_, next_, b.next_, times);
  note_places();
}

// A pass without such a string leaves all of it unchanged.
bool PipelineP6::Repeat::recurs(const Repeat& b, const Period& p) const {
  const bool alike = active == b.active && started == b.started && may_be_fast == b.may_be_fast && fast == b.fast &&
                     first_store == b.first_store && opcode == b.opcode && from == b.from && line == b.line;
  if (quarters == b.quarters) return alike && arrives == b.arrives;
  const auto moves_or_stays = [&](unsigned side) {
    return arrives[side] == b.arrives[side] || p.moves(arrives[side], b.arrives[side]);
  };
  return alike && !active && quarters - b.quarters == 4 * p.clocks && moves_or_stays(0) && moves_or_stays(1);
}
void PipelineP6::Repeat::advance(const Repeat& b, const Period& p, std::uint64_t times) {
  if (quarters == b.quarters) return;
  quarters += 4 * p.clocks * times;
  for (unsigned side = 0; side < arrives.size(); ++side) p.advance(arrives[side], b.arrives[side], times);
}

namespace {
template <class Values>
bool values_recur(const Values& now, const Values& before, const Period& p) {
  for (std::size_t n = 0; n < now.size(); ++n)
    if (!p.recurs(now[n].ready, before[n].ready) || !p.recurs(now[n].retired, before[n].retired)) return false;
  return true;
}
template <class Values>
void advance_values(Values& now, const Values& before, const Period& p, std::uint64_t times) {
  for (std::size_t n = 0; n < now.size(); ++n) {
    p.advance(now[n].ready, before[n].ready, times);
    p.advance(now[n].retired, before[n].retired, times);
  }
}
}  // namespace

bool PipelineP6::recurs(const PipelineP6& b, std::uint64_t clocks) const {
  const Period p{clocks, b.window_.rename_clock()};
  for (unsigned r = 0; r < general; ++r)
    if (!p.recurs(partial_until_[r], b.partial_until_[r])) return false;
  return front_end_.recurs(b.front_end_, p) && window_.recurs(b.window_, p) && stores_.recurs(b.stores_, p) &&
         values_recur(registers_, b.registers_, p) && values_recur(fp_registers_, b.fp_registers_, p) &&
         values_recur(flags_, b.flags_, p) && p.recurs(addresses_known_, b.addresses_known_) &&
         p.recurs(last_flags_retired_, b.last_flags_retired_) && last_flags_ == b.last_flags_ && zeroed_ == b.zeroed_ &&
         retired_ == b.retired_ && last_read_ == b.last_read_ && last_write_ == b.last_write_ &&
         repeat_.recurs(b.repeat_, p);
}

void PipelineP6::advance(const PipelineP6& b, std::uint64_t clocks, std::uint64_t times) {
  const Period p{clocks, b.window_.rename_clock()};
  front_end_.advance(b.front_end_, p, times);
  repeat_.advance(b.repeat_, p, times);
  window_.advance(b.window_, p, times);
  stores_.advance(b.stores_, p, times);
  advance_values(registers_, b.registers_, p, times);
  advance_values(fp_registers_, b.fp_registers_, p, times);
  advance_values(flags_, b.flags_, p, times);
  for (unsigned r = 0; r < general; ++r) p.advance(partial_until_[r], b.partial_until_[r], times);
  p.advance(addresses_known_, b.addresses_known_, times);
  p.advance(last_flags_retired_, b.last_flags_retired_, times);
}

void PipelineP6::settle() {
  window_.settle();
  settle_values();
}

void PipelineP6::settle_values() {
  front_end_.settle();
  const std::uint64_t now = window_.rename_clock();
  retired_ = parts_ = 0;
  for (unsigned r = 0; r < general; ++r) {
    Value& v = registers_[r];
    v = {std::max(v.ready, now), std::max(v.retired, now)};
    if (v.retired == now) retired_ = static_cast<std::uint8_t>(retired_ | 1u << r);
    if (partial_until_[r] < now) partial_until_[r] = 0;
    if (partial_until_[r] != 0) parts_ = static_cast<std::uint8_t>(parts_ | 1u << r);
  }
  for (Value& v : fp_registers_) v = {std::max(v.ready, now), 0};
  for (Value& v : flags_) v = {std::max(v.ready, now), 0};
  addresses_known_ = std::max(addresses_known_, now);
  if (last_flags_retired_ < now) {
    last_flags_retired_ = 0;
    last_flags_ = flags_all;
  }
}

bool PipelineP6::pack(PackedPipeline& to, std::uint64_t clock) {
  settle_values();
  const std::uint64_t now = window_.rename_clock();
  Packer p(to, now);
  p.time_about(clock);
  front_end_.pack(p);
  window_.pack(p);
  stores_.pack(p, now);
  p.bits(last_flags_retired_ != 0);
  p.bits(last_flags_);
  p.time(last_flags_retired_);
  p.bits(zeroed_);
  p.time(addresses_known_);
  for (const Value& v : registers_) {
    p.time(v.ready);
    p.time(v.retired);
  }
  for (const Value& v : fp_registers_) p.time(v.ready);
  for (const Value& v : flags_) p.time(v.ready);
  p.bits(parts_);
  for (const std::uint64_t t : partial_until_) p.time(t);
  return p.finish();
}

void PipelineP6::unpack(const PackedPipeline& from, std::uint64_t now) {
  Unpacker p(from, now);
  p.skip(1);
  front_end_.pack(p);
  window_.unpack(p, now);
  p.skip(StoreBuffer::packed_words);
  bool flags_matter;
  p.bits(flags_matter);
  p.bits(last_flags_);
  p.time(last_flags_retired_);
  if (!flags_matter) last_flags_retired_ = 0;
  p.bits(zeroed_);
  p.time(addresses_known_);
  retired_ = 0;
  for (unsigned r = 0; r < general; ++r) {
    p.time(registers_[r].ready);
    p.time(registers_[r].retired);
    if (registers_[r].retired == now) retired_ = static_cast<std::uint8_t>(retired_ | 1u << r);
  }
  for (Value& v : fp_registers_) {
    p.time(v.ready);
    v.retired = 0;
  }
  for (Value& v : flags_) {
    p.time(v.ready);
    v.retired = 0;
  }
  p.bits(parts_);
  for (unsigned r = 0; r < general; ++r) {
    p.time(partial_until_[r]);
    if (!(parts_ >> r & 1)) partial_until_[r] = 0;
  }
}

}  // namespace planar::cpu
