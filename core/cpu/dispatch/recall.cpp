// SPDX-License-Identifier: GPL-2.0-or-later
// Stretches of the 386SX that are not recalled: out of the chain, and worked out by the bus unit (recall.hpp).
#include "core/cpu/dispatch/recall.hpp"

namespace planar::cpu {

namespace {
void as_selected(Engine& c, const Op& op) { op.execute(c, op); }
}  // namespace

void recall_selected(Engine& c, const Op& op) { return recall_any<as_selected>(c, op); }

// The block's last instruction was the last one.
void Engine::leave_recalling() { timing.i386sx().settle(current_block->physical + current_block->bytes); }

// The last instruction of the stretch that is recalled is none that can be: it has begun.
void Engine::settle_issued(const Op& op) {
#ifdef RECALL_CHECK
  Timing386sx copy = timing.i386sx();
  const Op* o = &op;
  while (o != current_block->ops && o[-1].register_only) --o;
  copy.settle(current_block->physical + o->behind - o->length);
  for (;; ++o) {
    copy.begin(*o, current_block->physical + o->behind - o->length);
    if (o == &op) break;
  }
  const Recalled rr = timing.i386sx().recalled();
  timing.i386sx().settle_issued(current_block->physical + op.behind);
  Timing386sx mine = timing.i386sx();
  Archive a = Archive::saver(), b = Archive::saver();
  copy.archive(a);
  mine.archive(b);
  if (a.stream() != b.stream()) {
    fprintf(stderr, "differs at %x op %x key %x special %u clock %lld bus_free %lld\n",
            current_block->physical + op.behind, op.opcode, rr.key, rr.special,
            (long long)(copy.clocks() - mine.clocks()), (long long)(copy.bus_is_free() - mine.bus_is_free()));
    for (std::size_t i = 0; i < a.stream().size(); ++i)
      if (a.stream()[i] != b.stream()[i]) fprintf(stderr, " %zu:%02x/%02x", i, a.stream()[i], b.stream()[i]);
    fprintf(stderr, "\n");
  }
#else
  timing.i386sx().settle_issued(current_block->physical + op.behind);
#endif
}

// Where `first` is not its block's first, one that does not keep EIP may be in front of it.
void Engine::enter_stretch_slowly(const Op& first) {
  Timing386sx& t = timing.i386sx();
  if (t.clocks() >= stop_at) {
    arrive_at((&first)[-1]);
    return t.settle(current_block->physical + (&first)[-1].behind);
  }
  const std::size_t place = t.recall_place(first.i386sx.stretch);
  const std::uint64_t key = t.recall_key(first.i386sx.stretch);
  Recalled* r = &recalls[place];
  if (!t.recalls(*r, key)) {
    r = &recalls[place ^ 1];
    if (!t.recalls(*r, key)) return work_out(first);
  }
  t.begin_recalled(*r);
  return first.chained(*this, first);
}

// The same in another row of the DRAM.
void Engine::enter_next_row(Block& b) {
  if (!timing.i386sx().enter_row(b.physical)) return leave_recalling();
  chain_room -= current_block->count;
  current_block = &b;
  block_eip = eip;
  return enter_stretch(*b.ops);
}

// The stretch that begins with `first`, instruction by instruction.
void Engine::work_out(const Op& first) {
  Timing386sx& t = timing.i386sx();
  const std::uint32_t physical = current_block->physical;
  const std::uint64_t key = t.recall_key(first.i386sx.stretch);
  const std::size_t place = t.recall_place(first.i386sx.stretch);
  const bool is_new = recalls[place].key != key && recalls[place ^ 1].key != key && t.phase_known();
  t.settle(physical + first.behind - first.length);
  const Timing386sx::Start start = t.start();
  const Op* op = &first;
  std::uint64_t began;
  for (;; ++op) {
    began = t.clocks();
    t.begin(*op, physical + op->behind - op->length);
    if (!op->register_only || op->edge == Op::Edge::end) break;
    op->execute(*this, *op);
    if (t.clocks() >= stop_at) return arrive_at(*op);
  }
  Recalled r;
  const bool recorded = is_new && t.record_issue(r, start, key, began);
  if (recorded) {
    if (recalls[place].key != Recalled::none) recalls[place ^ 1] = recalls[place];
    recalls[place] = r;
  }
  return work_out_last(*op, recorded ? &recalls[place] : nullptr, start);
}

// The last instruction of the stretch that is recalled has begun by recall, but must be executed as any other.
void Engine::finish_slowly(const Op& op) {
  Timing386sx& t = timing.i386sx();
  Recalled& r = t.recalled();
  const Timing386sx::Start start = t.start();
  settle_issued(op);
  return work_out_last(op, &r, start);
}

void Engine::work_out_last(const Op& op, Recalled* r, const Timing386sx::Start& start) {
  Timing386sx& t = timing.i386sx();
  const std::uint64_t bus_free = t.bus_is_free();
  t.watch_access();
  arrive_at(op);
  op.execute(*this, op);
  if (t.clocks() >= stop_at) return;
  t.find_phase(stop_at);
  if (r != nullptr) t.record_ending(*r, start, bus_free, op);
  return go_on_recalling(op);
}

// The branch has been decided; how the stretch ends is not known yet.
void Engine::finish_branch_slowly(const Op& op, bool taken, std::uint32_t target) {
  Timing386sx& t = timing.i386sx();
  if (t.end_specially(taken)) {
    if (taken) t.fetch_from_target();
    return enter_next_block(taken);
  }
  Recalled& r = t.recalled();
  const Timing386sx::Start start = t.start();
  settle_issued(op);
  const std::uint64_t bus_free = t.bus_is_free();
  t.watch_access();
  t.branch(op, taken, seg[CS].base + target);
  if (t.clocks() >= stop_at) return;
  t.find_phase(stop_at);
  t.record_ending(r, start, bus_free, op);
  return go_on_recalling(op);
}

// Behind an instruction that may have changed everything; the figures are settled.
void Engine::recall_on(const Op& op) {
  if (timing.clocks() >= stop_at) return;
  timing.i386sx().find_phase(stop_at);
  return go_on_recalling(op);
}
void Engine::go_on_recalling(const Op& op) {
  if (op.edge == Op::Edge::end) return enter_next_block(branched());
  return enter_stretch((&op)[1]);
}

// Into the block in progress, of which nothing has been executed.
void Engine::start_recalling() {
  const Op& first = *current_block->ops;
  if (timing.clocks() < stop_at && timing.i386sx().resume(current_block->physical, stop_at))
    return enter_stretch(first);
  current_op = &first;
  run_unplanned<Model::i386sx>(false);
}

}  // namespace planar::cpu
