// SPDX-License-Identifier: GPL-2.0-or-later
// The general registers and the arithmetic flags, which are computed on demand.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/cpu/x86/architecture.hpp"
#include "core/cpu/x86/op.hpp"

namespace planar::cpu {

struct RegisterFile {
  std::uint32_t gpr[9] = {};  ///< [8] is always 0: an absent base or index
  std::uint32_t eip = 0;

  template <class T>
  T get(unsigned r) const {
    if constexpr (sizeof(T) == 1)
      return static_cast<T>(gpr[r & 3] >> ((r & 4) * 2));
    else
      return static_cast<T>(gpr[r]);
  }
  template <class T>
  void set(unsigned r, T v) {
    if constexpr (sizeof(T) == 1) {
      const unsigned shift = (r & 4) * 2;
      gpr[r & 3] = (gpr[r & 3] & ~(0xFFu << shift)) | std::uint32_t{v} << shift;
    } else if constexpr (sizeof(T) == 2) {
      gpr[r] = (gpr[r] & 0xFFFF0000u) | v;
    } else {
      gpr[r] = v;
    }
  }
  std::uint32_t effective_address(const Op& op) const {
    return (gpr[op.base] + gpr[op.index] * op.scale + op.displacement) & op.address_mask;
  }
  /// A 16- or 32-bit view of a counter or pointer register (CX/ECX...).
  std::uint32_t get_sized(unsigned r, bool wide) const { return wide ? gpr[r] : gpr[r] & 0xFFFF; }
  void set_sized(unsigned r, bool wide, std::uint32_t v) { gpr[r] = wide ? v : (gpr[r] & 0xFFFF0000u) | (v & 0xFFFF); }
};

/// EFLAGS: the last result and its carries, from which the six arithmetic flags are computed, and all other flags as
/// stored bits.
struct LazyFlags {
  std::uint32_t flag_result = 1;
  std::uint32_t flag_aux = 0;
  std::uint32_t system_flags = 0;  ///< EFLAGS except the six arithmetic ones and bit 1

  // flag_result: the last result, sign-extended. ZF = (result == 0).
  // flag_aux: bit 31 CF; bit 30 CF ^ OF; bit 3 AF; bit 2 is XORed with SF, bit 8 with the parity. One shift and one
  // mask put the carries of an addition (borrows of a subtraction) in place.
  static constexpr std::uint32_t aux_mask = 0xC0000008u;

  bool cf() const { return flag_aux >> 31; }
  bool of() const { return (flag_aux ^ flag_aux << 1) >> 31; }
  bool af() const { return flag_aux >> 3 & 1; }
  bool zf() const { return flag_result == 0; }
  bool sf() const { return (flag_result >> 31) ^ (flag_aux >> 2 & 1); }
  bool pf() const { return !__builtin_parity((flag_result & 0xFF) ^ (flag_aux >> 8 & 1)); }

  template <class T>
  void set_result(T r) {
    flag_result = static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::make_signed_t<T>>(r)));
  }
  template <class T>
  static std::uint32_t place_carries(std::uint32_t carries) {
    if constexpr (sizeof(T) == 4)
      return carries & aux_mask;
    else
      return (carries << (32 - 8 * sizeof(T)) & 0xC0000000u) | (carries & 8);
  }
  template <class T>
  void set_add(T a, T b, T r) {
    set_result(r);
    flag_aux = place_carries<T>(static_cast<std::uint32_t>((a & b) | ((a | b) & ~std::uint32_t{r})));
  }
  template <class T>
  void set_sub(T a, T b, T r) {
    set_result(r);
    flag_aux = place_carries<T>(static_cast<std::uint32_t>((~std::uint32_t{a} & b) | ((~std::uint32_t{a} | b) & r)));
  }
  template <class T>
  void set_logic(T r) {
    set_result(r);
    flag_aux = 0;
  }
  /// INC and DEC leave CF alone.
  template <class T>
  void set_inc_dec(T r, bool overflow, bool adjust) {
    const std::uint32_t c = flag_aux & 0x80000000u;
    set_result(r);
    flag_aux = c | ((c >> 1) ^ (std::uint32_t{overflow} << 30)) | std::uint32_t{adjust} << 3;
  }
  void set_cf_of(bool c, bool o) {
    flag_aux = (flag_aux & 0x3FFFFFFFu) | std::uint32_t{c} << 31 | std::uint32_t{c != o} << 30;
  }
  void set_cf(bool c) { set_cf_of(c, of()); }
  void set_zf(bool z) { set_arithmetic((arithmetic() & ~flag_zf) | (z ? flag_zf : 0)); }
  /// Sets the six arithmetic flags from an EFLAGS image.
  void set_arithmetic(std::uint32_t f) {
    flag_result = f & flag_zf ? 0 : 0x100;
    const bool c = f & flag_cf, o = f & flag_of;
    flag_aux = std::uint32_t{c} << 31 | std::uint32_t{c != o} << 30 | (f & flag_af ? 8u : 0) | (f & flag_sf ? 4u : 0) |
               (f & flag_pf ? 0 : 0x100u);
  }
  std::uint32_t arithmetic() const {
    return (cf() ? flag_cf : 0) | (pf() ? flag_pf : 0) | (af() ? flag_af : 0) | (zf() ? flag_zf : 0) |
           (sf() ? flag_sf : 0) | (of() ? flag_of : 0);
  }
  std::uint32_t eflags() const { return 2 | system_flags | arithmetic(); }
  unsigned iopl() const { return system_flags >> 12 & 3; }
};

}  // namespace planar::cpu
