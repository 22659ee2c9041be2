// SPDX-License-Identifier: GPL-2.0-or-later
// From code line to code line on the way through a block (486, Pentium), where that takes time or it is not known
// beforehand which plan holds: into the block, before another line, and without any plan. For the geometries known
// when planar is compiled what happens in the caches is in line.
//
// The usual way through each function has no call in it that comes back: what is unusual is a function of its own,
// called as the last thing and going on from there. So nothing of the host's registers is saved on the usual way. Where
// most lines are held by the cache there are three in a row: for a line that is held, one that is fetched from where
// lines mostly are (fill_...), and whatever else (fetch_...).
#include "core/cpu/dispatch/chain.hpp"
#include "core/cpu/timing/cached/memory_events.hpp"

namespace planar::cpu {

namespace {
template <Geometry G>
using PentiumEvents = MemoryEvents<TimingPentium, G>;
using Events486 = MemoryEvents<Timing486, plain_486>;
}  // namespace

// ---- Pentium: into the block in progress where it is not known that its plan holds, or stop_at is near ----

template <>
void Engine::enter_slowly<Model::pentium>(const Op& first) {
  if (timing.known_geometry() == KnownGeometry::pentium_with_l2) [[likely]]
    return enter_first_line<pentium_with_l2>(first);
  return enter_other_line(first);
}
template <Geometry G>
inline void Engine::enter_first_line(const Op& first) {
  TimingPentium& pentium = timing.pentium();
  const IssuePlan& plan = current_block->plan;
  planned = false;
  if (plan.first_line == pentium.code_line()) return start_block<G>(first);
  if (!PentiumEvents<G>::goes_to_one_line(pentium, plan.eip, plan.first_line)) [[unlikely]]
    return fetch_first_line<G>(first);
  if (!PentiumEvents<G>::enter_held(pentium, plan.first_line)) return fill_first_line<G>(first);
  return start_block<G>(first);
}
void Engine::enter_other_line(const Op& first) {
  if (timing.known_geometry() == KnownGeometry::pentium_overdrive) return enter_first_line<pentium_overdrive>(first);
  if (timing.known_geometry() == KnownGeometry::pentium_direct_l2) return enter_first_line<pentium_direct_l2>(first);
  return enter_first_line<any_geometry>(first);
}
template <Geometry G>
void Engine::fill_first_line(const Op& first) {
  if (!PentiumEvents<G>::enter_quickly(timing.pentium(), current_block->plan.first_line)) [[unlikely]]
    return fetch_first_line<G>(first);
  return start_block<G>(first);
}
template <Geometry G>
void Engine::fetch_first_line(const Op& first) {
  PentiumEvents<G>::fetch_slowly(timing.pentium(), current_block->plan.eip, current_block->plan.first_line);
  return start_block<G>(first);
}
template <Geometry G>
inline void Engine::start_block(const Op& first) {
  TimingPentium& pentium = timing.pentium();
  const auto entry = pentium.starts_block(current_block->plan);
  if (entry == TimingPentium::Entry::unplanned || !pentium.plan_fits(stop_at)) [[unlikely]]
    return go_on_unplanned<G>(first, false);
  planned = entry == TimingPentium::Entry::planned;
  if (!planned) cold_from = &first;
  return first.chained(*this, first);
}
template <>
void Engine::go_on_with<Model::pentium>(const Op& first) {
  planned = false;
  return go_on_unplanned<any_geometry>(first, true);
}

// ---- Pentium: without the block's plan, code line by code line, for a new one has a plan of its own ----

// The rest of the line of `op`, which has or has not begun, without any plan.
template <Geometry G>
void Engine::go_on_unplanned(const Op& op, bool begun) {
  timing.pentium().end_cold_plan();
  current_op = &op;
  if (run_unplanned<Model::pentium>(begun)) return enter_line<G>(current_op[1]);
}
// Into the line of `op`.
template <Geometry G>
void Engine::enter_line(const Op& op) {
  TimingPentium& pentium = timing.pentium();
  const std::uint32_t physical = current_block->physical, line = pentium.line_of(op, physical);
  current_op = &op;
  if (line != pentium.code_line() && !PentiumEvents<G>::fetch_quickly(pentium, physical + op.behind - op.length, line))
      [[unlikely]]
    return fetch_line<G>(op);
  return start_line<G>(op);
}
template <Geometry G>
void Engine::fetch_line(const Op& op) {
  const std::uint32_t physical = current_block->physical;
  PentiumEvents<G>::fetch_slowly(timing.pentium(), physical + op.behind - op.length,
                                 timing.pentium().line_of(op, physical));
  return start_line<G>(op);
}
template <Geometry G>
inline void Engine::start_line(const Op& op) {
  TimingPentium& pentium = timing.pentium();
  if (!pentium.starts_cold_line(current_block->plan, op) || !pentium.plan_fits(stop_at)) [[unlikely]]
    return go_on_unplanned<G>(op, false);
  cold_from = &op;
  return op.chained(*this, op);
}

// After `op`: the rest of the block runs without its plan.
void Engine::leave_chain(const Op& op) {
  const Op& next = (&op)[1];
  leave_plan(&next);
  if (timing.known_geometry() == KnownGeometry::pentium_with_l2) return enter_line<pentium_with_l2>(next);
  if (timing.known_geometry() == KnownGeometry::pentium_overdrive) return enter_line<pentium_overdrive>(next);
  if (timing.known_geometry() == KnownGeometry::pentium_direct_l2) return enter_line<pentium_direct_l2>(next);
  if (model == Model::pentium) return enter_line<any_geometry>(next);
  return go_on_unplanned_486(next, false);
}

// ---- before another code line ----

// Once that has been fetched, the next instruction runs whatever the clock says.
template <>
void Engine::cross_line<Model::pentium>(const Op& op) {
  if (timing.clocks() >= stop_at) [[unlikely]]
    return;
  if (timing.known_geometry() == KnownGeometry::pentium_with_l2) [[likely]]
    return cross_line_at<pentium_with_l2>(op);
  return cross_other_line(op);
}
void Engine::cross_other_line(const Op& op) {
  if (timing.known_geometry() == KnownGeometry::pentium_overdrive) return cross_line_at<pentium_overdrive>(op);
  if (timing.known_geometry() == KnownGeometry::pentium_direct_l2) return cross_line_at<pentium_direct_l2>(op);
  return cross_line_at<any_geometry>(op);
}
template <Geometry G>
inline void Engine::cross_line_at(const Op& op) {
  TimingPentium& pentium = timing.pentium();
  const IssuePlan& plan = current_block->plan;
  if (!planned) {
    pentium.finish_cold_line(plan);
    cold_from = nullptr;
    return enter_line<G>((&op)[1]);
  }
  const std::uint32_t line = pentium.line_behind(plan, op);
  if (line != pentium.code_line() && !PentiumEvents<G>::enter_held(pentium, line)) return fill_planned_line<G>(op);
  return follow_plan<G>(op);
}
template <Geometry G>
void Engine::fill_planned_line(const Op& op) {
  TimingPentium& pentium = timing.pentium();
  if (!PentiumEvents<G>::enter_quickly(pentium, pentium.line_behind(current_block->plan, op))) [[unlikely]]
    return fetch_planned_line<G>(op);
  return follow_plan<G>(op);
}
template <Geometry G>
void Engine::fetch_planned_line(const Op& op) {
  const std::uint32_t line = timing.pentium().line_behind(current_block->plan, op);
  PentiumEvents<G>::fetch_slowly(timing.pentium(), line, line);
  return follow_plan<G>(op);
}
template <Geometry G>
inline void Engine::follow_plan(const Op& op) {
  TimingPentium& pentium = timing.pentium();
  if (!pentium.plan_holds_behind(current_block->plan, op)) return leave_chain(op);
  pentium.move_plan(op);
  if (!pentium.plan_fits(stop_at)) [[unlikely]]
    return leave_chain(op);
  return chain_on(*this, op);
}

// ---- 486: the same. Its plan holds always ----

template <>
void Engine::enter_slowly<Model::i486sx>(const Op& first) {
  const IssuePlan& plan = current_block->plan;
  if (plan.first_line == timing.cached().code_line()) return start_block_486(first);
  if (timing.known_geometry() != KnownGeometry::plain_486 ||
      !Events486::goes_to_one_line(timing.i486sx(), plan.eip, plan.first_line)) [[unlikely]]
    return fetch_first_line_486(first);
  if (!Events486::enter_held(timing.i486sx(), plan.first_line)) return fill_first_line_486(first);
  return start_block_486(first);
}
void Engine::fetch_first_line_486(const Op& first) {
  timing.cached().fetch(current_block->plan.eip, current_block->plan.first_line);
  return start_block_486(first);
}
void Engine::fill_first_line_486(const Op& first) {
  if (!Events486::enter_quickly(timing.i486sx(), current_block->plan.first_line)) [[unlikely]]
    return fetch_first_line_486(first);
  return start_block_486(first);
}
inline void Engine::start_block_486(const Op& first) {
  timing.i486sx().start_plan_of(current_block->plan, first);
  planned = timing.cached().plan_fits(stop_at);
  if (!planned) [[unlikely]]
    return go_on_unplanned_486(first, false);
  return first.chained(*this, first);
}
template <>
void Engine::go_on_with<Model::i486sx>(const Op& first) {
  planned = false;
  return go_on_unplanned_486(first, true);
}
void Engine::go_on_unplanned_486(const Op& op, bool begun) {
  current_op = &op;
  while (run_unplanned<Model::i486sx>(begun)) {
    ++current_op;
    begun = false;
  }
}
template <>
void Engine::cross_line<Model::i486sx>(const Op& op) {
  if (timing.clocks() >= stop_at) [[unlikely]]
    return;
  Timing486& i486sx = timing.i486sx();
  const std::uint32_t next = current_block->physical + op.behind, line = i486sx.line_of((&op)[1], next);
  if (timing.known_geometry() != KnownGeometry::plain_486 || !Events486::goes_to_one_line(i486sx, next, line))
      [[unlikely]]
    return fetch_line_486(op);
  if (!Events486::enter_held(i486sx, line)) return fill_line_486(op, line);
  return follow_plan_486(op);
}
void Engine::fetch_line_486(const Op& op) {
  const std::uint32_t next = current_block->physical + op.behind;
  timing.cached().fetch(next, timing.i486sx().line_of((&op)[1], next));
  return follow_plan_486(op);
}
void Engine::fill_line_486(const Op& op, std::uint32_t line) {
  if (!Events486::enter_quickly(timing.i486sx(), line)) [[unlikely]]
    return fetch_line_486(op);
  return follow_plan_486(op);
}
inline void Engine::follow_plan_486(const Op& op) {
  timing.cached().move_plan(op);
  if (!timing.cached().plan_fits(stop_at)) [[unlikely]]
    return leave_chain(op);
  return chain_on(*this, op);
}
}  // namespace planar::cpu
