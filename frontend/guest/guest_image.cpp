// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest/guest_image.hpp"

#include <algorithm>
#include <sstream>

#include "core/common/error.hpp"
#include "roms/images.hpp"

namespace planar {

namespace {
constexpr std::size_t sector = 512;
constexpr char heading[] = "planar-settings 1";
}  // namespace

std::vector<std::uint8_t> with_settings(std::span<const std::uint8_t> image, const SettingsSector& settings) {
  std::vector<std::uint8_t> copy(image.begin(), image.end());
  if (copy.size() < 2 * sector)
    throw Error("the guest image has no settings sector; rebuild it with make -C roms", ExitCode::missing_file);
  std::string old(copy.begin() + sector, copy.begin() + 2 * sector);
  old.resize(std::min(old.size(), old.find('\0')));
  if (!old.starts_with(heading))
    throw Error("the guest image's second sector does not begin with 'planar-settings 1'; rebuild it with make -C roms",
                ExitCode::missing_file);
  std::istringstream lines(old);
  std::string line, text = heading;
  text += '\n';
  std::getline(lines, line);
  while (std::getline(lines, line))
    if (!line.empty() && !setting(settings, line.substr(0, line.find('=')))) text += line + "\n";
  for (const auto& [key, value] : settings) text += key + "=" + value + "\n";
  if (text.size() > sector) throw Error("the settings are longer than their sector (512 bytes); give fewer sizes");
  text.resize(sector, '\0');
  std::copy(text.begin(), text.end(), copy.begin() + sector);
  return copy;
}

SettingsSector settings_of(std::span<const std::uint8_t> image) {
  SettingsSector settings;
  if (image.size() < 2 * sector) return settings;
  std::string text(image.begin() + sector, image.begin() + 2 * sector);
  text.resize(std::min(text.size(), text.find('\0')));
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != heading) return settings;
  while (std::getline(lines, line))
    if (const auto equals = line.find('='); equals != std::string::npos)
      settings.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  return settings;
}

std::optional<std::string> setting(const SettingsSector& settings, std::string_view key) {
  const auto found = std::find_if(settings.begin(), settings.end(), [&](const auto& s) { return s.first == key; });
  return found == settings.end() ? std::nullopt : std::optional(found->second);
}

NamedFile built_in_guest(const SettingsSector& settings) {
  return {"planar-guest.img (built in)", with_settings(roms::guest(), settings)};
}

}  // namespace planar
