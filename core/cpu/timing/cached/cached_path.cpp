// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/cached/cached_path.hpp"

#include <algorithm>

#include "core/common/error.hpp"

namespace planar::cpu {
namespace {
/// A 486 or Pentium transfers at most four data in one burst.
constexpr unsigned burst_beats = 4;
}  // namespace

CachedPath::CachedPath(const TimingConfig& config)
    : memory_(config),
      clock_(config),
      l2_(config.l2.bytes, config.l2.ways, config.l2.line),
      line_rest_ticks_(static_cast<std::uint32_t>(bus(burst_rest(config.l1.line)))),
      posted_ticks_(std::uint32_t{config.l2.write_hit} * clock_.period()),
      l2_hit_mru_ticks_(std::uint32_t{config.l2.hit_mru} * clock_.period()),
      l2_hit_other_ticks_(std::uint32_t{config.l2.hit_other} * clock_.period()),
      l2_rest_ticks_((config.l1.line / config.dram.width - 1u) * config.l2.burst_step * clock_.period()),
      l2_write_back_ticks_(posted_ticks_ + l2_rest_ticks_) {}

void CachedPath::steal(std::uint64_t from, unsigned clocks) {
  busy() = std::max(busy(), clock_.ticks(from)) + clock_.ticks(clocks);
  memory_.close_rows();
}

void CachedPath::share(const MemoryShare& s) {
  if (!l2_.present()) {
    const std::uint32_t each = std::max(s.each, s.bus);
    return steal(s.from, static_cast<unsigned>((s.to - s.from) / s.period + 1) * each);
  }
  share_.set(s, clock_);
  memory_.close_rows();
}

std::uint64_t CachedPath::take_back(std::uint64_t until) {
  const std::uint64_t old = bus_free_;
  bus_free_ = clock_.ticks(until);
  return clock_.core(old);
}

unsigned CachedPath::burst_rest(unsigned bytes) const {
  const DramTiming& d = memory_.config().dram;
  const unsigned beats = bytes / d.width;
  if (beats <= 1) return 0;
  const unsigned more = (beats - 1) / burst_beats;  // further bursts in the same row
  return more * d.read_hit + (beats - 1 - more) * d.burst_step;
}

unsigned CachedPath::write_back_rest() const {
  const TimingConfig& config = memory_.config();
  const unsigned beats = config.l1.line / config.dram.width;
  return config.l1.write_burst ? burst_rest(config.l1.line) : (beats - 1) * config.dram.write_hit;
}

CachedPath::Burst CachedPath::fetch_line_from_rom(std::uint64_t t) {
  const TimingConfig& config = memory_.config();
  const unsigned accesses = config.l1.line / config.rom.width;
  const std::uint64_t each = bus(config.rom.clocks);
  const unsigned first = std::max(1u, unsigned{config.dram.width} / config.rom.width);
  bus_free_ = t + accesses * each;
  return {clock_.core(t + first * each), clock_.core(bus_free_)};
}

CachedPath::Burst CachedPath::fill_l2(std::uint64_t t, std::uint32_t address) {
  const TimingConfig& config = memory_.config();
  t = memory_start(between_lines(clock_.edge(std::max(t, memory_free_))));
  const std::uint64_t first = t + bus(memory_.read(address));
  bus_free_ = first + line_rest_ticks_;
  memory_free_ = first + bus(burst_rest(config.l2.line));
  const std::uint32_t victim = l2_.fill(address);
  if (victim & TagCache::dirty) memory_free_ += bus(burst_write(victim, config.l2.line));
  return {clock_.core(first), clock_.core(bus_free_)};
}

CachedPath::Burst CachedPath::read_single(std::uint64_t at, std::uint32_t address, unsigned bytes) {
  const TimingConfig& config = memory_.config();
  const unsigned width = config.dram.width;
  std::uint64_t t = memory_start(bus_start(at));
  if (l2_.present()) t = between_lines(clock_.edge(std::max(t, memory_free_)));
  std::uint64_t first = 0;
  for (std::uint32_t a = address & ~(width - 1); a - (address & ~(width - 1)) < (address & (width - 1)) + bytes;
       a += width) {
    const unsigned clocks =
        memory_.rom(a) ? config.rom.clocks * std::max(1u, width / config.rom.width) : memory_.read(a);
    t += bus(clocks);
    if (first == 0) first = t;
  }
  bus_free_ = t;
  if (l2_.present()) memory_free_ = t;
  return {clock_.core(first), clock_.core(t)};
}

CachedPath::Burst CachedPath::write(std::uint64_t at, std::uint32_t address, unsigned bytes) {
  const TimingConfig& config = memory_.config();
  const unsigned width = config.dram.width;
  const unsigned cycles = (address & (width - 1)) + bytes > width ? 2 : 1;
  std::uint64_t t = bus_start(at);
  const std::uint64_t start = clock_.core(t);
  if (!l2_.present()) {
    t = memory_start(t);
    unsigned clocks = memory_.write(address);
    if (cycles == 2) clocks += memory_.write(address + bytes - 1);
    bus_free_ = t + bus(clocks);
    return {start, clock_.core(bus_free_)};
  }
  if (!l2_.find_for_write(address)) {
    // See try_write_through_l2().
    t = clock_.edge(std::max(t, memory_free_));
    std::uint64_t m = memory_start(between_lines(t));
    if (config.l2.write_allocate && cacheable(address)) {
      m += bus(memory_.read(address) + burst_rest(config.l2.line));
      const std::uint32_t victim = l2_.fill(address);
      l2_.find_for_write(address);
      if (victim & TagCache::dirty) m += bus(burst_write(victim, config.l2.line));
    } else {
      m += bus(memory_.write(address));
    }
    memory_free_ = m;
  }
  bus_free_ = t + bus(cycles * config.l2.write_hit);
  return {start, clock_.core(bus_free_)};
}

void CachedPath::write_back_to_memory(std::uint64_t t, std::uint32_t line) {
  const unsigned bytes = memory_.config().l1.line;
  if (!l2_.present()) {
    t = memory_start(t);
    bus_free_ = t + bus(memory_.write(line) + write_back_rest());
    return;
  }
  // The second level has lost the line in the meantime.
  t = clock_.edge(std::max(t, memory_free_));
  memory_free_ = memory_start(between_lines(t)) + bus(burst_write(line, bytes));
  bus_free_ = t + l2_write_back_ticks_;
}

std::uint64_t CachedPath::write_back_all(std::uint64_t at, unsigned lines, unsigned bytes) {
  const std::uint64_t t = memory_start(bus_start(at));
  const unsigned each = memory_.config().dram.write_miss + (l2_.present() ? burst_rest(bytes) : write_back_rest());
  bus_free_ = t + lines * bus(each);
  if (l2_.present()) memory_free_ = std::max(memory_free_, bus_free_);
  return clock_.core(bus_free_);
}

void CachedPath::archive(Archive& a) {
  a(bus_free_, memory_free_);
  const bool shared = memory_.config().shared_by_line;
  if (shared) share_.archive(a);
  const std::uint64_t limit = bus_free_ + (1 << 24);  // ticks: posted writes reach the memory at once
  if (a.loading() && (memory_free_ > limit || (shared && !share_.sound(limit))))
    throw Error("snapshot holds a damaged memory bus; take a new one", ExitCode::missing_file);
  memory_.archive(a);
  l2_.archive(a);
}

}  // namespace planar::cpu
