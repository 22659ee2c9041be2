// SPDX-License-Identifier: GPL-2.0-or-later
// The options that compare, published and regress share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontend/session/matrix.hpp"

namespace planar {

struct MatrixCommand {
  std::vector<std::string> machines;
  std::vector<std::string> cards{"all"};
  std::vector<std::string> values;  ///< --set CARD.VALUE=X, for the runs of that card
  MatrixOptions matrix;
  std::optional<std::string> json;

  void add_to(CLI::App& app);
  /// The cells that the options name, each with the --set values of its card.
  std::vector<Cell> cells() const;
};

}  // namespace planar
