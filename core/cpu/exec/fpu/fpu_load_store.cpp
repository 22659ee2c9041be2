// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/exec/fpu/fpu_instructions.hpp"

namespace planar::cpu {

std::uint32_t fpu_operand(Engine& c, const Op& op, unsigned bytes, bool for_write) {
  const std::uint32_t ea = c.effective_address(op);
  const std::uint32_t linear =
      for_write ? c.linear_for_write(op.segment, ea, bytes) : c.linear_for_read(op.segment, ea, bytes);
  const bool user = c.cpl == 3;
  // 64- and 80-bit reals and BCD must be aligned to eight bytes.
  c.check_alignment(linear, bytes > 4 ? 7 : bytes - 1, user);
  if (for_write) c.probe_pages(linear, bytes, user);
  return linear;
}

std::uint64_t fpu_read64(Engine& c, std::uint32_t linear) {
  const std::uint32_t low = c.read_linear<std::uint32_t>(linear);
  return std::uint64_t{c.read_linear<std::uint32_t>(linear + 4)} << 32 | low;
}

Float80 fpu_read80(Engine& c, std::uint32_t linear) {
  Float80 v;
  v.mantissa = fpu_read64(c, linear);
  v.exponent = c.read_linear<std::uint16_t>(linear + 8);
  return v;
}

void fpu_write64(Engine& c, std::uint32_t linear, std::uint64_t v) {
  c.write_linear<std::uint32_t>(linear, static_cast<std::uint32_t>(v));
  c.write_linear<std::uint32_t>(linear + 4, static_cast<std::uint32_t>(v >> 32));
}

void fpu_write80(Engine& c, std::uint32_t linear, const Float80& v) {
  fpu_write64(c, linear, v.mantissa);
  c.write_linear<std::uint16_t>(linear + 8, v.exponent);
}

namespace {

/// The value of a memory operand of FLD, FILD or FBLD, with the exceptions of its conversion.
Float80 read_loaded(Engine& c, const Op& op, FloatEnvironment& env) {
  const auto narrow = [&] { return c.read<std::uint32_t>(op.segment, c.effective_address(op)); };
  switch (op.opcode << 4 | op.reg) {
    case 0xD90: return from_real32(env, narrow());
    case 0xDB0: return from_integer(static_cast<std::int32_t>(narrow()));
    case 0xDB5: return fpu_read80(c, fpu_operand(c, op, 10, false));
    case 0xDD0: return from_real64(env, fpu_read64(c, fpu_operand(c, op, 8, false)));
    case 0xDF0:
      return from_integer(static_cast<std::int16_t>(c.read<std::uint16_t>(op.segment, c.effective_address(op))));
    case 0xDF5: return from_integer(static_cast<std::int64_t>(fpu_read64(c, fpu_operand(c, op, 8, false))));
    default: {  // FBLD
      const Float80 raw = fpu_read80(c, fpu_operand(c, op, 10, false));
      return from_bcd({raw.mantissa, raw.exponent});
    }
  }
}

enum class Kind : std::uint8_t { real32, real64, real80, integer16, integer32, integer64, bcd };

Kind stored_kind(const Op& op) {
  switch (op.opcode) {
    case 0xD9: return Kind::real32;
    case 0xDB: return op.reg == 7 ? Kind::real80 : Kind::integer32;
    case 0xDD: return Kind::real64;
    default: return op.reg == 6 ? Kind::bcd : op.reg == 7 ? Kind::integer64 : Kind::integer16;
  }
}

constexpr unsigned kind_bytes[] = {4, 8, 10, 2, 4, 8, 10};

/// The value in its memory format: mantissa and exponent of a Float80 serve as 64 low and 16 high bits.
Float80 convert(FloatEnvironment& env, Kind kind, const Float80& v) {
  const auto integer = [&](unsigned bits) { return Float80{static_cast<std::uint64_t>(to_integer(env, v, bits)), 0}; };
  switch (kind) {
    case Kind::real32: return {to_real32(env, v), 0};
    case Kind::real64: return {to_real64(env, v), 0};
    case Kind::real80: return v;
    case Kind::integer16: return integer(16);
    case Kind::integer32: return integer(32);
    case Kind::integer64: return integer(64);
    default: {
      const Bcd80 digits = to_bcd(env, v);
      return {digits.low, digits.high};
    }
  }
}

void write_stored(Engine& c, std::uint32_t linear, Kind kind, const Float80& v) {
  switch (kind_bytes[static_cast<unsigned>(kind)]) {
    case 2: c.write_linear<std::uint16_t>(linear, static_cast<std::uint16_t>(v.mantissa)); break;
    case 4: c.write_linear<std::uint32_t>(linear, static_cast<std::uint32_t>(v.mantissa)); break;
    case 8: fpu_write64(c, linear, v.mantissa); break;
    default: fpu_write80(c, linear, v); break;
  }
}

}  // namespace

void fpu_load(Engine& c, const Op& op) {
  Fpu& f = c.fpu;
  FloatEnvironment env = f.environment();
  const Float80 v = read_loaded(c, op, env);
  fpu_note_pointers(c, op);
  if (!f.empty(7)) {
    if (f.stack_overflow()) f.push(float80_indefinite);
    return;
  }
  // A denormal is loaded even if its exception is unmasked.
  f.settle(env);
  if (!(env.raised & ~env.masks & float_invalid)) f.push(v);
}

void fpu_store(Engine& c, const Op& op) {
  Fpu& f = c.fpu;
  const Kind kind = stored_kind(op);
  const std::uint32_t linear = fpu_operand(c, op, kind_bytes[static_cast<unsigned>(kind)], true);
  const bool pop = op.reg != 2;
  FloatEnvironment env = f.environment();
  if (f.empty(0)) {
    FloatEnvironment quiet;  // for the format's indefinite, without further flags
    if (!env.unmasked(float_invalid)) write_stored(c, linear, kind, convert(quiet, kind, float80_indefinite));
    fpu_note_pointers(c, op);
    if (f.stack_underflow() && pop) f.pop();
    return;
  }
  const Float80 v = convert(env, kind, f.st(0));
  const bool done = !(env.raised & ~env.masks & ~float_inexact);
  if (done) write_stored(c, linear, kind, v);
  fpu_note_pointers(c, op);
  f.settle(env);
  if (done && pop) f.pop();
}

void fpu_load_register(Fpu& f, unsigned i) {
  if (f.empty(i) || !f.empty(7)) {
    if (f.empty(i) ? f.stack_underflow() : f.stack_overflow()) f.push(float80_indefinite);
    return;
  }
  f.set_c1(false);
  f.push(f.st(i));
}

void fpu_store_register(Fpu& f, unsigned i, bool pop) {
  if (f.empty(0)) {
    if (!f.stack_underflow()) return;
    f.set(i, float80_indefinite);
  } else {
    f.set_c1(false);
    f.set(i, f.st(0));
  }
  if (pop) f.pop();
}

void fpu_move_and_pop(Fpu& f, unsigned i) {
  f.set_c1(false);
  if (!f.empty(0)) f.set(i, f.st(0));
  f.pop();
}

void fpu_exchange(Fpu& f, unsigned i) {
  f.set_c1(false);
  if (f.empty(0) || f.empty(i)) {
    if (!f.stack_underflow()) return;
    if (f.empty(0)) f.set(0, float80_indefinite);
    if (f.empty(i)) f.set(i, float80_indefinite);
  }
  const Float80 a = f.st(0);
  f.set(0, f.st(i));
  f.set(i, a);
}

void fpu_load_constant(Fpu& f, unsigned which) {
  // Significand rounded to nearest, and the sign of the remainder: the constants are rounded by RC [387 manual].
  struct Constant {
    Float80 nearest;
    std::int8_t rest;  ///< the true value is above (+1) or below (-1) the significand, or equal (0)
  };
  static constexpr Constant constants[7] = {
      {{0x8000000000000000u, 0x3FFF}, 0},   // 1
      {{0xD49A784BCD1B8AFEu, 0x4000}, 1},   // log2(10)
      {{0xB8AA3B295C17F0BCu, 0x3FFF}, -1},  // log2(e)
      {{0xC90FDAA22168C235u, 0x4000}, -1},  // pi
      {{0x9A209A84FBCFF799u, 0x3FFD}, -1},  // log10(2)
      {{0xB17217F7D1CF79ACu, 0x3FFE}, -1},  // ln(2)
      {{0, 0}, 0},
  };
  if (!f.empty(7)) {
    if (f.stack_overflow()) f.push(float80_indefinite);
    return;
  }
  Float80 v = constants[which].nearest;
  const auto rounding = static_cast<Rounding>(f.control >> 10 & 3);
  if (constants[which].rest < 0 && (rounding == Rounding::down || rounding == Rounding::chop)) --v.mantissa;
  if (constants[which].rest > 0 && rounding == Rounding::up) ++v.mantissa;
  f.set_c1(false);
  f.push(v);
}

}  // namespace planar::cpu
