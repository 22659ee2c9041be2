// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/options/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machines/config/machine_files.hpp"
#include "machines/config/units.hpp"
#include "machines/config/usual_names.hpp"

namespace planar {

std::string machine_argument(const std::string& text) {
  const auto whole = usual_machine_name(text);
  const auto colon = text.find(':');
  if (whole != text || colon == std::string::npos) return whole;
  const auto machine = usual_machine_name(text.substr(0, colon));
  if (!is_built_in(machine)) return text;
  return machine + ":" + card_argument(text.substr(colon + 1));
}

std::string card_argument(const std::string& text) {
  const auto colon = std::min(text.find(':'), text.size()), equals = text.find('=');
  const auto name = equals == std::string::npos || equals > colon ? 0 : equals + 1;
  return text.substr(0, name) + usual_card_name(text.substr(name, colon - name)) + text.substr(colon);
}

std::string seconds_argument(const std::string& text) {
  const auto time = parse_time(text);
  if (!time || time->ps % 1'000'000'000 != 0) return text;
  return fmt::format("{:g}", static_cast<double>(time->ps / 1'000'000'000) / 1000);
}

}  // namespace planar
