// SPDX-License-Identifier: GPL-2.0-or-later
// The boards that planar supports, one row each.
#include <algorithm>

#include "machines/boards/pc/pc_board.hpp"
#include "machines/boards/ps2/ps2_board.hpp"
#include "machines/config/board_kind.hpp"

namespace planar {

const std::vector<BoardKind>& board_kinds() {
  static const std::vector<BoardKind> kinds = {Ps2Board::kind(), PcBoard::kind()};
  return kinds;
}

const BoardKind& board_kind_of(const Config& config) {
  const auto& kinds = board_kinds();
  const std::string name = config.peek_text("board");
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const BoardKind& kind) { return kind.name == name; });
  return found == kinds.end() ? kinds.front() : *found;
}

const BoardKind* board_kind_with(std::string_view table) {
  for (const BoardKind& kind : board_kinds())
    if (std::find(kind.tables.begin(), kind.tables.end(), table) != kind.tables.end()) return &kind;
  return nullptr;
}

}  // namespace planar
