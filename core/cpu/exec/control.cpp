// SPDX-License-Identifier: GPL-2.0-or-later
// Near transfers: JMP, Jcc, CALL, RET, LOOP, JCXZ. Far ones are in far.cpp.
#include <utility>

#include "core/cpu/dispatch/select.hpp"
#include "core/cpu/exec/condition.hpp"
#include "core/cpu/exec/operands.hpp"

namespace planar::cpu {

namespace {

template <class T>
std::uint32_t relative_target(const Engine& c, const Op& op) {
  return static_cast<T>(c.eip + op.immediate);
}

void check_target(Engine& c, std::uint32_t target) {
  if (target > c.seg[CS].limit) [[unlikely]]
    raise(vec_gp, 0);
}
Outcome go(Engine& c, std::uint32_t target) {
  check_target(c, target);
  c.eip = target;
  return {true, target};
}

template <unsigned CC, class T>
Outcome jcc(Engine& c, const Op& op) {
  const std::uint32_t target = relative_target<T>(c, op);
  return condition(c, CC) ? go(c, target) : Outcome{false, target};
}

template <class T>
Outcome jmp_relative(Engine& c, const Op& op) {
  return go(c, relative_target<T>(c, op));
}
template <class T>
Outcome jmp_indirect(Engine& c, const Op& op) {
  return go(c, operand<T>(c, op));
}

template <class T>
Outcome call(Engine& c, std::uint32_t target) {
  check_target(c, target);
  c.push<T>(static_cast<T>(c.eip));
  return go(c, target);
}
template <class T>
Outcome call_relative(Engine& c, const Op& op) {
  return call<T>(c, relative_target<T>(c, op));
}
template <class T>
Outcome call_indirect(Engine& c, const Op& op) {
  return call<T>(c, operand<T>(c, op));
}

template <class T>
Outcome ret(Engine& c, const Op& op) {
  const bool wide = c.seg[SS].big;
  const std::uint32_t sp = c.get_sized(ESP, wide);
  const T target = c.read<T>(SS, sp);
  check_target(c, target);
  c.set_sized(ESP, wide, sp + sizeof(T) + (op.immediate & 0xFFFF));
  return go(c, target);
}

enum class Loop { ne, e, plain, jcxz };
template <Loop L, class T>
Outcome loop(Engine& c, const Op& op) {
  const std::uint32_t target = relative_target<T>(c, op);
  std::uint32_t count = c.get_sized(ECX, op.address32);
  bool taken;
  if constexpr (L == Loop::jcxz) {
    taken = count == 0;
  } else {
    --count;
    if (!op.address32) count &= 0xFFFF;
    taken = count != 0;
    if constexpr (L == Loop::e) taken = taken && c.zf();
    if constexpr (L == Loop::ne) taken = taken && !c.zf();
  }
  if (taken) check_target(c, target);
  if constexpr (L != Loop::jcxz) c.set_sized(ECX, op.address32, count);
  return taken ? go(c, target) : Outcome{false, target};
}

template <class T, unsigned... CC>
Handlers select_jcc(const Op& op, std::integer_sequence<unsigned, CC...>) {
  static constexpr Selector table[] = {branch<jcc<CC, T>>...};
  return table[op.opcode & 15](op);
}

// Far forms.
template <bool Call>
void far_direct(Engine& c, const Op& op) {
  c.go_far(op, static_cast<std::uint16_t>(op.displacement), op.immediate, Call);
}
template <bool Call, class T>
void far_indirect(Engine& c, const Op& op) {
  const FarPointer to = far_pointer<T>(c, op);
  c.go_far(op, to.selector, to.offset, Call);
}
void ret_far(Engine& c, const Op& op) { c.return_far(op, op.immediate & 0xFFFF); }

void int_n(Engine& c, const Op& op) {
  if (c.v86 && c.iopl() < 3) raise(vec_gp, 0);
  c.software_interrupt(op, static_cast<std::uint8_t>(op.immediate), Engine::Source::software);
}
void int3(Engine& c, const Op& op) { c.software_interrupt(op, vec_bp, Engine::Source::software); }
void icebp(Engine& c, const Op& op) { c.software_interrupt(op, vec_db, Engine::Source::icebp); }
void into(Engine& c, const Op& op) {
  if (c.of()) c.software_interrupt(op, vec_of, Engine::Source::software);
}
void iret(Engine& c, const Op& op) { c.interrupt_return(op); }

template <class T>
void bound(Engine& c, const Op& op) {
  using S = std::make_signed_t<T>;
  const S low = static_cast<S>(c.read<T>(op.segment, c.effective_address(op)));
  const S high = static_cast<S>(c.read<T>(op.segment, second_part(c, op, sizeof(T))));
  const S v = static_cast<S>(c.get<T>(op.reg));
  if (v < low || v > high) raise(vec_br);
}

}  // namespace

Handlers select_control(const Op& op) {
  const unsigned code = op.opcode;
  if ((code >= 0x70 && code < 0x80) || (code >= 0x0F80 && code < 0x0F90))
    return op.operand32 ? select_jcc<std::uint32_t>(op, std::make_integer_sequence<unsigned, 16>{})
                        : select_jcc<std::uint16_t>(op, std::make_integer_sequence<unsigned, 16>{});
  switch (code) {
    case 0x62: return op.has_memory ? by_word(op, []<class T> { return any<bound<T>>; }) : nullptr;
    case 0x9A: return far_direct<true>;
    case 0xC2:
    case 0xC3: return by_word(op, []<class T> { return branch<ret<T>>; });
    case 0xCA:
    case 0xCB: return ret_far;
    case 0xCC: return int3;
    case 0xCD: return int_n;
    case 0xCE: return into;
    case 0xCF: return iret;
    case 0xE0: return by_word(op, []<class T> { return special_branch<loop<Loop::ne, T>>; });
    case 0xE1: return by_word(op, []<class T> { return special_branch<loop<Loop::e, T>>; });
    case 0xE2: return by_word(op, []<class T> { return branch<loop<Loop::plain, T>>; });
    case 0xE3: return by_word(op, []<class T> { return special_branch<loop<Loop::jcxz, T>>; });
    case 0xE8: return by_word(op, []<class T> { return branch<call_relative<T>>; });
    case 0xE9:
    case 0xEB: return by_word(op, []<class T> { return branch<jmp_relative<T>>; });
    case 0xEA: return far_direct<false>;
    case 0xF1: return icebp;
    case 0xFF:
      switch (op.reg) {
        case 2: return by_word(op, []<class T> { return branch<call_indirect<T>>; });
        case 3: return op.has_memory ? by_word(op, []<class T> { return any<far_indirect<true, T>>; }) : nullptr;
        case 4: return by_word(op, []<class T> { return branch<jmp_indirect<T>>; });
        case 5: return op.has_memory ? by_word(op, []<class T> { return any<far_indirect<false, T>>; }) : nullptr;
        default: return nullptr;
      }
    default: return nullptr;
  }
}

}  // namespace planar::cpu
