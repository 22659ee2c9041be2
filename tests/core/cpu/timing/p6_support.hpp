// SPDX-License-Identifier: GPL-2.0-or-later
// Shared support for the tests of the P6's timing.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/core/cpu/machine.hpp"

namespace planar::cpu_test {

/// Coppermine at 600 MHz.
inline cpu::CpuConfig coppermine() {
  cpu::CpuConfig c;
  c.model = Model::p6;
  c.clock = ClockDomain(600'000'000);
  c.fpu = true;
  cpu::TimingConfig& t = c.timing;
  t.model = Model::p6;
  t.core_per_bus_num = 6;
  t.dram.width = 8;
  t.dram.read_hit = 11;
  t.dram.read_miss = 14;
  t.dram.burst_step = 1;
  t.dram.write_hit = 4;
  t.dram.line_clocks = 8;
  t.l1 = {.bytes = 16384, .ways = 4, .line = 32, .split = true, .write_back = true};
  t.l2 = {.bytes = 256 * 1024, .ways = 4, .latency = 4, .line_clocks = 2};
  t.write_buffers = 8;
  return c;
}

inline void append(std::vector<unsigned>& code, const std::vector<unsigned>& more) {
  code.insert(code.end(), more.begin(), more.end());
}
inline std::vector<unsigned> little(std::uint32_t v) { return {v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24}; }

/// The code of a flat 32-bit program, with the caches on.
inline void load_code(Board& b, const std::vector<unsigned>& code) {
  b.flat({0x90});
  for (std::size_t n = 0; n < code.size(); ++n)
    b.put8(code_at + static_cast<std::uint32_t>(n), static_cast<std::uint8_t>(code[n]));
  b.change([](Registers& r) { r.cr0 &= ~0x60000000u; });
}
/// Clocks until it halts.
inline std::uint64_t clocks_of(const std::vector<unsigned>& code) {
  Board b(coppermine());
  load_code(b, code);
  b.run(1000_ms);
  REQUIRE(b.cpu.halted());
  return b.cpu.clocks();
}

}  // namespace planar::cpu_test
