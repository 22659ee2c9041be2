// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/core/cpu/timing/timing_support.hpp"

namespace planar::cpu::timing_test {

TimingConfig sx_config() {
  TimingConfig c;
  c.model = Model::i386sx;
  // clang-format off
  c.dram = {.width = 2, .page_bytes = 2048, .banks = 4, .bank_shift = 11, .read_hit = 2, .read_miss = 4,
            .burst_step = 1, .write_hit = 2, .write_miss = 4};
  // clang-format on
  c.rom = {.width = 2, .clocks = 4, .cacheable = false};
  c.refresh = {.period_num = 1512, .period_den = 5, .hold = 6};  // 15.12 us at 20 MHz
  return c;
}

TimingConfig i486_config() {
  TimingConfig c;
  c.model = Model::i486sx;
  // clang-format off
  c.dram = {.width = 4, .page_bytes = 4096, .banks = 1, .bank_shift = 12, .read_hit = 4, .read_miss = 7,
            .burst_step = 2, .write_hit = 3, .write_miss = 6};
  // clang-format on
  c.rom = {.width = 2, .clocks = 7, .cacheable = true};
  c.refresh = {.period_num = 504, .period_den = 1, .hold = 10};  // 15.12 us at 33.33 MHz
  c.l1 = {.bytes = 8192, .ways = 4, .line = 16, .split = false, .write_back = false};
  c.write_buffers = 4;
  return c;
}

TimingConfig pentium_config() {
  TimingConfig c;
  c.model = Model::pentium;
  c.core_per_bus_num = 3;
  c.core_per_bus_den = 2;
  // clang-format off
  c.dram = {.width = 8, .page_bytes = 8192, .banks = 2, .bank_shift = 13, .read_hit = 10, .read_miss = 14,
            .burst_step = 3, .write_hit = 6, .write_miss = 10};
  c.rom = {.width = 1, .clocks = 10, .cacheable = true};
  c.refresh = {.period_num = 6804, .period_den = 5, .hold = 12};  // 15.12 us at 90 MHz
  c.l1 = {.bytes = 8192, .ways = 2, .line = 32, .split = true, .write_back = true};
  c.l2 = {.bytes = 256 * 1024, .ways = 2, .line = 32, .hit_mru = 2, .hit_other = 3, .burst_step = 1, .write_hit = 2,
          // clang-format on
          .write_allocate = true};
  c.write_buffers = 2;
  return c;
}

TimingConfig overdrive_config() {
  TimingConfig c;
  c.model = Model::pentium;
  c.core_per_bus_num = 5;
  c.core_per_bus_den = 2;
  c.dram = i486_config().dram;
  c.rom = i486_config().rom;
  c.l1 = {.bytes = 16384, .ways = 4, .line = 32, .split = true, .write_back = true, .write_burst = false};
  c.write_buffers = 2;
  return c;
}

TimingConfig pc_config() {
  TimingConfig c = pentium_config();
  c.core_per_bus_num = 5;
  c.core_per_bus_den = 2;
  c.dram = {.width = 8,
            .page_bytes = 4096,
            .banks = 1,
            .read_hit = 8,
            .read_miss = 13,
            .burst_step = 3,
            .write_hit = 3,
            .write_miss = 9};
  c.refresh = {.period_num = 2520, .period_den = 1, .hold = 12};
  c.l2 = {.bytes = 256 * 1024,
          .ways = 1,
          .line = 32,
          .hit_mru = 4,
          .hit_other = 4,
          .burst_step = 2,
          .write_hit = 7,
          .write_allocate = false};
  c.shared_by_line = true;
  return c;
}

Op plain(std::uint16_t opcode, std::uint8_t length) {
  Op op;
  op.opcode = opcode;
  op.length = length;
  op.operand32 = op.address32 = op.protected_mode = true;
  return op;
}

Op low(std::uint16_t opcode, std::uint8_t reg, std::uint8_t length) {
  Op op = plain(static_cast<std::uint16_t>(opcode + reg), length);
  op.rm = reg;
  return op;
}

Op rr(std::uint16_t opcode, std::uint8_t rm, std::uint8_t reg, std::uint8_t length) {
  Op op = plain(opcode, static_cast<std::uint8_t>(length + (opcode >= 0x0F00)));
  op.has_modrm = true;
  op.modrm = static_cast<std::uint8_t>(0xC0 | reg << 3 | rm);
  op.reg = reg;
  op.rm = rm;
  return op;
}

Op rm(std::uint16_t opcode, std::uint8_t reg, std::uint8_t base, std::uint8_t disp_bytes, std::uint8_t index) {
  const bool sib = index != no_register;
  Op op = plain(opcode, static_cast<std::uint8_t>(2 + (opcode >= 0x0F00) + sib + disp_bytes));
  op.has_modrm = op.has_memory = true;
  const unsigned mod = disp_bytes == 0 ? 0 : disp_bytes == 1 ? 1 : 2;
  op.modrm = static_cast<std::uint8_t>(mod << 6 | reg << 3 | (sib ? 4 : base & 7));
  op.reg = reg;
  op.base = base;
  op.index = index;
  op.has_displacement = disp_bytes != 0;
  return op;
}

Op with_immediate(Op op, std::uint8_t bytes) {
  op.has_immediate = true;
  op.length = static_cast<std::uint8_t>(op.length + bytes);
  return op;
}

Op with_prefixes(Op op, std::uint8_t count) {
  op.prefixes = static_cast<std::uint8_t>(op.prefixes + count);
  op.length = static_cast<std::uint8_t>(op.length + count);
  return op;
}

Op real_mode(Op op) {
  op.protected_mode = false;
  op.operand32 = op.address32 = false;
  return op;
}

Op sixteen_bit(Op op) {
  op.operand32 = false;
  return op;
}

Op Runner::issue(const Op& op) {
  const Op ready = with_clocks(op);
  timing.begin(ready, eip);
  eip += op.length;
  return ready;
}

void Runner::load(const Op& op, std::uint32_t address, unsigned bytes) {
  issue(op);
  timing.read(address, bytes);
}

void Runner::store(const Op& op, std::uint32_t address, unsigned bytes) {
  issue(op);
  timing.write(address, bytes);
}

void Runner::modify(const Op& op, std::uint32_t address, unsigned bytes) {
  issue(op);
  timing.read(address, bytes);
  timing.write(address, bytes);
}

void Runner::jump(const Op& op, std::uint32_t target) {
  const Op ready = issue(op);
  timing.branch(ready, true, target);
  eip = target;
}

void Runner::fall_through(const Op& op) {
  const std::uint32_t from = eip;
  const Op ready = issue(op);
  timing.branch(ready, false, from + op.length);
}

std::uint64_t Runner::lap() {
  const std::uint64_t since = timing.clocks() - mark_;
  mark_ = timing.clocks();
  return since;
}

}  // namespace planar::cpu::timing_test
