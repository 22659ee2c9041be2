// SPDX-License-Identifier: GPL-2.0-or-later
// Address translations: the modelled TLBs, the host's TLB, and the L0 line cache.
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu/engine/tlb.hpp"
#include "core/cpu/timing/cached/l0_line.hpp"
#include "core/cpu/timing/cached/tag_cache.hpp"
#include "core/cpu/x86/features.hpp"
#include "core/cpu/x86/system_registers.hpp"

namespace planar::cpu {

struct Translations : SystemRegisters {
  // ---- the modelled chip's -----------------------------------------------------------------------------------
  ModelTlb data_tlb, code_tlb;         ///< 386, 486: data_tlb serves both
  ModelTlb large_tlb, large_code_tlb;  ///< 4 MB pages; a Pentium holds their code in code_tlb, as 4 KB fragments
  std::uint64_t tlb_changes = 0;       ///< of these four, so far; not part of the machine's state
  /// What stays when CR3 is loaded, or CR4 is changed.
  enum class Kept : std::uint8_t { none, global };
  Kept kept_across_tasks() const { return cr4 & cr4_pge ? Kept::global : Kept::none; }

  // ---- the host's TLB ------------------------------------------------------------------------------------------
  std::array<std::array<HostTlbEntry, host_tlb_entries>, 2> host_tlb;                 ///< [0] supervisor, [1] user
  std::array<std::array<std::uint64_t, host_tlb_entries / 64>, 2> host_tlb_filled{};  ///< entries that may hold a page
  HostTlbEntry* tlb = host_tlb[0].data();                                             ///< at the current privilege
  /// The host's entry for the page of `linear` at the current privilege, if its tag matches that page.
  const HostTlbEntry& host_entry(std::uint32_t linear) const { return tlb[linear >> 12 & (host_tlb_entries - 1)]; }

  // ---- the L0 line cache ---------------------------------------------------------------------------------------
  // For a segment with base 0 and no limit, an offset whose line is here under the current address context is known to
  // be allowed, translated, in the data cache and free of charge. This takes one comparison, in line; the rest is out
  // of line. Processors without a cache, and the P6, never fill it.
  L0Lines l0;
  std::uint64_t l0_context = 0;  ///< bit 32: user; above it: a count that changes whenever all lines are discarded

  template <class T>
  static std::uint64_t l0_key(const Segment::AddressContext& context, std::uint32_t offset) {
    return context.value + (offset & (L0Line::mask | (sizeof(T) - 1)));
  }
  /// Whether a T at `offset` of segment `s` may be read, or written, in the L0 line `v`.
  template <class T>
  bool readable(const L0Line& v, unsigned s, std::uint32_t offset) const {
    return v.reads == l0_key<T>(seg[s].reads, offset);
  }
  template <class T>
  bool writable(const L0Line& v, unsigned s, std::uint32_t offset) const {
    return v.writes == l0_key<T>(seg[s].writes, offset);
  }
  /// Whether segment `g` has base 0 and no limit; if so, its offsets are looked up in the L0 line cache from now on.
  [[gnu::noinline]] bool admit(Segment& g) const {
    if (g.base != 0 || g.low != 0) return false;
    if (g.read_span == Segment::endless) g.reads.value = l0_context;
    if (g.write_span == Segment::endless) g.writes.value = l0_context;
    return true;
  }
  /// Fills the L0 line of `linear`, an offset in a segment that has been admitted. `tag`: that of the line in the data
  /// cache, which is `bytes` (16 or 32) long. `reads`: the page may be read.
  [[gnu::always_inline]] void put_l0(const HostTlbEntry& e, std::uint32_t linear, std::uint32_t tag, unsigned bytes,
                                     bool reads) {
    const std::uint32_t page = linear & page_mask, first = linear & ~(bytes - 1);
    const bool writes = (tag & TagCache::dirty) && e.write_tag == page && !e.holds_code(linear);
    const std::uint64_t key = l0_context + first;
    const std::uintptr_t base = reinterpret_cast<std::uintptr_t>(e.host) - page;
    const std::uint32_t physical = tag & ~(bytes - 1);
    L0Line* const lines = &l0_line(l0, first);
    lines[0] = {reads ? key : 0, writes ? key : 0, base, physical};
    if (bytes == 2 * L0Line::bytes)
      lines[1] = {reads ? key + L0Line::bytes : 0, writes ? key + L0Line::bytes : 0, base, physical + L0Line::bytes};
  }
  void forget_segment_contexts() {
    for (Segment& g : seg) g.reads = g.writes = {};
  }
  void forget_l0() {
    l0_context += std::uint64_t{1} << 33;
    forget_segment_contexts();
  }
};

}  // namespace planar::cpu
