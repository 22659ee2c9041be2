// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/storage/scsi/scsi_drive.hpp"

#include <algorithm>

#include "core/common/error.hpp"
#include "devices/storage/scsi/scsi_fields.hpp"

namespace planar::storage {
namespace {

constexpr std::int64_t ps_per_second = 1'000'000'000'000;

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

ScsiDrive::ScsiDrive(DriveKind kind, DiskImage image, const DriveTiming& timing)
    : kind_(kind), image_(std::move(image)), timing_(timing) {}

ScsiReply ScsiDrive::fail(std::uint8_t key, std::uint8_t code, std::uint8_t qualifier) {
  sense_ = {key, code, qualifier, 0, false};
  failed_ = true;
  return {ScsiReply::check_condition, ScsiReply::Data::none, 0};
}

ScsiReply ScsiDrive::reply(std::vector<std::uint8_t> data, std::uint32_t allocation) {
  if (data.size() > allocation) data.resize(allocation);
  small_ = std::move(data);
  if (small_.empty()) return {};
  return {ScsiReply::good, ScsiReply::Data::in, static_cast<std::uint32_t>(small_.size())};
}

Time ScsiDrive::transfer_time(std::uint64_t bytes) const {
  return Time{
      static_cast<std::int64_t>(static_cast<unsigned __int128>(bytes) * ps_per_second / timing_.bytes_per_second)};
}

// From where the heads stand to `block`: the seek, then the wait until its sector comes round.
void ScsiDrive::seek(std::uint32_t block, Time now) {
  const std::uint64_t byte = std::uint64_t{block} * block_bytes();
  const auto target = static_cast<std::uint32_t>(byte / timing_.cylinder_bytes);
  const std::uint32_t distance = target > cylinder_ ? target - cylinder_ : cylinder_ - target;
  cylinder_ = target;
  Time at = now;
  if (distance != 0) {
    const std::uint64_t whole = std::max<std::uint64_t>(image_.sectors() * sector_bytes / timing_.cylinder_bytes, 1);
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

ScsiReply ScsiDrive::medium(std::uint32_t block, std::uint32_t count, ScsiReply::Data data, Time now) {
  if (block >= blocks() || count > blocks() - block) {
    ScsiReply r = fail(illegal_request, block_out_of_range);
    sense_.information = std::max(block, blocks());
    sense_.valid = true;
    return r;
  }
  if (data == ScsiReply::Data::out && image_.write_protected()) return fail(data_protect, write_protected_medium);
  const std::uint64_t first = std::uint64_t{block} * block_bytes() / sector_bytes;
  const Time ready = now + timing_.overhead;
  if (data == ScsiReply::Data::in && read_ahead_ && first == next_sector_)
    medium_at_ = std::max(medium_at_, ready - transfer_time(timing_.buffer_bytes));  // waits with a full buffer
  else
    seek(block, ready);
  read_ahead_ = data == ScsiReply::Data::in;
  sector_ = first;
  next_sector_ = first + std::uint64_t{count} * block_bytes() / sector_bytes;
  on_medium_ = true;
  if (count == 0 || data == ScsiReply::Data::none) return {};
  return {ScsiReply::good, data, count * block_bytes()};
}

Time ScsiDrive::piece_ready(std::uint32_t bytes, Time now) {
  if (!on_medium_) return now + timing_.overhead;
  medium_at_ += transfer_time(bytes);
  return std::max(now, medium_at_);
}

bool ScsiDrive::data_in(std::span<std::uint8_t> data) {
  if (!on_medium_) {
    std::copy_n(small_.begin() + at_, data.size(), data.begin());
    at_ += static_cast<std::uint32_t>(data.size());
    return true;
  }
  if (!image_.read(sector_, data)) {
    fail(medium_error, unrecovered_read);
    sense_.information = static_cast<std::uint32_t>(sector_ * sector_bytes / block_bytes());
    sense_.valid = true;
    return false;
  }
  sector_ += data.size() / sector_bytes;
  return true;
}

bool ScsiDrive::data_out(std::span<const std::uint8_t> data) {
  if (!on_medium_) {
    at_ += static_cast<std::uint32_t>(data.size());  // MODE SELECT, FORMAT UNIT's defect list: taken and not used
    return true;
  }
  if (!image_.write(sector_, data)) {
    fail(medium_error, write_fault);
    sense_.information = static_cast<std::uint32_t>(sector_ * sector_bytes / block_bytes());
    sense_.valid = true;
    return false;
  }
  sector_ += data.size() / sector_bytes;
  return true;
}

std::uint8_t ScsiDrive::finish() {
  if (failed_) return ScsiReply::check_condition;
  return ScsiReply::good;
}

void ScsiDrive::reset() {
  sense_ = {};
  attention_ = Attention::power_on;
  read_ahead_ = failed_ = on_medium_ = false;
  small_.clear();
}

void ScsiDrive::change_medium(DiskImage image) {
  image_ = std::move(image);
  attention_ = Attention::medium_changed;
  read_ahead_ = false;
  next_sector_ = 0;
  sector_ = std::min(sector_, image_.sectors());
}

void ScsiDrive::archive(Archive& a) {
  a.section("scsi_drive", 1);
  image_.archive(a);
  a(sense_, attention_, small_, at_, sector_, on_medium_, failed_, cylinder_, next_sector_, read_ahead_, medium_at_);
  if (a.loading() && (at_ > small_.size() || sector_ > image_.sectors() || attention_ > Attention::medium_changed))
    throw Error("snapshot holds a damaged SCSI command; take a new one", ExitCode::missing_file);
}

}  // namespace planar::storage
