// SPDX-License-Identifier: GPL-2.0-or-later
// The activity lights of a machine, determined by polling its devices whenever a picture is drawn.
#pragma once

#include <chrono>
#include <cstdint>

#include "machines/machine/machine.hpp"

namespace planar {

class Activity {
 public:
  using Clock = std::chrono::steady_clock;
  struct Lights {
    bool disk = false;      ///< the SCSI adapter is busy
    bool diskette = false;  ///< its motor is on
    bool network = false;   ///< a network adapter has sent or received
  };

  /// The lights at `host`; each stays on long enough to be seen.
  Lights look(const Machine& machine, Clock::time_point host);

 private:
  std::uint64_t frames_ = 0;
  Clock::time_point disk_until_{}, network_until_{};
};

}  // namespace planar
