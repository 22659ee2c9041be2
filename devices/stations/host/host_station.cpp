// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/host/host_station.hpp"

#include <algorithm>

namespace planar::net {
namespace {

constexpr std::size_t ethernet_header = 14, min_frame = min_frame_bytes - fcs_bytes,
                      max_frame = max_frame_bytes - fcs_bytes;

HostDuration host(Time t) { return HostDuration(t.ps / 1000); }

}  // namespace

HostStation::HostStation(Scheduler& scheduler, Trace& trace, EthernetSegment& segment, std::uint64_t seed,
                         std::unique_ptr<HostLink> link, HostTime time, Hooks hooks)
    : trace_(trace),
      link_(std::move(link)),
      time_(time),
      hooks_(std::move(hooks)),
      port_(scheduler, "host.port", *this, Random(seed * 0x100 + 0xFF).next()),
      poll_(scheduler, "host.poll", Priority::device, Callback::to<&HostStation::poll>(this)) {
  link_->attach(*this);
  port_.attach(segment);
  poll_.at(scheduler.now() + host_poll);
}

HostDuration HostStation::steady_clock() { return std::chrono::steady_clock::now().time_since_epoch(); }

// ---- from the segment to the host ----

void HostStation::frame_ends(const Reception& r, Time now) {
  if (!r.fcs_ok || r.length < min_frame_bytes || r.length > max_frame_bytes) {
    if (r.length) ++counters_.damaged;
    return;
  }
  ++counters_.to_host;
  spoken_ = true;
  now_ = now;
  link_->send(r.frame.first(r.length - fcs_bytes), now);
}

// ---- from the host to the segment ----

void HostStation::frame_from_host(ByteView frame) {
  if (frame.size() < ethernet_header || frame.size() > max_frame || to_send_.size() >= host_queue) {
    ++counters_.refused;
    trace_(TraceCategory::peer, now_, "refused a frame of {} bytes from the host, {} are waiting", frame.size(),
           to_send_.size());
    return;
  }
  ++counters_.from_host;
  Bytes copy(frame.begin(), frame.end());
  copy.resize(std::max(copy.size(), min_frame));
  append_fcs(copy);
  to_send_.push_back(std::move(copy));
  if (to_send_.size() == 1) start_next(now_);
}

void HostStation::host_note(std::string_view text) { trace_(TraceCategory::peer, now_, "host network: {}", text); }

void HostStation::start_next(Time now) { port_.transmit(to_send_.front(), now); }

void HostStation::transmit_ends(const TransmitOutcome& outcome, Time now) {
  if (to_send_.empty()) return;
  counters_.collisions += outcome.collisions;
  if (outcome.result != TransmitResult::ok) {
    ++counters_.dropped;
    trace_(TraceCategory::peer, now, "a frame from the host was lost after {} collisions", outcome.collisions);
  }
  to_send_.pop_front();
  if (!to_send_.empty()) start_next(now);
}

// ---- time ----

void HostStation::poll(Time now) {
  now_ = now;
  link_->exchange(now, HostDuration::zero());
  if (!anchored_) {  // power-on, or the moment of a snapshot
    anchored_ = true;
    anchor_ = now;
    idle_before_ = hooks_.idle();
    host_anchor_ = host_before_ = hooks_.host_clock();
  }
  if (time_ == HostTime::as_hardware)
    hold_as_hardware(now);
  else
    hold_while_idle(now);
  poll_.at(std::min(now + host_poll, std::max(link_->next_timer(), now)));
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
  if (spoken_ || link_->host_may_begin()) wait(now, host_before_ + host(idle - idle_before_), true);
  idle_before_ = idle;
  host_before_ = hooks_.host_clock();
}

void HostStation::wait(Time now, HostDuration until, bool stop_at_frame) {
  const auto before = counters_.from_host;
  for (HostDuration clock = hooks_.host_clock(); clock < until; clock = hooks_.host_clock()) {
    link_->exchange(now, until - clock);
    if (stop_at_frame && counters_.from_host != before) return;
  }
}

void HostStation::archive(Archive& a) {
  a.section("host station", 1);
  a(counters_.to_host, counters_.from_host, counters_.damaged, counters_.refused, counters_.collisions,
    counters_.dropped);
  a(to_send_, spoken_);
  port_.archive(a);
  poll_.archive(a);
  if (a.loading()) anchored_ = false;
}

}  // namespace planar::net
