// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/session/evidence.hpp"

#include "devices/capture/pcapng.hpp"

namespace planar {

namespace {
constexpr std::size_t most_frames = 5'000, most_lines = 20'000;
}

void Evidence::observe(const net::WireRecord& record) {
  frames_.push_back(
      {record.start, record.end, {record.bytes.begin(), record.bytes.end()}, record.good, record.collided});
  if (frames_.size() > most_frames) frames_.pop_front();
}

void Evidence::trace_line(std::string_view line) {
  trace_.emplace_back(line);
  if (trace_.size() > most_lines) trace_.pop_front();
}

void Evidence::write_capture(const std::filesystem::path& file) const {
  if (frames_.empty()) return;
  net::PcapngWriter writer(file, segment_.config().bits_per_second, true);
  for (const Frame& frame : frames_)
    writer.observe({frame.start, frame.end, frame.bytes, frame.good, frame.collided, {}});
  writer.flush();
}

}  // namespace planar
