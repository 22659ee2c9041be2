// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/host/host_station.hpp"

#include <algorithm>

namespace planar::net {
namespace {

/// Frames of the host's network, without FCS.
constexpr std::size_t shortest = 14, longest = 1514;

HostDuration host(Time t) { return HostDuration(t.ps / 1000); }

}  // namespace

HostStation::HostStation(Scheduler& scheduler, Trace& trace, Medium& medium, std::uint64_t seed,
                         std::unique_ptr<HostLink> link, HostTime time, Hooks hooks)
    : trace_(trace),
      host_(std::move(link)),
      time_(time),
      hooks_(std::move(hooks)),
      link_(medium.connect(scheduler, "host.port", *this, Random(seed * 0x100 + 0xFF).next())),
      poll_(scheduler, "host.poll", Priority::device, Callback::to<&HostStation::poll>(this)) {
  host_->attach(*this);
  poll_.at(scheduler.now() + host_poll);
}

HostDuration HostStation::steady_clock() { return std::chrono::steady_clock::now().time_since_epoch(); }

// ---- from the medium to the host ----

void HostStation::frame_damaged(Time) { ++counters_.damaged; }

void HostStation::frame_received(ByteView frame, Time now) {
  ++counters_.to_host;
  spoken_ = true;
  now_ = now;
  host_->send(frame, now);
}

// ---- from the host to the medium ----

void HostStation::frame_from_host(ByteView frame) {
  if (frame.size() < shortest || frame.size() > longest || link_->waiting() >= host_queue) {
    ++counters_.refused;
    trace_(TraceCategory::peer, now_, "host", "refused a frame of {} bytes from the host, {} are waiting", frame.size(),
           link_->waiting());
    return;
  }
  ++counters_.from_host;
  link_->send(frame, now_);
}

void HostStation::host_note(std::string_view text) {
  trace_(TraceCategory::peer, now_, "host", "host network: {}", text);
}

void HostStation::frame_sent(const LinkOutcome& outcome, Time now) {
  counters_.failed_attempts += outcome.failed_attempts;
  if (outcome.sent) return;
  ++counters_.dropped;
  trace_(TraceCategory::peer, now, "host", "a frame from the host was lost after {} failed attempts",
         outcome.failed_attempts);
}

// ---- time ----

void HostStation::poll(Time now) {
  now_ = now;
  host_->exchange(now, HostDuration::zero());
  if (!anchored_) {  // power-on, or after a restored snapshot
    anchored_ = true;
    anchor_ = now;
    idle_before_ = hooks_.idle();
    host_anchor_ = host_before_ = hooks_.host_clock();
  }
  if (time_ == HostTime::as_hardware)
    hold_as_hardware(now);
  else
    hold_while_idle(now);
  poll_.at(std::min(now + host_poll, std::max(host_->next_timer(), now)));
}

void HostStation::hold_as_hardware(Time now) {
  const HostDuration target = host_anchor_ + host(now - anchor_);
  const HostDuration clock = hooks_.host_clock();
  if (clock - target > host(host_slack)) {
    anchor_ = now;
    host_anchor_ = clock;
    return;
  }
  wait(now, target, false);
}

void HostStation::hold_while_idle(Time now) {
  const Time idle = hooks_.idle();
  if (spoken_ || host_->host_may_begin()) wait(now, host_before_ + host(idle - idle_before_), true);
  idle_before_ = idle;
  host_before_ = hooks_.host_clock();
}

void HostStation::wait(Time now, HostDuration until, bool stop_at_frame) {
  const auto before = counters_.from_host;
  for (HostDuration clock = hooks_.host_clock(); clock < until; clock = hooks_.host_clock()) {
    host_->exchange(now, until - clock);
    if (stop_at_frame && counters_.from_host != before) return;
  }
}

Description HostStation::describe() const {
  Description d("host network");
  d.number("frames to the host", counters_.to_host).number("frames from the host", counters_.from_host);
  d.number("damaged", counters_.damaged).number("refused", counters_.refused).number("dropped", counters_.dropped);
  return d;
}

void HostStation::archive(Archive& a) {
  a.section("host station", 1);
  a(counters_.to_host, counters_.from_host, counters_.damaged, counters_.refused, counters_.failed_attempts,
    counters_.dropped);
  link_->archive_waiting(a);
  a(spoken_);
  link_->archive(a);
  poll_.archive(a);
  if (a.loading()) anchored_ = false;
}

}  // namespace planar::net
