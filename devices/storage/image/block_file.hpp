// SPDX-License-Identifier: GPL-2.0-or-later
// A host file that holds a disk: complete reads and writes at offsets, durability, and a lock against a second planar.
// Nothing here depends on the host's time; a guest sees only the file's content.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace planar::storage {

/// Tells whether a file is the same as before and unchanged since, as far as the host's file system knows.
struct FileStamp {
  std::uint64_t inode = 0;
  std::uint64_t modified = 0;  ///< nanoseconds since 1970; 0: too recent, later writes could have the same time
  std::uint64_t changed = 0;   ///< the same for the inode; no program can set it back
  bool operator==(const FileStamp&) const = default;
  /// If true, an equal stamp means that the file is unchanged.
  bool tells() const { return modified != 0 && changed != 0; }
};

class BlockFile {
 public:
  /// `look` takes no lock: another planar may change the content meanwhile.
  enum class Access : std::uint8_t { look, read_only, read_write };

  BlockFile() = default;
  BlockFile(BlockFile&& other) noexcept { swap(other); }
  BlockFile& operator=(BlockFile&& other) noexcept {
    BlockFile taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~BlockFile();

  /// Opens a regular file and locks it: readers share, a writer is alone. `what` is what errors call it ("disk image").
  /// Throws Error (ExitCode::missing_file) with file, reason and remedy.
  static BlockFile open(const std::string& file, Access access, const std::string& what);
  /// Creates `file` with `content` atomically: it appears complete and durable, and never replaces another. Throws
  /// Error (ExitCode::missing_file).
  static void create(const std::string& file, std::span<const std::uint8_t> content, const std::string& what);
  /// Creates `file` with `bytes` zeros that take no space. Otherwise as create().
  static void create_sparse(const std::string& file, std::uint64_t bytes, const std::string& what);

  bool is_open() const { return descriptor_ >= 0; }
  std::uint64_t size() const { return size_; }
  const std::string& name() const { return name_; }
  FileStamp stamp() const;
  /// Its name still refers to this file: it has not been deleted or replaced.
  bool in_place() const;

  /// Offset of the next data at or after `offset`: the end of the hole that contains `offset`, or size() if no data
  /// follows.
  std::uint64_t next_data(std::uint64_t offset) const;
  /// Reads all of `data` at `offset`; false if the host's file fails.
  bool read(std::uint64_t offset, std::span<std::uint8_t> data) const;
  bool write(std::uint64_t offset, std::span<const std::uint8_t> data);
  /// Returns true if all writes are on the host's disk.
  bool sync() const;
  bool truncate(std::uint64_t bytes);

 private:
  void swap(BlockFile& other) noexcept;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::string name_;
};

}  // namespace planar::storage
