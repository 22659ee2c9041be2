// SPDX-License-Identifier: GPL-2.0-or-later
// Allocation in large pages, for arrays that are accessed at random all the time: fewer host TLB misses.
#pragma once

#include <cstdint>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace planar {

/// Assigns `count` copies of `value` to `v`, in large pages where the host provides them (Linux: if transparent huge
/// pages are set to always or madvise). Affects host speed only.
template <class T>
void assign_in_large_pages(std::vector<T>& v, std::size_t count, const T& value) {
  v.clear();
  v.reserve(count);
#if defined(__linux__)
  constexpr std::uintptr_t page = 4096;
  const auto first = (reinterpret_cast<std::uintptr_t>(v.data()) + page - 1) & ~(page - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(v.data()) + v.capacity() * sizeof(T)) & ~(page - 1);
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);  // a hint: failure is harmless
#endif
  v.assign(count, value);
}

}  // namespace planar
