// SPDX-License-Identifier: GPL-2.0-or-later
// JSON files that planar writes and reads back.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace planar {

/// What is wrong with a text or a value, without the library's error name: "line 1, column 5: syntax error...".
std::string json_problem(const nlohmann::ordered_json::exception& e);

/// The JSON in `text`. Throws Error (exit 3) saying where it stops being JSON, or that it is nested deeper than
/// anything that planar writes.
nlohmann::ordered_json parse_json(std::string_view text);

/// The JSON in `file`. Throws Error (exit 3) like read_host_file() with `unreadable` and `too_large`, or saying where
/// the text stops being JSON, with `remedy`.
nlohmann::ordered_json read_json(const std::string& file, std::uint64_t most_bytes, const std::string& unreadable,
                                 const std::string& too_large, const std::string& remedy);

/// Adds a member `digest` to an object: SHA-256 of its other members, as JSON without blanks and in their order.
void seal(nlohmann::ordered_json& object);
/// Why the content of an object is not what was sealed; empty if it is. An object without a digest was not sealed.
std::string seal_problem(const nlohmann::ordered_json& object);

}  // namespace planar
