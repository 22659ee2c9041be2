// SPDX-License-Identifier: GPL-2.0-or-later
// Two tracks of a bus: its owner (the processor if none is named), and its activity, cycle by cycle.
#pragma once

#include <cstdint>
#include <string>

#include "bus/common/bus.hpp"
#include "bus/common/bus_observer.hpp"
#include "frontend/timeline/trace_event_file.hpp"

namespace planar {

class BusTracks {
 public:
  BusTracks(TraceEventFile& file, unsigned process, const bus::Bus& bus);

  void open(Time now);
  void close(Time now);

  void cycle(const bus::BusCycle& cycle);
  void refreshed(Time from, Time to);
  void granted(const std::string& owner, unsigned level, Time now);
  void released(Time at);
  void transferred(const std::string& owner, const bus::Transfer& transfer, Time from, Time to);
  void occupied(const std::string& owner, Time from, Time to);

  std::uint64_t cycles() const { return count_; }

 private:
  TraceEventFile& file_;
  const bus::Bus& bus_;
  TraceEventFile::Track owner_track_, cycle_track_;
  std::string owner_;  // empty: the processor
  unsigned level_ = 15;
  Time since_{}, opened_{};
  std::uint64_t count_ = 0;
};

}  // namespace planar
