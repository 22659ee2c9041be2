// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/i386sx/word_path.hpp"

namespace planar::cpu {

WordPath::WordPath(const TimingConfig& config)
    : memory_(config),
      read_extra_(config.dram.read_miss - config.dram.read_hit),
      write_extra_(config.dram.write_miss - config.dram.write_hit) {
  settle_closed_form();
}

void WordPath::steal(std::uint64_t from, unsigned clocks) {
  bus_free_ = std::max(bus_free_, from) + clocks;
  memory_.close_rows();
  code_end_ = 0;
}

std::uint32_t WordPath::words_one_by_one(std::uint64_t t, std::uint64_t until, std::uint32_t address,
                                         std::uint32_t limit, bool writing) {
  const RomTiming& rom = memory_.config().rom;
  code_end_ = 0;
  for (; address != limit && t < until; address += 2) {
    if (t >= memory_.next_refresh()) {
      t = memory_.refresh(t, bus_free_);
      settle_closed_form();
    }
    if (memory_.rom(address))
      t += rom.clocks * (2u / std::min<unsigned>(rom.width, 2));
    else
      t += writing ? memory_.write(address) : memory_.read(address);
    bus_free_ = t;
  }
  return address;
}

WordPath::Fetched WordPath::fetch_into_row(std::uint64_t at, std::uint64_t until, std::uint32_t& next,
                                           std::int32_t must, std::int32_t room) {
  const std::uint32_t row = memory_.row(next), extra = memory_.open(row, memory_.bank_of(row)) ? 0 : read_extra_;
  const auto left = static_cast<std::int64_t>(until - at);
  std::int64_t bytes = left <= 0 ? 0 : std::min<std::int64_t>(words_before(left - extra), room);
  const bool late = must > bytes;
  if (late) bytes = must;
  const std::uint32_t limit = next + static_cast<std::uint32_t>(bytes);
  if (!fetch_at_once(at, next, limit)) return Fetched::not_closed;
  next = limit;
  return late ? Fetched::late : Fetched::in_time;
}

bool WordPath::fetch_one_by_one(std::uint64_t t, std::uint64_t until, std::uint32_t& next, std::uint32_t needed,
                                std::uint32_t full) {
  if (static_cast<std::int32_t>(full - next) > 0) next = words_one_by_one(t, until, next, full, false);
  if (static_cast<std::int32_t>(needed - next) <= 0) return false;
  next = words_one_by_one(std::max(t, bus_free_), UINT64_MAX, next, needed, false);
  return true;
}

void WordPath::archive(Archive& a) {
  a(bus_free_);
  memory_.archive(a);
  code_end_ = 0;
  settle_closed_form();
}

}  // namespace planar::cpu
