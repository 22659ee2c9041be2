// SPDX-License-Identifier: GPL-2.0-or-later
// MMX: eight 64-bit registers, which are the significands of the x87's registers R0 to R7, whatever its top. Intel
// Architecture Software Developer's Manual (243190), volume 1 chapter 8; volume 2, the instructions' pages.
//
// Every instruction but EMMS marks all eight as in use and sets the top to 0; one that writes a register sets its
// exponent to FFFFh. CR0.EM: #UD; CR0.TS: #NM; a pending x87 exception is handled as by a waiting x87 instruction.
// Control and status words, pointers and the other registers are not changed.
#include <algorithm>
#include <limits>

#include "core/cpu/dispatch/select.hpp"
#include "core/cpu/exec/fpu/fpu_instructions.hpp"
#include "core/cpu/exec/operands.hpp"

namespace planar::cpu {

namespace {

using Packed = std::uint64_t;
using Binary = Packed (*)(Packed destination, Packed source);

template <class T>
inline constexpr unsigned lanes = 8 / sizeof(T);
template <class T>
constexpr T lane(Packed v, unsigned i) {
  return static_cast<T>(v >> (8 * sizeof(T) * i));
}
template <class T>
constexpr Packed at_lane(T v, unsigned i) {
  return Packed{static_cast<std::make_unsigned_t<T>>(v)} << (8 * sizeof(T) * i);
}
/// f(a, b) lane by lane.
template <class T, class F>
constexpr Packed each(Packed a, Packed b, F f) {
  Packed result = 0;
  for (unsigned i = 0; i < lanes<T>; ++i) result |= at_lane<T>(static_cast<T>(f(lane<T>(a, i), lane<T>(b, i))), i);
  return result;
}
template <class T>
constexpr T saturated(std::int32_t v) {
  return static_cast<T>(std::clamp<std::int32_t>(v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

// ---- arithmetic ----
// clang-format off
template <class T>
Packed add(Packed a, Packed b) { return each<T>(a, b, [](T x, T y) { return x + y; }); }
template <class T>
Packed subtract(Packed a, Packed b) { return each<T>(a, b, [](T x, T y) { return x - y; }); }
template <class T>
Packed add_saturating(Packed a, Packed b) { return each<T>(a, b, [](T x, T y) { return saturated<T>(x + y); }); }
template <class T>
Packed subtract_saturating(Packed a, Packed b) { return each<T>(a, b, [](T x, T y) { return saturated<T>(x - y); }); }
template <class T>
Packed compare_equal(Packed a, Packed b) { return each<T>(a, b, [](T x, T y) { return x == y ? -1 : 0; }); }
template <class T>
Packed compare_greater(Packed a, Packed b) { return each<T>(a, b, [](T x, T y) { return x > y ? -1 : 0; }); }
// clang-format on
Packed multiply_low(Packed a, Packed b) {
  return each<std::int16_t>(a, b, [](std::int32_t x, std::int32_t y) { return x * y; });
}
Packed multiply_high(Packed a, Packed b) {
  return each<std::int16_t>(a, b, [](std::int32_t x, std::int32_t y) { return x * y >> 16; });
}
// The sum of two products wraps in the only case in which it does not fit: all four words are 8000h.
Packed multiply_add(Packed a, Packed b) {
  const auto product = [&](unsigned i) {
    return static_cast<std::uint32_t>(lane<std::int16_t>(a, i) * lane<std::int16_t>(b, i));
  };
  return at_lane(product(0) + product(1), 0) | at_lane(product(2) + product(3), 1);
}

// ---- logic ----
// clang-format off
Packed logical_and(Packed a, Packed b) { return a & b; }
Packed logical_and_not(Packed a, Packed b) { return ~a & b; }
Packed logical_or(Packed a, Packed b) { return a | b; }
Packed logical_xor(Packed a, Packed b) { return a ^ b; }
// clang-format on

// ---- packing ----
/// Narrows the lanes of the destination, then those of the source.
template <class From, class To>
Packed pack(Packed a, Packed b) {
  Packed result = 0;
  for (unsigned i = 0; i < lanes<From>; ++i) {
    result |= at_lane(saturated<To>(lane<From>(a, i)), i);
    result |= at_lane(saturated<To>(lane<From>(b, i)), i + lanes<From>);
  }
  return result;
}
/// Interleaves the low (`High`: high) lanes of both.
template <class T, bool High>
Packed unpack(Packed a, Packed b) {
  Packed result = 0;
  for (unsigned i = 0; i < lanes<T> / 2; ++i) {
    const unsigned from = High ? i + lanes<T> / 2 : i;
    result |= at_lane(lane<T>(a, from), 2 * i) | at_lane(lane<T>(b, from), 2 * i + 1);
  }
  return result;
}

// ---- shifts: the count is all 64 bits of the source ----
template <class T>
Packed shift_left(Packed a, Packed count) {
  if (count >= 8 * sizeof(T)) return 0;
  return each<T>(a, 0, [&](T x, T) { return x << count; });
}
template <class T>
Packed shift_right(Packed a, Packed count) {
  if (count >= 8 * sizeof(T)) return 0;
  return each<T>(a, 0, [&](T x, T) { return x >> count; });
}
template <class T>
Packed shift_right_signed(Packed a, Packed count) {
  const auto by = static_cast<unsigned>(std::min<Packed>(count, 8 * sizeof(T) - 1));
  return each<T>(a, 0, [&](T x, T) { return x >> by; });
}

// ---- registers ----
/// Called before anything else; false if the instruction must wait.
bool enter(Engine& c, const Op& op) {
  if (c.cr0 & cr0_em) raise(vec_ud);
  if (c.cr0 & cr0_ts) raise(vec_nm);
  return !fpu_wait_for_error(c, op);
}
/// Sets up the x87's stack as every instruction but EMMS leaves it; called after its last access, which may fault.
void take_registers(Fpu& f) {
  f.set_top(0);
  f.tags = 0;
}
Packed get(const Engine& c, unsigned r) { return c.fpu.registers[r].mantissa; }
void set(Engine& c, unsigned r, Packed v) {
  take_registers(c.fpu);
  c.fpu.registers[r] = {v, 0xFFFF};
}
Packed source64(Engine& c, const Op& op) {
  return op.has_memory ? fpu_read64(c, fpu_operand(c, op, 8, false)) : get(c, op.rm);
}

// ---- instructions ----
template <Binary F>
void binary(Engine& c, const Op& op) {
  if (!enter(c, op)) return;
  const Packed source = source64(c, op);
  set(c, op.reg, F(get(c, op.reg), source));
}
// Only the half of a memory source that is used is read.
template <Binary F>
void unpack_low(Engine& c, const Op& op) {
  if (!enter(c, op)) return;
  const Packed source = op.has_memory ? c.read<std::uint32_t>(op.segment, c.effective_address(op)) : get(c, op.rm);
  set(c, op.reg, F(get(c, op.reg), source));
}
template <Binary F>
void shift_by_immediate(Engine& c, const Op& op) {
  if (!enter(c, op)) return;
  set(c, op.rm, F(get(c, op.rm), op.immediate & 0xFF));
}
void movd_load(Engine& c, const Op& op) {
  if (!enter(c, op)) return;
  set(c, op.reg, operand<std::uint32_t>(c, op));
}
void movd_store(Engine& c, const Op& op) {
  if (!enter(c, op)) return;
  const auto v = static_cast<std::uint32_t>(get(c, op.reg));
  if (op.has_memory)
    c.write<std::uint32_t>(op.segment, c.effective_address(op), v);
  else
    c.gpr[op.rm] = v;
  take_registers(c.fpu);
}
void movq_load(Engine& c, const Op& op) {
  if (!enter(c, op)) return;
  set(c, op.reg, source64(c, op));
}
void movq_store(Engine& c, const Op& op) {
  if (!enter(c, op)) return;
  const Packed v = get(c, op.reg);
  if (!op.has_memory) return set(c, op.rm, v);
  fpu_write64(c, fpu_operand(c, op, 8, true), v);
  take_registers(c.fpu);
}
void emms(Engine& c, const Op& op) {
  if (!enter(c, op)) return;
  c.fpu.set_top(0);
  c.fpu.tags = 0xFFFF;
}

/// 0F 71, 72, 73: PSRL /2, PSRA /4, PSLL /6 of words, doublewords and the quadword, which has no PSRA.
Handler select_shift_by_immediate(const Op& op) {
  if (op.has_memory) return nullptr;
  switch ((op.opcode & 3) << 4 | op.reg) {
    case 0x12: return shift_by_immediate<shift_right<std::uint16_t>>;
    case 0x14: return shift_by_immediate<shift_right_signed<std::int16_t>>;
    case 0x16: return shift_by_immediate<shift_left<std::uint16_t>>;
    case 0x22: return shift_by_immediate<shift_right<std::uint32_t>>;
    case 0x24: return shift_by_immediate<shift_right_signed<std::int32_t>>;
    case 0x26: return shift_by_immediate<shift_left<std::uint32_t>>;
    case 0x32: return shift_by_immediate<shift_right<std::uint64_t>>;
    case 0x36: return shift_by_immediate<shift_left<std::uint64_t>>;
    default: return nullptr;
  }
}

}  // namespace

Handlers select_mmx(const Op& op) {
  using I8 = std::int8_t;
  using I16 = std::int16_t;
  using I32 = std::int32_t;
  using U8 = std::uint8_t;
  using U16 = std::uint16_t;
  using U32 = std::uint32_t;
  switch (op.opcode & 0xFF) {
    case 0x60: return unpack_low<unpack<U8, false>>;
    case 0x61: return unpack_low<unpack<U16, false>>;
    case 0x62: return unpack_low<unpack<U32, false>>;
    case 0x63: return binary<pack<I16, I8>>;
    case 0x64: return binary<compare_greater<I8>>;
    case 0x65: return binary<compare_greater<I16>>;
    case 0x66: return binary<compare_greater<I32>>;
    case 0x67: return binary<pack<I16, U8>>;
    case 0x68: return binary<unpack<U8, true>>;
    case 0x69: return binary<unpack<U16, true>>;
    case 0x6A: return binary<unpack<U32, true>>;
    case 0x6B: return binary<pack<I32, I16>>;
    case 0x6E: return movd_load;
    case 0x6F: return movq_load;
    case 0x71:
    case 0x72:
    case 0x73: return select_shift_by_immediate(op);
    case 0x74: return binary<compare_equal<I8>>;
    case 0x75: return binary<compare_equal<I16>>;
    case 0x76: return binary<compare_equal<I32>>;
    case 0x77: return emms;
    case 0x7E: return movd_store;
    case 0x7F: return movq_store;
    case 0xD1: return binary<shift_right<U16>>;
    case 0xD2: return binary<shift_right<U32>>;
    case 0xD3: return binary<shift_right<std::uint64_t>>;
    case 0xD5: return binary<multiply_low>;
    case 0xD8: return binary<subtract_saturating<U8>>;
    case 0xD9: return binary<subtract_saturating<U16>>;
    case 0xDB: return binary<logical_and>;
    case 0xDC: return binary<add_saturating<U8>>;
    case 0xDD: return binary<add_saturating<U16>>;
    case 0xDF: return binary<logical_and_not>;
    case 0xE1: return binary<shift_right_signed<I16>>;
    case 0xE2: return binary<shift_right_signed<I32>>;
    case 0xE5: return binary<multiply_high>;
    case 0xE8: return binary<subtract_saturating<I8>>;
    case 0xE9: return binary<subtract_saturating<I16>>;
    case 0xEB: return binary<logical_or>;
    case 0xEC: return binary<add_saturating<I8>>;
    case 0xED: return binary<add_saturating<I16>>;
    case 0xEF: return binary<logical_xor>;
    case 0xF1: return binary<shift_left<U16>>;
    case 0xF2: return binary<shift_left<U32>>;
    case 0xF3: return binary<shift_left<std::uint64_t>>;
    case 0xF5: return binary<multiply_add>;
    case 0xF8: return binary<subtract<U8>>;
    case 0xF9: return binary<subtract<U16>>;
    case 0xFA: return binary<subtract<U32>>;
    case 0xFC: return binary<add<U8>>;
    case 0xFD: return binary<add<U16>>;
    case 0xFE: return binary<add<U32>>;
    default: return nullptr;
  }
}

}  // namespace planar::cpu
