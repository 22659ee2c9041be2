// SPDX-License-Identifier: GPL-2.0-or-later
// A SCSI target with one logical unit: a hard disk or a CD-ROM drive backed by a disk image.
//
// Commands: TEST UNIT READY, REZERO, REQUEST SENSE, FORMAT UNIT, REASSIGN BLOCKS, READ, WRITE, SEEK (6 and 10, READ and
// WRITE also 12), INQUIRY, MODE SELECT and SENSE (6 and 10), RESERVE, RELEASE, START STOP UNIT, SEND DIAGNOSTIC,
// PREVENT REMOVAL, READ CAPACITY, WRITE AND VERIFY, VERIFY, SYNCHRONIZE CACHE; the CD-ROM READ SUB-CHANNEL, READ TOC,
// READ HEADER of one data track. Facts: SCSI-2 (ANSI X3.131-1994).
//
// The tray of a CD-ROM drive: START STOP UNIT opens and closes it, with the CD on it, unless PREVENT REMOVAL has locked
// it; the user removes or inserts the CD (change_medium()). Without a CD, or with the tray open, commands that need one
// end with NOT READY, medium not present; after a CD was inserted, the next command reports that the medium may have
// changed.
//
// Timing: mechanics.hpp, with the values of the card's profile. An ATAPI drive is the same drive on another cable:
// INQUIRY reports this, and MODE SENSE has the capabilities page (SFF-8020i). Not modelled: defects, other logical
// units, audio, sessions, tray movement time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/state/archive.hpp"
#include "devices/storage/drive/drive.hpp"
#include "devices/storage/drive/mechanics.hpp"

namespace planar::storage {

/// A target's response to a command, before the data phase.
struct ScsiReply {
  static constexpr std::uint8_t good = 0x00, check_condition = 0x02;
  enum class Data : std::uint8_t { none, in, out };
  std::uint8_t status = good;
  Data data = Data::none;
  std::uint32_t bytes = 0;  ///< of the data phase
};

class ScsiDrive final : public Drive {
 public:
  enum class Cable : std::uint8_t { scsi, atapi };

  ScsiDrive(DriveKind kind, std::optional<DiskImage> image, const DriveTiming& timing, Cable cable = Cable::scsi);

  std::uint32_t block_bytes() const { return kind_ == DriveKind::disk ? 512 : 2048; }
  /// Of the medium; 0: no readable medium.
  std::uint32_t blocks() const { return static_cast<std::uint32_t>(sectors() * sector_bytes / block_bytes()); }

  /// Begins a command for `lun`; `cdb` is padded to 12 bytes. The data phase follows in pieces.
  ScsiReply command(std::span<const std::uint8_t> cdb, unsigned lun, Time now);
  /// When the next `bytes` of the data phase are available (in) or on the medium (out), if the host waits for them from
  /// `now` on.
  Time piece_ready(std::uint32_t bytes, Time now);
  /// A piece of the data phase, in order. False ends the phase; the status is then check_condition.
  bool data_in(std::span<std::uint8_t> data);
  bool data_out(std::span<const std::uint8_t> data);
  /// Whether the data phase has `bytes` more to read; from the medium only whole blocks.
  bool can_give(std::uint32_t bytes) const {
    return on_medium_ ? bytes % block_bytes() == 0 : bytes <= small_.size() - at_;
  }
  /// Called after the data phase.
  std::uint8_t finish();
  /// Sense key of the command that failed last.
  std::uint8_t sense_key() const { return sense_.key; }
  void reset();
  /// Changes the medium: the next command reports a unit attention; a command in progress fails if it reaches the end
  /// of the new medium. Without an image, the tray is left open and empty.
  void change_medium(std::optional<DiskImage> image);
  void archive(Archive& a);

 private:
  /// Condition that the next command reports instead of executing.
  enum class Attention : std::uint8_t { none, power_on, medium_changed };
  struct Sense {
    std::uint8_t key = 0, code = 0, qualifier = 0;
    std::uint32_t information = 0;
    bool valid = false;  ///< information field valid
    void archive(Archive& a) { a(key, code, qualifier, information, valid); }
  };

  // scsi_drive.cpp
  bool ready() const { return image_ && !tray_open_; }
  std::uint64_t sectors() const { return ready() ? image_->sectors() : 0; }
  ScsiReply medium(std::uint32_t block, std::uint32_t count, ScsiReply::Data data, Time now);
  std::uint8_t attention_code() const;
  ScsiReply fail(std::uint8_t key, std::uint8_t code, std::uint8_t qualifier = 0);
  /// Sectors were read or written, or that failed with sense code `error`; returns `good`.
  bool moved(bool good, std::uint8_t error, std::size_t bytes);
  ScsiReply reply(std::vector<std::uint8_t> data, std::uint32_t allocation);
  // scsi_replies.cpp: the drive's replies about itself
  ScsiReply disk_command(std::span<const std::uint8_t> cdb, Time now);
  ScsiReply cdrom_command(std::span<const std::uint8_t> cdb);
  ScsiReply start_stop(std::uint8_t flags);
  ScsiReply prevent_removal(bool prevent);
  ScsiReply inquiry(std::span<const std::uint8_t> cdb, unsigned lun);
  ScsiReply request_sense(std::uint32_t allocation, unsigned lun);
  ScsiReply read_capacity(std::span<const std::uint8_t> cdb);
  ScsiReply mode_sense(std::span<const std::uint8_t> cdb);
  ScsiReply read_toc(std::span<const std::uint8_t> cdb);

  const Cable cable_;
  Mechanics mechanics_;
  Sense sense_;
  Attention attention_ = Attention::power_on;  // not yet reported
  // the command in progress
  std::vector<std::uint8_t> small_;  // data phase that does not involve the medium
  std::uint32_t at_ = 0;             // bytes of the data phase so far
  std::uint64_t sector_ = 0;         // next sector on the medium
  bool on_medium_ = false;
  bool failed_ = false;
};

}  // namespace planar::storage
