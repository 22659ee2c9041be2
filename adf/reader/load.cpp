// SPDX-License-Identifier: GPL-2.0-or-later
// Finds and reads the description for a file name or an ID: the user's copy first, then the built-in one.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "adf/reader/embedded.hpp"
#include "adf/reader/reader.hpp"
#include "core/common/error.hpp"
#include "core/host/host_files.hpp"

namespace planar::adf {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_bytes = 1u << 20;  // the lexer's limit

Adapter parse_embedded(const EmbeddedAdf& embedded) {
  Adapter adapter = parse_adf(embedded.text, embedded.file_name);
  adapter.source = "built-in " + std::string(embedded.file_name);
  return adapter;
}

/// The @XXXX.ADF of `id` in a directory, ignoring letter case; the first by name if there are several.
std::optional<fs::path> find_in(const fs::path& directory, std::uint16_t id) {
  std::set<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error))
    if (id_in_file_name(entry->path().filename().string()) == id) found.insert(entry->path());
  if (error)
    throw Error(fmt::format("{}: the directory cannot be read ({})", directory.string(), error.message()),
                ExitCode::missing_file);
  if (found.empty()) return std::nullopt;
  return *found.begin();
}

std::string words(const Choice& choice) {
  std::string text;
  for (unsigned n = 0; n < max_pos_bytes; ++n)
    if (choice.pos.bytes[n].mask != 0)
      text += fmt::format("{}pos[{}]={}b", text.empty() ? "" : " ", n, to_string(choice.pos.bytes[n]));
  if (text.empty()) text = "no POS bits";
  std::vector<std::string> claims;
  for (const Resource& resource : choice.resources) claims.push_back(to_string(resource));
  std::sort(claims.begin(), claims.end());
  for (const std::string& claim : claims) text += ", " + claim;
  return text;
}

std::set<std::string> settings(const Adapter& adapter) {
  std::set<std::string> all;
  if (!adapter.fixed.pos.empty() || !adapter.fixed.resources.empty()) all.insert("always " + words(adapter.fixed));
  for (const Item& item : adapter.items)
    for (const Choice& choice : item.choices) all.insert(words(choice));
  return all;
}

}  // namespace

Adapter load_adf(const fs::path& path) {
  const std::string name = path.string();
  std::error_code error;
  if (fs::is_directory(path, error))
    throw Error(fmt::format("{}: this is a directory; give the @XXXX.ADF in it", name), ExitCode::missing_file);
  const auto text = read_host_file(path, max_bytes, "the file cannot be opened; check its name and permissions",
                                   "is no ADF (it has at most 1 MB)");
  return parse_adf(text, name);
}

std::vector<std::string> differences(const Adapter& user, const Adapter& built_in) {
  std::vector<std::string> all;
  if (user.num_bytes != built_in.num_bytes)
    all.push_back(fmt::format("NumBytes is {} in {} and {} in {}", user.num_bytes, user.source, built_in.num_bytes,
                              built_in.source));
  const std::set<std::string> theirs = settings(user);
  const std::set<std::string> ours = settings(built_in);
  for (const std::string& setting : theirs)
    if (!ours.contains(setting)) all.push_back(fmt::format("only {} has: {}", user.source, setting));
  for (const std::string& setting : ours)
    if (!theirs.contains(setting)) all.push_back(fmt::format("only {} has: {}", built_in.source, setting));
  return all;
}

Adapter find_adf(std::uint16_t id, std::span<const fs::path> places) {
  const auto embedded = embedded_adf(id);
  std::string searched;
  for (const fs::path& place : places) {
    std::error_code error;
    const fs::file_status status = fs::status(place, error);
    if (!fs::exists(status))
      throw Error(fmt::format("{}: there is no such file or directory of adapter descriptions; correct the path",
                              place.string()),
                  ExitCode::missing_file);
    searched += (searched.empty() ? "" : ", ") + place.string();
    std::optional<fs::path> file;
    if (fs::is_directory(status))
      file = find_in(place, id);
    else if (const auto named = id_in_file_name(place.filename().string()); !named || *named == id)
      file = place;
    if (!file) continue;
    Adapter adapter = load_adf(*file);
    if (adapter.id != id) continue;
    if (embedded)
      for (std::string& difference : differences(adapter, parse_embedded(*embedded)))
        adapter.warnings.push_back({{}, "differs from planar's own description: " + difference});
    return adapter;
  }
  if (embedded) return parse_embedded(*embedded);
  throw Error(fmt::format("no description of adapter {}: there is no @{:04X}.ADF {}; put the adapter's own "
                          "description into a directory and give that directory",
                          hex(id, 4), id,
                          searched.empty() ? std::string("built in and no directory was given")
                                           : fmt::format("in {} or built in", searched)),
              ExitCode::missing_file);
}

}  // namespace planar::adf
