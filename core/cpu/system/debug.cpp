// SPDX-License-Identifier: GPL-2.0-or-later
// Debug registers: instruction breakpoints (faults at the boundary), data and I/O breakpoints (traps after the access).
// Intel 386 PRM chapter 12; Pentium manual volume 3 for I/O breakpoints. While a data or I/O breakpoint is armed, every
// access takes the slow path.
#include "core/cpu/engine/engine.hpp"

namespace planar::cpu {

namespace {
constexpr std::uint32_t enabled(std::uint32_t dr7, unsigned i) { return dr7 >> (2 * i) & 3; }
constexpr unsigned kind(std::uint32_t dr7, unsigned i) { return dr7 >> (16 + 4 * i) & 3; }
constexpr unsigned length(std::uint32_t dr7, unsigned i) { return (dr7 >> (18 + 4 * i) & 3) + 1; }
}  // namespace

void Engine::set_dr7(std::uint32_t v) {
  v &= 0xFFFF23FFu;
  if (model != Model::i386sx) v |= 0x400;
  dr[7] = v;
  bool data = false, code = false;
  for (unsigned i = 0; i < 4; ++i) {
    if (!enabled(v, i)) continue;
    if (kind(v, i) == 0)
      code = true;
    else
      data = true;
  }
  if (fast_data == data) {
    fast_data = !data;
    flush_host_tlb();
  }
  attention = code ? attention | attend_breakpoint : attention & ~attend_breakpoint;
  break_loop();
}

void Engine::check_breakpoints(std::uint32_t address, unsigned bytes, unsigned kinds) {
  std::uint32_t hits = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if (!enabled(dr[7], i) || !(kinds >> kind(dr[7], i) & 1)) continue;
    const std::uint32_t size = length(dr[7], i), first = dr[i] & ~(size - 1);
    if (address - first < size || first - address < bytes) hits |= 1u << i;
  }
  if (!hits) return;
  pending_debug |= hits;
  attend(attend_debug);
}

std::uint32_t Engine::instruction_breakpoints(std::uint32_t linear) const {
  std::uint32_t hits = 0;
  for (unsigned i = 0; i < 4; ++i)
    if (enabled(dr[7], i) && kind(dr[7], i) == 0 && dr[i] == linear) hits |= 1u << i;
  return hits;
}

}  // namespace planar::cpu
