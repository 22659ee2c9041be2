// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/frontend/debug/debug_session.hpp"

#include <fstream>

namespace debug_session {

std::uint32_t guest_symbol(const std::string& name) {
  std::ifstream map(PLANAR_SOURCE_DIR "/roms/images/planar-guest.map");
  std::string address, kind, symbol;
  while (map >> address >> kind >> symbol)
    if (symbol == name) return static_cast<std::uint32_t>(std::stoul(address, nullptr, 16));
  FAIL("the guest has no " << name);
  return 0;
}

}  // namespace debug_session
