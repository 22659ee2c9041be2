// SPDX-License-Identifier: GPL-2.0-or-later
// Access to what only a PS/2 has, for its tests.
#pragma once

#include "machines/boards/ps2/ps2_board.hpp"
#include "machines/machine/machine.hpp"

namespace planar {

inline Ps2Board& ps2(Machine& machine) { return dynamic_cast<Ps2Board&>(machine.board()); }
inline const Ps2Config& ps2(const MachineConfig& config) { return dynamic_cast<const Ps2Config&>(*config.board); }

}  // namespace planar
