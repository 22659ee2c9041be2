// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/common/cached_timing.hpp"

#include <algorithm>
#include <bit>

#include "core/state/description.hpp"

namespace planar::cpu {
namespace {

// An operand across a doubleword: 486 and Pentium (docs/hardware/processors.md#instruction-clocks).
constexpr unsigned misaligned_clocks = 3;
constexpr std::uint32_t page_mask = 0xFFFFF000;

}  // namespace

CachedTiming::CachedTiming(const TimingConfig& config)
    : ProcessorTiming(config),
      path_(config),
      line_mask_(~(config.l1.line - 1u)),
      line_shift_(static_cast<std::uint8_t>(std::countr_zero(config.l1.line))) {
  state_.data = TagCache(config.l1.bytes, config.l1.ways, config.l1.line);
  state_.code = TagCache(config.l1.split ? config.l1.bytes : 0, config.l1.ways, config.l1.line);
}

inline CachedPath::Burst CachedTiming::fill_cacheable(TagCache& cache, std::uint32_t address, std::uint64_t at) {
  const auto burst = path_.fetch_line(at, address);
  const std::uint32_t victim = cache.fill(address);
  if (victim & TagCache::dirty) path_.write_back(burst.done, cache.line_of(victim));
  if (&cache == &state_.code) code_line_replaced(cache.slot(address));
  return burst;
}

CachedPath::Burst CachedTiming::fill(TagCache& cache, std::uint32_t address, std::uint64_t at) {
  if (!cache_enabled_ || !path_.cacheable(address)) return path_.read_single(at, cache.line_of(address), cache.line());
  return fill_cacheable(cache, address, at);
}

void CachedTiming::note_fill(unsigned which, std::uint32_t line, std::uint64_t done) {
  state_.fill_line[which] = line;
  state_.fill_done[which] = done;
  if (state_.fills_until < done) state_.fills_until = done;
}

/// A wanted code line goes to the bus as soon as that is free: has it by now?
void CachedTiming::settle_wanted_prefetch() {
  const std::uint64_t at = state_.prefetch_from > path_.free() ? state_.prefetch_from : path_.free();
  if (at >= clock_) return;
  const std::uint32_t line = state_.prefetch_line;
  state_.prefetch_line = no_line;
  if (code_cache().find(line)) return;
  note_fill(1, line, fill(code_cache(), line, at).done);
}

void CachedTiming::enter_line(std::uint32_t line) {
  TagCache& cache = code_cache();
  drop_prefetch();
  if (cache.find(line)) {
    if (!settled()) wait_for_fill(line);
  } else {
    ++counters_.code_misses;
    const auto burst = fill(cache, line, clock_);
    note_fill(1, line, burst.done);
    jump_to(burst.first);
  }
  const std::uint32_t next = line + cache.line();
  if (cache.in_mru_way(next)) return;
  if (((next ^ line) & page_mask) == 0 && cache_enabled_ && path_.cacheable(next) && !cache.holds(next)) {
    state_.prefetch_line = next;
    state_.prefetch_from = clock_;
  }
}

void CachedTiming::read_miss(std::uint32_t address, unsigned bytes) {
  settle_prefetch();
  if (!cache_enabled_ || !path_.cacheable(address)) {
    clock_ = path_.read_single(clock_, address, bytes).done;
    return;
  }
  if (!config_.l1.split && state_.data.find(address)) {  // the prefetch brought the line
    wait_for_fill(state_.data.line_of(address));
    return;
  }
  ++counters_.read_misses;
  fetch_data_line(address);
}

void CachedTiming::fetch_data_line(std::uint32_t address) {
  take_data_line(address, fill_cacheable(state_.data, address, clock_));
}

void CachedTiming::read_misaligned(std::uint32_t address, unsigned bytes) {
  clock_ += misaligned_clocks;
  const unsigned head = 4 - (address & 3);
  read(address, head);
  read(address + head, bytes - head);
}

void CachedTiming::write_misaligned(std::uint32_t address, unsigned bytes) {
  clock_ += misaligned_clocks;
  const unsigned head = 4 - (address & 3);
  write(address, head);
  write(address + head, bytes - head);
}

void CachedTiming::write_slow(std::uint32_t address, unsigned bytes) {
  settle_prefetch();
  // With write-back a hit ends here: it was not the way used last, or the line was clean.
  const bool hit = config_.l1.write_back ? state_.data.find_for_write(address) : state_.data.find(address);
  if (hit && config_.l1.write_back) {
    if (!settled()) wait_for_fill(state_.data.line_of(address));
    return;
  }
  if (!hit) ++counters_.write_misses;
  wait_for_buffer();
  post(path_.takes_write(address) && (address & 3) + bytes <= 4 ? path_.write_posted(clock_)
                                                                : path_.write(clock_, address, bytes));
  std::uint8_t& hits = state_.write_hits;
  hits = static_cast<std::uint8_t>(hit && hits < 8 ? hits + 1 : hit ? 8 : 0);
}

unsigned CachedTiming::write_run(std::uint32_t address, unsigned count, unsigned each, std::uint64_t stop_at) {
  unsigned done = 1;
  if (write_hits(address)) {
    for (; done < count && clock_ + each < stop_at; ++done) clock_ += each;
    return done;
  }
  settle_prefetch();
  if (state_.prefetch_line != no_line || state_.data.holds(address) || !path_.takes_write(address)) return 0;
  for (;; ++done) {
    wait_for_buffer();
    post(path_.write_posted(clock_));
    if (done == count || clock_ + each >= stop_at) break;
    clock_ += each;
  }
  counters_.write_misses += done;
  state_.write_hits = 0;
  return done;
}

std::uint64_t CachedTiming::cycle_start(bool) {
  pins_.begin(clock_);
  settle_prefetch();
  jump_to(path_.next_start(clock_));
  return clock_;
}

void CachedTiming::master_wrote(std::uint32_t address, std::uint32_t bytes) {
  if (bytes == 0) return;
  const std::uint32_t last = address + (bytes - 1);
  for (TagCache* cache : {&state_.data, &state_.code, &path_.l2()}) {
    if (!cache->present()) continue;
    for (std::uint32_t line = cache->line_of(address);; line += cache->line()) {
      if (cache->invalidate(line) != 0 && line == state_.code_line) state_.code_line = no_line;
      if (line == cache->line_of(last)) break;
    }
  }
}

void CachedTiming::flush_caches(bool write_back) {
  const unsigned dirty = state_.data.flush();
  state_.code.flush();
  const unsigned dirty2 = path_.l2().flush();
  state_.code_line = no_line;
  state_.prefetch_line = no_line;
  if (!write_back) return;
  if (dirty != 0) clock_ = path_.write_back_all(clock_, dirty, config_.l1.line);
  if (dirty2 != 0) clock_ = path_.write_back_all(clock_, dirty2, config_.l2.line);
}

void CachedTiming::describe(Description& description) const {
  state_.data.describe(description.part(config_.l1.split ? "L1 data cache" : "L1 cache"));
  if (state_.code.present()) state_.code.describe(description.part("L1 code cache"));
  if (path_.l2().present()) path_.l2().describe(description.part("L2 cache"));
}

}  // namespace planar::cpu
