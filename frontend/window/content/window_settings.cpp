// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/content/window_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"

namespace planar {

namespace {

// Dear ImGui reads the same file: it ignores sections of unknown types.
constexpr std::string_view own_section = "[planar][window]";
constexpr std::string_view scalings[] = {"lines", "fill", "square"};
constexpr std::string_view shares_of[] = {"left", "right", "bottom", "left-split", "right-split"};

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

void read(WindowSettings& s, std::string_view key, std::string_view value) {
  const auto size = [&](int& target) {
    if (const auto n = number<int>(value); n && *n > 0 && *n <= WindowSettings::most_size) target = *n;
  };
  if (key == "width") size(s.width);
  if (key == "height") size(s.height);
  if (key == "scale")
    if (const auto n = number<double>(value);
        n && *n >= WindowSettings::least_scale && *n <= WindowSettings::most_scale)
      s.scale = *n;
  if (key == "picture")
    if (const auto* const way = std::find(std::begin(scalings), std::end(scalings), value); way != std::end(scalings))
      s.scaling = static_cast<Scaling>(way - std::begin(scalings));
  if (key == "sound") s.sound = value != "off";
  if (key == "panes") s.panes = value;
  if (const auto* const share = std::find(std::begin(shares_of), std::end(shares_of), key);
      share != std::end(shares_of))
    if (const auto n = number<float>(value); n && *n >= 0.05F && *n <= 0.95F)
      s.shares[static_cast<std::size_t>(share - std::begin(shares_of))] = *n;
  if (key == "recent" && !value.empty() && s.recent.size() < WindowSettings::most_recent) s.recent.emplace_back(value);
}

}  // namespace

void WindowSettings::remember(const std::string& file) {
  if (file.find('\n') != std::string::npos) return;  // cannot be stored in one line
  std::erase(recent, file);
  recent.insert(recent.begin(), file);
  if (recent.size() > most_recent) recent.resize(most_recent);
}

std::string WindowSettings::text() const {
  std::string out = fmt::format("{}\n", own_section);
  const auto line = [&](std::string_view key, const auto& value) { out += fmt::format("{}={}\n", key, value); };
  if (width > 0 && height > 0) {
    line("width", width);
    line("height", height);
  }
  if (scale > 0) line("scale", scale);
  line("picture", scalings[static_cast<std::size_t>(scaling)]);
  line("sound", sound ? "on" : "off");
  line("panes", panes);
  for (std::size_t n = 0; n < shares.size(); ++n) line(shares_of[n], shares[n]);
  for (const auto& file : recent) line("recent", file);
  return out + "\n" + floating;
}

WindowSettings WindowSettings::parse(std::string_view text) {
  WindowSettings s;
  bool own = false;
  for (std::string_view rest = text; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with('[')) own = line == own_section;
    const auto equals = line.find('=');
    if (own && equals != std::string_view::npos) read(s, line.substr(0, equals), line.substr(equals + 1));
    if (!own) s.floating += fmt::format("{}\n", line);
  }
  return s;
}

WindowSettings load_window_settings(const std::string& file) {
  constexpr std::uint64_t most_bytes = 1 << 20;
  std::error_code unknown;
  if (file.empty() || !std::filesystem::exists(file, unknown)) return {};
  try {
    return WindowSettings::parse(read_host_file(file, most_bytes, "cannot be read", "is too large"));
  } catch (const Error&) { return {}; }
}

void keep_window_settings(const std::string& file, const WindowSettings& settings) {
  if (file.empty()) return;
  try {
    make_folder(std::filesystem::path(file).parent_path());
    replace_file(file, settings.text());
  } catch (const Error&) {}  // ignored, as documented
}

}  // namespace planar
