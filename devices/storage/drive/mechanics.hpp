// SPDX-License-Identifier: GPL-2.0-or-later
// Timing of a drive: a command costs the drive's own overhead; an access that does not continue the previous one costs
// the seek (by the square root of the distance) and the exact wait for the sector to come round; bytes pass at the rate
// of the medium. While idle, the drive reads ahead into its buffer, so that a following sequential read finds its data
// there. Not modelled: zones, a write cache.
#pragma once

#include <cstdint>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "devices/storage/drive/drive.hpp"

namespace planar::storage {

struct DriveTiming {
  Time overhead;    ///< per command, in the drive
  Time seek_least;  ///< to the next cylinder
  Time seek_most;   ///< over the whole medium
  Time revolution;  ///< 0: no rotational position is tracked (CD-ROM: part of the seek)
  std::uint32_t track_bytes = 0;
  std::uint32_t cylinder_bytes = 1;
  std::uint64_t bytes_per_second = 1;
  std::uint32_t buffer_bytes = 0;

  /// The values of a profile under "disk." or "cdrom.".
  static DriveTiming read(const TimingProfile& profile, DriveKind kind);
};

class Mechanics {
 public:
  explicit Mechanics(const DriveTiming& timing) : timing_(timing) {}
  const DriveTiming& timing() const { return timing_; }

  /// An access to `sectors` sectors from `first`, on a medium of `whole` sectors, begins at `start`, after the
  /// overhead.
  void access(std::uint64_t first, std::uint64_t sectors, std::uint64_t whole, bool reads, Time start);
  /// When its next `bytes` have passed the head, if the host waits for them from `now` on.
  Time piece(std::uint32_t bytes, Time now);
  /// When the heads reach the start of the latest access.
  Time arrival() const { return medium_at_; }
  /// Discards read-ahead data: a reset.
  void reset() { read_ahead_ = false; }
  void medium_changed() {
    read_ahead_ = false;
    next_sector_ = 0;
  }
  void archive(Archive& a);

 private:
  void seek(std::uint64_t sector, std::uint64_t whole, Time now);
  Time transfer_time(std::uint64_t bytes) const;

  const DriveTiming timing_;
  std::uint32_t cylinder_ = 0;
  std::uint64_t next_sector_ = 0;  // after the last access
  bool read_ahead_ = false;
  Time medium_at_{};  // when next_sector_ was or will be under the head
};

}  // namespace planar::storage
