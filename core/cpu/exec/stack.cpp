// SPDX-License-Identifier: GPL-2.0-or-later
// PUSH, POP, PUSHA, POPA, PUSHF, POPF, ENTER, LEAVE.
#include "core/cpu/dispatch/select.hpp"

namespace planar::cpu {

namespace {

template <class T, class Memory>
bool push(Engine& c, T v) {
  const bool wide = c.seg[SS].big;
  const std::uint32_t sp = c.gpr[ESP] - static_cast<std::uint32_t>(sizeof(T));
  if (!Memory::template write<T>(c, SS, wide ? sp : sp & 0xFFFF, v)) return false;
  c.set_sized(ESP, wide, sp);
  return true;
}
template <class T>
struct PushReg {
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return push<T, Memory>(c, c.get<T>(op.rm));
  }
};
template <class T>
struct PushImm {
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    return push<T, Memory>(c, static_cast<T>(op.immediate));
  }
};
template <class T>
void push_mem(Engine& c, const Op& op) {
  c.push<T>(c.read<T>(op.segment, c.effective_address(op)));
}
template <class T>
struct PopReg {
  template <class Memory>
  static bool mem(Engine& c, const Op& op) {
    const bool wide = c.seg[SS].big;
    const std::uint32_t sp = c.get_sized(ESP, wide);
    return Memory::template read<T>(c, SS, sp, [&](T v) {
      c.set_sized(ESP, wide, sp + static_cast<std::uint32_t>(sizeof(T)));
      c.set<T>(op.rm, v);
    });
  }
};
// If ESP is the base register, its value after the pop is used; a store that faults leaves ESP unchanged.
template <class T>
void pop_mem(Engine& c, const Op& op) {
  const std::uint32_t before = c.gpr[ESP];
  const T v = c.pop<T>();
  const std::uint32_t after = c.gpr[ESP];
  const std::uint32_t ea = c.effective_address(op);
  c.gpr[ESP] = before;
  c.write<T>(op.segment, ea, v);
  c.gpr[ESP] = after;
}

// A dword push moves ESP by four but writes only the selector's two bytes (measured on 386SX and 486 by the test386 and
// undef386 suites).
template <class T>
void push_segment(Engine& c, const Op& op) {
  const bool wide = c.seg[SS].big;
  std::uint32_t sp = c.get_sized(ESP, wide) - static_cast<std::uint32_t>(sizeof(T));
  if (!wide) sp &= 0xFFFF;
  c.write<std::uint16_t>(SS, sp, c.seg[op.reg].selector);
  c.set_sized(ESP, wide, sp);
}
template <class T>
void pop_segment(Engine& c, const Op& op) {
  const bool wide = c.seg[SS].big;
  const std::uint32_t sp = c.get_sized(ESP, wide);
  const std::uint16_t selector = c.read<std::uint16_t>(SS, sp);
  c.load_segment(op.reg, selector);
  c.set_sized(ESP, wide, sp + sizeof(T));
  if (op.reg == SS) {
    c.inhibit_all = true;
    c.attend(attend_inhibit);
  }
}

template <class T>
void pusha(Engine& c, const Op&) {
  const bool wide = c.seg[SS].big;
  std::uint32_t sp = c.get_sized(ESP, wide);
  for (unsigned r = 0; r < 8; ++r) {
    sp -= sizeof(T);
    if (!wide) sp &= 0xFFFF;
    c.write<T>(SS, sp, c.get<T>(r));
  }
  c.set_sized(ESP, wide, sp);
}
template <class T>
void popa(Engine& c, const Op&) {
  const bool wide = c.seg[SS].big;
  std::uint32_t sp = c.get_sized(ESP, wide);
  T v[8];
  for (unsigned r = 8; r-- > 0;) {
    v[r] = c.read<T>(SS, sp);
    sp += sizeof(T);
    if (!wide) sp &= 0xFFFF;
  }
  for (unsigned r = 0; r < 8; ++r)
    if (r != ESP) c.set<T>(r, v[r]);
  // With a 16-bit stack, the 386's POPAD takes the upper half of ESP from the image (same source).
  if (sizeof(T) == 4 && !wide && c.model == Model::i386sx) c.gpr[ESP] = v[ESP];
  c.set_sized(ESP, wide, sp);
}

template <class T>
void pushf(Engine& c, const Op&) {
  if (c.v86 && c.iopl() < 3) raise(vec_gp, 0);
  c.push<T>(static_cast<T>(c.eflags() & ~(flag_rf | flag_vm)));
}
template <class T>
void popf(Engine& c, const Op&) {
  if (c.v86 && c.iopl() < 3) raise(vec_gp, 0);
  std::uint32_t mask = arithmetic_flags | flag_tf | flag_df | flag_nt;
  if (c.cpl == 0) mask |= flag_iopl;
  if (c.cpl <= c.iopl()) mask |= flag_if;
  if constexpr (sizeof(T) == 4) mask |= flag_ac | flag_id | flag_rf;
  std::uint32_t v = c.pop<T>();
  v &= ~flag_rf;
  c.set_eflags(v, mask);
}

template <class T>
void enter(Engine& c, const Op& op) {
  const bool wide = c.seg[SS].big;
  const unsigned level = op.displacement & 31;
  std::uint32_t sp = c.get_sized(ESP, wide), bp = c.get_sized(EBP, wide);
  const auto push = [&](T v) {
    sp -= sizeof(T);
    if (!wide) sp &= 0xFFFF;
    c.write<T>(SS, sp, v);
  };
  c.timing.spend(enter_extra(c.model, level));
  push(c.get<T>(EBP));
  const std::uint32_t frame = wide ? sp : (c.gpr[ESP] & 0xFFFF0000u) | sp;
  if (level > 0) {
    for (unsigned i = 1; i < level; ++i) {
      bp -= sizeof(T);
      if (!wide) bp &= 0xFFFF;
      push(c.read<T>(SS, bp));
    }
    push(static_cast<T>(frame));
  }
  sp -= op.immediate & 0xFFFF;
  if (!wide) sp &= 0xFFFF;
  // The chip checks that the new top of the stack can be written.
  c.probe_write(c.linear_for_write(SS, sp, sizeof(T)), sizeof(T), c.cpl == 3);
  c.set_sized(EBP, sizeof(T) == 4, frame);
  c.set_sized(ESP, wide, sp);
}

template <class T>
struct Leave {
  template <class Memory>
  static bool mem(Engine& c, const Op&) {
    const bool wide = c.seg[SS].big;
    const std::uint32_t bp = c.get_sized(EBP, wide);
    return Memory::template read<T>(c, SS, bp, [&](T v) {
      c.set_sized(ESP, wide, bp + static_cast<std::uint32_t>(sizeof(T)));
      c.set<T>(EBP, v);
    });
  }
};

}  // namespace

Handlers select_stack(const Op& op) {
  const unsigned code = op.opcode;
  if (code >= 0x50 && code < 0x58) return by_word(op, []<class T> { return accessing<PushReg<T>>; });
  if (code >= 0x58 && code < 0x60) return by_word(op, []<class T> { return accessing<PopReg<T>>; });
  switch (code) {
    // clang-format off
    case 0x06: case 0x0E: case 0x16: case 0x1E: case 0x0FA0: case 0x0FA8: return by_word(op, []<class T> { return any<push_segment<T>>; });
    case 0x07: case 0x17: case 0x1F: case 0x0FA1: case 0x0FA9: return by_word(op, []<class T> { return any<pop_segment<T>>; });
    case 0x60: return by_word(op, []<class T> { return any<pusha<T>>; });
    case 0x61: return by_word(op, []<class T> { return any<popa<T>>; });
    case 0x68: case 0x6A: return by_word(op, []<class T> { return accessing<PushImm<T>>; });
    // clang-format on
    case 0x8F:
      if (op.reg != 0) return nullptr;
      return op.has_memory ? by_word(op, []<class T> { return any<pop_mem<T>>; })
                           : by_word(op, []<class T> { return accessing<PopReg<T>>; });
    case 0xFF:
      if (op.reg != 6) return nullptr;
      return op.has_memory ? by_word(op, []<class T> { return any<push_mem<T>>; })
                           : by_word(op, []<class T> { return accessing<PushReg<T>>; });
    case 0x9C: return by_word(op, []<class T> { return any<pushf<T>>; });
    case 0x9D: return by_word(op, []<class T> { return any<popf<T>>; });
    case 0xC8: return by_word(op, []<class T> { return any<enter<T>>; });
    case 0xC9: return by_word(op, []<class T> { return accessing<Leave<T>>; });
    default: return nullptr;
  }
}

}  // namespace planar::cpu
