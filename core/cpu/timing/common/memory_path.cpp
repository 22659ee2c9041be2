// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/common/memory_path.hpp"

#include <algorithm>
#include <bit>

namespace planar::cpu {
namespace {
/// A 486 or Pentium moves at most four data in one burst.
constexpr unsigned burst_beats = 4;
}  // namespace

MemoryPath::MemoryPath(const TimingConfig& config)
    : config_(config), l2_(config.l2.bytes, config.l2.ways, config.l2.line) {
  close_rows();
  row_shift_ = static_cast<std::uint8_t>(std::countr_zero(config.dram.page_bytes));
  den_shift_ = static_cast<std::uint8_t>(std::countr_zero(config.core_per_bus_den));
  bus_ = config.core_per_bus_num;
  for (const Ranges* ranges : {&config_.uncached, &config_.rom_ranges})
    for (const auto& r : *ranges) {
      if (r.first > r.last) continue;
      for (std::uint32_t page = r.first >> 12; page < 256 && page <= r.last >> 12; ++page)
        special_low_[page >> 6] |= std::uint64_t{1} << (page & 63);
      if (r.last >= 0x100000) special_high_ = std::min(special_high_, std::max(r.first, 0x100000u));
    }
  for (const auto& r : config_.rom_ranges)
    if (r.first <= r.last && ((r.first | (r.last + 1)) & (config.dram.page_bytes - 1u)) != 0) one_by_one_ = true;
  if (config.dram.banks > 1) {
    if (config.dram.bank_shift < row_shift_)
      one_by_one_ = true;
    else
      bank_row_shift_ = static_cast<std::uint8_t>(config.dram.bank_shift - row_shift_);
  }
  if (config.refresh.period_num != 0) next_refresh_ = refresh_at(refresh_number_);
  bank_mask_ = config.dram.banks - 1u;
  row_mask_ = ~(config.dram.page_bytes - 1);
  plain_bytes_ = special_high_ - 0x100000;
  read_extra_ = config.dram.read_miss - config.dram.read_hit;
  write_extra_ = config.dram.write_miss - config.dram.write_hit;
  posted_ticks_ = std::uint32_t{config.l2.write_hit} * bus_;
  l2_hit_mru_ticks_ = std::uint32_t{config.l2.hit_mru} * bus_;
  l2_hit_other_ticks_ = std::uint32_t{config.l2.hit_other} * bus_;
  l2_rest_ticks_ = (config.l1.line / config.dram.width - 1u) * config.l2.burst_step * bus_;
  l2_write_back_ticks_ = posted_ticks_ + l2_rest_ticks_;
  settle_plain();
}

std::uint64_t MemoryPath::refresh_at(std::uint64_t number) const {
  const std::uint64_t ticks_num = std::uint64_t{config_.refresh.period_num} << den_shift_;
  if (std::uint64_t product; !__builtin_mul_overflow(number, ticks_num, &product))
    return product / config_.refresh.period_den;
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(number) * ticks_num / config_.refresh.period_den);
}

std::uint64_t MemoryPath::refresh(std::uint64_t t) {
  // Refreshes that fell into idle time are over; only the last one before `t` can still hold the memory.
  std::uint64_t number = refresh_number_, at = next_refresh_, next = refresh_at(number + 1);
  if (next <= t) {
    const auto scaled = static_cast<unsigned __int128>(t + 1) * config_.refresh.period_den;
    number = static_cast<std::uint64_t>((scaled - 1) /
                                        (static_cast<unsigned __int128>(config_.refresh.period_num) << den_shift_));
    while (refresh_at(number) > t) --number;
    while (refresh_at(number + 1) <= t) ++number;
    at = refresh_at(number);
    next = refresh_at(number + 1);
  }
  const std::uint64_t busy = l2_.present() ? memory_free_ : bus_free_;
  const std::uint64_t begins = std::max(at, std::min(busy, t));
  const std::uint64_t ends = begins + std::uint64_t{config_.refresh.hold} * bus_;
  refresh_number_ = number + 1;
  next_refresh_ = next;
  settle_plain();
  close_rows();
  return std::max(t, ends);
}

std::uint64_t MemoryPath::memory_start(std::uint64_t t) { return t >= next_refresh_ ? aligned(refresh(t)) : t; }

void MemoryPath::occupy(std::uint64_t until) { bus_free_ = std::max(bus_free_, ticks(until)); }

void MemoryPath::steal(std::uint64_t from, unsigned clocks) {
  std::uint64_t& busy = l2_.present() ? memory_free_ : bus_free_;
  busy = std::max(busy, ticks(from)) + ticks(clocks);
  close_rows();
}

std::uint64_t MemoryPath::take_back(std::uint64_t until) {
  const std::uint64_t old = bus_free_;
  bus_free_ = ticks(until);
  return core(old);
}

void MemoryPath::give_back(std::uint64_t until) { bus_free_ = ticks(until); }

std::uint32_t MemoryPath::words_one_by_one(std::uint64_t t, std::uint64_t until, std::uint32_t address,
                                           std::uint32_t limit, bool writing) {
  const DramTiming& d = config_.dram;
  code_end_ = 0;
  for (; address != limit && t < until; address += 2) {
    if (t >= next_refresh_) t = refresh(t);
    if (rom(address))
      t += config_.rom.clocks * (2u / std::min<unsigned>(config_.rom.width, 2));
    else
      t += writing ? open(address, d.write_hit, d.write_miss) : open(address, d.read_hit, d.read_miss);
    bus_free_ = t;
  }
  return address;
}

MemoryPath::Fetched MemoryPath::fetch_into_row(std::uint64_t at, std::uint64_t until, std::uint32_t& next,
                                               std::int32_t must, std::int32_t room) {
  const std::uint32_t row = next >> row_shift_, bank = bank_of_row(row);
  const std::uint32_t extra = open_row_[bank] == row ? 0 : read_extra_;
  const auto left = static_cast<std::int64_t>(until - at);
  std::int64_t bytes = left <= 0 ? 0 : std::min<std::int64_t>(words_before(left - extra), room);
  const bool late = must > bytes;
  if (late) bytes = must;
  const std::uint32_t limit = next + static_cast<std::uint32_t>(bytes);
  const std::uint64_t end = at + static_cast<std::uint64_t>(bytes) + extra;
  if (end > plain_fetch_until_ || limit > row_end(next) || !surely_plain(next)) return Fetched::not_plain;
  open_row_[bank] = row;
  code_bank_ = bank;
  code_end_ = row_end(next);
  bus_free_ = end;
  next = limit;
  return late ? Fetched::late : Fetched::in_time;
}

bool MemoryPath::fetch_one_by_one(std::uint64_t t, std::uint64_t until, std::uint32_t& next, std::uint32_t needed,
                                  std::uint32_t full) {
  if (static_cast<std::int32_t>(full - next) > 0) next = words_one_by_one(t, until, next, full, false);
  if (static_cast<std::int32_t>(needed - next) <= 0) return false;
  next = words_one_by_one(std::max(t, bus_free_), UINT64_MAX, next, needed, false);
  return true;
}

unsigned MemoryPath::burst_rest(unsigned bytes) const {
  const unsigned beats = bytes / config_.dram.width;
  if (beats <= 1) return 0;
  const unsigned more = (beats - 1) / burst_beats;  // further bursts in the same row
  return more * config_.dram.read_hit + (beats - 1 - more) * config_.dram.burst_step;
}

MemoryPath::Burst MemoryPath::fetch_line_from_memory(std::uint64_t t, std::uint32_t address) {
  const DramTiming& d = config_.dram;
  const unsigned bytes = config_.l1.line;
  if (rom(address)) {
    const unsigned accesses = bytes / config_.rom.width;
    const std::uint64_t each = std::uint64_t{config_.rom.clocks} * bus_;
    const unsigned first = std::max(1u, unsigned{d.width} / config_.rom.width);
    bus_free_ = t + accesses * each;
    return {core(t + first * each), core(bus_free_)};
  }
  t = memory_start(t);
  const std::uint64_t first = t + std::uint64_t{open(address, d.read_hit, d.read_miss)} * bus_;
  bus_free_ = first + std::uint64_t{burst_rest(bytes)} * bus_;
  return {core(first), core(bus_free_)};
}

MemoryPath::Burst MemoryPath::fill_l2(std::uint64_t t, std::uint32_t address) {
  const DramTiming& d = config_.dram;
  t = memory_start(aligned(std::max(t, memory_free_)));
  const std::uint64_t first = t + std::uint64_t{open(address, d.read_hit, d.read_miss)} * bus_;
  bus_free_ = first + std::uint64_t{burst_rest(config_.l1.line)} * bus_;
  memory_free_ = first + std::uint64_t{burst_rest(config_.l2.line)} * bus_;
  const std::uint32_t victim = l2_.fill(address);
  if (victim & TagCache::dirty) {
    const unsigned first_write = open(victim, d.write_hit, d.write_miss);
    memory_free_ += std::uint64_t{first_write + burst_rest(config_.l2.line)} * bus_;
  }
  return {core(first), core(bus_free_)};
}

MemoryPath::Burst MemoryPath::read_single(std::uint64_t at, std::uint32_t address, unsigned bytes) {
  const unsigned width = config_.dram.width;
  std::uint64_t t = memory_start(bus_start(at));
  if (l2_.present()) t = aligned(std::max(t, memory_free_));
  std::uint64_t first = 0;
  for (std::uint32_t a = address & ~(width - 1); a - (address & ~(width - 1)) < (address & (width - 1)) + bytes;
       a += width) {
    const unsigned clocks = rom(a) ? config_.rom.clocks * std::max(1u, width / config_.rom.width)
                                   : open(a, config_.dram.read_hit, config_.dram.read_miss);
    t += std::uint64_t{clocks} * bus_;
    if (first == 0) first = t;
  }
  bus_free_ = t;
  if (l2_.present()) memory_free_ = t;
  return {core(first), core(t)};
}

MemoryPath::Burst MemoryPath::write(std::uint64_t at, std::uint32_t address, unsigned bytes) {
  const DramTiming& d = config_.dram;
  const unsigned width = d.width;
  const unsigned cycles = (address & (width - 1)) + bytes > width ? 2 : 1;
  std::uint64_t t = bus_start(at);
  const std::uint64_t start = core(t);
  if (!l2_.present()) {
    t = memory_start(t);
    unsigned clocks = open(address, d.write_hit, d.write_miss);
    if (cycles == 2) clocks += open(address + bytes - 1, d.write_hit, d.write_miss);
    bus_free_ = t + std::uint64_t{clocks} * bus_;
    return {start, core(bus_free_)};
  }
  if (!l2_.find_for_write(address)) {
    // The cache controller posts one miss; the next one waits until memory has finished with it.
    t = aligned(std::max(t, memory_free_));
    std::uint64_t m = memory_start(t);
    if (config_.l2.write_allocate && cacheable(address)) {
      m += std::uint64_t{open(address, d.read_hit, d.read_miss) + burst_rest(config_.l2.line)} * bus_;
      const std::uint32_t victim = l2_.fill(address);
      l2_.find_for_write(address);
      if (victim & TagCache::dirty)
        m += std::uint64_t{open(victim, d.write_hit, d.write_miss) + burst_rest(config_.l2.line)} * bus_;
    } else {
      m += std::uint64_t{open(address, d.write_hit, d.write_miss)} * bus_;
    }
    memory_free_ = m;
  }
  bus_free_ = t + std::uint64_t{cycles * config_.l2.write_hit} * bus_;
  return {start, core(bus_free_)};
}

void MemoryPath::write_back_to_memory(std::uint64_t t, std::uint32_t line) {
  const DramTiming& d = config_.dram;
  if (!l2_.present()) {
    t = memory_start(t);
    bus_free_ = t + std::uint64_t{open(line, d.write_hit, d.write_miss) + burst_rest(config_.l1.line)} * bus_;
    return;
  }
  // The second level lost the line meanwhile.
  t = aligned(std::max(t, memory_free_));
  memory_free_ =
      memory_start(t) + std::uint64_t{open(line, d.write_hit, d.write_miss) + burst_rest(config_.l1.line)} * bus_;
  bus_free_ = t + l2_write_back_ticks_;
}

std::uint64_t MemoryPath::write_back_all(std::uint64_t at, unsigned lines, unsigned bytes) {
  const std::uint64_t t = memory_start(bus_start(at));
  const unsigned each = config_.dram.write_miss + burst_rest(bytes);
  bus_free_ = t + std::uint64_t{lines} * each * bus_;
  if (l2_.present()) memory_free_ = std::max(memory_free_, bus_free_);
  return core(bus_free_);
}

void MemoryPath::archive(Archive& a) {
  a(bus_free_, memory_free_, refresh_number_, next_refresh_, open_row_);
  code_end_ = 0;
  settle_plain();
  l2_.archive(a);
}

}  // namespace planar::cpu
