// SPDX-License-Identifier: GPL-2.0-or-later
// The station that connects the host's network to a medium. Frames have wire timing in both directions; the host is
// polled every `host_poll` of virtual time. Such a run is not repeatable: results say "host in the loop".
//
// Time modes:
//   as-hardware   virtual time passes no faster than host time. If the emulation is slower, the delay is not made up
//                 later: once it exceeds `host_slack`, counting starts anew.
//   unthrottled   as fast as the host emulates, but while the guest idles (HLT) virtual time passes no faster than host
//                 time, because the host's answer may be on its way: a frame from the host ends the wait. Before the
//                 guest's first frame there is no answer to wait for, unless the host may send first (a forwarded port,
//                 a tap device).
//
// Not modelled: processing time of the station's own stack (the host's applies instead). Frames without room (more than
// `host_queue` waiting) are dropped, as are those that are not Ethernet frames.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/medium/link_layer.hpp"
#include "devices/stations/host/host_link.hpp"
#include "devices/stations/station.hpp"

namespace planar::net {

/// Virtual time between two polls of the host. Chosen: well below the 10 ms tick of the guests' stacks, so that no
/// round trip grows by a tick, and rare enough to cost nothing.
inline constexpr Time host_poll = 500_us;
/// How far virtual time may fall behind host time and still catch up.
inline constexpr Time host_slack = 100_ms;
/// Frames from the host waiting for the wire: about a third of a second's worth.
inline constexpr std::size_t host_queue = 256;

enum class HostTime : std::uint8_t { as_hardware, unthrottled };

class HostStation final : public Station, private LinkUser, private HostSink {
 public:
  struct Counters {
    std::uint64_t to_host = 0, from_host = 0;        ///< good frames
    std::uint64_t damaged = 0;                       ///< from the medium: bad FCS or length
    std::uint64_t refused = 0;                       ///< from the host: not an Ethernet frame, or no room
    std::uint64_t failed_attempts = 0, dropped = 0;  ///< to send: collisions on Ethernet; dropped: given up
  };
  struct Hooks {
    std::function<HostDuration()> host_clock;  ///< since any fixed moment
    std::function<Time()> idle;                ///< for how long the guest has idled in total
  };

  HostStation(Scheduler& scheduler, Trace& trace, Medium& medium, std::uint64_t seed, std::unique_ptr<HostLink> link,
              HostTime time, Hooks hooks);

  const Counters& counters() const { return counters_; }

  // Station
  bool repeatable() const override { return false; }
  Description describe() const override;
  /// The state on this side of the link; state kept by the host (connections) is not included and does not survive a
  /// restore.
  void archive(Archive& a) override;

  /// The steady clock of the host.
  static HostDuration steady_clock();

 private:
  // LinkUser
  void frame_received(ByteView frame, Time now) override;
  void frame_damaged(Time now) override;
  void frame_sent(const LinkOutcome& outcome, Time now) override;
  // HostSink
  void frame_from_host(ByteView frame) override;
  void host_note(std::string_view text) override;

  void poll(Time now);
  void hold_as_hardware(Time now);
  void hold_while_idle(Time now);
  void wait(Time now, HostDuration until, bool stop_at_frame);

  Trace& trace_;
  std::unique_ptr<HostLink> host_;
  HostTime time_;
  Hooks hooks_;
  Counters counters_;
  bool spoken_ = false;  // the guest has sent a frame
  std::unique_ptr<LinkLayer> link_;
  Event poll_;
  // Host time, not part of the state.
  bool anchored_ = false;
  Time anchor_{}, idle_before_{};
  HostDuration host_anchor_{}, host_before_{};
  Time now_{};
};

}  // namespace planar::net
