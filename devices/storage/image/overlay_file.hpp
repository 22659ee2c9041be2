// SPDX-License-Identifier: GPL-2.0-or-later
// The changes of a disk, stored next to its base image.
//
// All numbers little-endian. The first 4096 bytes:
//   0     "planar overlay\r\n"
//   16    u32 version 1, u32 bytes of this header 4096, u32 bytes of a sector 512, u32 bytes of a slot 544
//   32    u64 sectors of the base
//   40    fingerprint of the base, 64 hex digits
//   104   u32 1 while a commit is in progress (the base is then neither old nor new), else 0
//   108   u16 length and name of the base, relative to the overlay's directory or absolute
//   2044  u32 CRC-32 of bytes 0 to 2043
//   2048, 3072  checkpoints, written in turns: "PLANSYNC", u64 sequence, u64 slots, u32 CRC-32 of those 24 bytes
//   2560  "BASEHSH2", SHA-256 of the base in hex, its inode, modification time and change time at that point (u64), u32
//         CRC-32 of those 96 bytes; files of earlier versions have "BASEHASH", without the change time
//   3584  "HEADNEXT", bytes 40 to 107 and 2044 to 2047 of a header about to be written, u32 CRC-32 of those 80 bytes:
//         completes a header whose writing was interrupted. Both records are absent in files of earlier versions.
// Slots follow, one changed sector each:
//   0     "SLOT", u32 CRC-32 of bytes 8 to 31, u64 sector, u64 sequence (from 1), u32 CRC-32 of the data, u32 0
//   32    512 bytes of data
//
// A change never overwrites the slot that holds the sector's present content: it goes into a free slot with the next
// sequence number, and the slot with the highest number is valid. The slot it replaces is reused only after the host
// has reported the new one as durable (fdatasync). So whenever the process is killed or the host loses power, and in
// whatever order the host has written its pages, a sector reads as one of its complete contents since the last flush;
// flushed data is never lost. A real disk promises less: the sector under the head is lost. Assumption: the host's disk
// writes each of its own sectors completely or not at all.
// A checkpoint records up to where everything is durable: a slot after it with a wrong checksum is an interrupted write
// and is ignored; one before it is damage, and its sector is unreadable until written again.
// A write that the host refuses (a full disk) is undone, and no checkpoint covers it. If the undo fails too, or the
// host could not make earlier writes durable, nothing more is written in this run: the file opens in the state of the
// last checkpoint plus the changes after it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "devices/storage/image/block_file.hpp"
#include "devices/storage/image/slot_set.hpp"

namespace planar::storage {

constexpr unsigned sector_bytes = 512;
/// 2 TB: the limit of a 32-bit sector number.
constexpr std::uint64_t most_sectors = std::uint64_t{1} << 32;

/// The base that an overlay belongs to.
struct OverlayBase {
  std::uint64_t sectors = 0;
  std::string fingerprint;
  std::string name;         ///< as stored
  bool committing = false;  ///< a commit has started and not finished
  std::string digest{};     ///< SHA-256 of the whole base; empty before the first change, and in older files
  FileStamp stamp{};        ///< of the base when this digest was taken
};

/// What `OverlayFile::repair` found and kept.
struct OverlayRepair {
  std::uint64_t sectors = 0;            ///< changed sectors that the file holds now
  std::uint64_t unreadable = 0;         ///< those of them whose data are damaged
  std::uint64_t missing_slots = 0;      ///< missing from the end of the file
  std::uint64_t uncounted_changes = 0;  ///< counted by the checkpoint but not in the file: lost, or never acknowledged
  std::uint64_t foreign_slots = 0;      ///< for sectors beyond the base; removed
  bool needed() const { return missing_slots != 0 || uncounted_changes != 0 || foreign_slots != 0; }
};

class OverlayFile {
 public:
  enum class Found : std::uint8_t { absent, good, unreadable };

  /// Creates an empty overlay file; never replaces a file. Throws Error (ExitCode::missing_file).
  static void create(const std::string& file, const OverlayBase& base);
  /// Whether `file` starts like an overlay (and is not, say, a raw disk).
  static bool recognise(std::span<const std::uint8_t> first_bytes);
  /// What `file` says about its base, without a lock; empty if it is not an overlay, or a damaged one.
  static std::optional<OverlayBase> base_of(const std::string& file);
  /// Reads and checks the whole file. Throws Error (ExitCode::missing_file) naming the file, the problem and the
  /// remedy.
  OverlayFile(const std::string& file, BlockFile::Access access);
  ~OverlayFile();
  /// Makes a file usable again whose header is good but whose slots do not match its checkpoint: keeps every sector
  /// that exists. Throws Error (ExitCode::missing_file).
  static OverlayRepair repair(const std::string& file);

  const OverlayBase& base() const { return base_; }
  const std::string& name() const { return file_.name(); }
  bool writable() const { return writable_; }
  std::uint64_t changed_sectors() const { return changed_; }
  std::uint64_t unreadable_sectors() const { return unreadable_; }
  /// Slots that are invalid because of an interrupted write or damage.
  std::uint64_t damaged_slots() const { return damaged_; }
  std::uint64_t file_bytes() const { return file_.size(); }

  Found read(std::uint64_t sector, std::span<std::uint8_t, sector_bytes> data) const;
  /// Writes consecutive sectors from `sector` on. False: the host's file did not accept them all; each holds its old or
  /// its new content.
  bool write(std::uint64_t sector, std::span<const std::uint8_t> data);
  /// Returns true if all writes so far are durable in the file of this name.
  bool flush();
  /// Deletes the file with this object unless a change was written to it.
  void remove_unless_used() { temporary_ = true; }
  bool temporary() const { return temporary_; }
  /// The file was deleted or replaced since it was opened.
  bool lost() const { return !file_.in_place(); }
  /// Starts a commit: the overlay is marked until it is cleared. Durable.
  bool begin_commit();
  /// Durably discards all changes, which are in the base now; sets the base's new fingerprint and digest.
  bool clear(const std::string& fingerprint, const std::string& digest, const FileStamp& stamp);
  /// Records what was found about the base. A read-only overlay stays unchanged.
  void note_base(const std::string& digest, const FileStamp& stamp);
  /// The changed sectors in ascending order, including unreadable ones.
  std::vector<std::uint64_t> sectors() const;

 private:
  static constexpr std::uint32_t none = 0;
  static constexpr std::uint32_t damaged_sector = 0xFFFFFFFF;
  static constexpr unsigned page_sectors = 1024;
  using Page = std::array<std::uint32_t, page_sectors>;  // slot number + 1

  explicit OverlayFile(BlockFile file) : file_(std::move(file)) {}
  void read_header();
  bool write_header();
  void read_base_hash();
  bool write_base_hash();
  void read_checkpoints();
  /// With `repaired`, counts there what would otherwise be refused.
  void read_slots(OverlayRepair* repaired = nullptr);
  void take_over(std::uint32_t number, const std::uint8_t* slot, std::map<std::uint64_t, std::uint64_t>& sequences,
                 OverlayRepair* repaired);
  void settle();
  void undo_write(std::uint32_t first, unsigned count, std::uint32_t slots_before);
  bool blank(std::uint32_t slot);
  bool write_checkpoint(std::uint64_t sequence, std::uint64_t slots);
  std::uint32_t lookup(std::uint64_t sector) const;
  void place(std::uint64_t sector, std::uint32_t slot);
  std::uint32_t take_slot();

  BlockFile file_;
  bool writable_ = false, temporary_ = false;
  OverlayBase base_;
  std::map<std::uint64_t, Page> pages_;
  std::uint64_t changed_ = 0, unreadable_ = 0, damaged_ = 0;
  std::uint32_t slots_ = 0;               // whole slots in the file
  SlotSet free_;                          // may be written
  std::vector<std::uint32_t> stale_;      // may be written after the next flush
  std::vector<std::uint32_t> cut_short_;  // found when the file was opened
  std::uint64_t sequence_ = 0;            // the highest number given to a change
  std::uint64_t placed_ = 0;              // the highest one whose slot the host accepted
  std::uint64_t synced_ = 0;              // durable up to here
  bool broken_ = false;                   // the file's content on the host is unknown: no more writes
  std::uint64_t synced_slots_ = 0;
  bool second_checkpoint_ = false;  // which of the two is written next
};

}  // namespace planar::storage
