// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/cli/output.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/common/error.hpp"
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

nlohmann::ordered_json read_json(const std::string& file, std::uint64_t most_bytes, const std::string& unreadable,
                                 const std::string& too_large, const std::string& remedy) {
  const auto text = read_host_file(file, most_bytes, unreadable, too_large);
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::ordered_json::parse_error& e) {
    throw Error(fmt::format("{}: {}; {}", file, e.what(), remedy), ExitCode::missing_file);
  }
}

double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

}  // namespace planar
