// SPDX-License-Identifier: GPL-2.0-or-later
// Two TLBs: the host's, which only saves time, and the modelled chip's, which decides which translations are stale and
// which accesses pay for a page walk (paging.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/memory/address_space.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

inline constexpr std::uint32_t no_tag = 0x800, device_mark = 0x400;
inline constexpr std::uint32_t page_mask = 0xFFFFF000u;
inline constexpr unsigned host_tlb_entries = 256;

/// One entry of the host's direct-mapped TLB; a subset of what the modelled TLB holds. A tag is the linear page, with
/// device_mark if it is neither RAM nor ROM, or `no_tag`; a tag with device_mark, and no_tag, equal no masked address.
struct HostTlbEntry {
  std::uint32_t read_tag = no_tag, write_tag = no_tag, exec_tag = no_tag;
  std::uint32_t physical = 0;  ///< page frame
  /// Where the page's code lies: exec_tag and physical combined.
  std::uint64_t code() const {
    std::uint64_t both;
    static_assert(offsetof(HostTlbEntry, physical) == offsetof(HostTlbEntry, exec_tag) + sizeof exec_tag);
    std::memcpy(&both, &exec_tag, sizeof both);
    return both;
  }
  std::uint8_t* host = nullptr;  ///< the page's bytes, unless it is a device page
  Page* page = nullptr;
  void forget();
  /// Disables reading and writing if the entry's page, masked with `pages`, is `tag`.
  void forget_data(std::uint32_t tag, std::uint32_t pages);
  void forget_code(std::uint32_t tag, std::uint32_t pages);
  /// Whether the granule of this address holds decoded code: a store must call code_written().
  bool holds_code(std::uint32_t linear) const {
    const std::uint32_t granules = page->code_granules;
    return granules != 0 && (granules >> (linear / Page::granule_bytes & 31) & 1);
  }
};
inline void HostTlbEntry::forget() { read_tag = write_tag = exec_tag = no_tag; }
inline void HostTlbEntry::forget_data(std::uint32_t tag, std::uint32_t pages) {
  if ((read_tag & pages) == tag) read_tag = no_tag;
  if ((write_tag & pages) == tag) write_tag = no_tag;
}
inline void HostTlbEntry::forget_code(std::uint32_t tag, std::uint32_t pages) {
  if ((exec_tag & pages) == tag) exec_tag = no_tag;
}

/// One entry of the modelled TLB: what the chip would hold. Decides page-walk timing and stale translations.
struct TlbEntry {
  std::uint32_t tag = no_tag;  ///< linear page (or 4 MB page)
  std::uint32_t frame = 0;     ///< physical page
  bool writable = false, user = false, dirty = false;
  bool global = false;  ///< kept when CR3 is loaded (P6, CR4.PGE); archived by Engine, for the P6 only
  bool operator==(const TlbEntry&) const = default;
  void archive(Archive& a) {
    a(tag, frame, writable, user, dirty);
    if (a.loading()) frame &= page_mask;  // in a damaged snapshot it may lie within a page
  }
};

/// A set-associative TLB with round-robin replacement.
struct ModelTlb {
  static constexpr unsigned page_shift = 12, large_page_shift = 22;
  std::array<TlbEntry, 64> entries;
  std::array<std::uint8_t, 16> next{};
  unsigned sets = 8;
  unsigned ways = 4;
  unsigned shift = page_shift;
  unsigned size() const { return sets * ways; }
  TlbEntry* find(std::uint32_t tag) {
    TlbEntry* set = &entries[((tag >> shift) & (sets - 1)) * ways];
    for (unsigned w = 0; w < ways; ++w)
      if (set[w].tag == tag) return &set[w];
    return nullptr;
  }
  /// Whether the entry is in this TLB.
  bool holds(const TlbEntry& e) const { return &e >= entries.data() && &e < entries.data() + entries.size(); }
  void archive(Archive& a) { a(entries, next); }
};

}  // namespace planar::cpu
