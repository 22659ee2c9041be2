// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/adapter/mca/pos_registers.hpp"

#include <span>

namespace planar {

namespace {
constexpr unsigned channel_check_register = 5;
constexpr std::uint8_t no_channel_check = 0x80;
}  // namespace

PosRegisters::PosRegisters(std::initializer_list<Register> registers) {
  for (const Register& r : registers) registers_.at(count_++) = r;
  reset();
}

std::uint8_t PosRegisters::peek(unsigned reg) const {
  if (!has(reg)) return 0xFF;
  return latch_[reg - first] | (reg == channel_check_register ? no_channel_check : 0);
}

bool PosRegisters::write(unsigned reg, std::uint8_t value) {
  if (!has(reg)) return false;
  const Register& r = registers_[reg - first];
  std::uint8_t& latch = latch_[reg - first];
  const auto kept = static_cast<std::uint8_t>((value & r.latched) | r.ones);
  if (kept == latch) return false;
  latch = kept;
  return true;
}

void PosRegisters::reset() {
  for (unsigned n = 0; n < count_; ++n) latch_[n] = registers_[n].ones;
}

void PosRegisters::archive(Archive& a) {
  a.bytes(std::span(latch_).first(count_));
  if (a.loading())  // a damaged snapshot must not set bits that do not exist
    for (unsigned n = 0; n < count_; ++n)
      latch_[n] = static_cast<std::uint8_t>((latch_[n] & registers_[n].latched) | registers_[n].ones);
}

}  // namespace planar
