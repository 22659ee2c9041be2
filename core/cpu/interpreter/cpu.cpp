// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/cpu.hpp"

#include <algorithm>

#include "core/common/error.hpp"
#include "core/cpu/account/copy_account.hpp"
#include "core/cpu/engine/engine.hpp"
#include "core/cpu/x86/cr0.hpp"

namespace planar::cpu {

namespace {

SegmentView view(const Segment& s) { return {s.selector, s.base, s.limit, s.access, s.big}; }
Segment from_view(const SegmentView& v) {
  Segment s;
  s.selector = v.selector;
  s.base = v.base;
  s.limit = v.limit;
  s.access = v.access;
  s.big = v.big;
  s.derive();
  return s;
}

}  // namespace

Cpu::Cpu(Scheduler& scheduler, AddressSpace& space, Pins& pins, Trace& trace, const CpuConfig& config)
    : scheduler_(scheduler), space_(space) {
  if (config.timing.model != config.model) throw Error("the processor and its timing are of different models");
  engine_ = std::make_unique<Engine>(scheduler, space, pins, trace, config);
  scheduler_.attach(*this);
  space_.set_listener(this);
}

Cpu::~Cpu() {
  scheduler_.detach(*this);
  space_.set_listener(nullptr);
}

void Cpu::reset(Time now) { engine_->reset(now); }

void Cpu::set_intr(bool level) {
  if (level)
    engine_->attend(attend_intr);
  else
    engine_->attention &= ~attend_intr;
}

void Cpu::nmi() { engine_->attend(attend_nmi); }

void Cpu::ignore_fpu_error(bool level) {
  Fpu& f = engine_->fpu;
  f.ignore_error = level;
  if (level && f.stopped) engine_->attention &= ~attend_halted;
  if (level) f.stopped = false;
}

void Cpu::set_a20(bool on) {
  if (on == engine_->a20) return;
  engine_->a20 = on;
  engine_->address_mask = on ? engine_->address_lines : engine_->address_lines & ~(1u << 20);
  engine_->flush_host_tlb();
}

Time Cpu::time() const { return engine_->now(); }
void Cpu::run(Time horizon) { engine_->run(horizon); }
void Cpu::step() { engine_->step(); }
void Cpu::lower_horizon(Time horizon) { engine_->lower_horizon(horizon); }

bool Cpu::asleep() const {
  const Engine& e = *engine_;
  if (!(e.attention & (attend_halted | attend_shutdown)) || (e.attention & (attend_reset | attend_debug))) return false;
  return !((e.attention & attend_nmi) && !e.nmi_masked) && !((e.attention & attend_intr) && (e.system_flags & flag_if));
}

void Cpu::mapping_changed() {
  if (engine_->observer) engine_->observer->mapping_changed();
  engine_->flush_host_tlb();
  engine_->attend(attend_flush);
}
void Cpu::code_written(std::uint32_t address, std::uint32_t bytes) { engine_->code_written(address, bytes); }
void Cpu::master_wrote(std::uint32_t address, std::uint32_t bytes) {
  engine_->timing.master_wrote(address, bytes);
  engine_->break_loop();  // the current block's plan may rely on a line that is gone
  if (engine_->observer) engine_->observer->others_wrote(address, bytes);
}
void Cpu::master_reads(std::uint32_t address, std::uint32_t bytes) {
  if (engine_->observer) engine_->observer->others_read(address, bytes);
}
void Cpu::steal(std::uint64_t from, unsigned clocks) { engine_->timing.steal(from, clocks); }
void Cpu::share(const MemoryShare& share) { engine_->timing.share(share); }
SnoopHits Cpu::snoop(const Snoop& snoop) {
  const SnoopHits hits = engine_->timing.snoop(snoop);
  if (hits.first_level != 0) engine_->break_loop();  // the current block's plan may rely on a line that is now clean
  return hits;
}

std::uint64_t Cpu::instructions() const { return engine_->instructions_executed(); }
std::uint64_t Cpu::clocks() const { return engine_->timing.clocks(); }
std::uint64_t Cpu::halted_clocks() const { return engine_->halted_clocks; }
Time Cpu::halted_since() const {
  const std::uint64_t now = engine_->timing.clocks();  // it may not have waited yet
  return engine_->config.clock.at(engine_->halted_until == now ? engine_->halted_from : now);
}
Cpu::Account Cpu::account() const {
  const std::uint64_t copying = copy_account(*engine_).clocks(engine_->timing);
  return {engine_->timing.clocks(), engine_->halted_clocks, engine_->timing.pin_clocks(), copying};
}
void Cpu::archive_account(Archive& a) {
  a.section("cpu account", 1);
  engine_->timing.archive_counters(a);
  copy_account(*engine_).archive(a);
}
const CpuConfig& Cpu::config() const { return engine_->config; }

Registers Cpu::registers() const {
  const Engine& e = *engine_;
  Registers r;
  std::copy_n(e.gpr, 8, r.gpr.begin());
  r.eip = e.eip;
  r.eflags = e.eflags();
  for (unsigned s = 0; s < 6; ++s) r.segment[s] = view(e.seg[s]);
  r.ldtr = view(e.ldt);
  r.tr = view(e.task);
  r.gdtr = {e.gdt_base, e.gdt_limit};
  r.idtr = {e.idt_base, e.idt_limit};
  r.cr0 = read_cr0(e.cr0, e.model);
  r.cr2 = e.cr2;
  r.cr3 = e.cr3;
  r.cr4 = e.cr4;
  r.dr = e.dr;
  r.cpl = e.cpl;
  return r;
}

std::uint32_t Cpu::instruction_address() const { return engine_->seg[CS].base + engine_->eip; }

void Cpu::set_registers(const Registers& r) {
  Engine& e = *engine_;
  std::copy_n(r.gpr.begin(), 8, e.gpr);
  e.eip = r.eip;
  for (unsigned s = 0; s < 6; ++s) e.seg[s] = from_view(r.segment[s]);
  e.ldt = from_view(r.ldtr);
  e.task = from_view(r.tr);
  e.gdt_base = r.gdtr.base;
  e.gdt_limit = r.gdtr.limit;
  e.idt_base = r.idtr.base;
  e.idt_limit = r.idtr.limit;
  e.cr0 = written_cr0(r.cr0, e.model);
  e.cr2 = r.cr2;
  e.cr3 = r.cr3;
  e.cr4 = r.cr4;
  e.dr = r.dr;
  e.protected_mode = e.cr0 & cr0_pe;
  e.set_eflags(r.eflags, 0xFFFFFFFFu);
  e.set_cpl(r.cpl & 3);
  e.update_mode();
  e.set_dr7(e.dr[7]);
  e.attention &= ~(attend_rep | attend_halted | attend_inhibit | attend_debug | attend_shutdown);
  e.pending_debug = 0;
  e.lone_goes_on = false;
  e.timing.set_cache_enabled(!(e.cr0 & cr0_cd));
  e.timing.interrupt_flush();
  e.flush_tlb();
  e.attend(attend_flush);
}

const Fpu& Cpu::fpu() const { return engine_->fpu; }
void Cpu::set_fpu(const Fpu& fpu) {
  Fpu& f = engine_->fpu;
  const bool error_line = f.error_line, ignore_error = f.ignore_error;
  f = fpu;
  f.error_line = error_line;
  f.ignore_error = ignore_error;
  f.stopped = false;
}

void Cpu::add_observer(Observer& observer) {
  engine_->observers.add(observer);
  engine_->observer = &engine_->observers;
  engine_->flush_host_tlb();
}
void Cpu::remove_observer(Observer& observer) {
  engine_->observers.remove(observer);
  if (engine_->observers.empty()) engine_->observer = nullptr;
  engine_->flush_host_tlb();
}
bool Cpu::a20() const { return engine_->a20; }

bool Cpu::halted() const { return engine_->attention & attend_halted; }
bool Cpu::in_shutdown() const { return engine_->attention & attend_shutdown; }

std::optional<std::uint32_t> Cpu::translate(std::uint32_t linear) const { return engine_->peek_translate(linear); }
std::optional<std::uint8_t> Cpu::peek_linear(std::uint32_t linear) const {
  const auto physical = translate(linear);
  if (!physical) return std::nullopt;
  return space_.peek(*physical, time());
}

bool Cpu::poke(std::uint32_t physical, std::uint8_t value) {
  if (!space_.poke(physical, value)) return false;
  if (engine_->observer) engine_->observer->others_wrote(physical, 1);
  return true;
}
bool Cpu::poke_linear(std::uint32_t linear, std::uint8_t value) {
  const auto physical = translate(linear);
  return physical && poke(*physical, value);
}

void Cpu::limit_block_length(unsigned count) {
  engine_->block_limit = std::clamp(count, 1u, 32u);
  engine_->one_by_one = count <= 1;
  engine_->attend(attend_flush);
}
void Cpu::flush_blocks_at_random(std::uint64_t seed) {
  engine_->flush_at_random = true;
  engine_->flush_random = Random(seed);
  engine_->longest_chain = engine_->chain_room = 0;  // block by block
  engine_->attend(attend_test);
}

Cpu::Learnt Cpu::learnt() const {
  if (!engine_->timing.is_p6()) return {};
  const BlockMemo& memo = engine_->timing.p6().memo();
  return {memo.counts.passed, memo.counts.followed, memo.counts.cleared, memo.pipelines(), memo.bytes()};
}
void Cpu::limit_learning(std::size_t pipelines) {
  if (engine_->timing.is_p6()) engine_->timing.p6().memo().limit(pipelines);
}
void Cpu::verify_learning() {
  if (engine_->timing.is_p6()) engine_->timing.p6().verify_memo();
}

void Cpu::describe(Description& description) const { engine_->describe(description); }

void Cpu::archive(Archive& a) { engine_->archive(a); }

}  // namespace planar::cpu
