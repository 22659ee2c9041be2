// SPDX-License-Identifier: GPL-2.0-or-later
// One machine of a timeline, shown as a process by the viewer: processor, buses, interrupt lines, and the descriptions
// of its adapters, polled after every event and every bus cycle of the processor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bus/common/bus_observer.hpp"
#include "frontend/timeline/bus_tracks.hpp"
#include "frontend/timeline/cpu_track.hpp"
#include "frontend/timeline/device_tracks.hpp"
#include "frontend/timeline/line_tracks.hpp"
#include "frontend/timeline/trace_event_file.hpp"
#include "machines/machine/machine.hpp"

namespace planar {

class MachineTimeline final {
 public:
  /// `after_cycle` is called after a cycle, which may have scheduled events.
  MachineTimeline(Machine& machine, const std::string& name, TraceEventFile& file, std::function<void()> after_cycle);
  ~MachineTimeline();
  MachineTimeline(const MachineTimeline&) = delete;

  void open(Time now);
  void close(Time now);
  void sample(Time now);
  /// Processor cycles on all buses while the timeline was open.
  std::uint64_t cycles() const;

 private:
  /// Observes one bus of the machine; silent once the timeline is closed, which may happen during an access.
  class Listener final : public bus::BusObserver {
   public:
    Listener(MachineTimeline& timeline, TraceEventFile& file, bus::Bus& bus);
    void listen(bool on);

    void cycle(const bus::BusCycle& cycle) override;
    void accessed(const bus::BusCycle& access) override;
    void waited(Time from, Time to) override { timeline_.processor_.waited(from, to); }
    void refreshed(Time from, Time to) override { tracks.refreshed(from, to); }
    void granted(const std::string& owner, unsigned level, Time now) override { tracks.granted(owner, level, now); }
    void released(const std::string& /*owner*/, Time at) override { tracks.released(at); }
    void transferred(const std::string& owner, const bus::Transfer& t, Time from, Time to) override {
      tracks.transferred(owner, t, from, to);
    }
    void occupied(const std::string& owner, Time from, Time to) override { tracks.occupied(owner, from, to); }

    BusTracks tracks;

   private:
    MachineTimeline& timeline_;
    bus::Bus& bus_;
  };

  std::vector<std::unique_ptr<Listener>> listeners(TraceEventFile& file);

  Machine& machine_;
  unsigned process_;
  CpuTrack processor_;
  std::vector<std::unique_ptr<Listener>> buses_;
  LineTracks lines_;
  std::vector<DeviceTracks> adapters_;
  std::function<void()> after_cycle_;
  bool open_ = false;
};

}  // namespace planar
