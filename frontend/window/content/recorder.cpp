// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/content/recorder.hpp"

namespace planar {

namespace {
constexpr std::size_t most_frames = 1000, most_lines = 5000;
}

Recorder::~Recorder() { listen_to_wire(false); }

void Recorder::listen_to_wire(bool on) {
  if (on == wire_) return;
  wire_ = on;
  for (net::Medium* medium : lab_.media()) {
    if (on)
      medium->add_observer(*this);
    else
      medium->remove_observer(*this);
  }
}

void Recorder::observe(const net::WireRecord& record) {
  frames_.push_back({++seen_,
                     &record.medium,
                     record.start,
                     record.end,
                     std::string(record.sender),
                     {record.bytes.begin(), record.bytes.end()},
                     record.damage});
  if (frames_.size() > most_frames) frames_.pop_front();
}

void Recorder::log(std::string_view line) {
  lines_.emplace_back(line);
  if (lines_.size() > most_lines) lines_.pop_front();
}

}  // namespace planar
