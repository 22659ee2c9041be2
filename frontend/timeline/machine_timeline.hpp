// SPDX-License-Identifier: GPL-2.0-or-later
// One machine of a timeline, a process of its viewer: processor, channel, interrupt lines, and what its adapters say of
// themselves, looked at after every event and every cycle of the processor on the channel.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bus/common/bus_observer.hpp"
#include "frontend/timeline/channel_tracks.hpp"
#include "frontend/timeline/cpu_track.hpp"
#include "frontend/timeline/device_tracks.hpp"
#include "frontend/timeline/line_tracks.hpp"
#include "frontend/timeline/trace_event_file.hpp"
#include "machines/machine.hpp"

namespace planar {

class MachineTimeline final : private bus::BusObserver {
 public:
  /// `after_cycle` is called when a cycle may have scheduled events.
  MachineTimeline(Machine& machine, const std::string& name, TraceEventFile& file, std::function<void()> after_cycle);
  ~MachineTimeline() override;
  MachineTimeline(const MachineTimeline&) = delete;

  void open(Time now);
  void close(Time now);
  void sample(Time now);
  /// Of the processor on the channel, while it was open.
  std::uint64_t cycles() const { return channel_.cycles(); }

 private:
  // bus::BusObserver: nothing once the timeline is closed, which may happen inside an access
  void cycle(const bus::BusCycle& cycle) override;
  void accessed(const bus::BusCycle& access) override;
  void waited(Time from, Time to) override { processor_.waited(from, to); }
  void refreshed(Time from, Time to) override { channel_.refreshed(from, to); }
  void granted(const std::string& owner, unsigned level, Time now) override { channel_.granted(owner, level, now); }
  void released(const std::string& /*owner*/, Time at) override { channel_.released(at); }
  void transferred(const std::string& owner, const bus::Transfer& t, Time from, Time to) override {
    channel_.transferred(owner, t, from, to);
  }
  void occupied(const std::string& owner, Time from, Time to) override { channel_.occupied(owner, from, to); }

  Machine& machine_;
  unsigned process_;
  CpuTrack processor_;
  ChannelTracks channel_;
  LineTracks lines_;
  std::vector<DeviceTracks> adapters_;
  std::function<void()> after_cycle_;
  bool open_ = false;
};

}  // namespace planar
