// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "frontend/window/start_page.hpp"

namespace planar {

std::vector<std::string> StartChoice::arguments() const {
  std::vector<std::string> list{machine};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) list.insert(list.end(), {option, value});
  };
  add("--card", card);
  add("--floppy", diskette);
  add("--floppy-b", diskette_b);
  add("--disk", disk);
  add("--cdrom", cdrom);
  add("--net", net);
  return list;
}

std::string StartChoice::command(std::string_view verb) const {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";
  std::string line = fmt::format("planar {}", verb);
  for (const auto& word : arguments()) {
    line += ' ';
    if (word.find_first_not_of(plain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace planar
