// SPDX-License-Identifier: GPL-2.0-or-later
// A SCSI target with one logical unit: a hard disk or a CD-ROM drive over a disk image.
//
// Commands: TEST UNIT READY, REZERO, REQUEST SENSE, FORMAT UNIT, REASSIGN BLOCKS, READ, WRITE, SEEK (6 and 10, READ and
// WRITE also 12), INQUIRY, MODE SELECT and SENSE (6 and 10), RESERVE, RELEASE, START STOP UNIT, SEND DIAGNOSTIC,
// PREVENT REMOVAL, READ CAPACITY, WRITE AND VERIFY, VERIFY, SYNCHRONIZE CACHE; the CD-ROM READ SUB-CHANNEL, READ TOC,
// READ HEADER of one data track. Facts: SCSI-2 (ANSI X3.131-1994).
//
// The tray of a CD-ROM drive: START STOP UNIT opens and closes it, with the CD on it, unless PREVENT REMOVAL has locked
// it; a person takes the CD out or puts one in (change_medium()). Without a CD, or with the tray open, what needs one
// is NOT READY, medium not present; after a CD has come in the next command learns that the medium may have changed.
//
// Time: mechanics.hpp, with the values of the card's profile. An ATAPI drive is the same drive on another cable:
// INQUIRY says so, and MODE SENSE has the page of its abilities (SFF-8020i). Not modelled: defects, other logical
// units, audio, sessions, the time that a tray takes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/state/archive.hpp"
#include "devices/storage/drive/drive.hpp"
#include "devices/storage/drive/mechanics.hpp"

namespace planar::storage {

/// What a target answers to a command, before the data phase.
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
  /// Of the medium; 0: none can be read.
  std::uint32_t blocks() const { return static_cast<std::uint32_t>(sectors() * sector_bytes / block_bytes()); }

  /// Begins a command for `lun`; `cdb` is padded to 12 bytes. The data phase follows in pieces.
  ScsiReply command(std::span<const std::uint8_t> cdb, unsigned lun, Time now);
  /// When the next `bytes` of the data phase are there (in) or on the medium (out), if they are waited for from `now`
  /// on.
  Time piece_ready(std::uint32_t bytes, Time now);
  /// A piece of the data phase, in order. False ends the phase: status is then check_condition.
  bool data_in(std::span<std::uint8_t> data);
  bool data_out(std::span<const std::uint8_t> data);
  /// Whether the data phase can hold `bytes` more to read, in whole blocks of the medium.
  bool can_give(std::uint32_t bytes) const {
    return on_medium_ ? bytes % block_bytes() == 0 : bytes <= small_.size() - at_;
  }
  /// After the data phase.
  std::uint8_t finish();
  /// Of the command that failed last.
  std::uint8_t sense_key() const { return sense_.key; }
  void reset();
  /// Another medium is in the drive: the next command learns of it by a unit attention, one under way fails where the
  /// new medium has no more. Without one the tray is open and empty.
  void change_medium(std::optional<DiskImage> image);
  void archive(Archive& a);

 private:
  /// What the next command is told instead of being done.
  enum class Attention : std::uint8_t { none, power_on, medium_changed };
  struct Sense {
    std::uint8_t key = 0, code = 0, qualifier = 0;
    std::uint32_t information = 0;
    bool valid = false;  ///< information
    void archive(Archive& a) { a(key, code, qualifier, information, valid); }
  };

  // scsi_drive.cpp
  bool ready() const { return image_ && !tray_open_; }
  std::uint64_t sectors() const { return ready() ? image_->sectors() : 0; }
  ScsiReply medium(std::uint32_t block, std::uint32_t count, ScsiReply::Data data, Time now);
  std::uint8_t attention_code() const;
  ScsiReply fail(std::uint8_t key, std::uint8_t code, std::uint8_t qualifier = 0);
  ScsiReply reply(std::vector<std::uint8_t> data, std::uint32_t allocation);
  // scsi_replies.cpp: what the drive says of itself
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
  // the command under way
  std::vector<std::uint8_t> small_;  // a data phase that does not come from the medium
  std::uint32_t at_ = 0;             // bytes of the data phase so far
  std::uint64_t sector_ = 0;         // the next one of the medium
  bool on_medium_ = false;
  bool failed_ = false;
};

}  // namespace planar::storage
