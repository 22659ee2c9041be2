// SPDX-License-Identifier: GPL-2.0-or-later
// The boards that planar knows, one row each.
#include "machines/boards/pc/pc_board.hpp"
#include "machines/boards/ps2/ps2_board.hpp"
#include "machines/config/board_kind.hpp"

namespace planar {

const std::vector<BoardKind>& board_kinds() {
  static const std::vector<BoardKind> kinds = {Ps2Board::kind(), PcBoard::kind()};
  return kinds;
}

}  // namespace planar
