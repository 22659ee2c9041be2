// SPDX-License-Identifier: GPL-2.0-or-later
// What the 486 and the Pentium share: line fills, posted writes, code lines and the line prefetched behind them.
#include "core/cpu/timing/timing.hpp"

namespace planar::cpu {
namespace {

// An operand across a doubleword: 486 and Pentium (docs/hardware/processors.md#instruction-clocks).
constexpr unsigned misaligned_clocks = 3;
constexpr std::uint32_t page_mask = 0xFFFFF000;

}  // namespace

inline MemoryPath::Burst Timing::fill_cacheable(TagCache& cache, std::uint32_t address, std::uint64_t at) {
  const auto burst = path_.fetch_line(at, address);
  const std::uint32_t victim = cache.fill(address);
  if (victim & TagCache::dirty) path_.write_back(burst.done, cache.line_of(victim));
  if (&cache == &code_) forget_marks(cache.slot(address));
  return burst;
}

MemoryPath::Burst Timing::fill(TagCache& cache, std::uint32_t address, std::uint64_t at) {
  if (!cache_enabled_ || !path_.cacheable(address)) return path_.read_single(at, cache.line_of(address), cache.line());
  return fill_cacheable(cache, address, at);
}

void Timing::note_fill(unsigned which, std::uint32_t line, std::uint64_t done) {
  fill_line_[which] = line;
  fill_done_[which] = done;
  if (fills_until_ < done) fills_until_ = done;
}

/// A wanted code line goes to the bus as soon as that is free: has it by now?
void Timing::settle_wanted_prefetch() {
  const std::uint64_t at = prefetch_from_ > path_.free() ? prefetch_from_ : path_.free();
  if (at >= clock_) return;
  const std::uint32_t line = prefetch_line_;
  prefetch_line_ = no_line;
  if (code_cache().find(line)) return;
  note_fill(1, line, fill(code_cache(), line, at).done);
}

void Timing::enter_line(std::uint32_t line) {
  TagCache& cache = code_cache();
  if (prefetch_line_ != no_line) {
    settle_prefetch();
    prefetch_line_ = no_line;
  }
  if (cache.find(line)) {
    if (clock_ < fills_until_) wait_for_fill(line);
  } else {
    ++counters_.code_misses;
    const auto burst = fill(cache, line, clock_);
    note_fill(1, line, burst.done);
    if (clock_ < burst.first) clock_ = burst.first;
  }
  const std::uint32_t next = line + cache.line();
  if (cache.in_mru_way(next)) return;
  if (((next ^ line) & page_mask) == 0 && cache_enabled_ && path_.cacheable(next) && !cache.holds(next)) {
    prefetch_line_ = next;
    prefetch_from_ = clock_;
  }
}

void Timing::read_miss(std::uint32_t address, unsigned bytes) {
  settle_prefetch();
  if (!cache_enabled_ || !path_.cacheable(address)) {
    clock_ = path_.read_single(clock_, address, bytes).done;
    return;
  }
  if (!config_.l1.split && data_.find(address)) {  // the prefetch brought the line
    wait_for_fill(data_.line_of(address));
    return;
  }
  ++counters_.read_misses;
  if (model_ == Model::i486sx) {
    bypass_read_miss(address);
    return;
  }
  const auto burst = fill_cacheable(data_, address, clock_);
  note_fill(0, data_.line_of(address), burst.done);
  if (clock_ < burst.first) clock_ = burst.first;
}

void Timing::read_misaligned(std::uint32_t address, unsigned bytes) {
  clock_ += misaligned_clocks;
  const unsigned head = 4 - (address & 3);
  read(address, head);
  read(address + head, bytes - head);
}

void Timing::write_misaligned(std::uint32_t address, unsigned bytes) {
  clock_ += misaligned_clocks;
  const unsigned head = 4 - (address & 3);
  write(address, head);
  write(address + head, bytes - head);
}

void Timing::write_slow(std::uint32_t address, unsigned bytes) {
  settle_prefetch();
  // With write-back a hit ends here: it was not the way used last, or the line was clean.
  const bool hit = config_.l1.write_back ? data_.find_for_write(address) : data_.find(address);
  if (hit && config_.l1.write_back) {
    if (clock_ < fills_until_) wait_for_fill(data_.line_of(address));
    return;
  }
  if (!hit) ++counters_.write_misses;
  wait_for_buffer();
  post(path_.takes_write(address) && (address & 3) + bytes <= 4 ? path_.write_posted(clock_)
                                                                : path_.write(clock_, address, bytes));
  write_hits_ = static_cast<std::uint8_t>(hit && write_hits_ < 8 ? write_hits_ + 1 : hit ? 8 : 0);
}

unsigned Timing::write_run(std::uint32_t address, unsigned count, unsigned each, std::uint64_t stop_at) {
  unsigned done = 1;
  if (write_hits(address)) {
    for (; done < count && clock_ + each < stop_at; ++done) clock_ += each;
    return done;
  }
  settle_prefetch();
  if (prefetch_line_ != no_line || data_.holds(address) || !path_.takes_write(address)) return 0;
  for (;; ++done) {
    wait_for_buffer();
    post(path_.write_posted(clock_));
    if (done == count || clock_ + each >= stop_at) break;
    clock_ += each;
  }
  counters_.write_misses += done;
  write_hits_ = 0;
  return done;
}

}  // namespace planar::cpu
