// SPDX-License-Identifier: GPL-2.0-or-later
// The content of a drive: sectors of 512 bytes from a base that belongs to the user, plus the changes made to them.
//
//   overlay        the base is never written; changes stay in an overlay file next to it (overlay_file.hpp)
//   write-through  changes go into the base itself
//   memory         changes are discarded at the end of the run
//   read-only      no changes: write-protected diskettes, CD-ROMs
//
// A base is a raw image, or an overlay file, which names its own base. A file that starts like another program's
// container is refused unless it is vouched for: by an overlay that names it as its base, or by the user with
// format=raw. Data that a guest writes to the first sector must not make its disk unusable. Failures of the host's
// files while the machine runs appear to the guest as drive failures (read and write return false) and can be read in
// failure().
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/state/archive.hpp"
#include "devices/storage/image/overlay_file.hpp"

namespace planar::storage {

enum class WriteMode : std::uint8_t { overlay, write_through, memory, read_only };

/// "overlay", "write-through", "memory", "read-only".
std::string_view to_string(WriteMode mode);
std::optional<WriteMode> parse_write_mode(std::string_view text);

/// Format of a file: raw as specified by the user, or detected from its first bytes.
enum class ImageFormat : std::uint8_t { by_content, raw };

/// "auto", "raw".
std::string_view to_string(ImageFormat format);
std::optional<ImageFormat> parse_image_format(std::string_view text);

/// The request: `--disk FILE,mode=...,overlay=FILE,format=...`.
struct DiskSpec {
  std::string file;
  WriteMode mode = WriteMode::overlay;
  std::string overlay{};  ///< empty: FILE.overlay
  ImageFormat format = ImageFormat::by_content;
  /// The overlay file in mode overlay, unless `file` is itself one.
  std::string overlay_file() const { return overlay.empty() ? file + ".overlay" : overlay; }
};

/// The files of a drive, as far as known without opening it: those that are read, and the one that receives changes.
struct ImageFiles {
  std::vector<std::string> read, written;
};
ImageFiles files_of(const DiskSpec& spec);

/// The same medium for a lab restored from a snapshot, which holds the changes and identifies the base by its digest.
DiskSpec restored(DiskSpec spec);

/// Requirements on a file: what errors call it, and what is wrong with one of a given size in bytes (empty: nothing).
struct ImageKind {
  std::string_view what;
  std::string (*size_problem)(std::uint64_t bytes);
};
/// Whole sectors of 512 bytes, up to 2 TB.
extern const ImageKind disk_kind;
/// A CD-ROM's data track: whole blocks of 2048 bytes.
extern const ImageKind cdrom_kind;

class DiskImage {
 public:
  /// Opens the image described by `spec`. An overlay file is created at once, so that no other planar uses the same
  /// one, and deleted again if it is never written to. Throws Error (ExitCode::missing_file, or bad_configuration for
  /// contradictory options) naming the file, the problem and the remedy.
  static DiskImage open(const DiskSpec& spec, const ImageKind& kind = disk_kind);
  /// A base in memory, `mode` memory or read_only; messages use `name` in place of a file.
  DiskImage(std::vector<std::uint8_t> bytes, std::string name, WriteMode mode = WriteMode::memory);
  DiskImage(DiskImage&&) = default;
  DiskImage& operator=(DiskImage&&) = default;
  ~DiskImage();

  std::uint64_t sectors() const { return sectors_; }
  WriteMode mode() const { return mode_; }
  bool write_protected() const { return mode_ == WriteMode::read_only; }
  /// The base image.
  const std::string& name() const { return name_; }
  /// The overlay's file, even before it exists; empty without an overlay.
  const std::string& overlay_name() const { return overlay_name_; }
  const OverlayFile* overlay() const { return overlay_.get(); }
  /// Sectors that differ from the base, or were written.
  std::uint64_t changed_sectors() const;

  /// Reads whole sectors. False beyond the end, for a damaged sector, or when the host's file fails.
  bool read(std::uint64_t sector, std::span<std::uint8_t> data) const;
  /// False beyond the end, on a write-protected medium, or when the host's file fails.
  bool write(std::uint64_t sector, std::span<const std::uint8_t> data);
  /// Makes all writes durable on the host.
  bool flush() const;
  /// The first failure of the host's files, empty if there was none.
  const std::string& failure() const { return failure_; }

  /// SHA-256 of the base; in mode write-through, of the present content.
  std::string digest() const;
  /// A hash over part of the base that detects a different image under the same name: SHA-256 over its size, 64 KB at
  /// either end and 256 samples of 4 KB.
  std::string fingerprint() const;

  /// Saves the digest and all changes. Loading requires the same base open in mode memory (or read-only): throws Error
  /// otherwise. A write-through disk can be saved (for a state hash) but not loaded.
  void archive(Archive& a);

  /// Of the base's file; empty for a base in memory.
  FileStamp stamp() const { return file_.is_open() ? file_.stamp() : FileStamp{}; }

 private:
  DiskImage() = default;
  bool read_base(std::uint64_t sector, std::span<std::uint8_t> data) const;
  bool read_below_memory(std::uint64_t sector, std::span<std::uint8_t> data) const;
  void open_overlay(const DiskSpec& spec);
  bool begin_overlay();
  std::string overlay_problem(const std::string& problem) const;
  bool failed(const std::string& problem) const;
  std::vector<std::uint64_t> changes() const;  // ascending

  std::string name_;
  WriteMode mode_ = WriteMode::memory;
  std::uint64_t sectors_ = 0;
  BlockFile file_;                   // the base, if it is a file
  std::vector<std::uint8_t> bytes_;  // the base, if it is in memory
  std::string overlay_name_;
  std::unique_ptr<OverlayFile> overlay_;
  std::map<std::uint64_t, std::array<std::uint8_t, sector_bytes>> memory_;
  mutable std::string digest_;  // once computed
  mutable std::string failure_;
};

/// The commands of `planar disk`. All throw Error (ExitCode::missing_file) with file and remedy. Creates an empty
/// overlay over `base` (raw or itself no overlay); `file` must not exist.
void create_overlay(const std::string& file, const std::string& base, ImageFormat format = ImageFormat::by_content);
/// Writes an overlay's changes into its base and empties it; returns the number of sectors. Refuses an overlay with
/// unreadable sectors. If interrupted at any point, it can be repeated, with the base named again.
std::uint64_t commit_overlay(const std::string& file, const std::string& named_base = {});

}  // namespace planar::storage
