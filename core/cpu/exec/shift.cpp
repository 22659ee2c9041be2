// SPDX-License-Identifier: GPL-2.0-or-later
// Shifts, rotates, double shifts, bit tests and scans.
//
// Undefined flags follow the silicon as commonly documented: OF uses the formula of the one-bit case for every count;
// double shifts of a word by more than 16 rotate through source and destination; BSF and BSR leave the destination
// unchanged when the source is zero. After a shift, AF is 0, but 1 on the 386. The 386SX's other peculiarities were
// measured by the test386 suite: a byte or word shifted by a multiple of its width keeps its outermost bit in CF, a
// rotate through carry by 9 or 17 still sets OF, and the bit tests set OF like an RCR by one more than the bit number.
#include "core/cpu/dispatch/select.hpp"
#include "core/cpu/exec/operands.hpp"

namespace planar::cpu {

namespace {

enum class Shift { rol, ror, rcl, rcr, shl, shr, sar };

template <class T>
bool top(T v) {
  return v >> (8 * sizeof(T) - 1) & 1;
}
template <class T>
bool second(T v) {
  return v >> (8 * sizeof(T) - 2) & 1;
}

void set_shift_adjust(Engine& c) {
  if (c.model == Model::i386sx) c.flag_aux |= 8;
}

template <Shift S, class T>
T shift(Engine& c, T v, unsigned count) {
  constexpr unsigned bits = 8 * sizeof(T);
  count &= 31;
  if (count == 0) return v;
  if constexpr (S == Shift::rol) {
    const T r = std::rotl(v, static_cast<int>(count % bits));
    c.set_cf_of(r & 1, top(r) != static_cast<bool>(r & 1));
    return r;
  } else if constexpr (S == Shift::ror) {
    const T r = std::rotr(v, static_cast<int>(count % bits));
    c.set_cf_of(top(r), top(r) != second(r));
    return r;
  } else if constexpr (S == Shift::rcl) {
    count %= bits + 1;
    if (count == 0) {
      if (c.model == Model::i386sx) c.set_cf_of(c.cf(), top(v) != c.cf());
      return v;
    }
    const std::uint64_t wide = std::uint64_t{c.cf()} << bits | v;
    const std::uint64_t turned = wide << count | wide >> (bits + 1 - count);
    const T r = static_cast<T>(turned);
    const bool carry = turned >> bits & 1;
    c.set_cf_of(carry, top(r) != carry);
    return r;
  } else if constexpr (S == Shift::rcr) {
    count %= bits + 1;
    if (count == 0) {
      if (c.model == Model::i386sx) c.set_cf_of(c.cf(), top(v) != second(v));
      return v;
    }
    const std::uint64_t wide = std::uint64_t{c.cf()} << bits | v;
    const std::uint64_t turned = wide >> count | wide << (bits + 1 - count);
    const T r = static_cast<T>(turned);
    c.set_cf_of(turned >> bits & 1, top(r) != second(r));
    return r;
  } else if constexpr (S == Shift::shl) {
    const std::uint64_t wide = std::uint64_t{v} << count;
    const T r = static_cast<T>(wide);
    bool carry = wide >> bits & 1;
    if (sizeof(T) < 4 && c.model == Model::i386sx && count % bits == 0) carry = v & 1;
    c.set_logic(r);
    c.set_cf_of(carry, top(r) != carry);
    set_shift_adjust(c);
    return r;
  } else if constexpr (S == Shift::shr) {
    bool carry = std::uint64_t{v} >> (count - 1) & 1;
    if (sizeof(T) < 4 && c.model == Model::i386sx && count % bits == 0) carry = top(v);
    const T r = static_cast<T>(std::uint64_t{v} >> count);
    c.set_logic(r);
    c.set_cf_of(carry, top(r) != second(r));
    set_shift_adjust(c);
    return r;
  } else {
    const std::int64_t wide = static_cast<std::make_signed_t<T>>(v);
    const T r = static_cast<T>(wide >> count);
    c.set_logic(r);
    c.set_cf_of(wide >> (count - 1) & 1, false);
    set_shift_adjust(c);
    return r;
  }
}

enum class Count { one, immediate, cl };

template <Count C>
unsigned shift_count(Engine& c, const Op& op) {
  if constexpr (C == Count::one)
    return 1;
  else if constexpr (C == Count::immediate)
    return op.immediate & 31;
  else
    return c.gpr[ECX] & 31;
}

template <Shift S, Count C, class T>
struct ShiftForms {
  static void reg(Engine& c, const Op& op) { c.set<T>(op.rm, shift<S, T>(c, c.get<T>(op.rm), shift_count<C>(c, op))); }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    const unsigned count = shift_count<C>(c, op);
    return Memory::template modify<T>(c, op.segment, c.effective_address(op),
                                      [&](T v) { return shift<S, T>(c, v, count); });
  }
};
/// RCL and RCR by a count take extra clocks for it.
template <Shift S, Count C, class T>
void rotate_carry(Engine& c, const Op& op) {
  const unsigned count = shift_count<C>(c, op);
  if (op.has_memory)
    ShiftForms<S, C, T>::template mem<FullAccess>(c, op);
  else
    ShiftForms<S, C, T>::reg(c, op);
  c.timing.spend(rotate_carry_extra(c.model, count));
}

template <Shift S, Count C>
Handlers select_shift_count(const Op& op) {
  if constexpr ((S == Shift::rcl || S == Shift::rcr) && C != Count::one)
    return by_size(op, []<class T> { return any<rotate_carry<S, C, T>>; });
  else
    return by_size(op, []<class T> { return forms<ShiftForms<S, C, T>>; });
}
template <Shift S>
Handlers select_shift_form(const Op& op) {
  switch (op.opcode) {
    case 0xC0:
    case 0xC1: return select_shift_count<S, Count::immediate>(op);
    case 0xD0:
    case 0xD1: return select_shift_count<S, Count::one>(op);
    default: return select_shift_count<S, Count::cl>(op);
  }
}

template <bool Left, class T>
T double_shift(Engine& c, T dst, T src, unsigned count) {
  count &= 31;
  if (count == 0) return dst;
  T r;
  bool carry;
  if constexpr (sizeof(T) == 4) {
    const std::uint64_t wide = Left ? std::uint64_t{dst} << 32 | src : std::uint64_t{src} << 32 | dst;
    if constexpr (Left) {
      r = static_cast<T>(wide << count >> 32);
      carry = dst >> (32 - count) & 1;
    } else {
      r = static_cast<T>(wide >> count);
      carry = dst >> (count - 1) & 1;
    }
  } else if constexpr (Left) {  // 48 bits: dst src dst
    const std::uint64_t wide = std::uint64_t{dst} << 32 | std::uint64_t{src} << 16 | dst;
    r = static_cast<T>(wide >> (32 - count));
    carry = wide >> (48 - count) & 1;
  } else {
    const std::uint64_t wide = std::uint64_t{dst} << 32 | std::uint64_t{src} << 16 | dst;
    r = static_cast<T>(wide >> count);
    carry = wide >> (count - 1) & 1;
  }
  c.set_logic(r);
  c.set_cf_of(carry, Left ? top(r) != carry : top(r) != second(r));
  return r;
}

template <bool Left, Count C, class T>
struct DoubleShift {
  static void reg(Engine& c, const Op& op) {
    c.set<T>(op.rm, double_shift<Left, T>(c, c.get<T>(op.rm), c.get<T>(op.reg), shift_count<C>(c, op)));
  }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return Memory::template modify<T>(c, op.segment, c.effective_address(op), [&](T v) {
      return double_shift<Left, T>(c, v, c.get<T>(op.reg), shift_count<C>(c, op));
    });
  }
};

enum class Bit { test, set, reset, complement };

template <Bit B, class T>
T change_bit(T v, unsigned bit) {
  const T mask = static_cast<T>(T{1} << bit);
  if constexpr (B == Bit::set)
    return v | mask;
  else if constexpr (B == Bit::reset)
    return static_cast<T>(v & ~mask);
  else if constexpr (B == Bit::complement)
    return v ^ mask;
  else
    return v;
}

template <class T>
void set_bit_flags(Engine& c, T v, unsigned bit) {
  if (c.model == Model::i386sx) {
    const bool first = bit >= 1 && (v >> (bit - 1) & 1);
    const bool next = bit >= 2 ? v >> (bit - 2) & 1 : bit == 0 && top(v);
    c.set_cf_of(v >> bit & 1, first != next);
  } else {
    c.set_cf(v >> bit & 1);
  }
}

template <Bit B, bool Immediate, class T>
struct BitForms {
  static void reg(Engine& c, const Op& op) {
    const unsigned bit = (Immediate ? op.immediate : c.gpr[op.reg]) & (8 * sizeof(T) - 1);
    const T v = c.get<T>(op.rm);
    if constexpr (B != Bit::test) c.set<T>(op.rm, change_bit<B, T>(v, bit));
    set_bit_flags<T>(c, v, bit);
  }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    std::uint32_t ea = c.effective_address(op);
    unsigned bit;
    if constexpr (Immediate) {
      bit = op.immediate & (8 * sizeof(T) - 1);
    } else {  // the register's bit offset is signed and reaches beyond the operand
      const std::int32_t offset = static_cast<std::make_signed_t<T>>(c.get<T>(op.reg));
      constexpr int log2_bits = sizeof(T) == 4 ? 5 : 4;
      ea += static_cast<std::uint32_t>((offset >> log2_bits) * static_cast<std::int32_t>(sizeof(T)));
      ea &= op.address_mask;
      bit = static_cast<unsigned>(offset) & (8 * sizeof(T) - 1);
    }
    const auto change = [&](T v) {
      set_bit_flags<T>(c, v, bit);
      return change_bit<B, T>(v, bit);
    };
    if constexpr (B == Bit::test)
      return Memory::template read<T>(c, op.segment, ea, change);
    else
      return Memory::template modify<T>(c, op.segment, ea, change);
  }
};

template <Bit B>
Handlers select_bit(const Op& op, bool immediate) {
  if (immediate) return by_word(op, []<class T> { return forms<BitForms<B, true, T>>; });
  return by_word(op, []<class T> { return forms<BitForms<B, false, T>>; });
}

template <bool Reverse, class T>
void bit_scan(Engine& c, const Op& op) {
  const T v = operand<T>(c, op);
  c.set_logic(v);
  if (v == 0) {
    c.timing.spend(bit_scan_extra(c.model, Reverse, 8 * sizeof(T)));
    return;
  }
  const unsigned zeros = static_cast<unsigned>(Reverse ? std::countl_zero(v) : std::countr_zero(v));
  c.timing.spend(bit_scan_extra(c.model, Reverse, zeros));
  c.set<T>(op.reg, static_cast<T>(Reverse ? 8 * sizeof(T) - 1 - zeros : zeros));
}

}  // namespace

Handlers select_shift(const Op& op) {
  switch (op.opcode) {
    // clang-format off
    case 0xC0: case 0xC1: case 0xD0: case 0xD1: case 0xD2: case 0xD3:
      // clang-format on
      switch (op.reg) {
        case 0: return select_shift_form<Shift::rol>(op);
        case 1: return select_shift_form<Shift::ror>(op);
        case 2: return select_shift_form<Shift::rcl>(op);
        case 3: return select_shift_form<Shift::rcr>(op);
        case 5: return select_shift_form<Shift::shr>(op);
        case 7: return select_shift_form<Shift::sar>(op);
        default: return select_shift_form<Shift::shl>(op);  // 6 is an alias on all models
      }
    case 0x0FA4: return by_word(op, []<class T> { return forms<DoubleShift<true, Count::immediate, T>>; });
    case 0x0FA5: return by_word(op, []<class T> { return forms<DoubleShift<true, Count::cl, T>>; });
    case 0x0FAC: return by_word(op, []<class T> { return forms<DoubleShift<false, Count::immediate, T>>; });
    case 0x0FAD: return by_word(op, []<class T> { return forms<DoubleShift<false, Count::cl, T>>; });
    case 0x0FA3: return select_bit<Bit::test>(op, false);
    case 0x0FAB: return select_bit<Bit::set>(op, false);
    case 0x0FB3: return select_bit<Bit::reset>(op, false);
    case 0x0FBB: return select_bit<Bit::complement>(op, false);
    case 0x0FBA:
      switch (op.reg) {
        case 4: return select_bit<Bit::test>(op, true);
        case 5: return select_bit<Bit::set>(op, true);
        case 6: return select_bit<Bit::reset>(op, true);
        case 7: return select_bit<Bit::complement>(op, true);
        default: return nullptr;
      }
    case 0x0FBC: return by_word(op, []<class T> { return any<bit_scan<false, T>>; });
    case 0x0FBD: return by_word(op, []<class T> { return any<bit_scan<true, T>>; });
    default: return nullptr;
  }
}

}  // namespace planar::cpu
