// SPDX-License-Identifier: GPL-2.0-or-later
// From code line to code line within a block (486, Pentium), where that takes time or it is not known in advance which
// plan holds: into the block, before another line, and without any plan. The work of the caches is in line: all of it
// is one class per geometry, chosen when the processor is made (engine/lines.hpp).
//
// The usual path through each function makes no call that returns: every unusual case is a function of its own, reached
// by a tail call, which continues from there. So no host registers are saved on the usual path. Where most lines are in
// the cache, there are three functions in sequence: for a line that is held, for one fetched from where lines usually
// are (fill_...), and for all other cases (fetch_...).
#include "core/cpu/dispatch/chain.hpp"
#include "core/cpu/timing/cached/memory_events.hpp"

namespace planar::cpu {

namespace {

/// `T` is Timing486 or TimingPentium. The 486's plan always holds when it is entered; the Pentium's may not, and a new
/// code line has a plan of its own.
template <class T, Geometry G>
class LinesOf {
  using Events = MemoryEvents<T, G>;
  static constexpr bool pentium = T::model == Model::pentium;
  static T& timing(Engine& c) { return c.timing.of<T::model>(); }

  // ---- into the block in progress ----
  static void enter(Engine& c, const Op& first) {
    T& t = timing(c);
    const IssuePlan& plan = c.current_block->plan;
    c.planned = false;
    if (plan.first_line == t.code_line()) return start_block(c, first);
    if (!Events::goes_to_one_line(t, plan.eip, plan.first_line)) [[unlikely]]
      return fetch_first_line(c, first);
    if (!Events::enter_held(t, plan.first_line)) return fill_first_line(c, first);
    return start_block(c, first);
  }
  [[gnu::noinline]] static void fill_first_line(Engine& c, const Op& first) {
    if (!Events::enter_quickly(timing(c), c.current_block->plan.first_line)) [[unlikely]]
      return fetch_first_line(c, first);
    return start_block(c, first);
  }
  [[gnu::noinline]] static void fetch_first_line(Engine& c, const Op& first) {
    Events::fetch_slowly(timing(c), c.current_block->plan.eip, c.current_block->plan.first_line);
    return start_block(c, first);
  }
  [[gnu::always_inline]] static void start_block(Engine& c, const Op& first) {
    T& t = timing(c);
    const BlockEntry entry = t.starts_block(c.current_block->plan, first);
    if (entry == BlockEntry::unplanned || !t.plan_fits(c.stop_at)) [[unlikely]]
      return go_on(c, first, false);
    c.planned = entry == BlockEntry::planned;
    if (!c.planned) c.cold_from = &first;
    return first.chained(c, first);
  }
  static void go_on_with(Engine& c, const Op& first) {
    c.planned = false;
    return go_on(c, first, true);
  }

  // ---- without the block's plan ----
  // The rest of the line of `op`, without any plan; `begun`: `op` has already begun.
  [[gnu::noinline]] static void go_on(Engine& c, const Op& op, bool begun) {
    if constexpr (pentium) timing(c).end_cold_plan();
    c.current_op = &op;
    if (c.run_unplanned<T::model>(begun)) return go_on_in_line(c, c.current_op[1]);
  }
  // The rest of the block, from `op` on, in another line; on the Pentium, a new line has a plan of its own.
  [[gnu::noinline]] static void go_on_in_line(Engine& c, const Op& op) {
    if constexpr (!pentium) {
      return go_on(c, op, false);
    } else {
      T& t = timing(c);
      const std::uint32_t physical = c.current_block->physical, line = t.line_of(op, physical);
      c.current_op = &op;
      if (line != t.code_line() && !Events::fetch_quickly(t, physical + op.after - op.length, line)) [[unlikely]]
        return fetch_line(c, op);
      return start_line(c, op);
    }
  }
  [[gnu::noinline]] static void fetch_line(Engine& c, const Op& op) {
    const std::uint32_t physical = c.current_block->physical;
    Events::fetch_slowly(timing(c), physical + op.after - op.length, timing(c).line_of(op, physical));
    return start_line(c, op);
  }
  [[gnu::always_inline]] static void start_line(Engine& c, const Op& op) {
    T& t = timing(c);
    if (!t.starts_cold_line(c.current_block->plan, op) || !t.plan_fits(c.stop_at)) [[unlikely]]
      return go_on(c, op, false);
    c.cold_from = &op;
    return op.chained(c, op);
  }
  [[gnu::noinline]] static void leave(Engine& c, const Op& op) {
    const Op& next = (&op)[1];
    c.leave_plan(&next);
    return go_on_in_line(c, next);
  }

  // ---- before another code line ----
  // Once the line has been fetched, the next instruction runs whatever the clock says.
  static void execute_before_line(Engine& c, const Op& op) {
    c.begin_chained(op);
    op.execute(c, op);
    if (c.timing.clocks() >= c.stop_at) [[unlikely]]
      return;
    return cross(c, op);
  }
  [[gnu::noinline]] static void cross(Engine& c, const Op& op) {
    if (pentium && !c.planned) {
      c.timing.pentium().finish_cold_line(c.current_block->plan);
      c.cold_from = nullptr;
      return go_on_in_line(c, (&op)[1]);
    }
    const Entrance next = entrance_after(c, op);
    if (!Events::goes_to_one_line(timing(c), next.eip, next.line)) [[unlikely]]
      return fetch_planned_line(c, op);
    if (!Events::enter_held(timing(c), next.line)) return fill_planned_line(c, op);
    return follow_plan(c, op);
  }
  [[gnu::noinline]] static void fill_planned_line(Engine& c, const Op& op) {
    if (!Events::enter_quickly(timing(c), entrance_after(c, op).line)) [[unlikely]]
      return fetch_planned_line(c, op);
    return follow_plan(c, op);
  }
  [[gnu::noinline]] static void fetch_planned_line(Engine& c, const Op& op) {
    const Entrance next = entrance_after(c, op);
    Events::fetch_slowly(timing(c), next.eip, next.line);
    return follow_plan(c, op);
  }
  [[gnu::always_inline]] static void follow_plan(Engine& c, const Op& op) {
    T& t = timing(c);
    if constexpr (pentium)
      if (!t.plan_holds_after(c.current_block->plan, op)) return leave(c, op);
    t.move_plan(op);
    if (!t.plan_fits(c.stop_at)) [[unlikely]]
      return leave(c, op);
    return chain_on(c, op);
  }
  /// Where the instruction after `op` begins, as far as lines are concerned, and the line in which it ends. After a
  /// jump, the 486 also pays for the line before that.
  struct Entrance {
    std::uint32_t eip, line;
  };
  [[gnu::always_inline]] static Entrance entrance_after(Engine& c, const Op& op) {
    if constexpr (pentium) {
      const std::uint32_t line = timing(c).line_after(c.current_block->plan, op);
      return {line, line};
    } else {
      const std::uint32_t eip = c.current_block->physical + op.after;
      return {eip, timing(c).line_of((&op)[1], eip)};
    }
  }

 public:
  static constexpr Lines functions{execute_before_line, enter, leave, go_on_with};
};

}  // namespace

const Lines* lines_of(const Timing& timing) {
  if (!timing.has_cache()) return nullptr;
  return with_geometry(timing.geometry(), []<class T, Geometry G>() { return &LinesOf<T, G>::functions; });
}

}  // namespace planar::cpu
