// SPDX-License-Identifier: GPL-2.0-or-later
// MUL, IMUL, DIV, IDIV, sign extensions and decimal adjustment.
//
// Undefined flags: after a multiplication, SF, ZF and PF follow the low half and AF is 0. Decimal adjustments set flags
// as their internal byte additions and subtractions do (measured on a 386SX by the test386 suite). A division changes
// none on a 386; on a 486 and Pentium they are those of comparing remainder and divisor (which ones is inferred; that
// they change on Intel's chips but not on Cyrix's is how period software detects a Cyrix 486, by dividing 5 by 2).
#include "core/cpu/dispatch/select.hpp"
#include "core/cpu/exec/operands.hpp"

namespace planar::cpu {

namespace {

template <class T>
struct Wider;
template <>
// clang-format off
struct Wider<std::uint8_t> { using type = std::uint16_t; };
template <>
struct Wider<std::uint16_t> { using type = std::uint32_t; };
template <>
struct Wider<std::uint32_t> { using type = std::uint64_t; };
// clang-format on

/// AX, DX:AX or EDX:EAX.
template <class T>
typename Wider<T>::type get_pair(Engine& c) {
  if constexpr (sizeof(T) == 1)
    return c.get<std::uint16_t>(EAX);
  else
    return static_cast<typename Wider<T>::type>(typename Wider<T>::type{c.get<T>(EDX)} << (8 * sizeof(T)) |
                                                c.get<T>(EAX));
}
template <class T>
void set_pair(Engine& c, T high, T low) {
  if constexpr (sizeof(T) == 1) {
    c.set<std::uint16_t>(EAX, static_cast<std::uint16_t>(high << 8 | low));
  } else {
    c.set<T>(EAX, low);
    c.set<T>(EDX, high);
  }
}

template <class T>
void mul(Engine& c, const Op& op) {
  using W = typename Wider<T>::type;
  const T m = operand<T>(c, op);
  const W product = static_cast<W>(W{c.get<T>(EAX)} * W{m});
  const T low = static_cast<T>(product), high = static_cast<T>(product >> (8 * sizeof(T)));
  c.timing.spend(multiply_extra(c.model, 8 * sizeof(T), m, false));
  set_pair<T>(c, high, low);
  c.set_logic(low);
  c.set_cf_of(high != 0, high != 0);
}

template <class T>
std::int64_t extend(T v) {
  return static_cast<std::make_signed_t<T>>(v);
}

template <class T>
void imul(Engine& c, const Op& op) {
  const T m = operand<T>(c, op);
  const std::int64_t product = extend(c.get<T>(EAX)) * extend(m);
  const T low = static_cast<T>(product);
  const bool overflow = extend(low) != product;
  c.timing.spend(multiply_extra(c.model, 8 * sizeof(T), m, true));
  set_pair<T>(c, static_cast<T>(product >> (8 * sizeof(T))), low);
  c.set_logic(low);
  c.set_cf_of(overflow, overflow);
}

template <class T>
void imul_truncate(Engine& c, const Op& op, T a, T b, T multiplier) {
  const std::int64_t product = extend(a) * extend(b);
  const T low = static_cast<T>(product);
  const bool overflow = extend(low) != product;
  c.timing.spend(multiply_extra(c.model, 8 * sizeof(T), multiplier, true));
  c.set<T>(op.reg, low);
  c.set_logic(low);
  c.set_cf_of(overflow, overflow);
}
template <class T>
void imul_two(Engine& c, const Op& op) {
  const T m = operand<T>(c, op);
  imul_truncate<T>(c, op, c.get<T>(op.reg), m, m);
}
template <class T>
void imul_three(Engine& c, const Op& op) {
  const T i = static_cast<T>(op.immediate);
  imul_truncate<T>(c, op, operand<T>(c, op), i, i);
}

template <class T>
void set_division_flags(Engine& c, T remainder, T divisor) {
  if (c.model != Model::i386sx) c.set_sub<T>(remainder, divisor, static_cast<T>(remainder - divisor));
}

template <class T>
void div(Engine& c, const Op& op) {
  using W = typename Wider<T>::type;
  const T d = operand<T>(c, op);
  if (d == 0) raise(vec_de);
  const W n = get_pair<T>(c);
  const W q = static_cast<W>(n / d);
  if (q > static_cast<W>(static_cast<T>(~T{0}))) raise(vec_de);
  set_pair<T>(c, static_cast<T>(n % d), static_cast<T>(q));
  set_division_flags<T>(c, static_cast<T>(n % d), d);
}

template <class T>
void idiv(Engine& c, const Op& op) {
  using W = typename Wider<T>::type;
  using S = std::make_signed_t<W>;
  const std::int64_t d = extend(operand<T>(c, op));
  const std::int64_t n = static_cast<S>(get_pair<T>(c));
  if (d == 0 || (n == INT64_MIN && d == -1)) raise(vec_de);
  const std::int64_t q = n / d;
  if (extend(static_cast<T>(q)) != q) raise(vec_de);
  set_pair<T>(c, static_cast<T>(n % d), static_cast<T>(q));
  set_division_flags<T>(c, static_cast<T>(n % d), static_cast<T>(d));
}

// CBW / CWDE and CWD / CDQ.
void extend_accumulator(Engine& c, const Op& op) {
  if (op.operand32)
    c.gpr[EAX] = static_cast<std::uint32_t>(static_cast<std::int16_t>(c.gpr[EAX]));
  else
    c.set<std::uint16_t>(EAX, static_cast<std::uint16_t>(static_cast<std::int8_t>(c.gpr[EAX])));
}
void extend_to_dx(Engine& c, const Op& op) {
  if (op.operand32)
    c.gpr[EDX] = c.gpr[EAX] & 0x80000000u ? 0xFFFFFFFFu : 0;
  else
    c.set<std::uint16_t>(EDX, c.gpr[EAX] & 0x8000 ? 0xFFFF : 0);
}

template <bool Subtract>
void daa_das(Engine& c, const Op&) {
  const std::uint8_t before = c.get<std::uint8_t>(EAX);
  const bool carry_before = c.cf();
  unsigned al = before;
  bool carry = false, adjust = false;
  if ((before & 15) > 9 || c.af()) {
    adjust = true;
    al = Subtract ? al - 6 : al + 6;
    carry = carry_before || (Subtract ? before < 6 : al > 0xFF);
  }
  if (before > 0x99 || carry_before) {
    al = Subtract ? al - 0x60 : al + 0x60;
    carry = true;
  }
  const std::uint8_t result = static_cast<std::uint8_t>(al);
  // Signed overflow of the correction as a whole.
  const bool overflow = Subtract ? (before & 0x80) && !(result & 0x80) : !(before & 0x80) && (result & 0x80);
  c.set<std::uint8_t>(EAX, result);
  c.set_logic(result);
  c.flag_aux = adjust ? 8 : 0;
  c.set_cf_of(carry, overflow);
}

template <bool Subtract>
void aaa_aas(Engine& c, const Op&) {
  std::uint16_t ax = c.get<std::uint16_t>(EAX);
  const std::uint8_t al = static_cast<std::uint8_t>(ax);
  const bool adjust = (ax & 15) > 9 || c.af();
  const std::uint8_t by = adjust ? 6 : 0;
  if constexpr (Subtract)
    c.set_sub<std::uint8_t>(al, by, static_cast<std::uint8_t>(al - by));
  else
    c.set_add<std::uint8_t>(al, by, static_cast<std::uint8_t>(al + by));
  const bool overflow = c.of();
  c.flag_aux = adjust ? 8 : 0;
  c.set_cf_of(adjust, overflow);
  if (adjust) ax = static_cast<std::uint16_t>(Subtract ? ax - 0x106 : ax + 0x106);
  c.set<std::uint16_t>(EAX, ax & 0xFF0F);
}

void aam(Engine& c, const Op& op) {
  const unsigned base = op.immediate & 0xFF;
  if (base == 0) raise(vec_de);
  const unsigned al = c.gpr[EAX] & 0xFF;
  c.set<std::uint16_t>(EAX, static_cast<std::uint16_t>(al / base << 8 | al % base));
  c.set_logic(static_cast<std::uint8_t>(al % base));
}
void aad(Engine& c, const Op& op) {
  const std::uint8_t al = c.get<std::uint8_t>(EAX);
  const std::uint8_t tens = static_cast<std::uint8_t>((c.gpr[EAX] >> 8 & 0xFF) * (op.immediate & 0xFF));
  const std::uint8_t r = static_cast<std::uint8_t>(al + tens);
  c.set<std::uint16_t>(EAX, r);
  c.set_add(al, tens, r);
}
// SALC (undocumented, all models): AL = CF ? FFh : 0.
void salc(Engine& c, const Op&) { c.set<std::uint8_t>(EAX, c.cf() ? 0xFF : 0); }

}  // namespace

Handlers select_multiply(const Op& op) {
  switch (op.opcode) {
    case 0x27: return daa_das<false>;
    case 0x2F: return daa_das<true>;
    case 0x37: return aaa_aas<false>;
    case 0x3F: return aaa_aas<true>;
    case 0x69:
    case 0x6B: return by_word(op, []<class T> { return any<imul_three<T>>; });
    case 0x98: return register_only<extend_accumulator>(op);
    case 0x99: return register_only<extend_to_dx>(op);
    case 0xD4: return aam;
    case 0xD5: return aad;
    case 0xD6: return salc;
    case 0x0FAF: return by_word(op, []<class T> { return any<imul_two<T>>; });
    case 0xF6:
    case 0xF7:
      switch (op.reg) {
        case 4: return by_size(op, []<class T> { return any<mul<T>>; });
        case 5: return by_size(op, []<class T> { return any<imul<T>>; });
        case 6: return by_size(op, []<class T> { return any<div<T>>; });
        case 7: return by_size(op, []<class T> { return any<idiv<T>>; });
        default: return nullptr;
      }
    default: return nullptr;
  }
}

}  // namespace planar::cpu
