// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/p6/timing_p6.hpp"

#include <algorithm>
#include <bit>

#include "core/common/error.hpp"
#include "core/cpu/timing/p6/micro_ops.hpp"
#include "core/state/description.hpp"

namespace planar::cpu {
namespace {

constexpr unsigned esp = 4;
/// Clocks of a LOCK prefix on a line that the processor owns (Torvalds 2001: 18 in all).
constexpr unsigned locked = 12;
/// From the retirement of a micro-op to the renaming of one that waits for it: chosen so that the total is 5 to 7
/// clocks.
constexpr unsigned register_file = 2;
/// Additional clocks of an access across two lines (6 to 12).
constexpr unsigned split = 8;

}  // namespace

TimingP6::TimingP6(const TimingConfig& config) : ProcessorTiming(config), memory_(config, counters_) {}

void TimingP6::set_static_clocks(Op& op) const {
  set_micro_ops(op, static_form(op, Model::p6));
  op.clocks = 1;
}

void TimingP6::follow_clock() {
  if (clock_ > window_.retire_clock()) window_.drain(clock_);
}

inline std::uint64_t TimingP6::ready_of(unsigned registers) const {
  std::uint64_t t = 0;
  for (; registers != 0; registers &= registers - 1)
    t = std::max(t, registers_[static_cast<unsigned>(std::countr_zero(registers))].ready);
  return t;
}

inline void TimingP6::set_register(unsigned r, Value value) {
  registers_[r] = value;
  retired_ = static_cast<std::uint8_t>(retired_ & ~(1u << r));
}

// When everything that a computing micro-op waits for is ready.
inline std::uint64_t TimingP6::operands_ready() const {
  const Op& op = *op_;
  std::uint64_t t = std::max(ready_of(op.p6.sources), loaded_);
  if (op.has_memory) t = std::max(t, address_);
  for (unsigned left = op.p6.fp_sources; left != 0; left &= left - 1)
    t = std::max(t, fp_registers_[static_cast<unsigned>(std::countr_zero(left))].ready);
  for (unsigned left = op.p6.flags & flags_all; left != 0; left &= left - 1)
    t = std::max(t, flags_[static_cast<unsigned>(std::countr_zero(left))].ready);
  return t;
}

// If the last writer left part of what is read unchanged, in a register or in the flags, renaming waits until that
// writer has retired (Agner Fog, chapter 19).
inline void TimingP6::wait_for_parts(unsigned registers, unsigned flags) {
  if ((flags & ~last_flags_) != 0 && last_flags_retired_ >= window_.rename_clock())
    decoded_ = std::max(decoded_, last_flags_retired_ + register_file);
  if (!(op_->p6.decoding & reads_whole)) return;
  for (unsigned left = registers & parts_; left != 0; left &= left - 1)
    if (const std::uint64_t until = partial_until_[static_cast<unsigned>(std::countr_zero(left))];
        until >= window_.rename_clock())
      decoded_ = std::max(decoded_, until + register_file);
}

[[gnu::always_inline]] inline std::uint64_t TimingP6::micro_op(std::uint64_t ready, unsigned ports, unsigned latency,
                                                               unsigned registers, unsigned busy) {
  window_.rename(decoded_, retired_of(registers));
  const std::uint64_t t = window_.dispatch(ready, ports, busy);
  window_.retire(t + latency);
  ++given_;
  return t;
}

void TimingP6::forget_instruction() {
  op_ = nullptr;
  decoded_ = address_ = loaded_ = computed_ = 0;
  given_ = 0;
  has_loaded_ = has_computed_ = stack_moved_ = false;
}

[[gnu::flatten]] void TimingP6::compute_from(const Op& op, std::uint32_t eip) {
  catch_up();
  start(op, eip);
}

bool TimingP6::asks_more(const Op& op) {
  const bool floating = (op.p6.fp_sources | op.p6.fp_results) != 0 || (op.opcode & 0xFFF8) == 0xD8;
  const bool reads_clock = op.opcode >= 0x0F30 && op.opcode <= 0x0F33;
  return floating || reads_clock || (op.p6.decoding & repeats) != 0 || op.branch == BranchKind::far;
}

void TimingP6::start(const Op& op, std::uint32_t eip) {
  follow_clock();
  forget_instruction();
  const MicroOps& f = micro_ops(op.p6.micro_ops);
  op_ = last_ = &op;
  before_last_ = clock_;
  made_of_ = &f;
  address_of_op_ = eip;
  if (recording_ && asks_more(op)) [[unlikely]]
    leave_to_others();
  decoded_ = front_end_.decode(
      [this](std::uint64_t t, std::uint32_t address, bool last) { return code_line(t, address, last); }, eip, op.length,
      f.uops, op.p6.decoding & extra_clocks, window_.rename_clock());
  if (f.serializing) {
    const std::uint64_t t = drained(in_order(), Kind::drain);
    window_.drain(t);
    decoded_ = std::max(decoded_, t);
  }
  address_ = ready_of(op.address_reads);
  repeat_.active = op.p6.decoding & repeats;
  repeat_.started = false;
}

// ---- accesses ----

void TimingP6::compute_read(std::uint32_t physical, unsigned bytes) {
  catch_up();
  if (repeat_.active) return repeated_access(physical, bytes, false);
  const bool other_half = has_loaded_ && physical == last_read_ + 4 && second_half(physical);
  last_read_ = physical;
  if (other_half) return;
  const std::uint64_t wanted = std::max(address_, addresses_known_);
  window_.rename(decoded_, op_ ? retired_of(op_->address_reads) : 0);
  const std::uint64_t t = window_.dispatch(wanted, port_load);
  const std::uint64_t done = datum(t, physical, bytes);
  window_.retire(done);
  ++given_;
  loaded_ = std::max(loaded_, done);
  has_loaded_ = true;
}

void TimingP6::compute_write(std::uint32_t physical, unsigned bytes) {
  catch_up();
  if (repeat_.active) return repeated_access(physical, bytes, true);
  const bool other_half = physical == last_write_ + 4 && given_ > 1 && second_half(physical);
  last_write_ = physical;
  if (other_half) {
    if (memory_.combines(physical)) memory_.store(stores_.last(), physical, bytes);
    return;
  }
  if (op_ && made_of_->compute != 0 && made_of_->ports != port_1 && !has_computed_) compute();
  const unsigned address_registers = op_ ? op_->address_reads : 0u, data_registers = op_ ? op_->p6.sources : 0u;
  const std::uint64_t at = micro_op(address_, port_address, 1, address_registers);
  addresses_known_ = std::max(addresses_known_, at + 1);
  std::uint64_t data = has_computed_ ? computed_ : has_loaded_ ? loaded_ : ready_of(data_registers);
  if (op_ && !has_computed_) wait_for_parts(data_registers, 0);
  if (op_ && op_->p6.fp_sources != 0 && !has_computed_) data = std::max(data, operands_ready());
  window_.rename(std::max(decoded_, stores_.room()), has_computed_ ? 0 : retired_of(data_registers));
  const std::uint64_t t = window_.dispatch(data, port_data);
  const std::uint64_t retired = window_.retire(t + 1);
  ++given_;
  const std::uint64_t leaves = std::max(stores_.last(), retired) + 1;
  stores_.add(physical, bytes, t, take(leaves, physical, bytes, t));
}

// The executor moves eight bytes as two accesses of four; the P6 as one.
bool TimingP6::second_half(std::uint32_t physical) const {
  return op_ && (op_->p6.fp_sources | op_->p6.fp_results) != 0 && (physical & 31) != 0;
}

// ---- the rest of an instruction ----

inline void TimingP6::compute() {
  const MicroOps& f = *made_of_;
  const unsigned registers = op_->p6.sources | (has_loaded_ ? 0u : op_->address_reads);
  wait_for_parts(op_->p6.sources | op_->address_reads, op_->p6.flags & flags_all);
  std::uint64_t ready = operands_ready();
  for (unsigned n = 1; n <= f.compute; ++n) {
    const unsigned latency = n == f.compute ? f.latency : 1;
    ready = micro_op(ready, f.ports, latency, n == 1 ? registers : 0, f.busy) + latency;
  }
  computed_ = ready;
  has_computed_ = true;
}

void TimingP6::move_stack_pointer() {
  const std::uint64_t t = micro_op(registers_[esp].ready, port_01, 1, 1u << esp);
  set_register(esp, {t + 1, window_.retire_clock()});
  stack_moved_ = true;
}

inline void TimingP6::write_results() {
  const Op& op = *op_;
  const Value value{has_computed_ ? computed_ : has_loaded_ ? loaded_ : decoded_ + 1, window_.retire_clock()};
  const bool part = op.p6.decoding & writes_part;
  for (unsigned left = op.p6.results; left != 0; left &= left - 1) {
    const auto r = static_cast<unsigned>(std::countr_zero(left));
    if (r == esp && stack_moved_) continue;
    // Parts are renamed separately: the rest of the old value arrives in its own time.
    set_register(r, part ? Value{std::max(registers_[r].ready, value.ready), value.retired} : value);
    if (part) {
      if (!(zeroed_ >> r & 1)) {
        partial_until_[r] = value.retired;
        parts_ = static_cast<std::uint8_t>(parts_ | 1u << r);
      }
    } else {
      partial_until_[r] = 0;
      parts_ = static_cast<std::uint8_t>(parts_ & ~(1u << r));
      zeroed_ = static_cast<std::uint8_t>(op.p6.decoding & zeroes ? zeroed_ | 1u << r : zeroed_ & ~(1u << r));
    }
  }
  for (unsigned left = op.p6.fp_results; left != 0; left &= left - 1)
    fp_registers_[static_cast<unsigned>(std::countr_zero(left))] = value;
  if (const unsigned written = op.p6.flags >> 4; written != 0) {
    for (unsigned left = written & flags_all; left != 0; left &= left - 1)
      flags_[static_cast<unsigned>(std::countr_zero(left))] = value;
    last_flags_ = static_cast<std::uint8_t>(written);
    last_flags_retired_ = value.retired;
  }
}

[[gnu::flatten]] void TimingP6::compute_end() {
  catch_up();
  const Op* const op = op_;
  finish();
  if (recording_ && op != nullptr && op->edge == Op::Edge::end) write_way_down(*op);
}

void TimingP6::finish() {
  if (repeat_.active && repeat_.started) return end_repeat();
  repeat_.active = false;
  if (op_ == nullptr) return;
  const MicroOps& f = *made_of_;
  if (f.stack && !stack_moved_) move_stack_pointer();
  if (f.compute != 0 && !has_computed_) compute();
  while (given_ < f.uops) micro_op(0, port_01, 1, 0);
  write_results();
  const bool exchange = (op_->opcode & 0xFFFE) == 0x86 && op_->has_memory;
  const unsigned more = f.microcode + (op_->lock ? locked : 0u);
  clock_ = std::max(clock_, window_.retire_clock());
  if (op_->lock || exchange) clock_ = drained(clock_, Kind::drain_at_end);
  clock_ += more;
  if (f.serializing) front_end_.restart(clock_ + FrontEnd::redecode);
  forget_instruction();
}

// ---- branches ----

void TimingP6::compute_branch(const Op& op, bool taken, std::uint32_t target) {
  catch_up();
  if (op.branch == BranchKind::far || op_ == nullptr) {
    if (taken) interrupt_flush();
    return;
  }
  decide(taken, prediction(op, taken, target));
}

// The predictor is asked when the branch passes; its answer matters when the branch is decoded or executed.
void TimingP6::decide(bool taken, Predictor::Outcome outcome) {
  if (made_of_->stack && !stack_moved_) move_stack_pointer();
  if (!has_computed_) compute();
  switch (outcome) {
    case Predictor::Outcome::right:
      if (taken) front_end_.jump();
      break;
    case Predictor::Outcome::corrected: front_end_.restart(decoded_ + FrontEnd::redecode); break;
    case Predictor::Outcome::wrong: front_end_.restart(computed_ + FrontEnd::refetch); break;
  }
}

// ---- questions ----

std::uint64_t TimingP6::code_line(std::uint64_t t, std::uint32_t address, bool last) {
  if (retracing()) return t + way_[retraced_++].answer;
  const std::uint64_t arrives = memory_.fetch(t, address);
  if (recording_) note(last ? Kind::code_end : Kind::code, t, arrives - t);
  return arrives;
}

std::uint64_t TimingP6::drained(std::uint64_t t, Kind kind) {
  if (retracing()) return t + way_[retraced_++].answer;
  const std::uint64_t done = memory_.drain(t);
  if (recording_) note(kind, t, done - t);
  return done;
}

std::uint64_t TimingP6::datum(std::uint64_t t, std::uint32_t physical, unsigned bytes) {
  if (retracing()) return t + way_[retraced_++].answer;
  if (recording_ && memory_.reads_each(physical)) recording_ = false;
  const std::uint64_t done = load_at(t, physical, bytes, in_order());
  if (recording_) note(Kind::load, t, done - t, physical, bytes);
  return done;
}

std::uint64_t TimingP6::take(std::uint64_t leaves, std::uint32_t physical, unsigned bytes, std::uint64_t data) {
  if (retracing()) return leaves + way_[retraced_++].answer;
  const std::uint64_t taken = store_at(leaves, physical, bytes);
  if (recording_) note(Kind::store, leaves, taken - leaves, physical, bytes, data);
  return taken;
}

Predictor::Outcome TimingP6::prediction(const Op& op, bool taken, std::uint32_t target) {
  const Predictor::Outcome outcome = predict(op, address_of_op_, taken, target);
  if (recording_) note(Kind::branch, base_, branch_answer(taken, outcome));
  return outcome;
}

// ---- who answers ----

std::uint64_t TimingP6::load_at(std::uint64_t t, std::uint32_t physical, unsigned bytes, std::uint64_t in_order) {
  if (bytes == 0) {
    memory_.prefetch(t, physical);
    return t + MemoryP6::load_latency;
  }
  std::uint64_t done = memory_.reads_each(physical) ? 0 : stores_.load(t, physical, bytes);
  if (done == 0) done = memory_.load(t, physical, in_order);
  if (splits(physical, bytes)) [[unlikely]]
    done = std::max(done, memory_.load(t + 1, physical + bytes - 1, in_order)) + split;
  return done;
}

std::uint64_t TimingP6::split_store_at(std::uint64_t leaves, std::uint32_t physical, unsigned bytes) {
  const std::uint32_t next_line = MemoryP6::line_of(physical + bytes - 1);
  const std::uint64_t taken = memory_.store(leaves, physical, next_line - physical);
  return memory_.store(taken + split, next_line, physical + bytes - next_line);
}

// ---- repeated strings ----

namespace {
/// Quarters of a clock per element: microcode of that many micro-ops, three per clock (Agner Fog's table); MOVS and
/// STOS in their fast mode: 0.75 clocks, measured for GMP's copyi, and 1.5 micro-ops. The fast mode requires
/// doublewords upwards, at least 64 of them, both addresses multiples of eight and not within 32 bytes of each other
/// (Agner Fog).
constexpr std::uint32_t fast_count = 64, fast_distance = 32;
unsigned quarters_of(std::uint16_t opcode, bool fast) {
  switch (opcode & 0xFE) {
    case 0xA4: return fast ? 3 : 8;
    case 0xAA: return fast ? 2 : 7;
    case 0xAC: return 8;
    case 0xAE: return 9;
    default: return 6;  // CMPS, for each of its two reads
  }
}
}  // namespace

void TimingP6::begin_repeat(std::uint32_t count, bool upwards) { repeat_.may_be_fast = upwards && count >= fast_count; }

// The lines before the present one have arrived: the microcode runs ahead of its loads and stores by no more than a
// line, as forty micro-ops in flight allow.
void TimingP6::repeated_access(std::uint32_t physical, unsigned bytes, bool store) {
  Repeat& r = repeat_;
  if (!r.started) {
    r.started = true;
    if (op_ != nullptr) r.opcode = op_->opcode;  // a damaged snapshot may hold a string that nobody has begun
    const std::uint64_t from = std::max({window_.rename_clock(), decoded_, ready_of(0xFF)});
    r.fast = r.may_be_fast && bytes == 4 && physical % 8 == 0;
    r.quarters = 4 * (from + (r.fast ? config_.repeat_start : config_.repeat_slow_start));
    r.from = physical;
    r.line = {1, 1};
    r.arrives = {};
    r.first_store = store;
  }
  if (store && !r.first_store) {
    const std::uint32_t apart = std::max(physical, r.from) - std::min(physical, r.from);
    const bool fast = r.fast && physical % 8 == 0 && apart >= fast_distance;
    if (r.fast && !fast) r.quarters = r.quarters + 4 * config_.repeat_slow_start - 4 * config_.repeat_start;
    r.fast = fast;
    r.first_store = true;
  }
  const unsigned side = store;
  const bool each = store ? memory_.writes_each(physical) : memory_.reads_each(physical);
  if (const std::uint32_t line = memory_.line_of(physical); line != r.line[side] || each) {
    r.quarters = std::max(r.quarters, 4 * r.arrives[side]);
    r.line[side] = line;
    const std::uint64_t t = r.quarters / 4;
    r.arrives[side] =
        store ? memory_.store(t, physical, std::min(bytes, 32 - physical % 32)) : memory_.load(t, physical, t);
  }
  const bool copies = (r.opcode & 0xFE) == 0xA4;
  if (!copies || store) r.quarters += quarters_of(r.opcode, r.fast);
  clock_ = std::max(clock_, r.quarters / 4);
}

void TimingP6::end_repeat() {
  const std::uint64_t over = std::max({repeat_.quarters / 4, repeat_.arrives[0]});
  clock_ = std::max(clock_, over);
  for (unsigned r = 0; r < general; ++r) set_register(r, {clock_, clock_});
  follow_clock();
  repeat_.end();
  forget_instruction();
}

// ---- the pins ----

std::uint64_t TimingP6::cycle_start(bool) {
  if (following_ && asked(Kind::cycle)) {
    clock_ = after_base(next_->reach);
    cycle_wanted_ = after_base(next_->at);
  } else {
    catch_up();
    cycle_wanted_ = std::max(clock_, in_order());
  }
  pins_.begin(clock_);
  return memory_.bus_start(memory_.drain(cycle_wanted_));
}

void TimingP6::wait_until(std::uint64_t clock) {
  if (!following_) catch_up();
  if (recording_) note(Kind::cycle, cycle_wanted_, clock - cycle_wanted_);
  jump_to(clock);
  memory_.occupy(clock);
  pins_.end(clock_);
  if (repeat_.active && repeat_.started) repeat_.quarters = std::max(repeat_.quarters, 4 * clock_);
  if (following_) follow_cycle(clock);
}

void TimingP6::flush_caches(bool write_back) {
  leave_to_others();
  clock_ = memory_.flush(std::max(clock_, stores_.last()), write_back);
}

void TimingP6::set_cache_enabled(bool enabled) {
  ProcessorTiming::set_cache_enabled(enabled);
  memory_.set_enabled(enabled);
}

void TimingP6::interrupt_flush() {
  leave_to_others();
  clock_ = memory_.drain(std::max(clock_, in_order()));
  window_.drain(clock_);
  front_end_.restart(clock_ + FrontEnd::redecode);
  repeat_.end();
}

void TimingP6::advance(const PipelineP6& before, std::uint64_t clocks, std::uint64_t mispredictions,
                       std::uint64_t times) {
  PipelineP6::advance(before, clocks, times);
  clock_ += clocks * times;
  counters_.mispredictions += mispredictions * times;
}

// ---- snapshots and views ----

// What is written has settled, so that it does not reveal which blocks were computed and which were known.
void TimingP6::archive(Archive& a) {
  if (a.loading()) {
    state_ = BlockMemo::none;
    following_ = recording_ = false;
    current_ = true;
  } else {
    pipeline();  // only when saving: what a refused snapshot has left here cannot settle
  }
  archive_clock(a);
  memory_.set_enabled(cache_enabled_);
  front_end_.archive(a);
  window_.archive(a);
  predictor_.archive(a);
  stores_.archive(a);
  memory_.archive(a);
  for (auto* values : {registers_.data(), fp_registers_.data()})
    for (unsigned n = 0; n < general; ++n) a(values[n].ready, values[n].retired);
  for (Value& v : flags_) a(v.ready, v.retired);
  a(addresses_known_, partial_until_, last_flags_retired_, last_flags_, zeroed_, last_read_, last_write_);
  a(repeat_.active, repeat_.started, repeat_.may_be_fast, repeat_.fast, repeat_.first_store, repeat_.opcode,
    repeat_.from, repeat_.quarters, repeat_.line, repeat_.arrives);
  if (!a.loading()) return;
  retired_ = parts_ = 0;
  for (unsigned r = 0; r < general; ++r)
    if (partial_until_[r] != 0) parts_ = static_cast<std::uint8_t>(parts_ | 1u << r);
  forget_instruction();
  const std::uint64_t limit = clock_ + (std::uint64_t{1} << 24);
  const auto near = [=](std::uint64_t t) { return t <= limit; };
  const auto all_near = [=](const auto& values) {
    return std::all_of(values.begin(), values.end(), [=](const Value& v) { return near(v.ready) && near(v.retired); });
  };
  const bool sound = front_end_.sound(limit) && window_.sound(limit) && stores_.sound(limit) && memory_.sound(clock_) &&
                     all_near(registers_) && all_near(fp_registers_) && all_near(flags_) && near(addresses_known_) &&
                     near(last_flags_retired_) && near(repeat_.quarters / 4) &&
                     std::all_of(partial_until_.begin(), partial_until_.end(), near) &&
                     std::all_of(repeat_.arrives.begin(), repeat_.arrives.end(), near);
  if (!sound) throw Error("snapshot holds a damaged processor; take a new one", ExitCode::missing_file);
}

void TimingP6::describe(Description& description) const {
  memory_.data().describe(description.part("L1 data cache"));
  memory_.code().describe(description.part("L1 code cache"));
  if (memory_.second().present()) memory_.second().describe(description.part("L2 cache"));
}

}  // namespace planar::cpu
