// SPDX-License-Identifier: GPL-2.0-or-later
// Words in the byte order of the PC's memory, files and most of its buses: lowest byte first, on every host.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>

namespace planar {

/// The word of 1, 2, 4 or 8 bytes starting at `p`, which need not be aligned.
template <std::unsigned_integral T>
T load_little(const std::uint8_t* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  if constexpr (std::endian::native == std::endian::big) {
    if constexpr (sizeof(T) == 2) v = __builtin_bswap16(v);
    if constexpr (sizeof(T) == 4) v = __builtin_bswap32(v);
    if constexpr (sizeof(T) == 8) v = __builtin_bswap64(v);
  }
  return v;
}
template <std::unsigned_integral T>
void store_little(std::uint8_t* p, T v) {
  if constexpr (std::endian::native == std::endian::big) {
    if constexpr (sizeof(T) == 2) v = __builtin_bswap16(v);
    if constexpr (sizeof(T) == 4) v = __builtin_bswap32(v);
    if constexpr (sizeof(T) == 8) v = __builtin_bswap64(v);
  }
  std::memcpy(p, &v, sizeof v);
}
/// The word of up to four bytes whose byte n is `byte(n)`.
template <class Byte>
constexpr std::uint32_t join_little(unsigned bytes, Byte byte) {
  std::uint32_t value = 0;
  for (unsigned n = 0; n < bytes; ++n) value |= std::uint32_t{byte(n)} << (8 * n);
  return value;
}

}  // namespace planar
