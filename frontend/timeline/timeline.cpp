// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/timeline/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace planar {

Timeline::Timeline(Lab& lab, const std::string& file, const TimelineSpan& span)
    : lab_(lab),
      watch_(lab.media(), *this),
      span_(span),
      file_(file, "--timeline"),
      follower_(lab.scheduler(), [this](Time now) { sample(now); }),
      due_(lab.scheduler(), "timeline.span", Priority::observer, Callback::to<&Timeline::due>(this)) {
  if (span_.kind == TimelineSpan::Kind::time) due_.at(std::max(span_.from, lab.scheduler().now()));
}

Timeline::~Timeline() = default;

void Timeline::open(Time now) {
  stage_ = Stage::open;
  opened_ = now;
  EventArguments about;
  about.text("schema", "planar.timeline/1").number("from_ps", static_cast<std::uint64_t>(now.ps));
  file_.note("planar", about);
  for (std::size_t n = 0; n < lab_.machines(); ++n) {
    Machine& machine = lab_.machine(n);
    const std::string name = lab_.name(n).empty() ? machine.config().shown_name() : lab_.name(n);
    machines_.push_back(std::make_unique<MachineTimeline>(machine, name, file_, [this] { follower_.follow(); }));
  }
  for (const net::Medium* medium : lab_.media()) {
    media_[medium] = file_.process("medium " + medium->name());
    for (const net::Port* port : medium->ports())
      if (port) sender_track(*medium, port->name());
  }
  for (auto& machine : machines_) machine->open(now);
  if (span_.kind == TimelineSpan::Kind::time) due_.at(now + span_.length);
  follower_.follow();
}

void Timeline::close(Time now) {
  if (stage_ == Stage::open) {
    closed_ = now;
    follower_.stop();
    for (auto& machine : machines_) machine->close(now);
    EventArguments about;
    about.number("to_ps", static_cast<std::uint64_t>(now.ps)).number("frame", target_);
    file_.note("planar", about);
  }
  stage_ = Stage::over;
  due_.cancel();
  file_.close(now);
}

bool Timeline::finish() {
  if (stage_ != Stage::over) close(lab_.scheduler().now());
  return !std::exchange(finished_, true);
}

void Timeline::due(Time now) { stage_ == Stage::before ? open(now) : close(now); }

void Timeline::sample(Time now) {
  for (auto& machine : machines_) machine->sample(now);
}

void Timeline::begins(const net::Medium&, std::string_view, Time now) {
  if (stage_ == Stage::before && span_.kind == TimelineSpan::Kind::frame && span_.frame <= TimelineSpan::lead)
    open(now);
}

void Timeline::observe(const net::WireRecord& record) {
  if (stage_ == Stage::over) return;
  if (record.good()) ++frames_;
  if (stage_ == Stage::open) draw(record);
  if (record.good()) count(record);
}

// The good frame that has just ended may open or close the span.
void Timeline::count(const net::WireRecord& record) {
  if (span_.kind == TimelineSpan::Kind::time) return;
  std::uint64_t number = frames_, wanted = span_.frame;
  bool arrived = number == wanted;
  if (span_.kind == TimelineSpan::Kind::data_frame) {
    if (!lab_.is_adapter_of(0, record.sender)) return;
    if (record.bytes.size() > longest_) longest_count_ = in_a_row_ = 0;
    longest_ = std::max(longest_, record.bytes.size());
    if (record.bytes.size() < longest_) {
      in_a_row_ = 0;
      return;
    }
    number = ++longest_count_;
    ++in_a_row_;
    wanted = TimelineSpan::steady;
    arrived = number >= wanted + TimelineSpan::patience || (number >= wanted && in_a_row_ >= TimelineSpan::in_a_row);
  }
  if (stage_ == Stage::before && number + TimelineSpan::lead >= wanted) return open(record.end);
  if (stage_ != Stage::open) return;
  if (target_ != 0) return close(record.end);
  if (!arrived) return;
  target_ = frames_;
  due_.at(record.end + TimelineSpan::tail);
}

TraceEventFile::Track Timeline::sender_track(const net::Medium& medium, const std::string& sender) {
  return file_.track(media_[&medium], "from " + sender);
}

void Timeline::draw(const net::WireRecord& record) {
  const std::string sender(record.sender);
  EventArguments arguments;
  arguments.text("sender", sender).number("bytes", record.bytes.size());
  std::string name = record.damage == net::Damage::collision ? "collision" : "damaged";
  if (record.good()) {
    name = fmt::format("frame {}", frames_);
    arguments.number("frame", frames_);
    file_.marker(name, "frame", record.end, arguments);
    if (first_frame_ == 0) first_frame_ = frames_;
    last_frame_ = frames_;
    ++drawn_;
  }
  const Time from = std::max(record.start, opened_);
  if (record.end > from) file_.slice(sender_track(record.medium, sender), name, "wire", from, record.end, arguments);
}

std::string Timeline::summary() const {
  if (empty())
    return fmt::format("{} is empty: the run ended before {}", file_.name(),
                       span_.kind == TimelineSpan::Kind::time ? fmt::format("{:.6g} s", span_.from.seconds())
                       : span_.kind == TimelineSpan::Kind::frame
                           ? fmt::format("frame {}", span_.frame)
                           : fmt::format("{} full-size frames were sent; choose with --timeline-frame or "
                                         "--timeline-from",
                                         TimelineSpan::steady));
  std::uint64_t cycles = 0;
  for (const auto& machine : machines_) cycles += machine->cycles();
  return fmt::format("{}: {:.3f} ms from {:.6f} s on, {} cycles of the processor on the bus, {}", file_.name(),
                     (closed_ - opened_).seconds() * 1e3, opened_.seconds(), cycles,
                     drawn_ == 0                   ? std::string("no frame")
                     : first_frame_ == last_frame_ ? fmt::format("frame {}", first_frame_)
                                                   : fmt::format("frames {} to {}", first_frame_, last_frame_));
}

}  // namespace planar
