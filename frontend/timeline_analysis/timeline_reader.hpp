// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a file that TraceEventFile has written, event by event. One that was cut off ends where it was.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/time/time.hpp"

namespace planar {

struct TimelineEvent {
  enum class Kind : std::uint8_t { begin, end, slice, counter, marker, note };
  Kind kind = Kind::note;
  std::string name, category;
  unsigned process = 0, thread = 0;
  Time at{}, length{};  ///< the length of a slice
  nlohmann::ordered_json arguments;

  Time until() const { return at + length; }
  std::string text(const char* argument) const;  ///< empty: there is none
  std::uint64_t number(const char* argument) const;
};

class TimelineReader {
 public:
  /// Throws Error (exit 3) if the file cannot be read, or is none that --timeline has written.
  explicit TimelineReader(const std::string& file);

  /// The next event that is no name of a process or track; nothing at the end. Throws Error naming the line.
  std::optional<TimelineEvent> next();
  /// Of the tracks that have appeared so far.
  std::string process_name(unsigned process) const;
  std::string track_name(unsigned thread) const;

  /// Whether the file begins as a timeline does.
  static bool is_timeline(const std::string& file);

 private:
  std::string file_;
  std::ifstream in_;
  std::uint64_t line_ = 1;
  std::map<unsigned, std::string> processes_, tracks_;
};

}  // namespace planar
