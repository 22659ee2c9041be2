// SPDX-License-Identifier: GPL-2.0-or-later
// Construction, the pins, other masters, cache control, snapshot: what no single model owns.
#include "core/cpu/timing/timing.hpp"

#include <algorithm>
#include <bit>

namespace planar::cpu {
namespace {

const TimingConfig& checked(const TimingConfig& config) {
  check(config);
  return config;
}

}  // namespace

Timing::Timing(const TimingConfig& config)
    : config_(checked(config)),
      model_(config.model),
      path_(config),
      data_(config.l1.bytes, config.l1.ways, config.l1.line),
      code_(config.l1.split ? config.l1.bytes : 0, config.l1.ways, config.l1.line) {
  fetch_mask_ = ~(config.prefetch_request - 1u);
  if (model_ != Model::i386sx) {
    line_mask_ = ~(config.l1.line - 1u);
    line_shift_ = static_cast<std::uint8_t>(std::countr_zero(config.l1.line));
    data_.show(views_.data());
  }
  marks_.assign(code_cache().lines() + 1, 0);
}

void Timing::begin(const Op& op, std::uint32_t eip) {
  switch (model_) {
    case Model::i386sx: begin_386(op, eip); break;
    case Model::i486sx: begin_486(op, eip); break;
    case Model::pentium: begin_pentium(op, eip); break;
  }
}

std::uint64_t Timing::cycle_start(bool io) {
  if (model_ == Model::i386sx) {
    const std::uint64_t wanted = !io && clock_ >= 2 ? clock_ - 2 : clock_;
    pins_from_ = std::max(wanted, pins_until_);
    prefetch_386(wanted);
    return std::max(wanted, path_.word_free());
  }
  pins_from_ = clock_;
  settle_prefetch();
  clock_ = std::max(clock_, path_.next_start(clock_));
  return clock_;
}

void Timing::drain() {
  if (model_ == Model::i386sx) return;  // the bus unit keeps the order by itself
  for (unsigned i = 0; i < config_.write_buffers; ++i) clock_ = std::max(clock_, write_done_[i]);
}

void Timing::wait_until(std::uint64_t clock) {
  clock_ = std::max(clock_, clock);
  path_.occupy(clock);
  counters_.pin_clocks += clock_ - pins_from_;
  pins_until_ = clock_;
}

void Timing::steal(std::uint64_t from, unsigned clocks) {
  if (model_ == Model::i386sx) prefetch_386(from);
  path_.steal(from, clocks);
}

void Timing::master_wrote(std::uint32_t address, std::uint32_t bytes) {
  if (bytes == 0) return;
  const std::uint32_t last = address + (bytes - 1);
  for (TagCache* cache : {&data_, &code_, &path_.l2()}) {
    if (!cache->present()) continue;
    for (std::uint32_t line = cache->line_of(address);; line += cache->line()) {
      if (cache->invalidate(line) != 0 && line == code_line_) code_line_ = no_line;
      if (line == cache->line_of(last)) break;
    }
  }
}

void Timing::flush_caches(bool write_back) {
  const unsigned dirty = data_.flush();
  code_.flush();
  const unsigned dirty2 = path_.l2().flush();
  std::fill(marks_.begin(), marks_.end(), 0u);
  code_line_ = no_line;
  prefetch_line_ = no_line;
  if (!write_back) return;
  if (dirty != 0) clock_ = path_.write_back_all(clock_, dirty, config_.l1.line);
  if (dirty2 != 0) clock_ = path_.write_back_all(clock_, dirty2, config_.l2.line);
}

void Timing::interrupt_flush() {
  if (model_ == Model::i386sx) {
    refill_386();
    return;
  }
  settle_prefetch();
  prefetch_line_ = no_line;
  code_line_ = no_line;
  issue_.last_writes = 0;
  issue_.last_clocks = 0;
  issue_.pair_open = 0;
  jumped_ = true;
}

void Timing::archive(Archive& a) {
  a.section("cpu.timing", 1);
  if (model_ == Model::i386sx && !a.loading()) prefetch_386(0);
  fetch_put_off_ = 0;
  a(cache_enabled_, clock_);
  path_.archive(a);
  a(fetch_next_, fetch_eip_, fetch_from_, write_starts_, tail_, credit_, refill_);
  data_.archive(a);
  code_.archive(a);
  a(code_line_, prefetch_line_, prefetch_from_, fill_line_, fill_done_, fills_until_, write_start_, write_done_,
    write_next_, write_hits_, issue_.last_writes, issue_.last_clocks, jumped_);
  std::uint32_t marks = marks_[mark_slot_];  // of the line that executes
  a(issue_.pair_open, issue_.in_v, issue_.agi_writes, issue_.eip, issue_.previous_eip, mispredicted_issue_, redirected_,
    marks, mark_slot_, marks_);
  if (a.loading()) {
    marks_.resize(code_cache().lines() + 1);
    if (mark_slot_ >= marks_.size()) mark_slot_ = static_cast<std::uint32_t>(marks_.size() - 1);
    marks_[mark_slot_] = marks;
  }
  btb_.archive(a);
}

void Timing::describe(Description& description) const {
  if (!data_.present()) return;
  const std::pair<const char*, const TagCache*> caches[] = {
      {config_.l1.split ? "L1 data cache" : "L1 cache", &data_}, {"L1 code cache", &code_}, {"L2 cache", &path_.l2()}};
  for (const auto& [name, cache] : caches)
    if (cache->present()) cache->describe(description.part(name));
}

}  // namespace planar::cpu
