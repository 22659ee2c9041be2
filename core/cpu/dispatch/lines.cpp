// SPDX-License-Identifier: GPL-2.0-or-later
// From code line to code line on the way through a block (486, Pentium), where that takes time or it is not known
// beforehand which plan holds: into the block, in front of another line, and without any plan. For the geometries known
// when planar is compiled what happens in the caches is in line.
#include <utility>

#include "core/cpu/dispatch/chain.hpp"
#include "core/cpu/timing/cached/memory_events.hpp"

namespace planar::cpu {

namespace {
template <Geometry G>
using PentiumEvents = MemoryEvents<TimingPentium, G>;
}  // namespace

// The way into the block in progress, at its first instruction, where it is not known that its plan holds, or stop_at
// is near. `goes_on`: that instruction has begun already.
template <>
void Engine::enter_slowly<Model::pentium>(const Op& first, bool goes_on) {
  if (timing.known_geometry() == KnownGeometry::pentium_with_l2) [[likely]]
    return enter_by_line<pentium_with_l2>(first, goes_on);
  return enter_by_line<any_geometry>(first, goes_on);
}
template <Geometry G>
inline void Engine::enter_by_line(const Op& first, bool goes_on) {
  TimingPentium& pentium = timing.pentium();
  planned = false;
  if (!goes_on) [[likely]] {
    const auto entry = pentium.enter_block<PentiumEvents<G>>(current_block->plan);
    if (entry != TimingPentium::Entry::unplanned && pentium.plan_fits(stop_at)) [[likely]] {
      planned = entry == TimingPentium::Entry::planned;
      if (!planned) cold_from = &first;
      return first.chained(*this, first);
    }
    pentium.end_cold_plan();
  }
  current_op = &first;
  if (!run_unplanned<Model::pentium>(goes_on)) return;
  ++current_op;
  return run_lines<G>();
}
template <>
void Engine::enter_slowly<Model::i486sx>(const Op& first, bool goes_on) {
  if (!goes_on) [[likely]] {
    Timing486& i486 = timing.i486sx();
    if (timing.known_geometry() == KnownGeometry::plain_486) [[likely]]
      i486.enter_plan<MemoryEvents<Timing486, plain_486>>(current_block->plan, first);
    else
      i486.enter_plan<MemoryEvents<Timing486, any_geometry>>(current_block->plan, first);
    planned = i486.plan_fits(stop_at);
    if (planned) [[likely]]
      return first.chained(*this, first);
  }
  current_op = &first;
  planned = false;
  while (run_unplanned<Model::i486sx>(std::exchange(goes_on, false))) ++current_op;
}

// The Pentium's without the block's plan: code line by code line, for a new one has a plan of its own.
template <Geometry G>
void Engine::run_lines() {
  TimingPentium& pentium = timing.pentium();
  for (;; ++current_op) {
    const Op& op = *current_op;
    if (pentium.enter_cold_line<PentiumEvents<G>>(current_block->plan, op, current_block->physical) &&
        pentium.plan_fits(stop_at)) {
      cold_from = &op;
      return op.chained(*this, op);
    }
    pentium.end_cold_plan();
    if (!run_unplanned<Model::pentium>(false)) return;
  }
}

// Behind `op`: the rest of the block runs without its plan.
void Engine::leave_chain(const Op& op) {
  leave_plan(&op + 1);
  current_op = &op + 1;
  if (timing.known_geometry() == KnownGeometry::pentium_with_l2) return run_lines<pentium_with_l2>();
  if (model == Model::pentium) return run_lines<any_geometry>();
  while (run_unplanned<Model::i486sx>(false)) ++current_op;
}

// In front of another code line. Once that has been fetched, the next instruction runs whatever the clock says.
template <>
void Engine::cross_line<Model::pentium>(const Op& op) {
  if (timing.clocks() >= stop_at) return;
  if (timing.known_geometry() == KnownGeometry::pentium_with_l2) [[likely]]
    return cross_line_at<pentium_with_l2>(op);
  return cross_line_at<any_geometry>(op);
}
template <Geometry G>
inline void Engine::cross_line_at(const Op& op) {
  TimingPentium& pentium = timing.pentium();
  const IssuePlan& plan = current_block->plan;
  if (planned) {
    if (pentium.plan_holds_behind<PentiumEvents<G>>(plan, op)) {
      pentium.move_plan(op);
      if (pentium.plan_fits(stop_at)) return chain_on(*this, op);
    }
    return leave_chain(op);
  }
  pentium.finish_cold_line(plan);
  cold_from = nullptr;
  current_op = &op + 1;
  return run_lines<G>();
}
template <>
void Engine::cross_line<Model::i486sx>(const Op& op) {
  if (timing.clocks() >= stop_at) return;
  const std::uint32_t eip = current_block->physical + op.behind;
  if (timing.known_geometry() == KnownGeometry::plain_486) [[likely]]
    timing.i486sx().enter_line<MemoryEvents<Timing486, plain_486>>(eip, (&op)[1]);
  else
    timing.i486sx().enter_line<MemoryEvents<Timing486, any_geometry>>(eip, (&op)[1]);
  timing.cached().move_plan(op);
  if (timing.cached().plan_fits(stop_at)) return chain_on(*this, op);
  return leave_chain(op);
}

}  // namespace planar::cpu
