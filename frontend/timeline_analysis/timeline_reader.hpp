// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a file written by TraceEventFile, event by event. A truncated file ends at the truncation.
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
  Time at{}, length{};  ///< length: of a slice
  nlohmann::ordered_json arguments;

  Time until() const { return at + length; }
  std::string text(const char* argument) const;  ///< empty: no such argument
  std::uint64_t number(const char* argument) const;
};

class TimelineReader {
 public:
  /// Process of the first machine.
  static constexpr unsigned machine = 1;

  /// Throws Error (exit 3) if the file cannot be read, or was not written by --timeline.
  explicit TimelineReader(const std::string& file);

  /// The next event, skipping names of processes and tracks; nothing at the end. Throws Error naming the line.
  std::optional<TimelineEvent> next();
  /// Names of the processes and tracks that have appeared so far.
  std::string process_name(unsigned process) const;
  std::string track_name(unsigned thread) const;
  /// Whether the port is an adapter of the file's first machine, whose tracks are its first process: "slot1.ne2", among
  /// several machines "client.slot1.ne2".
  bool is_of_first_machine(const std::string& port) const;

  /// Whether the file begins like a timeline.
  static bool is_timeline(const std::string& file);

 private:
  std::string file_;
  std::ifstream in_;
  std::uint64_t line_ = 1;
  std::map<unsigned, std::string> processes_, tracks_;
};

}  // namespace planar
