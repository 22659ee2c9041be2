// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/decode/decoder.hpp"

#include <utility>

namespace planar::cpu {

namespace {

constexpr unsigned longest = 15;

// The topic to which an opcode belongs: a alu, s shift, m multiply, v move, k stack, t string, i I/O, c control,
// g segment, y system, f x87, n MMX, x several (by ModRM), p prefix, e escape, u undefined. In capitals: from P6 on,
// undefined before.
constexpr char one_byte_topics[] =
    "aaaaaakkaaaaaake"
    "aaaaaakkaaaaaakk"
    "aaaaaapmaaaaaapm"
    "aaaaaapmaaaaaapm"
    "aaaaaaaaaaaaaaaa"
    "kkkkkkkkkkkkkkkk"
    "kkcgppppkmkmtttt"
    "cccccccccccccccc"
    "aaaaaavvvvvvgvgk"
    "vvvvvvvvmmcfkkvv"
    "vvvvttttaatttttt"
    "vvvvvvvvvvvvvvvv"
    "ssccggvvkkcccccc"
    "ssssmmmvffffffff"
    "cccciiiicccciiii"
    "pcppyaxxaayyaaax";
constexpr char two_byte_topics[] =
    "yyyyuuyuyyuuuuuu"
    "vvvvuuuuVVVVVVVV"
    "yyyyyuyuuuuuuuuu"
    "yyyYYYuuuuuuuuuu"
    "VVVVVVVVVVVVVVVV"
    "uuuuuuuuuuuuuuuu"
    "NNNNNNNNNNNNuuNN"
    "uNNNNNNNuuuuuuNN"
    "cccccccccccccccc"
    "vvvvvvvvvvvvvvvv"
    "kkysssuukkusssYm"
    "aagsggvvuussssvv"
    "aauuuuuavvvvvvvv"
    "uNNNuNuuNNuNNNuN"
    "uNNuuNuuNNuNNNuN"
    "uNNNuNuuNNNuNNNu";

// What follows the opcode: . nothing, M ModRM, b imm8, s imm8 sign-extended, z imm16/32, w imm16, o moffs, f far
// pointer, n ENTER's imm16 imm8; ModRM with immediate: B imm8, S sign-extended, Z imm16/32; T the F6/F7 group.
constexpr char one_byte_operands[] =
    "MMMMbz..MMMMbz.."
    "MMMMbz..MMMMbz.."
    "MMMMbz..MMMMbz.."
    "MMMMbz..MMMMbz.."
    "................"
    "................"
    "..MM....zZsS...."
    "ssssssssssssssss"
    "BZBSMMMMMMMMMMMM"
    "..........f....."
    "oooo....bz......"
    "bbbbbbbbzzzzzzzz"
    "BBw.MMBZn.w..b.."
    "MMMMbb..MMMMMMMM"
    "ssssbbbbzzfs...."
    "......TT......MM";
constexpr char two_byte_operands[] =
    "MMMM............"
    "MMMM....MMMMMMMM"
    "MMMMM.M........."
    "................"
    "MMMMMMMMMMMMMMMM"
    "................"
    "MMMMMMMMMMMMMMMM"
    ".BBBMMM.......MM"
    "zzzzzzzzzzzzzzzz"
    "MMMMMMMMMMMMMMMM"
    "...MBM.....MBMMM"
    "MMMMMMMM..BMMMMM"
    "MM.....M........"
    ".MMM.M..MM.MMM.M"
    ".MM..M..MM.MMM.M"
    ".MMM.M..MMM.MMM.";
static_assert(sizeof one_byte_topics == 257 && sizeof two_byte_topics == 257);
static_assert(sizeof one_byte_operands == 257 && sizeof two_byte_operands == 257);

class Cursor {
 public:
  explicit Cursor(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  /// False at the end of the bytes or at the maximum length of an instruction; too_long() tells which.
  bool next(std::uint8_t& b) {
    if (position_ >= longest || position_ >= bytes_.size()) return false;
    b = bytes_[position_++];
    return true;
  }
  bool next(unsigned count, std::uint32_t& v) {
    v = 0;
    for (unsigned i = 0; i < count; ++i) {
      std::uint8_t b;
      if (!next(b)) return false;
      v |= std::uint32_t{b} << (8 * i);
    }
    return true;
  }
  bool too_long() const { return position_ >= longest; }
  unsigned position() const { return position_; }

 private:
  std::span<const std::uint8_t> bytes_;
  unsigned position_ = 0;
};

bool signed_byte(Cursor& in, std::uint32_t& v) {
  if (!in.next(1, v)) return false;
  v = static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int8_t>(v)));
  return true;
}

bool address_operand(Cursor& in, Op& op, Model model, bool& stack_based) {
  const unsigned mod = op.modrm >> 6;
  stack_based = false;
  unsigned displacement = mod == 1 ? 1 : mod == 2 ? (op.address32 ? 4 : 2) : 0;
  if (op.address32) {
    op.base = op.rm;
    if (op.rm == 4) {
      std::uint8_t sib;
      if (!in.next(sib)) return false;
      op.base = sib & 7;
      op.index = sib >> 3 & 7;
      op.scale = static_cast<std::uint8_t>(1u << (sib >> 6));
      if (op.base == EBP && mod == 0) op.base = no_register, displacement = 4;
      stack_based = op.base == ESP || op.base == EBP;
      if (op.index == ESP) {
        op.index = no_register;
        // Undefined; the 386 applies the scale to the base (measured by the test386 suite).
        if (model == Model::i386sx && op.scale != 1)
          std::swap(op.base, op.index);
        else
          op.scale = 1;
      }
    } else if (op.rm == 5 && mod == 0) {
      op.base = no_register;
      displacement = 4;
    }
    if (op.rm != 4) stack_based = op.base == EBP;
  } else {
    static constexpr std::uint8_t bases[8] = {EBX, EBX, EBP, EBP, ESI, EDI, EBP, EBX};
    static constexpr std::uint8_t indexes[8] = {ESI, EDI, ESI, EDI, no_register, no_register, no_register, no_register};
    op.base = bases[op.rm];
    op.index = indexes[op.rm];
    if (op.rm == 6 && mod == 0) {
      op.base = no_register;
      displacement = 2;
    }
    stack_based = op.base == EBP;
  }
  if (displacement == 0) return true;
  op.has_displacement = true;
  if (displacement == 1) return signed_byte(in, op.displacement);
  return in.next(displacement, op.displacement);
}

char topic_of(const Op& op) {
  return op.opcode > 0xFF ? two_byte_topics[op.opcode & 0xFF] : one_byte_topics[op.opcode];
}
/// Whether the P6 introduced the opcode.
bool came_with_p6(const Op& op) { return topic_of(op) < 'a'; }

// LOCK is legal only before a read-modify-write of memory.
bool lock_allowed(const Op& op, Model model) {
  if (!op.has_memory) return false;
  const unsigned code = op.opcode;
  if (code < 0x38) return (code & 7) < 2;
  switch (code) {
    // clang-format off
    case 0x80: case 0x81: case 0x82: case 0x83: return op.reg != 7;
    case 0x86: case 0x87: return true;
    case 0xF6: case 0xF7: return op.reg == 2 || op.reg == 3;
    case 0xFE: case 0xFF: return op.reg < 2;
    case 0x0FA3: return model == Model::i386sx;
    case 0x0FAB: case 0x0FB3: case 0x0FBB: case 0x0FB0: case 0x0FB1: case 0x0FC0: case 0x0FC1: case 0x0FC7: return true;
    // clang-format on
    case 0x0FBA: return op.reg > 4 || model == Model::i386sx;
    default: return false;
  }
}

// After these, the next instruction may have another address, mode or privilege, or find the pipeline empty.
bool ends_block(const Op& op) {
  if (topic_of(op) == 'c') return op.opcode != 0x62;
  if (op.opcode == 0xFF) return op.reg >= 2 && op.reg <= 5;
  switch (op.opcode) {
    // clang-format off
    case 0xF4: case 0x0F01: case 0x0F06: case 0x0F08: case 0x0F09: case 0x0F20: case 0x0F21: case 0x0F22: case 0x0F23:
    case 0x0F34: case 0x0F35: case 0x0FA2:
      return true;
    // clang-format on
    default: return false;
  }
}

void too_long(Engine&, const Op&) { raise(vec_gp, 0); }

}  // namespace

void undefined_opcode(Engine&, const Op&) { raise(vec_ud); }

Handlers select(const Op& op, Model model) {
  if (came_with_p6(op) && model < Model::p6) return nullptr;
  switch (topic_of(op)) {
    case 'a': return select_alu(op, model);
    case 's': return select_shift(op);
    case 'm': return select_multiply(op);
    case 'v':
    case 'V': return select_move(op, model);
    case 'k': return select_stack(op);
    case 't': return select_string(op);
    case 'i': return select_io(op);
    case 'c': return select_control(op);
    case 'g': return select_segment(op);
    case 'y':
    case 'Y': return select_system(op, model);
    case 'N': return select_mmx(op);
    case 'f': return op.opcode == 0x9B ? fpu_wait : fpu_escape;
    case 'x':
      if (Handlers h = select_alu(op, model)) return h;
      if (Handlers h = select_multiply(op)) return h;
      if (Handlers h = select_control(op)) return h;
      return select_stack(op);
    default: return nullptr;
  }
}

bool decode(std::span<const std::uint8_t> bytes, const DecodeMode& mode, Op& op) {
  op = Op{};
  Cursor in(bytes);
  const auto incomplete = [&] {
    if (!in.too_long()) return false;
    op.length = longest;
    op.execute = too_long;
    op.ends_block = true;
    return true;
  };

  bool operand_override = false, address_override = false;
  int segment_override = -1;
  std::uint8_t b = 0;
  for (bool prefix = true; prefix;) {
    if (!in.next(b)) return incomplete();
    switch (b) {
      case 0x26: segment_override = ES; break;
      case 0x2E: segment_override = CS; break;
      case 0x36: segment_override = SS; break;
      case 0x3E: segment_override = DS; break;
      case 0x64: segment_override = FS; break;
      case 0x65: segment_override = GS; break;
      case 0x66: operand_override = true; break;
      case 0x67: address_override = true; break;
      case 0xF0: op.lock = true; break;
      // clang-format off
      case 0xF2: op.repne = true; op.rep = false; break;
      case 0xF3: op.rep = true; op.repne = false; break;
      // clang-format on
      default: prefix = false; break;
    }
    if (prefix) ++op.prefixes;
  }
  op.operand32 = mode.big != operand_override;
  op.address32 = mode.big != address_override;
  op.address_mask = op.address32 ? 0xFFFFFFFFu : 0xFFFFu;
  op.protected_mode = mode.protected_mode && !mode.v86;
  op.v86 = mode.v86;

  char operands;
  if (b == 0x0F) {
    if (!in.next(b)) return incomplete();
    op.opcode = static_cast<std::uint16_t>(0x0F00 | b);
    operands = came_with_p6(op) && mode.model < Model::p6 ? '.' : two_byte_operands[b];
  } else {
    op.opcode = b;
    operands = one_byte_operands[b];
  }
  op.rm = b & 7;
  op.reg = b >> 3 & 7;
  if (op.opcode < 0x40 || op.opcode == 0xA8 || op.opcode == 0xA9) op.rm = 0;  // accumulator, immediate

  bool stack_based = false;
  const bool modrm = operands == 'M' || operands == 'B' || operands == 'S' || operands == 'Z' || operands == 'T';
  if (modrm) {
    if (!in.next(op.modrm)) return incomplete();
    op.has_modrm = true;
    op.reg = op.modrm >> 3 & 7;
    op.rm = op.modrm & 7;
    // MOV to and from control, debug and test registers ignore the mod field.
    op.has_memory = op.modrm < 0xC0 && !(op.opcode >= 0x0F20 && op.opcode <= 0x0F26);
    if (op.has_memory && !address_operand(in, op, mode.model, stack_based)) return incomplete();
  }
  bool whole = true;
  const unsigned word = op.operand32 ? 4 : 2;
  op.has_immediate = operands != 'M' && operands != '.' && operands != 'o';
  switch (operands) {
    case 'b':
    case 'B': whole = in.next(1, op.immediate); break;
    case 's':
    case 'S': whole = signed_byte(in, op.immediate); break;
    case 'z':
    case 'Z': whole = in.next(word, op.immediate); break;
    case 'w': whole = in.next(2, op.immediate); break;
    case 'T':
      op.has_immediate = op.reg < 2;
      if (op.has_immediate) whole = in.next(b & 1 ? word : 1, op.immediate);
      break;
    case 'f': whole = in.next(word, op.immediate) && in.next(2, op.displacement); break;
    case 'n': whole = in.next(2, op.immediate) && in.next(1, op.displacement); break;
    case 'o':
      op.has_displacement = true;
      whole = in.next(op.address32 ? 4 : 2, op.displacement);
      break;
    default: break;
  }
  if (!whole) return incomplete();

  op.segment = static_cast<std::uint8_t>(segment_override >= 0 ? segment_override : stack_based ? int{SS} : int{DS});
  op.length = static_cast<std::uint8_t>(in.position());
  Handlers handlers = select(op, mode.model);
  op.ends_block = ends_block(op);
  if (!handlers || (op.lock && !lock_allowed(op, mode.model))) {
    handlers = undefined_opcode;
    op.ends_block = true;
  }
  const bool i386sx = mode.model == Model::i386sx, p6 = mode.model == Model::p6;
  op.execute = i386sx ? handlers.i386sx.execute : p6 ? handlers.execute_on_p6 : handlers.execute;
  op.chained = i386sx ? handlers.i386sx.step : handlers.link;
  op.register_only = handlers.register_only;
  return true;
}

}  // namespace planar::cpu
