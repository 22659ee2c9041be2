// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/output.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "core/error.hpp"

namespace planar {

void write_json(const std::string& target, const nlohmann::ordered_json& json) {
  const auto text = json.dump(2) + "\n";
  if (target == "-") {
    fmt::print("{}", text);
    return;
  }
  std::ofstream file(target);
  file << text;
  file.close();
  if (!file)
    throw Error(fmt::format("--json {}: cannot be written; check the directory and its permissions", target),
                ExitCode::missing_file);
}

double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

}  // namespace planar
