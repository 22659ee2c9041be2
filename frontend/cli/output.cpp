// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/cli/output.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "core/common/error.hpp"

namespace planar {

void write_text_file(const std::filesystem::path& file, std::string_view text, const std::string& option) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out)
    throw Error(fmt::format("{}{}{}: cannot be written; check the directory, its permissions and the free space",
                            option, option.empty() ? "" : " ", file.string()),
                ExitCode::missing_file);
}

void write_json(const std::string& target, const nlohmann::ordered_json& json) {
  const auto text = json.dump(2) + "\n";
  if (target == "-") {
    fmt::print("{}", text);
    return;
  }
  write_text_file(target, text, "--json");
}

double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

}  // namespace planar
