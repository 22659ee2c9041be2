// SPDX-License-Identifier: GPL-2.0-or-later
// The timeline of a part of a run, for Perfetto and chrome://tracing (docs/timeline.md). It only observes and changes
// nothing: state_hash is the same with and without it. Outside of its span it costs one call per frame.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/medium/medium.hpp"
#include "frontend/timeline/event_follower.hpp"
#include "frontend/timeline/machine_timeline.hpp"
#include "frontend/timeline/timeline_span.hpp"
#include "frontend/timeline/trace_event_file.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

class Timeline final : private net::WireObserver {
 public:
  /// Creates `file`. The lab must outlive the timeline. Throws Error (exit 3) if it cannot be written.
  Timeline(Lab& lab, const std::string& file, const TimelineSpan& span);
  ~Timeline() override;
  Timeline(const Timeline&) = delete;

  /// To be called at the end of the run: closes everything open and completes the file. False if it was finished
  /// already.
  bool finish();
  /// True if its span never began.
  bool empty() const { return machines_.empty(); }
  /// After finish(), for people: what the file contains, or why it is empty.
  std::string summary() const;
  /// What went wrong with the file, if anything.
  std::string problem() const { return file_.problem(); }

 private:
  enum class Stage : std::uint8_t { before, open, over };

  // net::WireObserver
  void begins(const net::Medium& medium, std::string_view sender, Time now) override;
  void observe(const net::WireRecord& record) override;

  void open(Time now);
  void close(Time now);
  void due(Time now);
  void sample(Time now);
  void count(const net::WireRecord& record);
  void draw(const net::WireRecord& record);
  TraceEventFile::Track sender_track(const net::Medium& medium, const std::string& sender);

  Lab& lab_;
  net::Watch watch_;
  TimelineSpan span_;
  TraceEventFile file_;
  std::vector<std::unique_ptr<MachineTimeline>> machines_;
  std::map<const net::Medium*, unsigned> media_;  // their processes in the file
  EventFollower follower_;
  Event due_;  // opens or closes the span
  Stage stage_ = Stage::before;
  bool finished_ = false;
  Time opened_{}, closed_{};
  std::uint64_t frames_ = 0;  // good frames so far, which is the latest one's number in a capture
  std::uint64_t first_frame_ = 0, last_frame_ = 0, drawn_ = 0;
  std::uint64_t target_ = 0;  // the number of the frame that is to be shown
  std::size_t longest_ = 0;   // length of the first machine's longest frame
  std::uint64_t longest_count_ = 0, in_a_row_ = 0;
};

}  // namespace planar
