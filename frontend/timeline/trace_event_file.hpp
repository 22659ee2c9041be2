// SPDX-License-Identifier: GPL-2.0-or-later
// A file in the Chrome trace event format, for chrome://tracing and Perfetto: a JSON array with one event per line,
// written as the events occur. Only names are kept in memory; a truncated file can be opened, too.
//
// Times are virtual, in microseconds with all digits down to the picosecond.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/host/host_files.hpp"
#include "core/time/time.hpp"

namespace planar {

/// "12.345678": all digits down to the picosecond.
std::string microseconds(Time t);

/// The arguments of an event, which the viewer shows.
class EventArguments {
 public:
  EventArguments& number(std::string_view name, std::uint64_t value);
  EventArguments& text(std::string_view name, std::string_view value);
  const std::string& members() const { return members_; }

 private:
  std::string members_;
};

class TraceEventFile {
 public:
  /// One row of a process.
  struct Track {
    unsigned process = 0, thread = 0;
    bool operator<(const Track& other) const { return thread < other.thread; }
  };

  /// Creates or replaces `file`. Throws Error (exit 3) naming `option` if it cannot.
  TraceEventFile(const std::string& file, const std::string& option);
  ~TraceEventFile();
  TraceEventFile(const TraceEventFile&) = delete;

  /// Processes and tracks are shown in the order of these calls. An existing track is found by its name.
  unsigned process(const std::string& name);
  Track track(unsigned process, const std::string& name);

  /// Opens a slice that end() closes; slice() may add others inside it. Must be called in order of time for each track.
  void begin(Track track, std::string_view name, std::string_view category, Time at, const EventArguments& arguments);
  void end(Track track, Time at);
  void slice(Track track, std::string_view name, std::string_view category, Time from, Time to,
             const EventArguments& arguments = {});
  void counter(unsigned process, std::string_view name, Time at, std::uint64_t value);
  /// A line across all tracks.
  void marker(std::string_view name, std::string_view category, Time at, const EventArguments& arguments);
  /// A note about the whole file, which viewers ignore.
  void note(std::string_view name, const EventArguments& arguments);

  /// Ends open slices at `at`, or where they began if that is later, and closes the file.
  void close(Time at);
  /// What went wrong with the file so far, if anything.
  std::string problem() const;
  const std::string& name() const { return name_; }

 private:
  void event(const std::string& text);

  std::string name_;
  OutputFile file_;
  bool first_ = true, failed_ = false;
  unsigned processes_ = 0, threads_ = 0;
  std::map<std::pair<unsigned, std::string>, Track> tracks_;
  std::map<Track, std::vector<Time>> open_;  // when the slices in progress began
};

}  // namespace planar
