// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/common/config.hpp"

#include <fmt/format.h>

#include <bit>
#include <string>
#include <utility>

#include "core/common/error.hpp"

namespace planar::cpu {
namespace {

void require(bool holds, const std::string& field, std::uint64_t value, const std::string& range) {
  if (!holds) throw TimingError(field, value, range);
}
void within(const std::string& field, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
  if (value < low || value > high) throw TimingError(field, value, fmt::format("{} to {}", low, high));
}

void check_cache(const std::string& level, std::uint32_t bytes, unsigned ways, unsigned line, bool eight) {
  require(std::has_single_bit(bytes) && bytes <= 4u << 20, level + ".bytes", bytes, "a power of two up to 4 MB");
  require(ways == 1 || ways == 2 || ways == 4 || (eight && ways == 8), level + ".ways", ways,
          eight ? "1, 2, 4 or 8" : "1, 2 or 4");
  require(bytes >= ways * line, level + ".bytes", bytes, "at least one line per way");
}

}  // namespace

TimingError::TimingError(std::string field, std::uint64_t value, const std::string& range)
    : Error(fmt::format("processor timing: {} = {} is out of range; it must be {}", field, value, range)),
      field_(std::move(field)),
      problem_(fmt::format("{} is out of range; it must be {}", value, range)) {}

void check(const TimingConfig& c) {
  within("core_per_bus_num", c.core_per_bus_num, 1, 8);
  require(c.core_per_bus_den == 1 || c.core_per_bus_den == 2 || c.core_per_bus_den == 4, "core_per_bus_den",
          c.core_per_bus_den, "1, 2 or 4");
  const DramTiming& d = c.dram;
  require(d.width == 2 || d.width == 4 || d.width == 8, "dram.width", d.width, "2, 4 or 8 bytes");
  require(std::has_single_bit(d.page_bytes) && d.page_bytes >= 256 && d.page_bytes <= 65536, "dram.page_bytes",
          d.page_bytes, "a power of two from 256 to 65536");
  require(std::has_single_bit(d.banks) && d.banks <= 8, "dram.banks", d.banks, "1, 2, 4 or 8");
  within("dram.bank_shift", d.bank_shift, 1, 31);
  within("dram.read_hit", d.read_hit, 2, 63);
  within("dram.read_miss", d.read_miss, d.read_hit, 63);
  within("dram.burst_step", d.burst_step, 1, 15);
  within("dram.write_hit", d.write_hit, 2, 63);
  within("dram.write_miss", d.write_miss, d.write_hit, 63);
  require(c.rom.width == 1 || c.rom.width == 2 || c.rom.width == 4, "rom.width", c.rom.width, "1, 2 or 4 bytes");
  within("rom.clocks", c.rom.clocks, 2, 63);
  within("refresh.period_den", c.refresh.period_den, 1, 1'000'000);
  within("refresh.period_num", c.refresh.period_num, 0, 1'000'000'000);
  within("refresh.hold", c.refresh.hold, 0, 63);
  if (c.refresh.period_num != 0)
    require(c.refresh.period_num / c.refresh.period_den > 2u * c.refresh.hold * c.core_per_bus_num,
            "refresh.period_num", c.refresh.period_num, "a period of more than twice the hold");
  within("write_buffers", c.write_buffers, 0, 8);
  if (c.model == Model::i386sx) {
    require(d.width == 2, "dram.width", d.width, "2 bytes on a 386SX");
    require(c.core_per_bus_num == 1 && c.core_per_bus_den == 1, "core_per_bus_num", c.core_per_bus_num,
            "1/1 on a 386SX");
    require(c.l1.bytes == 0 && c.l2.bytes == 0, "l1.bytes", c.l1.bytes, "0 on a 386SX: it has no cache");
    require(c.prefetch_request == 2 || c.prefetch_request == 4, "prefetch_request", c.prefetch_request, "2 or 4 bytes");
    return;
  }
  require(d.width >= 4, "dram.width", d.width, "4 or 8 bytes with a 486 or Pentium");
  if (c.model != Model::p6) {
    require(c.write_buffers >= 1, "write_buffers", c.write_buffers, "1 to 8 on a 486 or Pentium");
  } else {
    require(d.width == 8, "dram.width", d.width, "8 bytes on a P6");
    within("repeat_start", c.repeat_start, 1, 127);
    within("repeat_slow_start", c.repeat_slow_start, 1, 127);
    within("interrupt_entry", c.interrupt_entry, 10, 200);
    within("interrupt_return", c.interrupt_return, 10, 200);
    within("page_walk", c.page_walk, 1, 63);
  }
  require(c.l1.line == 16 || c.l1.line == 32, "l1.line", c.l1.line, "16 or 32 bytes");
  check_cache("l1", c.l1.bytes, c.l1.ways, c.l1.line, false);
  if (c.model == Model::p6) {
    require(c.l1.bytes == 16384, "l1.bytes", c.l1.bytes, "16 KB each for code and data on a P6");
    require(c.l1.ways == 4, "l1.ways", c.l1.ways, "4 on a P6");
    require(c.l1.line == 32, "l1.line", c.l1.line, "32 bytes on a P6");
    require(c.l1.split, "l1.split", c.l1.split, "true on a P6, whose caches of code and data are two");
    require(c.l1.write_back, "l1.write_back", c.l1.write_back, "true on a P6");
  }
  if (c.l2.bytes == 0) return;
  require(c.l2.line == 32 || c.l2.line == 64 || c.l2.line == 16, "l2.line", c.l2.line, "16, 32 or 64 bytes");
  require(c.l2.line >= c.l1.line, "l2.line", c.l2.line, "at least the first level's line");
  check_cache("l2", c.l2.bytes, c.l2.ways, c.l2.line, true);
  if (c.model == Model::p6) {
    within("l2.latency", c.l2.latency, 1, 63);
    within("l2.line_clocks", c.l2.line_clocks, 1, 63);
    within("dram.line_clocks", d.line_clocks, 4, 63);
    return;
  }
  within("l2.hit_mru", c.l2.hit_mru, 2, 15);
  within("l2.hit_other", c.l2.hit_other, c.l2.hit_mru, 15);
  within("l2.burst_step", c.l2.burst_step, 1, 15);
  within("l2.write_hit", c.l2.write_hit, 2, 15);
}

}  // namespace planar::cpu
