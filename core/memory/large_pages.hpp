// SPDX-License-Identifier: GPL-2.0-or-later
// Memory in large pages for data with frequent random accesses: fewer host TLB misses. It costs the host no time or
// memory before it is used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace planar {

/// Asks for large pages where the host provides them (Linux: if transparent huge pages are set to always or madvise).
/// Affects host speed only.
inline void prefer_large_pages([[maybe_unused]] void* start, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  constexpr std::uintptr_t page = 4096;
  const auto first = (reinterpret_cast<std::uintptr_t>(start) + page - 1) & ~(page - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(start) + bytes) & ~(page - 1);
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);  // a hint: failure is harmless
#endif
}

/// Reserves room for `count` elements in `v`, which must be empty.
template <class T>
void reserve_in_large_pages(std::vector<T>& v, std::size_t count) {
  v.reserve(count);
  prefer_large_pages(v.data(), v.capacity() * sizeof(T));
}

/// Zero-initialised bytes, the first 32 MB in large pages. A guest mostly just probes the size of memory beyond that,
/// which would make the host provide all of it.
class ZeroedBytes {
 public:
  static constexpr std::size_t in_large_pages = std::size_t{32} << 20;
  /// Throws std::bad_alloc.
  explicit ZeroedBytes(std::size_t size) : data_(static_cast<std::uint8_t*>(std::calloc(size, 1))), size_(size) {
    if (!data_) throw std::bad_alloc();
    prefer_large_pages(data_.get(), std::min(size, in_large_pages));
  }
  std::span<std::uint8_t> span() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::uint8_t* p) const { std::free(p); }
  };
  std::unique_ptr<std::uint8_t, Free> data_;
  std::size_t size_;
};

}  // namespace planar
