// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/fpu.hpp"

#include "core/cpu/engine.hpp"

namespace planar::cpu {

void Fpu::initialise() {
  control = 0x037F;
  status = 0;
  tags = 0xFFFF;
  opcode = 0;
  instruction_offset = operand_offset = 0;
  instruction_selector = operand_selector = 0;
}

void Fpu::summarise() {
  if (status & ~control & 0x3F) status |= 0x8080;
  else status &= 0x7F7F;
}

void Fpu::archive(Archive& a) {
  a(registers, control, status, tags, opcode, instruction_offset, operand_offset, instruction_selector,
    operand_selector);
}

namespace {

template <class T>
void store(Engine& c, const Op& op, T v) { c.write<T>(op.segment, c.effective_address(op), v); }

/// The environment's layout depends on operand size and mode (Intel 486 PRM figures 18-7 to 18-10).
class Environment {
 public:
  Environment(Engine& c, const Op& op) : c_(c), op_(op), at_(c.effective_address(op)), wide_(op.operand32) {}

  void write(std::uint32_t v) {
    if (wide_) c_.write<std::uint32_t>(op_.segment, next(4), v);
    else c_.write<std::uint16_t>(op_.segment, next(2), static_cast<std::uint16_t>(v));
  }
  std::uint32_t read() {
    return wide_ ? c_.read<std::uint32_t>(op_.segment, next(4)) : c_.read<std::uint16_t>(op_.segment, next(2));
  }
  void write_register(const Fpu::Register& r) {
    c_.write<std::uint32_t>(op_.segment, next(4), static_cast<std::uint32_t>(r.mantissa));
    c_.write<std::uint32_t>(op_.segment, next(4), static_cast<std::uint32_t>(r.mantissa >> 32));
    c_.write<std::uint16_t>(op_.segment, next(2), r.exponent);
  }
  Fpu::Register read_register() {
    Fpu::Register r;
    r.mantissa = c_.read<std::uint32_t>(op_.segment, next(4));
    r.mantissa |= std::uint64_t{c_.read<std::uint32_t>(op_.segment, next(4))} << 32;
    r.exponent = c_.read<std::uint16_t>(op_.segment, next(2));
    return r;
  }

  void store_environment(const Fpu& f) {
    const std::uint32_t fill = wide_ ? 0xFFFF0000u : 0;
    write(fill | f.control);
    write(fill | f.status);
    write(fill | f.tags);
    if (c_.protected_mode && !c_.v86) {
      write(f.instruction_offset);
      write(f.instruction_selector | (wide_ ? std::uint32_t{f.opcode} << 16 : 0));
      write(f.operand_offset);
      write(fill | f.operand_selector);
    } else {
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
  }
  void load_environment(Fpu& f) {
    std::uint32_t word[7];
    for (auto& w : word) w = read();
    f.control = static_cast<std::uint16_t>((word[0] & 0x1F7F) | 0x40);
    f.status = static_cast<std::uint16_t>(word[1]);
    f.tags = static_cast<std::uint16_t>(word[2]);
    if (c_.protected_mode && !c_.v86) {
      f.instruction_offset = word[3];
      f.instruction_selector = static_cast<std::uint16_t>(word[4]);
      f.opcode = wide_ ? word[4] >> 16 & 0x7FF : f.opcode;
      f.operand_offset = word[5];
      f.operand_selector = static_cast<std::uint16_t>(word[6]);
    } else {
      f.instruction_offset = (word[3] & 0xFFFF) | (word[4] >> 12) << 16;
      f.opcode = word[4] & 0x7FF;
      f.operand_offset = (word[5] & 0xFFFF) | (word[6] >> 12) << 16;
      f.instruction_selector = f.operand_selector = 0;
    }
    f.summarise();
  }

 private:
  std::uint32_t next(unsigned bytes) {
    const std::uint32_t a = op_.address32 ? at_ : at_ & 0xFFFF;
    at_ += bytes;
    return a;
  }
  static std::uint32_t linear(std::uint16_t selector, std::uint32_t offset) {
    return (std::uint32_t{selector} << 4) + offset;
  }
  Engine& c_;
  const Op& op_;
  std::uint32_t at_;
  bool wide_;
};

// Nobody answers on the coprocessor's ports: status and control read as ones.
void without_fpu(Engine& c, const Op& op) {
  const unsigned escape = op.opcode & 7;
  if (op.has_memory) {
    if ((escape == 1 || escape == 5) && op.reg == 7) store<std::uint16_t>(c, op, 0xFFFF);
  } else if (escape == 7 && op.modrm == 0xE0) {
    c.set<std::uint16_t>(EAX, 0xFFFF);
  }
}

}  // namespace

void fpu_wait(Engine& c, const Op&) {
  if ((c.cr0 & (cr0_mp | cr0_ts)) == (cr0_mp | cr0_ts)) raise(vec_nm);
  if (!c.config.fpu || !(c.fpu.status & 0x80)) return;
  if (c.cr0 & cr0_ne) raise(vec_mf);
  c.pins.fpu_error(true, c.now());
}

void fpu_escape(Engine& c, const Op& op) {
  if (c.cr0 & (cr0_em | cr0_ts)) raise(vec_nm);
  if (!c.config.fpu) {
    without_fpu(c, op);
    return;
  }
  Fpu& f = c.fpu;
  const unsigned escape = op.opcode & 7;
  if (op.has_memory) {
    if (escape == 1) {
      switch (op.reg) {
        case 4: Environment(c, op).load_environment(f); return;  // FLDENV
        case 5:  // FLDCW
          f.control = static_cast<std::uint16_t>((c.read<std::uint16_t>(op.segment, c.effective_address(op)) & 0x1F7F) | 0x40);
          f.summarise();
          return;
        case 6:  // FNSTENV masks all exceptions behind the store
          Environment(c, op).store_environment(f);
          f.control |= 0x3F;
          f.summarise();
          return;
        case 7: store<std::uint16_t>(c, op, f.control); return;  // FNSTCW
        default: break;
      }
    } else if (escape == 5) {
      switch (op.reg) {
        case 4: {  // FRSTOR
          Environment e(c, op);
          Fpu loaded = f;
          e.load_environment(loaded);
          for (unsigned i = 0; i < 8; ++i) loaded.registers[(loaded.top() + i) & 7] = e.read_register();
          f = loaded;
          return;
        }
        case 6: {  // FNSAVE
          Environment e(c, op);
          e.store_environment(f);
          for (unsigned i = 0; i < 8; ++i) e.write_register(f.registers[(f.top() + i) & 7]);
          f.initialise();
          return;
        }
        case 7: store<std::uint16_t>(c, op, f.status); return;  // FNSTSW
        default: break;
      }
    }
  } else {
    switch (escape << 8 | op.modrm) {
      case 0x1D0: return;                               // FNOP
      case 0x1F6: f.set_top(f.top() - 1); return;       // FDECSTP
      case 0x1F7: f.set_top(f.top() + 1); return;       // FINCSTP
      case 0x3E0: case 0x3E1: case 0x3E4: return;       // FENI, FDISI, FSETPM: ignored since the 387
      case 0x3E2: f.status &= 0x7F00; return;           // FNCLEX
      case 0x3E3: f.initialise(); return;               // FNINIT
      case 0x7E0: c.set<std::uint16_t>(EAX, f.status); return;  // FNSTSW AX
      default:
        if (escape == 5 && (op.modrm & 0xF8) == 0xC0) {  // FFREE
          f.tags |= static_cast<std::uint16_t>(3u << (2 * ((f.top() + op.rm) & 7)));
          return;
        }
    }
  }
  raise(vec_ud);
}

}  // namespace planar::cpu
