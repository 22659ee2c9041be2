// SPDX-License-Identifier: GPL-2.0-or-later
// MOV in its general forms, MOVZX, MOVSX, XCHG, LEA, XLAT, BSWAP, SETcc, CMOVcc, LAHF, SAHF, NOP, PREFETCHh.
#include "core/cpu/dispatch/select.hpp"
#include "core/cpu/exec/condition.hpp"
#include "core/cpu/x86/features.hpp"

namespace planar::cpu {

namespace {

template <class T>
struct MovEG {
  static void reg(Engine& c, const Op& op) { c.set<T>(op.rm, c.get<T>(op.reg)); }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return Memory::template write<T>(c, op.segment, c.effective_address(op), c.get<T>(op.reg));
  }
};
template <class T>
struct MovGE {
  static void reg(Engine& c, const Op& op) { c.set<T>(op.reg, c.get<T>(op.rm)); }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return Memory::template read<T>(c, op.segment, c.effective_address(op), [&](T v) { c.set<T>(op.reg, v); });
  }
};
template <class T>
struct MovI {
  static void reg(Engine& c, const Op& op) { c.set<T>(op.rm, static_cast<T>(op.immediate)); }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return Memory::template write<T>(c, op.segment, c.effective_address(op), static_cast<T>(op.immediate));
  }
};
// A0..A3: the decoder has put the offset into `displacement`.
template <class T>
struct MovLoadAccumulator {
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return Memory::template read<T>(c, op.segment, c.effective_address(op), [&](T v) { c.set<T>(EAX, v); });
  }
};
template <class T>
struct MovStoreAccumulator {
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return Memory::template write<T>(c, op.segment, c.effective_address(op), c.get<T>(EAX));
  }
};

template <bool Signed, class From, class T>
void extend(Engine& c, const Op& op, From v) {
  if constexpr (Signed)
    c.set<T>(op.reg, static_cast<T>(static_cast<std::make_signed_t<From>>(v)));
  else
    c.set<T>(op.reg, static_cast<T>(v));
}
template <bool Signed, class From, class T>
struct ExtendMove {
  static void reg(Engine& c, const Op& op) { extend<Signed, From, T>(c, op, c.get<From>(op.rm)); }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return Memory::template read<From>(c, op.segment, c.effective_address(op),
                                       [&](From v) { extend<Signed, From, T>(c, op, v); });
  }
};

template <class T>
struct Xchg {
  static void reg(Engine& c, const Op& op) {
    const T a = c.get<T>(op.rm);
    c.set<T>(op.rm, c.get<T>(op.reg));
    c.set<T>(op.reg, a);
  }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    T before{};
    const auto exchange = [&](T v) {
      before = v;
      return c.get<T>(op.reg);
    };
    if (!Memory::template modify<T>(c, op.segment, c.effective_address(op), exchange)) return false;
    c.set<T>(op.reg, before);
    return true;
  }
};
template <class T>
void xchg_accumulator(Engine& c, const Op& op) {
  const T a = c.get<T>(EAX);
  c.set<T>(EAX, c.get<T>(op.rm));
  c.set<T>(op.rm, a);
}
void nop(Engine&, const Op&) {}

template <class T>
void lea(Engine& c, const Op& op) {
  c.set<T>(op.reg, static_cast<T>(c.effective_address(op)));
}

void xlat(Engine& c, const Op& op) {
  const std::uint32_t offset = (c.gpr[EBX] + (c.gpr[EAX] & 0xFF)) & op.address_mask;
  c.set<std::uint8_t>(EAX, c.read<std::uint8_t>(op.segment, offset));
}

// With a 16-bit operand the result is undefined; these chips clear the low word.
void bswap(Engine& c, const Op& op) {
  if (op.operand32)
    c.gpr[op.rm] = __builtin_bswap32(c.gpr[op.rm]);
  else
    c.set<std::uint16_t>(op.rm, 0);
}

template <unsigned CC>
struct Setcc {
  static void reg(Engine& c, const Op& op) { c.set<std::uint8_t>(op.rm, condition(c, CC) ? 1 : 0); }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return Memory::template write<std::uint8_t>(c, op.segment, c.effective_address(op), condition(c, CC) ? 1 : 0);
  }
};
template <std::size_t... CC>
Handlers select_setcc(const Op& op, std::index_sequence<CC...>) {
  static constexpr Selector table[] = {forms<Setcc<CC>>...};
  return table[op.opcode & 15](op);
}

// Memory is read whether or not the condition holds.
template <class T>
struct Cmov {
  static void reg(Engine& c, const Op& op) {
    if (condition(c, op.opcode & 15)) c.set<T>(op.reg, c.get<T>(op.rm));
  }
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return Memory::template read<T>(c, op.segment, c.effective_address(op), [&](T v) {
      if (condition(c, op.opcode & 15)) c.set<T>(op.reg, v);
    });
  }
};

void lahf(Engine& c, const Op&) { c.set<std::uint8_t>(4, static_cast<std::uint8_t>(c.arithmetic() | 2)); }
void sahf(Engine& c, const Op&) {
  const std::uint32_t ah = c.get<std::uint8_t>(4);
  c.set_arithmetic((ah & 0xD5) | (c.of() ? flag_of : 0));
}

// Never faults. Data beyond a segment's limit is fetched all the same, since only time depends on it.
void prefetch(Engine& c, const Op& op) {
  if (!has_prefetch(c.signature())) return;
  const std::uint32_t linear = c.seg[op.segment].base + c.effective_address(op);
  if (const auto physical = c.translation_at_hand(linear)) c.timing.prefetch(*physical);
}

}  // namespace

Handlers select_move(const Op& op, Model model) {
  const unsigned code = op.opcode;
  if (code >= 0xB0 && code < 0xB8) return register_only<MovI<std::uint8_t>::reg>(op);
  if (code >= 0xB8 && code < 0xC0) return by_word(op, []<class T> { return register_only<MovI<T>::reg>; });
  if (code >= 0x91 && code < 0x98) return by_word(op, []<class T> { return register_only<xchg_accumulator<T>>; });
  if (code >= 0x0F90 && code < 0x0FA0) return select_setcc(op, std::make_index_sequence<16>());
  if (code >= 0x0F40 && code < 0x0F50) return by_word(op, []<class T> { return forms<Cmov<T>>; });
  if (code == 0x0F18 && op.has_memory && op.reg < 4) return register_only<prefetch>(op);
  if (code >= 0x0F18 && code < 0x0F20) return register_only<nop>(op);  // hints; memory is not touched
  if (code >= 0x0FC8 && code < 0x0FD0) return model == Model::i386sx ? nullptr : register_only<bswap>(op);
  switch (code) {
    // clang-format off
    case 0x86: case 0x87: return by_size(op, []<class T> { return forms<Xchg<T>>; });
    case 0x88: case 0x89: return by_size(op, []<class T> { return forms<MovEG<T>>; });
    case 0x8A: case 0x8B: return by_size(op, []<class T> { return forms<MovGE<T>>; });
    case 0x0F10: case 0x0F11:  // UMOV, 386 and 486 only
      if (model >= Model::pentium) return nullptr;
      return by_size(op, []<class T> { return forms<MovEG<T>>; });
    case 0x0F12: case 0x0F13:
      // clang-format on
      if (model >= Model::pentium) return nullptr;
      return by_size(op, []<class T> { return forms<MovGE<T>>; });
    case 0x8D: return op.has_memory ? by_word(op, []<class T> { return register_only<lea<T>>; }) : nullptr;
    case 0x90: return register_only<nop>(op);
    case 0x9E: return register_only<sahf>(op);
    case 0x9F: return register_only<lahf>(op);
    case 0xA0:
    case 0xA1: return by_size(op, []<class T> { return accessing<MovLoadAccumulator<T>>; });
    case 0xA2:
    case 0xA3: return by_size(op, []<class T> { return accessing<MovStoreAccumulator<T>>; });
    case 0xC6:
    case 0xC7:
      if (op.reg != 0) return nullptr;
      return by_size(op, []<class T> { return forms<MovI<T>>; });
    case 0xD7: return xlat;
    case 0x0FB6: return by_word(op, []<class T> { return forms<ExtendMove<false, std::uint8_t, T>>; });
    case 0x0FB7: return by_word(op, []<class T> { return forms<ExtendMove<false, std::uint16_t, T>>; });
    case 0x0FBE: return by_word(op, []<class T> { return forms<ExtendMove<true, std::uint8_t, T>>; });
    case 0x0FBF: return by_word(op, []<class T> { return forms<ExtendMove<true, std::uint16_t, T>>; });
    default: return nullptr;
  }
}

}  // namespace planar::cpu
