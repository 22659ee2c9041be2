// SPDX-License-Identifier: GPL-2.0-or-later
// EFLAGS other than the arithmetic flags, and what depends on them.
#include "core/cpu/engine/engine.hpp"

namespace planar::cpu {

void Engine::update_mode() {
  v86 = protected_mode && (system_flags & flag_vm);
  mode = static_cast<std::uint8_t>((seg[CS].big ? 1 : 0) | (protected_mode ? 2 : 0) | (v86 ? 4 : 0));
  break_loop();
}

std::uint32_t Engine::flags_supported() const {
  std::uint32_t mask = arithmetic_flags | flag_tf | flag_if | flag_df | flag_iopl | flag_nt | flag_rf | flag_vm;
  if (model != Model::i386sx) mask |= flag_ac;
  if (model >= Model::pentium) mask |= flag_id;
  return mask;
}

void Engine::set_eflags(std::uint32_t value, std::uint32_t mask) {
  mask &= flags_supported();
  const std::uint32_t arithmetic_mask = mask & arithmetic_flags, system_mask = mask & ~arithmetic_flags;
  if (arithmetic_mask) set_arithmetic((arithmetic() & ~arithmetic_mask) | (value & arithmetic_mask));
  const std::uint32_t before = system_flags;
  system_flags = (system_flags & ~system_mask) | (value & system_mask);
  const std::uint32_t changed = before ^ system_flags;
  if (!changed) return;
  if (changed & flag_vm) update_mode();
  attention = system_flags & flag_tf ? attention | attend_step : attention & ~attend_step;
  attention = system_flags & flag_rf ? attention | attend_rf : attention & ~attend_rf;
  if (changed & (flag_if | flag_tf | flag_rf)) break_loop();
}

}  // namespace planar::cpu
