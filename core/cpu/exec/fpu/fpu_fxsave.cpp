// SPDX-License-Identifier: GPL-2.0-or-later
// FXSAVE and FXRSTOR: the x87's state in 512 bytes, of which a processor without SSE uses the first 160. Unlike FNSAVE
// they neither wait nor initialise. Intel Architecture Software Developer's Manual volume 2 (243191).
#include "core/cpu/exec/fpu/fpu_instructions.hpp"

namespace planar::cpu {

namespace {

constexpr unsigned image_bytes = 512, registers_at = 32, register_bytes = 16;

/// The address of the image, after all checks: a write to any part of it will not fault.
std::uint32_t image(Engine& c, const Op& op, bool for_write) {
  if (c.cr0 & (cr0_em | cr0_ts)) raise(vec_nm);
  const std::uint32_t ea = c.effective_address(op);
  const std::uint32_t linear =
      for_write ? c.linear_for_write(op.segment, ea, image_bytes) : c.linear_for_read(op.segment, ea, image_bytes);
  if (linear % 16 != 0) raise(vec_gp, 0);
  if (for_write) c.probe_pages(linear, image_bytes, c.cpl == 3);
  return linear;
}

/// One bit for each physical register, set if it is in use.
std::uint8_t short_tags(std::uint16_t tags) {
  unsigned in_use = 0;
  for (unsigned n = 0; n < 8; ++n)
    if ((tags >> (2 * n) & 3) != 3) in_use |= 1u << n;
  return static_cast<std::uint8_t>(in_use);
}
std::uint16_t long_tags(std::uint8_t in_use) {
  unsigned tags = 0;
  for (unsigned n = 0; n < 8; ++n)
    if (!(in_use >> n & 1)) tags |= 3u << (2 * n);
  return static_cast<std::uint16_t>(tags);
}

}  // namespace

void fxsave(Engine& c, const Op& op) {
  const std::uint32_t at = image(c, op, true);
  const Fpu& f = c.fpu;
  c.write_linear<std::uint16_t>(at, f.control);
  c.write_linear<std::uint16_t>(at + 2, f.status);
  c.write_linear<std::uint8_t>(at + 4, short_tags(f.tags));
  c.write_linear<std::uint16_t>(at + 6, f.opcode);
  c.write_linear<std::uint32_t>(at + 8, f.instruction_offset);
  c.write_linear<std::uint16_t>(at + 12, f.instruction_selector);
  c.write_linear<std::uint32_t>(at + 16, f.operand_offset);
  c.write_linear<std::uint16_t>(at + 20, f.operand_selector);
  for (unsigned i = 0; i < 8; ++i)
    fpu_write80(c, at + registers_at + register_bytes * i, f.registers[(f.top() + i) & 7]);
}

void fxrstor(Engine& c, const Op& op) {
  const std::uint32_t at = image(c, op, false);
  Fpu f = c.fpu;
  f.set_control(c.read_linear<std::uint16_t>(at));
  f.status = c.read_linear<std::uint16_t>(at + 2);
  f.tags = long_tags(c.read_linear<std::uint8_t>(at + 4));
  f.opcode = c.read_linear<std::uint16_t>(at + 6) & 0x7FF;
  f.instruction_offset = c.read_linear<std::uint32_t>(at + 8);
  f.instruction_selector = c.read_linear<std::uint16_t>(at + 12);
  f.operand_offset = c.read_linear<std::uint32_t>(at + 16);
  f.operand_selector = c.read_linear<std::uint16_t>(at + 20);
  for (unsigned i = 0; i < 8; ++i) f.st(i) = fpu_read80(c, at + registers_at + register_bytes * i);
  f.summarise();
  c.fpu = f;
}

}  // namespace planar::cpu
