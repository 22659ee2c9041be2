// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/cli/output.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/host/host_files.hpp"

namespace planar {

void write_json(const std::string& target, const nlohmann::ordered_json& json, const std::string& option) {
  // A name of the host need not be UTF-8, and JSON can hold nothing else: what is not becomes U+FFFD.
  const auto text = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (target == "-") {
    fmt::print("{}", text);
    return;
  }
  replace_file(target, text, option);
}

double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

}  // namespace planar
