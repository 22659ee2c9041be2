// SPDX-License-Identifier: GPL-2.0-or-later
// Memory that is walked at random all the time: with large pages the host translates its addresses for nothing.
#pragma once

#include <cstdint>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace planar {

/// Makes `v` hold `count` elements equal to `value`, in large pages where the host has them to give (Linux: if
/// transparent huge pages are on or left to programs). Nothing but time depends on it.
template <class T>
void assign_in_large_pages(std::vector<T>& v, std::size_t count, const T& value) {
  v.clear();
  v.reserve(count);
#if defined(__linux__)
  constexpr std::uintptr_t page = 4096;
  const auto first = (reinterpret_cast<std::uintptr_t>(v.data()) + page - 1) & ~(page - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(v.data()) + v.capacity() * sizeof(T)) & ~(page - 1);
  if (first < end)
    madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);  // a wish: a refusal is no error
#endif
  v.assign(count, value);
}

}  // namespace planar
