// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/p6/memory_p6.hpp"

#include <algorithm>

namespace planar::cpu {
namespace {
constexpr std::uint32_t no_line = 1;
constexpr unsigned beats = 4;  // of a line on the front-side bus
}  // namespace

MemoryP6::MemoryP6(const TimingConfig& config, ProcessorTiming::Counters& counters)
    : config_(config),
      memory_(config),
      clock_(config),
      data_(config.l1.bytes, config.l1.ways, config.l1.line),
      code_(config.l1.bytes, config.l1.ways, config.l1.line),
      l2_(config.l2.bytes, config.l2.ways, config.l2.line),
      counters_(counters) {
  fill_line_.fill(no_line);
}

std::uint64_t MemoryP6::after_fill(std::uint64_t t, std::uint32_t address) const {
  const std::uint32_t line = line_of(address);
  for (unsigned b = 0; b < buffers; ++b)
    if (fill_line_[b] == line && fill_ready_[b] > t) return fill_ready_[b];
  return t;
}

std::uint64_t MemoryP6::load_elsewhere(std::uint64_t t, std::uint32_t address) {
  if (data_.find<l1>(address)) return after_fill(t + load_latency, address);
  ++counters_.read_misses;
  if (!enabled_ || !memory_.cacheable(address)) return single(t + load_latency, address);
  return line_to(data_, t + load_latency, address);
}

std::uint64_t MemoryP6::store_elsewhere(std::uint64_t t, std::uint32_t address) {
  if (data_.find_for_write<l1>(address)) return after_fill(t, address);
  ++counters_.write_misses;
  if (!enabled_ || !memory_.cacheable(address)) return single(t, address);
  const std::uint64_t ready = line_to(data_, t, address);
  data_.find_for_write<l1>(address);
  return ready;
}

std::uint64_t MemoryP6::fetch_elsewhere(std::uint64_t t, std::uint32_t address) {
  ++counters_.code_misses;
  if (!enabled_ || !memory_.cacheable(address)) return single(t, address);
  return line_to(code_, t, address);
}

std::uint64_t MemoryP6::line_to(TagCache& cache, std::uint64_t t, std::uint32_t address) {
  const auto buffer =
      static_cast<std::size_t>(std::min_element(fill_ready_.begin(), fill_ready_.end()) - fill_ready_.begin());
  t = std::max(t, fill_ready_[buffer]);
  const bool held = l2_.present() && l2_.find(address);
  const std::uint64_t ready = held ? from_second(t) : from_memory(t, address);
  const std::uint32_t victim = cache.fill<l1>(address);
  if (victim & TagCache::dirty) {
    l2_free_ = std::max(l2_free_, t) + config_.l2.line_clocks;
    if (!l2_.present() || !l2_.find_for_write(victim & ~31u))
      bus_free_ = bus_edge(ready) + clock_.bus(memory_.write(victim & ~31u) + beats - 1);
  }
  fill_line_[buffer] = line_of(address);
  fill_ready_[buffer] = ready;
  fills_until_ = std::max(fills_until_, ready);
  return ready;
}

std::uint64_t MemoryP6::from_second(std::uint64_t t) {
  const std::uint64_t start = std::max(t, l2_free_);
  l2_free_ = start + config_.l2.line_clocks;
  return start + config_.l2.latency;
}

std::uint64_t MemoryP6::memory_start(std::uint64_t t) {
  std::uint64_t tick = bus_edge(t);
  if (tick >= memory_.next_refresh()) tick = clock_.edge(memory_.refresh(tick, bus_free_));
  return share_.memory_free(tick, clock_);
}

unsigned MemoryP6::first_datum(std::uint32_t address) {
  return memory_.rom(address) ? config_.rom.clocks * std::max(1u, 8u / config_.rom.width) : memory_.read(address);
}

// The second level has been asked before. The bus takes the next line when this one's data no longer keep the memory.
std::uint64_t MemoryP6::from_memory(std::uint64_t t, std::uint32_t address) {
  t += l2_.present() ? config_.l2.latency / 2u : 0u;
  const std::uint64_t start = memory_start(t), first = start + clock_.bus(first_datum(address));
  bus_free_ = start + clock_.bus(memory_.rom(address) ? config_.l1.line / config_.rom.width * config_.rom.clocks
                                                      : config_.dram.line_clocks);
  if (l2_.present()) {
    const std::uint32_t victim = l2_.fill(address);
    if (victim & TagCache::dirty) bus_free_ += clock_.bus(config_.dram.line_clocks);
  }
  return clock_.core(first);
}

std::uint64_t MemoryP6::single(std::uint64_t t, std::uint32_t address) {
  bus_free_ = memory_start(t) + clock_.bus(first_datum(address));
  return clock_.core(bus_free_);
}

void MemoryP6::steal(std::uint64_t from, unsigned clocks) {
  bus_free_ = std::max(bus_free_, clock_.ticks(from)) + clock_.ticks(clocks);
  memory_.close_rows();
}

void MemoryP6::share(const MemoryShare& s) {
  share_.set(s, clock_);
  memory_.close_rows();
}

void MemoryP6::invalidate(std::uint32_t address, std::uint32_t bytes) {
  const std::uint32_t first = line_of(address), last = line_of(address + bytes - 1);
  for (std::uint32_t line = first;; line += config_.l1.line) {
    data_.invalidate(line);
    code_.invalidate(line);
    if (l2_.present()) l2_.invalidate(line);
    if (line == last) return;
  }
}

std::uint64_t MemoryP6::flush(std::uint64_t t, bool write_back) {
  code_.flush();
  const unsigned dirty = data_.flush() + (l2_.present() ? l2_.flush() : 0);
  if (!write_back || dirty == 0) return t;
  bus_free_ = memory_start(t) + clock_.bus(config_.dram.line_clocks) * dirty;
  return clock_.core(bus_free_);
}

void MemoryP6::archive(Archive& a) {
  memory_.archive(a);
  data_.archive(a);
  code_.archive(a);
  l2_.archive(a);
  a(fill_line_, fill_ready_, fills_until_, l2_free_, bus_free_);
  share_.archive(a);
}

bool MemoryP6::sound(std::uint64_t clock) const {
  const std::uint64_t limit = clock + (std::uint64_t{1} << 24);
  const auto near = [&](std::uint64_t t) { return t <= limit; };
  return near(fills_until_) && near(l2_free_) && near(clock_.core(bus_free_)) && share_.sound(clock_.ticks(limit)) &&
         std::all_of(fill_ready_.begin(), fill_ready_.end(), near);
}

}  // namespace planar::cpu
