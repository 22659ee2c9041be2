// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/storage/drive/mechanics.hpp"

#include <algorithm>

#include "core/common/error.hpp"

namespace planar::storage {
namespace {

constexpr std::int64_t ps_per_second = 1'000'000'000'000;
/// Latest valid time; leaves room for a few minutes of transfers.
constexpr Time latest = Time::never() - 1'000'000_s;

std::uint64_t root(std::uint64_t v) {
  std::uint64_t r = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit; bit >>= 1)
    if ((r + bit) * (r + bit) <= v) r += bit;
  return r;
}

}  // namespace

DriveTiming DriveTiming::read(const TimingProfile& p, DriveKind kind) {
  const std::string name = kind == DriveKind::disk ? "disk." : "cdrom.";
  DriveTiming t;
  t.overhead = p.time(name + "overhead");
  t.seek_least = p.time(name + "seek_least");
  t.seek_most = p.time(name + "seek_most");
  t.bytes_per_second = static_cast<std::uint64_t>(p.integer(name + "rate", 1'000, 100'000'000));
  t.buffer_bytes = static_cast<std::uint32_t>(p.integer(name + "buffer", 0, 16 << 20));
  t.track_bytes = static_cast<std::uint32_t>(p.integer(name + "track", 512, 1 << 20));
  t.cylinder_bytes = t.track_bytes * static_cast<std::uint32_t>(p.integer(name + "tracks_per_cylinder", 1, 32));
  if (kind == DriveKind::disk)
    t.revolution = Time{static_cast<std::int64_t>(t.track_bytes) *
                        (ps_per_second / static_cast<std::int64_t>(t.bytes_per_second))};
  return t;
}

Time Mechanics::transfer_time(std::uint64_t bytes) const {
  return Time{
      static_cast<std::int64_t>(static_cast<unsigned __int128>(bytes) * ps_per_second / timing_.bytes_per_second)};
}

// From the present head position to `sector`: the seek, then the wait for the sector to come round.
void Mechanics::seek(std::uint64_t sector, std::uint64_t whole_sectors, Time now) {
  const std::uint64_t byte = sector * sector_bytes;
  const auto target = static_cast<std::uint32_t>(byte / timing_.cylinder_bytes);
  const std::uint32_t distance = target > cylinder_ ? target - cylinder_ : cylinder_ - target;
  cylinder_ = target;
  Time at = now;
  if (distance != 0) {
    const std::uint64_t whole = std::max<std::uint64_t>(whole_sectors * sector_bytes / timing_.cylinder_bytes, 1);
    const auto range = (timing_.seek_most - timing_.seek_least).ps;
    at += timing_.seek_least +
          Time{static_cast<std::int64_t>(range / 1024 *
                                         static_cast<std::int64_t>(root((std::uint64_t{distance} << 20) / whole)))};
  }
  if (timing_.revolution.ps != 0) {
    const auto angle = transfer_time(byte % timing_.track_bytes).ps;
    auto wait = (angle - at.ps) % timing_.revolution.ps;
    if (wait < 0) wait += timing_.revolution.ps;
    at += Time{wait};
  }
  medium_at_ = at;
}

void Mechanics::access(std::uint64_t first, std::uint64_t sectors, std::uint64_t whole, bool reads, Time start) {
  if (reads && read_ahead_ && first == next_sector_)
    medium_at_ = std::max(medium_at_, start - transfer_time(timing_.buffer_bytes));  // paused with a full buffer
  else
    seek(first, whole, start);
  read_ahead_ = reads;
  next_sector_ = first + sectors;
}

Time Mechanics::piece(std::uint32_t bytes, Time now) {
  medium_at_ += transfer_time(bytes);
  return std::max(now, medium_at_);
}

void Mechanics::archive(Archive& a) {
  a(cylinder_, next_sector_, read_ahead_, medium_at_);
  if (a.loading() && (medium_at_ < Time{} || medium_at_ > latest))
    throw Error("snapshot holds a damaged drive; take a new one", ExitCode::missing_file);
}

}  // namespace planar::storage
