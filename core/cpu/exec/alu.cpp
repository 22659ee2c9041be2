// SPDX-License-Identifier: GPL-2.0-or-later
// Arithmetic and logic: ADD to CMP, TEST, INC, DEC, NOT, NEG, XADD, CMPXCHG, CMPXCHG8B, flag instructions.
#include "core/cpu/dispatch/select.hpp"

namespace planar::cpu {

namespace {

// In the order of bits 5..3 of the opcode.
enum class Alu { add, or_, adc, sbb, and_, sub, xor_, cmp };

template <Alu A, class T>
T compute(Engine& c, T a, T b) {
  T r;
  if constexpr (A == Alu::add) {
    r = static_cast<T>(a + b);
    c.set_add(a, b, r);
  } else if constexpr (A == Alu::adc) {
    r = static_cast<T>(a + b + (c.cf() ? 1 : 0));
    c.set_add(a, b, r);
  } else if constexpr (A == Alu::sbb) {
    r = static_cast<T>(a - b - (c.cf() ? 1 : 0));
    c.set_sub(a, b, r);
  } else if constexpr (A == Alu::sub || A == Alu::cmp) {
    r = static_cast<T>(a - b);
    c.set_sub(a, b, r);
  } else {
    if constexpr (A == Alu::or_)
      r = a | b;
    else if constexpr (A == Alu::and_)
      r = a & b;
    else
      r = a ^ b;
    c.set_logic(r);
  }
  return r;
}

// Destination names: e = ModRM r/m, g = ModRM reg, i = immediate.
/// Memory with `operand`; CMP only reads.
template <Alu A, class T, class Memory>
bool compute_mem(Engine& c, const Op& op, T operand) {
  const auto with_operand = [&](T old) { return compute<A, T>(c, old, operand); };
  if constexpr (A == Alu::cmp)
    return Memory::template read<T>(c, op.segment, c.effective_address(op), with_operand);
  else
    return Memory::template modify<T>(c, op.segment, c.effective_address(op), with_operand);
}
template <Alu A, class T>
struct AluEG {
  static void reg(Engine& c, const Op& op) {
    const T r = compute<A, T>(c, c.get<T>(op.rm), c.get<T>(op.reg));
    if constexpr (A != Alu::cmp) c.set<T>(op.rm, r);
  }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return compute_mem<A, T, Memory>(c, op, c.get<T>(op.reg));
  }
};
template <Alu A, class T>
struct AluGE {
  static void reg(Engine& c, const Op& op) {
    const T r = compute<A, T>(c, c.get<T>(op.reg), c.get<T>(op.rm));
    if constexpr (A != Alu::cmp) c.set<T>(op.reg, r);
  }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return Memory::template read<T>(c, op.segment, c.effective_address(op), [&](T m) {
      const T r = compute<A, T>(c, c.get<T>(op.reg), m);
      if constexpr (A != Alu::cmp) c.set<T>(op.reg, r);
    });
  }
};
template <Alu A, class T>
struct AluEI {
  static void reg(Engine& c, const Op& op) {
    const T r = compute<A, T>(c, c.get<T>(op.rm), static_cast<T>(op.immediate));
    if constexpr (A != Alu::cmp) c.set<T>(op.rm, r);
  }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return compute_mem<A, T, Memory>(c, op, static_cast<T>(op.immediate));
  }
};

template <Alu A>
Handlers select_alu_form(const Op& op) {
  if (op.opcode < 0x40) {
    switch (op.opcode & 6) {
      case 0: return by_size(op, []<class T> { return forms<AluEG<A, T>>; });
      case 2: return by_size(op, []<class T> { return forms<AluGE<A, T>>; });
      default:
        return by_size(op,
                       []<class T> { return register_only<AluEI<A, T>::reg>; });  // accumulator: the decoder set rm = 0
    }
  }
  return by_size(op, []<class T> { return forms<AluEI<A, T>>; });
}

Handlers select_alu_operation(const Op& op, unsigned operation) {
  switch (operation) {
    case 0: return select_alu_form<Alu::add>(op);
    case 1: return select_alu_form<Alu::or_>(op);
    case 2: return select_alu_form<Alu::adc>(op);
    case 3: return select_alu_form<Alu::sbb>(op);
    case 4: return select_alu_form<Alu::and_>(op);
    case 5: return select_alu_form<Alu::sub>(op);
    case 6: return select_alu_form<Alu::xor_>(op);
    default: return select_alu_form<Alu::cmp>(op);
  }
}

template <class T, class Memory>
bool test_mem(Engine& c, const Op& op, T mask) {
  return Memory::template read<T>(c, op.segment, c.effective_address(op), [&](T m) { c.set_logic<T>(m & mask); });
}
template <class T>
struct TestG {
  static void reg(Engine& c, const Op& op) { c.set_logic<T>(c.get<T>(op.rm) & c.get<T>(op.reg)); }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return test_mem<T, Memory>(c, op, c.get<T>(op.reg));
  }
};
template <class T>
struct TestI {
  static void reg(Engine& c, const Op& op) { c.set_logic<T>(c.get<T>(op.rm) & static_cast<T>(op.immediate)); }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return test_mem<T, Memory>(c, op, static_cast<T>(op.immediate));
  }
};

template <class T>
inline constexpr T sign_bit = static_cast<T>(T{1} << (8 * sizeof(T) - 1));

template <bool Dec, class T>
T inc_dec(Engine& c, T v) {
  const T r = static_cast<T>(Dec ? v - 1 : v + 1);
  if constexpr (Dec)
    c.set_inc_dec(r, v == sign_bit<T>, (v & 15) == 0);
  else
    c.set_inc_dec(r, r == sign_bit<T>, (r & 15) == 0);
  return r;
}
template <bool Dec, class T>
struct IncDec {
  static void reg(Engine& c, const Op& op) { c.set<T>(op.rm, inc_dec<Dec, T>(c, c.get<T>(op.rm))); }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return Memory::template modify<T>(c, op.segment, c.effective_address(op),
                                      [&](T v) { return inc_dec<Dec, T>(c, v); });
  }
};

template <class T>
struct Not {
  static void reg(Engine& c, const Op& op) { c.set<T>(op.rm, static_cast<T>(~c.get<T>(op.rm))); }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return Memory::template modify<T>(c, op.segment, c.effective_address(op), [](T v) { return static_cast<T>(~v); });
  }
};
template <class T>
T negate(Engine& c, T v) {
  const T r = static_cast<T>(0 - v);
  c.set_sub<T>(0, v, r);
  return r;
}
template <class T>
struct Neg {
  static void reg(Engine& c, const Op& op) { c.set<T>(op.rm, negate<T>(c, c.get<T>(op.rm))); }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return Memory::template modify<T>(c, op.segment, c.effective_address(op), [&](T v) { return negate<T>(c, v); });
  }
};

template <class T>
struct Xadd {
  static void reg(Engine& c, const Op& op) {
    const T a = c.get<T>(op.rm), b = c.get<T>(op.reg);
    const T r = compute<Alu::add, T>(c, a, b);
    c.set<T>(op.reg, a);
    c.set<T>(op.rm, r);
  }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    T before{};
    const auto add = [&](T old) {
      before = old;
      return compute<Alu::add, T>(c, old, c.get<T>(op.reg));
    };
    if (!Memory::template modify<T>(c, op.segment, c.effective_address(op), add)) return false;
    c.set<T>(op.reg, before);
    return true;
  }
};

// The destination is written in either case (its old value when the comparison fails), so it must be writable.
template <class T>
struct Cmpxchg {
  static void reg(Engine& c, const Op& op) {
    const T old = c.get<T>(op.rm);
    compute<Alu::cmp, T>(c, c.get<T>(EAX), old);
    if (c.zf())
      c.set<T>(op.rm, c.get<T>(op.reg));
    else
      c.set<T>(EAX, old);
  }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    T before{};
    const auto exchange = [&](T old) {
      before = old;
      compute<Alu::cmp, T>(c, c.get<T>(EAX), old);
      return c.zf() ? c.get<T>(op.reg) : old;
    };
    if (!Memory::template modify<T>(c, op.segment, c.effective_address(op), exchange)) return false;
    if (!c.zf()) c.set<T>(EAX, before);
    return true;
  }
};

void cmpxchg8b(Engine& c, const Op& op) {
  const std::uint32_t linear = c.linear_for_write(op.segment, c.effective_address(op), 8);
  c.check_alignment(linear, 7, c.cpl == 3);
  c.probe_write(linear, 4, c.cpl == 3);
  c.probe_write(linear + 4, 4, c.cpl == 3);
  const std::uint32_t lo = c.read_linear<std::uint32_t>(linear), hi = c.read_linear<std::uint32_t>(linear + 4);
  const bool equal = lo == c.gpr[EAX] && hi == c.gpr[EDX];
  c.write_linear<std::uint32_t>(linear, equal ? c.gpr[EBX] : lo);
  c.write_linear<std::uint32_t>(linear + 4, equal ? c.gpr[ECX] : hi);
  if (!equal) {
    c.gpr[EAX] = lo;
    c.gpr[EDX] = hi;
  }
  c.set_zf(equal);
}

template <bool Value>
void set_carry(Engine& c, const Op&) {
  c.set_cf(Value);
}
void complement_carry(Engine& c, const Op&) { c.set_cf(!c.cf()); }
template <bool Value>
void set_direction(Engine& c, const Op&) {
  c.system_flags = Value ? c.system_flags | flag_df : c.system_flags & ~flag_df;
}

}  // namespace

Handlers select_alu(const Op& op, Model model) {
  const unsigned code = op.opcode;
  if (code < 0x40 && (code & 7) < 6) return select_alu_operation(op, code >> 3);
  if (code >= 0x40 && code < 0x48) return by_word(op, []<class T> { return register_only<IncDec<false, T>::reg>; });
  if (code >= 0x48 && code < 0x50) return by_word(op, []<class T> { return register_only<IncDec<true, T>::reg>; });
  switch (code) {
    // clang-format off
    case 0x80: case 0x81: case 0x82: case 0x83: return select_alu_operation(op, op.reg);
    case 0x84: case 0x85: return by_size(op, []<class T> { return forms<TestG<T>>; });
    case 0xA8: case 0xA9: return by_size(op, []<class T> { return register_only<TestI<T>::reg>; });
    // clang-format on
    case 0xF5: return register_only<complement_carry>(op);
    case 0xF8: return register_only<set_carry<false>>(op);
    case 0xF9: return register_only<set_carry<true>>(op);
    case 0xFC: return register_only<set_direction<false>>(op);
    case 0xFD: return register_only<set_direction<true>>(op);
    case 0xF6:
    case 0xF7:
      switch (op.reg) {
        case 0:
        case 1: return by_size(op, []<class T> { return forms<TestI<T>>; });
        case 2: return by_size(op, []<class T> { return forms<Not<T>>; });
        case 3: return by_size(op, []<class T> { return forms<Neg<T>>; });
        default: return nullptr;
      }
    case 0xFE:
    case 0xFF:
      if (op.reg == 0) return by_size(op, []<class T> { return forms<IncDec<false, T>>; });
      if (op.reg == 1) return by_size(op, []<class T> { return forms<IncDec<true, T>>; });
      return nullptr;
    case 0x0FB0:
    case 0x0FB1:
      if (model == Model::i386sx) return nullptr;
      return by_size(op, []<class T> { return forms<Cmpxchg<T>>; });
    case 0x0FC0:
    case 0x0FC1:
      if (model == Model::i386sx) return nullptr;
      return by_size(op, []<class T> { return forms<Xadd<T>>; });
    case 0x0FC7: return model >= Model::pentium && op.reg == 1 && op.has_memory ? any<cmpxchg8b>(op) : nullptr;
    default: return nullptr;
  }
}

}  // namespace planar::cpu
