// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/cached/cached_timing.hpp"

#include <algorithm>
#include <bit>

#include "core/state/description.hpp"

namespace planar::cpu {

CachedTiming::CachedTiming(const TimingConfig& config, const Events& events)
    : ProcessorTiming(config),
      path_(config),
      line_mask_(~(config.l1.line - 1u)),
      line_shift_(static_cast<std::uint8_t>(std::countr_zero(config.l1.line))),
      events_(&events) {
  state_.data = TagCache(config.l1.bytes, config.l1.ways, config.l1.line);
  state_.code = TagCache(config.l1.split ? config.l1.bytes : 0, config.l1.ways, config.l1.line);
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

std::uint64_t CachedTiming::cycle_start(bool) {
  pins_.begin(clock_);
  settle_prefetch();
  jump_to(path_.next_start(clock_));
  return clock_;
}

// A modified line of the first level goes to memory whatever the master does, which makes the second level's copy
// stale; a line modified only in the second level is written back unless the master overwrites all of it. The code
// cache has no dirty lines, and a read leaves it unchanged.
SnoopHits CachedTiming::snoop(const Snoop& s) {
  SnoopHits hits;
  if (s.bytes == 0) return hits;
  settle_prefetch();
  const std::uint32_t first = state_.data.line_of(s.address), last = state_.data.line_of(s.address + (s.bytes - 1));
  TagCache& l2 = path_.l2();
  for (std::uint32_t line = first;; line += state_.data.line()) {
    auto where = SnoopHits::Where::clean;
    if (state_.data.clean(line)) {
      where = SnoopHits::Where::first_level;
      ++hits.first_level;
      l2.invalidate(line);
    } else if (!(s.write && s.whole_lines) && l2.clean(line)) {
      where = SnoopHits::Where::second_level;
      ++hits.second_level;
    }
    if (line == first) hits.first = where;
    if (line == last) return hits;
  }
}

void CachedTiming::master_wrote(std::uint32_t address, std::uint32_t bytes) {
  if (bytes == 0) return;
  settle_prefetch();
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
  settle_prefetch();
  const unsigned dirty = state_.data.flush();
  state_.code.flush();
  const unsigned dirty2 = path_.l2().flush();
  state_.code_line = no_line;
  state_.prefetch_line = no_line;
  if (!write_back) return;
  if (dirty != 0) clock_ = path_.write_back_all(clock_, dirty, config_.l1.line);
  if (dirty2 != 0) clock_ = path_.write_back_all(clock_, dirty2, config_.l2.line);
}

void CachedTiming::archive_caches(Archive& a) {
  if (!a.loading()) settle_prefetch();
  archive_clock(a);
  path_.archive(a);
  state_.archive(a);
  check_loaded(a, std::max(path_.free(), state_.latest()));
  filling_ = true;
}

void CachedTiming::describe(Description& description) const {
  state_.data.describe(description.part(config_.l1.split ? "L1 data cache" : "L1 cache"));
  if (state_.code.present()) state_.code.describe(description.part("L1 code cache"));
  if (path_.l2().present()) path_.l2().describe(description.part("L2 cache"));
}

}  // namespace planar::cpu
