// SPDX-License-Identifier: GPL-2.0-or-later
// A device's own description (Description::activity and level) over time: an activity becomes a track whose slices say
// what the device does, a level becomes a counter. A track appears with its first change.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/state/description.hpp"
#include "core/time/time.hpp"
#include "frontend/timeline/trace_event_file.hpp"

namespace planar {

class DeviceTracks {
 public:
  using Describe = std::function<void(Description&)>;
  /// `name`: the device's name, which precedes the names of its tracks.
  DeviceTracks(TraceEventFile& file, unsigned process, std::string name, Describe describe);

  /// Polls the device at `now`: whatever has changed since the last poll ends or begins there.
  void sample(Time now);
  /// Ends slices in progress.
  void close(Time now);

 private:
  struct Followed {
    Time since{};
    std::string text;
    std::uint64_t value = 0;
    bool changed = false;
  };
  void look(const Description& d, const std::string& path, Time now);
  void finish(const std::string& name, Followed& followed, Time now);

  TraceEventFile& file_;
  unsigned process_;
  std::string name_;
  Describe describe_;
  std::map<std::string, Followed> followed_;
};

}  // namespace planar
