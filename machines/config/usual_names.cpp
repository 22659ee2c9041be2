// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/config/usual_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "core/common/small_letters.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

/// Its letters and digits, in lower case.
std::string plain(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](unsigned char c) { return !std::isalnum(c); });
  return small_letters(std::move(out));
}

std::string without(std::string text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

}  // namespace

std::string usual_machine_name(const std::string& name) {
  std::error_code unreadable;
  if (is_built_in(name) || std::filesystem::exists(name, unreadable)) return name;
  const std::string wanted = without(without(plain(name), "ibm"), "ps2"), model = "model" + wanted, pc = "pc" + wanted;
  if (wanted.empty()) return name;
  std::string found;
  for (const MachineFile* file : all_machine_files())
    if (const auto known = plain(file->name); known == wanted || known == model || known == pc) {
      if (!found.empty()) return name;
      found = file->name;
    }
  return found.empty() ? name : found;
}

std::string usual_card_name(const std::string& name) {
  const std::string wanted = plain(name);
  std::string found;
  for (const AdapterEntry& card : card_registry()) {
    if (card.name == name) return name;
    if (wanted.empty() || (plain(card.name) != wanted && plain(card.title) != wanted)) continue;
    if (!found.empty()) return name;
    found = card.name;
  }
  return found.empty() ? name : found;
}

void refuse_image(const std::string& name) {
  std::error_code unreadable;
  if (!std::filesystem::exists(name, unreadable))
    for (const auto& [kind, use] : {std::pair{".img", "model95 --image"}, std::pair{".ima", "model95 --image"},
                                    std::pair{".iso", "pc-p166 --cdrom"}})
      if (name.ends_with(kind))
        throw Error(fmt::format("{0}: there is no such file; an image that exists is booted by `planar run {1} {0}`",
                                name, use));
  if (!std::filesystem::is_regular_file(name, unreadable)) return;  // a pipe may never deliver data, or never end
  std::array<char, 512> head{};
  std::ifstream file(name, std::ios::binary);
  file.read(head.data(), head.size());
  const auto length = static_cast<std::size_t>(file.gcount());
  if (std::find(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(length), '\0') ==
      head.begin() + static_cast<std::ptrdiff_t>(length))
    return;
  throw Error(
      fmt::format("{0}: is not a machine file; to boot a diskette image write `planar run model95 --image {0}`, a hard "
                  "disk's --disk, a CD-ROM's --cdrom, a kernel --kernel, and a snapshot --restore",
                  name));
}

}  // namespace planar
