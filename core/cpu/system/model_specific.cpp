// SPDX-License-Identifier: GPL-2.0-or-later
// RDTSC, RDPMC, RDMSR and WRMSR.
#include "core/cpu/system/system_instructions.hpp"
#include "core/cpu/x86/features.hpp"

namespace planar::cpu {

namespace {

constexpr std::uint32_t time_stamp_counter = 0x10, pentium_counter_0 = 0x12, pentium_counter_1 = 0x13;

void to_edx_eax(Engine& c, std::uint64_t v) {
  c.gpr[EAX] = static_cast<std::uint32_t>(v);
  c.gpr[EDX] = static_cast<std::uint32_t>(v >> 32);
}

std::uint64_t time_stamp(const Engine& c) { return c.timing.clocks() + c.tsc_offset; }

/// Registers that keep what is written: 0 (machine check address) and 1 (its type), on Pentium and P6; 0Eh (TR12), 11h
/// (event selection) and the counters 12h and 13h, on the Pentium only. Nothing is counted.
std::uint64_t* kept(Engine& c, std::uint32_t number) {
  if (number <= 0x01) return &c.msr[number];
  if (c.model != Model::pentium) return nullptr;
  if (number == 0x0E) return &c.msr[2];
  return number >= 0x11 && number <= pentium_counter_1 ? &c.msr[number - 0x11 + 3] : nullptr;
}

}  // namespace

void rdtsc(Engine& c, const Op&) {
  if ((c.cr4 & cr4_tsd) && c.cpl != 0) raise(vec_gp, 0);
  to_edx_eax(c, time_stamp(c));
}

void rdpmc(Engine& c, const Op&) {
  if (!(c.cr4 & cr4_pce) && c.cpl != 0) raise(vec_gp, 0);
  if (c.gpr[ECX] >= c.p6.counters.size()) raise(vec_gp, 0);
  to_edx_eax(c, c.p6.counters[c.gpr[ECX]]);
}

void rdmsr(Engine& c, const Op&) {
  c.require_cpl0();
  const std::uint32_t number = c.gpr[ECX];
  std::uint64_t v = 0;
  if (number == time_stamp_counter)
    v = time_stamp(c);
  else if (const std::uint64_t* const p = kept(c, number))
    v = *p;
  else if (c.model < Model::p6 || !c.p6.read(number, v))
    raise(vec_gp, 0);
  to_edx_eax(c, v);
}

void wrmsr(Engine& c, const Op&) {
  c.require_cpl0();
  const std::uint32_t number = c.gpr[ECX];
  std::uint64_t v = std::uint64_t{c.gpr[EDX]} << 32 | c.gpr[EAX];
  if (number == time_stamp_counter) {
    if (c.model >= Model::p6) v &= 0xFFFFFFFFu;  // the P6 clears the upper half
    c.tsc_offset = v - c.timing.clocks();
  } else if (std::uint64_t* const p = kept(c, number)) {
    *p = number < pentium_counter_0 ? v : v & ((std::uint64_t{1} << 40) - 1);
  } else if (c.model < Model::p6 || !c.p6.write(number, v)) {
    raise(vec_gp, 0);
  } else {
    c.timing.set_memory_types(c.p6.memory_types);
  }
}

}  // namespace planar::cpu
