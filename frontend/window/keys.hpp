// SPDX-License-Identifier: GPL-2.0-or-later
// Maps the host's keys, by position, to keys of the machine's keyboard.
#pragma once

#include <SDL.h>

#include <cstdint>

namespace planar {

/// The code that Ps2Keyboard::key() takes; 0 for keys that the machine's keyboard does not have.
std::uint16_t key_code(SDL_Scancode scancode);

}  // namespace planar
