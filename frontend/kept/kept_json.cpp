// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/kept/kept_json.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"
#include "core/state/sha256.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;

constexpr int deepest = 64;  // the description of a device in a run's result has about ten

std::string digest_of(const ordered_json& object) {
  ordered_json rest = object;
  rest.erase("digest");
  return sha256_hex(rest.dump());
}

}  // namespace

std::string json_problem(const ordered_json::exception& e) {
  const std::string text = e.what();  // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
  const auto begin = text.find("] ") + 2;
  constexpr std::string_view place = "parse error at ";
  return text.substr(text.compare(begin, place.size(), place) == 0 ? begin + place.size() : begin);
}

ordered_json parse_json(std::string_view text) {
  try {
    return ordered_json::parse(text, [](int depth, ordered_json::parse_event_t, const ordered_json&) {
      if (depth > deepest) throw Error(fmt::format("is nested deeper than {} levels", deepest), ExitCode::missing_file);
      return true;
    });
  } catch (const ordered_json::exception& e) { throw Error("is not JSON: " + json_problem(e), ExitCode::missing_file); }
}

ordered_json read_json(const std::string& file, std::uint64_t most_bytes, const std::string& unreadable,
                       const std::string& too_large, const std::string& remedy) {
  const auto text = read_host_file(file, most_bytes, unreadable, too_large);
  try {
    return parse_json(text);
  } catch (const Error& e) { throw Error(fmt::format("{}: {}; {}", file, e.what(), remedy), e.code()); }
}

void seal(ordered_json& object) {
  auto digest = digest_of(object);
  object["digest"] = std::move(digest);
}

std::string seal_problem(const ordered_json& object) {
  const auto found = object.find("digest");
  if (found == object.end()) return "digest is missing";
  return *found == digest_of(object) ? ""
                                     : "its content is not that of its digest: it was changed after it was written";
}

}  // namespace planar
