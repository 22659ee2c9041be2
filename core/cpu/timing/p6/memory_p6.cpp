// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/p6/memory_p6.hpp"

#include <algorithm>

namespace planar::cpu {
namespace {
constexpr std::uint32_t no_line = 1;
constexpr unsigned beats = 4;  // of a line on the front-side bus
constexpr std::uint32_t all_bytes = 0xFFFFFFFF;
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

// An uncacheable load is not speculative: everything before it is done, and all combined stores are in memory.
std::uint64_t MemoryP6::load_elsewhere(std::uint64_t t, std::uint32_t address, std::uint64_t in_order) {
  if (data_.find<l1>(address)) return after_fill(t + load_latency, address);
  ++counters_.read_misses;
  if (!enabled_ || !memory_.cacheable(address)) return single(t + load_latency, address);
  if (reads_each(address)) {
    t = drain(type_ == MemoryType::uncacheable ? std::max(t, in_order) : t);
    return single(t + load_latency, address);
  }
  return line_to(data_, t + load_latency, address);
}

// Memory that is not cached is left alone (Intel, Software Developer's Manual volume 2, 243191, PREFETCH).
void MemoryP6::prefetch(std::uint64_t t, std::uint32_t address) {
  if (data_.find<l1>(address) || !enabled_ || !memory_.cacheable(address) || reads_each(address)) return;
  ++counters_.read_misses;
  line_to(data_, t + load_latency, address);
}

std::uint64_t MemoryP6::store_elsewhere(std::uint64_t t, std::uint32_t address, unsigned bytes) {
  if (writes_each(address)) return store_past(type_, t, address, bytes);
  if (data_.find_for_write<l1>(address)) return after_fill(t, address);
  ++counters_.write_misses;
  if (!enabled_ || !memory_.cacheable(address)) return single(t, address);
  const std::uint64_t ready = line_to(data_, t, address);
  data_.find_for_write<l1>(address);
  return ready;
}

std::uint64_t MemoryP6::fetch_elsewhere(std::uint64_t t, std::uint32_t address) {
  ++counters_.code_misses;
  if (!enabled_ || !memory_.cacheable(address) || reads_each(address)) return single(t, address);
  return line_to(code_, t, address);
}

// ---- memory types ----

void MemoryP6::set_types(const MemoryTypeRanges& types) {
  types_ = types;
  typed_ = types.on();
  known_types_.fill({});
  combined_bytes_ = 0;
  combined_until_ = 0;
}

std::uint64_t MemoryP6::store_past(MemoryType type, std::uint64_t t, std::uint32_t address, unsigned bytes) {
  ++counters_.write_misses;
  switch (type) {
    case MemoryType::write_combining: return combine(t, address, bytes);
    case MemoryType::uncacheable: return single_write(drain(t), address);
    case MemoryType::write_protected: invalidate(address, 1); [[fallthrough]];
    default: return single_write(t, address);
  }
}

std::uint64_t MemoryP6::combine(std::uint64_t t, std::uint32_t address, unsigned bytes) {
  const std::uint32_t line = line_of(address), offset = address - line;
  if (combined_bytes_ != 0 && line != combined_line_) t = send_combined(t);
  combined_line_ = line;
  combined_bytes_ |= ((std::uint32_t{1} << bytes) - 1) << offset;
  return combined_bytes_ == all_bytes ? send_combined(t) : t;
}

// The bytes wait for the bus in a fill buffer, as lines do.
std::uint64_t MemoryP6::send_combined(std::uint64_t t) {
  unsigned clocks = memory_.write(combined_line_);
  if (combined_bytes_ == all_bytes) {
    clocks += beats - 1;
  } else {
    unsigned quadwords = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) quadwords += (combined_bytes_ >> shift & 0xFF) != 0;
    clocks *= quadwords;
  }
  combined_bytes_ = 0;
  const std::size_t buffer = next_buffer();
  t = std::max(t, fill_ready_[buffer]);
  bus_free_ = memory_start(t) + clock_.bus(clocks);
  combined_until_ = clock_.core(bus_free_);
  fill_line_[buffer] = no_line;
  fill_ready_[buffer] = combined_until_;
  fills_until_ = std::max(fills_until_, combined_until_);
  return t;
}

std::size_t MemoryP6::next_buffer() const {
  return static_cast<std::size_t>(std::min_element(fill_ready_.begin(), fill_ready_.end()) - fill_ready_.begin());
}

std::uint64_t MemoryP6::line_to(TagCache& cache, std::uint64_t t, std::uint32_t address) {
  const std::size_t buffer = next_buffer();
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

// The second level has been looked up before. The bus takes the next line when this one's data no longer occupy the
// memory.
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

// Returns a clock less: the next store leaves the store buffer a clock later, when the bus is free.
std::uint64_t MemoryP6::single_write(std::uint64_t t, std::uint32_t address) {
  bus_free_ = memory_start(t) + clock_.bus(memory_.write(address));
  return clock_.core(bus_free_) - 1;
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
  t = drain(t);
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
  if (types_.any(MemoryType::write_combining)) a(combined_line_, combined_bytes_, combined_until_);
  if (!a.loading()) return;
  combined_line_ = line_of(combined_line_);
}

bool MemoryP6::sound(std::uint64_t clock) const {
  const std::uint64_t limit = clock + (std::uint64_t{1} << 24);
  const auto near = [&](std::uint64_t t) { return t <= limit; };
  return near(fills_until_) && near(l2_free_) && near(combined_until_) && near(clock_.core(bus_free_)) &&
         share_.sound(clock_.ticks(limit)) && std::all_of(fill_ready_.begin(), fill_ready_.end(), near);
}

}  // namespace planar::cpu
