// SPDX-License-Identifier: GPL-2.0-or-later
// CPUID. Only what is modelled is announced. Intel application note AP-485 (241618).
#include "core/cpu/system/system_instructions.hpp"
#include "core/cpu/x86/features.hpp"

namespace planar::cpu {

namespace {

// EDX of leaf 1.
enum : std::uint32_t {
  feature_fpu = 1u << 0,
  feature_de = 1u << 2,
  feature_pse = 1u << 3,
  feature_tsc = 1u << 4,
  feature_msr = 1u << 5,
  feature_mce = 1u << 7,
  feature_cx8 = 1u << 8,
  feature_sep = 1u << 11,
  feature_mtrr = 1u << 12,
  feature_pge = 1u << 13,
  feature_cmov = 1u << 15,
  feature_mmx = 1u << 23,
  feature_fxsr = 1u << 24,
};

std::uint32_t features(const Engine& c) {
  std::uint32_t f = feature_de | feature_pse | feature_tsc | feature_msr | feature_cx8;
  if (c.config.fpu) f |= feature_fpu;
  if (c.model == Model::pentium) f |= feature_mce;
  if (has_sysenter(c.model)) f |= feature_sep;
  if (has_mtrr(c.model)) f |= feature_mtrr;
  if (has_global_pages(c.model)) f |= feature_pge;
  if (has_cmov(c.model)) f |= feature_cmov;
  if (has_mmx(c.model)) f |= feature_mmx;
  if (has_fxsr(c.model)) f |= feature_fxsr;
  return f;
}

/// Brand index of the Coppermine, model 8: Pentium III. Earlier models have none.
std::uint32_t brand(const Engine& c) { return c.model == Model::p6 && (c.signature() & 0xF0) == 0x80 ? 2 : 0; }

/// Leaf 2's descriptor for a second-level cache, by size and ways; 40h: no descriptor matches.
std::uint32_t l2_descriptor(const L2Config& l2) {
  struct Row {
    std::uint32_t bytes;
    unsigned ways;
    std::uint8_t descriptor;
  };
  static constexpr Row rows[] = {
      {128 << 10, 4, 0x41}, {256 << 10, 4, 0x42}, {512 << 10, 4, 0x43},  {1024 << 10, 4, 0x44}, {2048 << 10, 4, 0x45},
      {256 << 10, 8, 0x82}, {512 << 10, 8, 0x83}, {1024 << 10, 8, 0x84}, {2048 << 10, 8, 0x85},
  };
  for (const Row& row : rows)
    if (row.bytes == l2.bytes && row.ways == l2.ways) return row.descriptor;
  return 0x40;
}

void vendor(Engine& c, std::uint32_t last_leaf) {
  c.gpr[EAX] = last_leaf;
  c.gpr[EBX] = 0x756E6547;  // "GenuineIntel"
  c.gpr[EDX] = 0x49656E69;
  c.gpr[ECX] = 0x6C65746E;
}

/// Leaf 2: each byte describes a TLB or a cache.
void caches(Engine& c) {
  // Code TLB: 4 KB pages, 32 entries, 4 ways; 4 MB pages, 2 entries. Data TLB: 64 entries, 4 ways. One call (01h).
  c.gpr[EAX] = 0x03020101;
  c.gpr[EBX] = c.gpr[ECX] = 0;
  // L1 data and code: 16 KB, 4 ways, lines of 32 bytes. Data TLB for 4 MB pages: 8 entries, 4 ways.
  c.gpr[EDX] = 0x0C040800 | l2_descriptor(c.config.timing.l2);
}

}  // namespace

// VME is not announced. Beyond the last leaf, the Pentium returns zeros and the P6 the last leaf.
void cpuid(Engine& c, const Op&) {
  const bool p6 = c.model >= Model::p6;
  const std::uint32_t leaf = c.gpr[EAX], last = p6 ? 2 : 1;
  if (leaf == 0) {
    vendor(c, last);
  } else if (leaf == 1) {
    c.gpr[EAX] = c.signature();
    c.gpr[EBX] = brand(c);
    c.gpr[ECX] = 0;
    c.gpr[EDX] = features(c);
  } else if (p6) {
    caches(c);
  } else {
    c.gpr[EAX] = c.gpr[EBX] = c.gpr[ECX] = c.gpr[EDX] = 0;
  }
  c.timing.interrupt_flush();
}

}  // namespace planar::cpu
