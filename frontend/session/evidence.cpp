// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/session/evidence.hpp"

#include "devices/capture/pcapng.hpp"

namespace planar {

namespace {
constexpr std::size_t most_frames = 5'000, most_lines = 20'000;
}

Evidence::Evidence(std::vector<net::Medium*> media) : watch_(std::move(media), *this) {}

void Evidence::observe(const net::WireRecord& record) {
  frames_.push_back(
      {&record.medium, record.start, record.end, {record.bytes.begin(), record.bytes.end()}, record.damage});
  if (frames_.size() > most_frames) frames_.pop_front();
}

void Evidence::trace_line(std::string_view line) {
  trace_.emplace_back(line);
  if (trace_.size() > most_lines) trace_.pop_front();
}

void Evidence::write_capture(const std::filesystem::path& file) const {
  if (frames_.empty()) return;
  net::PcapngWriter writer(file, {watch_.media().begin(), watch_.media().end()}, true);
  for (const Frame& frame : frames_)
    writer.observe({*frame.medium, frame.start, frame.end, frame.bytes, frame.damage, {}});
  writer.flush();
}

}  // namespace planar
