// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/systems/operating_system.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/common/error.hpp"
#include "frontend/systems/embedded_systems.hpp"

namespace planar {
namespace {

std::string_view name_of(const EmbeddedFile& file) {
  const auto slash = file.path.rfind('/');
  const auto name = file.path.substr(slash + 1);
  return name.substr(0, name.find('.'));
}

}  // namespace

std::vector<std::string_view> operating_system_names() {
  std::vector<std::string_view> names;
  for (const EmbeddedFile& file : embedded_systems()) names.push_back(name_of(file));
  return names;
}

OperatingSystem find_operating_system(std::string_view name) {
  for (const EmbeddedFile& file : embedded_systems())
    if (name_of(file) == name) return {name_of(file), TimingProfile::parse(file.text, file.path)};
  throw Error(fmt::format("'{}' is not an operating system of the guest; there are {}", name,
                          fmt::join(operating_system_names(), ", ")));
}

std::vector<std::pair<std::string, std::string>> OperatingSystem::settings() const {
  const auto standard = find_operating_system(default_system);
  std::vector<std::pair<std::string, std::string>> list;
  if (name != default_system) list.emplace_back("os", name);
  for (const ProfileValue& v : profile.values()) {
    if (!v.rule.empty()) continue;
    const auto& values = standard.profile.values();
    const auto found = std::find_if(values.begin(), values.end(), [&](const auto& s) { return s.name == v.name; });
    if (found == values.end())
      throw Error(fmt::format("frontend/systems/{}.toml: '{}' is not a value of {}, which has them all", name, v.name,
                              default_system));
    if (found->value != v.value) list.emplace_back(v.name, std::to_string(v.value));
  }
  return list;
}

}  // namespace planar
