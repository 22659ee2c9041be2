// SPDX-License-Identifier: GPL-2.0-or-later
// A connection to the host's network: libslirp, a tap device, a packet socket, another planar. Single-threaded:
// everything happens within the two calls below, both made by the station on the segment (host_station.hpp).
#pragma once

#include <chrono>
#include <string_view>

#include "core/time/time.hpp"
#include "devices/stations/packet.hpp"

namespace planar::net {

/// Host time. It is read and waited for in devices/net/host only, and never enters a virtual figure.
using HostDuration = std::chrono::nanoseconds;

/// Receives what comes from the host.
class HostSink {
 public:
  virtual ~HostSink() = default;
  /// A frame without FCS, of any length and content: the sink checks it.
  virtual void frame_from_host(ByteView frame) = 0;
  /// A message worth a line in the trace.
  virtual void host_note(std::string_view text) = 0;
};

class HostLink {
 public:
  virtual ~HostLink() = default;
  void attach(HostSink& sink) { sink_ = &sink; }

  /// A good frame (14 to 1514 bytes, without FCS) from the segment, at virtual time `now`.
  virtual void send(ByteView frame, Time now) = 0;
  /// Waits up to `at_most` of host time for data from the host, and takes it. Zero: only polls. Returns true if there
  /// was any.
  virtual bool exchange(Time now, HostDuration at_most) = 0;
  /// A timer of the link, in virtual time; Time::never() if none is running. exchange() serves it.
  virtual Time next_timer() const { return Time::never(); }
  /// The host may send first, before the guest has sent anything.
  virtual bool host_may_begin() const { return true; }

 protected:
  HostSink* sink_ = nullptr;
};

}  // namespace planar::net
