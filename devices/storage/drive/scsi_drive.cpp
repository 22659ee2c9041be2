// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/storage/drive/scsi_drive.hpp"

#include <algorithm>

#include "core/common/error.hpp"
#include "devices/storage/drive/scsi_fields.hpp"

namespace planar::storage {
ScsiDrive::ScsiDrive(DriveKind kind, std::optional<DiskImage> image, const DriveTiming& timing, Cable cable)
    : Drive(kind, std::move(image)), cable_(cable), mechanics_(timing) {}

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

ScsiReply ScsiDrive::medium(std::uint32_t block, std::uint32_t count, ScsiReply::Data data, Time now) {
  if (block >= blocks() || count > blocks() - block) {
    ScsiReply r = fail(illegal_request, block_out_of_range);
    sense_.information = std::max(block, blocks());
    sense_.valid = true;
    return r;
  }
  if (data == ScsiReply::Data::out && image_->write_protected()) return fail(data_protect, write_protected_medium);
  const std::uint64_t first = std::uint64_t{block} * block_bytes() / sector_bytes;
  const std::uint64_t sectors = std::uint64_t{count} * block_bytes() / sector_bytes;
  mechanics_.access(first, sectors, image_->sectors(), data == ScsiReply::Data::in, now + mechanics_.timing().overhead);
  sector_ = first;
  on_medium_ = true;
  if (count == 0 || data == ScsiReply::Data::none) return {};
  return {ScsiReply::good, data, count * block_bytes()};
}

Time ScsiDrive::piece_ready(std::uint32_t bytes, Time now) {
  return on_medium_ ? mechanics_.piece(bytes, now) : now + mechanics_.timing().overhead;
}

bool ScsiDrive::data_in(std::span<std::uint8_t> data) {
  if (!on_medium_) {
    if (!can_give(static_cast<std::uint32_t>(data.size()))) return false;  // a reset meanwhile has ended the command
    std::copy_n(small_.begin() + at_, data.size(), data.begin());
    at_ += static_cast<std::uint32_t>(data.size());
    return true;
  }
  if (!ready()) return fail(not_ready, medium_not_present), false;
  return moved(image_->read(sector_, data), unrecovered_read, data.size());
}

bool ScsiDrive::data_out(std::span<const std::uint8_t> data) {
  if (!on_medium_) return true;  // MODE SELECT, FORMAT UNIT's defect list: accepted and ignored
  if (!ready()) return fail(not_ready, medium_not_present), false;
  return moved(image_->write(sector_, data), write_fault, data.size());
}

bool ScsiDrive::moved(bool good, std::uint8_t error, std::size_t bytes) {
  if (good) {
    sector_ += bytes / sector_bytes;
  } else {
    fail(medium_error, error);
    sense_.information = static_cast<std::uint32_t>(sector_ * sector_bytes / block_bytes());
    sense_.valid = true;
  }
  return good;
}

std::uint8_t ScsiDrive::finish() {
  if (failed_) return ScsiReply::check_condition;
  return ScsiReply::good;
}

void ScsiDrive::reset() {
  sense_ = {};
  attention_ = Attention::power_on;
  failed_ = on_medium_ = locked_ = false;
  mechanics_.reset();
  small_.clear();
  at_ = 0;
}

void ScsiDrive::change_medium(std::optional<DiskImage> image) {
  image_.reset();  // first, because the new image may be over the same file
  image_ = std::move(image);
  tray_open_ = !image_;
  if (image_) attention_ = Attention::medium_changed;
  mechanics_.medium_changed();
  sector_ = std::min(sector_, sectors());
}

void ScsiDrive::archive(Archive& a) {
  const bool tray = kind_ == DriveKind::cdrom;
  a.section("scsi_drive", tray ? 2 : 1);
  if (tray) {
    bool there = loaded();
    a(there, tray_open_, locked_);
    if (there != loaded())
      throw Error(there ? "snapshot: a CD was in the drive; give the same --cdrom image"
                        : "snapshot: no CD was in the drive; give --cdrom empty",
                  ExitCode::missing_file);
  }
  if (image_) image_->archive(a);
  a(sense_, attention_, small_, at_, sector_, on_medium_, failed_, mechanics_);
  const std::uint64_t end = image_ ? image_->sectors() : 0;  // including a medium on an open tray
  if (a.loading() && (at_ > small_.size() || sector_ > end || attention_ > Attention::medium_changed))
    throw Error("snapshot holds a damaged SCSI command; take a new one", ExitCode::missing_file);
}

}  // namespace planar::storage
