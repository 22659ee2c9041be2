// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/exec/fpu/fpu_instructions.hpp"

namespace planar::cpu {

namespace {

/// The environment's layout depends on operand size and mode (Intel 486 PRM figures 18-7 to 18-10).
class Environment {
 public:
  Environment(Engine& c, const Op& op, bool with_registers, bool for_write)
      : c_(c),
        wide_(op.operand32),
        at_(fpu_operand_block(c, op, (op.operand32 ? 28u : 14u) + (with_registers ? 80u : 0u), for_write)) {}

  void store(const Fpu& f) {
    const std::uint32_t fill = wide_ ? 0xFFFF0000u : 0;
    write(fill | f.control);
    write(fill | f.status);
    write(fill | f.tag_word());
    if (c_.protected_mode && !c_.v86) {
      write(f.instruction_offset);
      write(f.instruction_selector | (wide_ ? std::uint32_t{f.opcode} << 16 : 0));
      write(f.operand_offset);
      write(fill | f.operand_selector);
      return;
    }
    const std::uint32_t ip = linear(f.instruction_selector, f.instruction_offset);
    const std::uint32_t dp = linear(f.operand_selector, f.operand_offset);
    if (wide_) {
      write(fill | (ip & 0xFFFF));
      write((ip >> 16) << 12 | f.opcode);
      write(fill | (dp & 0xFFFF));
      write((dp >> 16) << 12);
    } else {
      write(ip);
      write((ip >> 16 & 15) << 12 | f.opcode);
      write(dp);
      write((dp >> 16 & 15) << 12);
    }
  }
  void load(Fpu& f) {
    std::uint32_t word[7];
    for (auto& w : word) w = read();
    f.set_control(word[0]);
    f.status = static_cast<std::uint16_t>(word[1]);
    // Only "empty" is loaded; the rest of a tag is derived from the register.
    f.tags = static_cast<std::uint16_t>((word[2] & word[2] >> 1 & 0x5555) * 3);
    if (c_.protected_mode && !c_.v86) {
      f.instruction_offset = word[3];
      f.instruction_selector = static_cast<std::uint16_t>(word[4]);
      if (wide_) f.opcode = word[4] >> 16 & 0x7FF;
      f.operand_offset = word[5];
      f.operand_selector = static_cast<std::uint16_t>(word[6]);
    } else {
      // The linear address becomes an offset to selector 0, so that the same address is stored again.
      const std::uint32_t high = wide_ ? 0x0FFFF000u : 0xF000u;
      f.instruction_offset = (word[3] & 0xFFFF) | (word[4] & high) << 4;
      f.opcode = word[4] & 0x7FF;
      f.operand_offset = (word[5] & 0xFFFF) | (word[6] & high) << 4;
      f.instruction_selector = f.operand_selector = 0;
    }
    f.summarise();
  }
  void store_registers(Fpu& f) {
    for (unsigned i = 0; i < 8; ++i, at_ += 10) fpu_write80(c_, at_, f.st(i));
  }
  void load_registers(Fpu& f) {
    for (unsigned i = 0; i < 8; ++i, at_ += 10) f.st(i) = fpu_read80(c_, at_);
  }

 private:
  /// Alignment is checked for each part. A write may span two pages: both are checked before the first byte changes.
  static std::uint32_t fpu_operand_block(Engine& c, const Op& op, unsigned bytes, bool for_write) {
    const std::uint32_t ea = c.effective_address(op);
    if (!for_write) return c.linear_for_read(op.segment, ea, bytes);
    const std::uint32_t linear = c.linear_for_write(op.segment, ea, bytes);
    c.probe_pages(linear, bytes, c.cpl == 3);
    return linear;
  }
  void write(std::uint32_t v) {
    if (wide_)
      c_.write_linear<std::uint32_t>(at_, v);
    else
      c_.write_linear<std::uint16_t>(at_, static_cast<std::uint16_t>(v));
    at_ += wide_ ? 4 : 2;
  }
  std::uint32_t read() {
    const std::uint32_t v = wide_ ? c_.read_linear<std::uint32_t>(at_) : c_.read_linear<std::uint16_t>(at_);
    at_ += wide_ ? 4 : 2;
    return v;
  }
  static std::uint32_t linear(std::uint16_t selector, std::uint32_t offset) {
    return (std::uint32_t{selector} << 4) + offset;
  }
  Engine& c_;
  bool wide_;
  std::uint32_t at_;
};

void store_word(Engine& c, const Op& op, std::uint16_t v) {
  c.write<std::uint16_t>(op.segment, c.effective_address(op), v);
}

}  // namespace

void fpu_load_control(Engine& c, const Op& op) {
  const std::uint16_t v = c.read<std::uint16_t>(op.segment, c.effective_address(op));
  c.fpu.set_control(v);
  c.fpu.summarise();
}

void fpu_store_control(Engine& c, const Op& op) { store_word(c, op, c.fpu.control); }
void fpu_store_status(Engine& c, const Op& op) { store_word(c, op, c.fpu.status); }

void fpu_load_environment(Engine& c, const Op& op) {
  Fpu loaded = c.fpu;
  Environment(c, op, false, false).load(loaded);
  c.fpu = loaded;
}

void fpu_store_environment(Engine& c, const Op& op) {
  Environment(c, op, false, true).store(c.fpu);
  c.fpu.control |= 0x3F;
  c.fpu.summarise();
}

void fpu_restore(Engine& c, const Op& op) {
  Environment e(c, op, true, false);
  Fpu loaded = c.fpu;
  e.load(loaded);
  e.load_registers(loaded);
  c.fpu = loaded;
}

void fpu_save(Engine& c, const Op& op) {
  Environment e(c, op, true, true);
  e.store(c.fpu);
  e.store_registers(c.fpu);
  c.fpu.initialise();
}

}  // namespace planar::cpu
