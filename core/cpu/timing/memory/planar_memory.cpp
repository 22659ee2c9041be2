// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/memory/planar_memory.hpp"

#include <algorithm>
#include <bit>

namespace planar::cpu {

PlanarMemory::PlanarMemory(const TimingConfig& config)
    : config_(config),
      clock_(config),
      row_mask_(~(config.dram.page_bytes - 1)),
      bank_mask_(config.dram.banks - 1u),
      row_shift_(static_cast<std::uint8_t>(std::countr_zero(config.dram.page_bytes))) {
  close_rows();
  for (const Ranges* ranges : {&config_.uncached, &config_.rom_ranges})
    for (const auto& r : *ranges) {
      if (r.first > r.last) continue;
      for (std::uint32_t page = r.first >> 12; page < 256 && page <= r.last >> 12; ++page)
        special_low_[page >> 6] |= std::uint64_t{1} << (page & 63);
      if (r.last >= 0x100000) special_high_ = std::min(special_high_, std::max(r.first & ~0xFFFu, 0x100000u));
    }
  plain_bytes_ = special_high_ - 0x100000;
  for (const auto& r : config_.rom_ranges)
    if (r.first <= r.last && ((r.first | (r.last + 1)) & (config.dram.page_bytes - 1u)) != 0) uniform_rows_ = false;
  if (config.dram.banks > 1) {
    if (config.dram.bank_shift < row_shift_)
      uniform_rows_ = false;
    else
      bank_row_shift_ = static_cast<std::uint8_t>(config.dram.bank_shift - row_shift_);
  }
  next_refresh_ = refresh_at(refresh_number_);
}

bool PlanarMemory::cacheable_in_ranges(std::uint32_t address) const {
  return !in(config_.uncached, address) && (config_.rom.cacheable || !in(config_.rom_ranges, address));
}

std::uint64_t PlanarMemory::refresh_at(std::uint64_t number) const {
  if (config_.refresh.period_num == 0) return UINT64_MAX;
  const std::uint64_t period = clock_.ticks(config_.refresh.period_num);
  if (std::uint64_t product; !__builtin_mul_overflow(number, period, &product))
    return product / config_.refresh.period_den;
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(number) * period / config_.refresh.period_den);
}

std::uint64_t PlanarMemory::refresh(std::uint64_t t, std::uint64_t busy) {
  // Refreshes that fell into idle time are over; only the last one before `t` can still hold the memory.
  std::uint64_t number = refresh_number_, at = next_refresh_, next = refresh_at(number + 1);
  if (next <= t) {
    const auto scaled = static_cast<unsigned __int128>(t + 1) * config_.refresh.period_den;
    number = static_cast<std::uint64_t>((scaled - 1) / clock_.ticks(config_.refresh.period_num));
    while (refresh_at(number) > t) --number;
    while (refresh_at(number + 1) <= t) ++number;
    at = refresh_at(number);
    next = refresh_at(number + 1);
  }
  const std::uint64_t begins = std::max(at, std::min(busy, t));
  const std::uint64_t ends = begins + std::uint64_t{config_.refresh.hold} * clock_.period();
  refresh_number_ = number + 1;
  next_refresh_ = next;
  close_rows();
  return std::max(t, ends);
}

void PlanarMemory::archive(Archive& a) {
  a(refresh_number_, open_row_);
  if (a.loading()) next_refresh_ = refresh_at(refresh_number_);
}

}  // namespace planar::cpu
