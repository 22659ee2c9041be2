// SPDX-License-Identifier: GPL-2.0-or-later
// A file of the host that holds a disk: whole reads and writes at offsets, durability, and a lock against a second
// planar. Nothing here depends on the host's time; what a guest sees of it is the content alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace planar::storage {

/// Tells whether a file is the one of before and was left alone since, as far as the host's file system knows.
struct FileStamp {
  std::uint64_t inode = 0;
  std::uint64_t modified = 0;  ///< nanoseconds since 1970; 0: too young to tell, later writes could bear the same time
  std::uint64_t changed = 0;   ///< the same of the inode, which no program can put back
  bool operator==(const FileStamp&) const = default;
  /// Equal ones mean that the file is unchanged.
  bool tells() const { return modified != 0 && changed != 0; }
};

class BlockFile {
 public:
  /// A look takes no lock: what it finds may be changed by another planar meanwhile.
  enum class Access : std::uint8_t { look, read_only, read_write };

  BlockFile() = default;
  BlockFile(BlockFile&& other) noexcept { swap(other); }
  BlockFile& operator=(BlockFile&& other) noexcept {
    BlockFile taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~BlockFile();

  /// Opens a regular file and locks it: readers share, a writer is alone. `what` is the word for it in errors ("disk
  /// image"). Throws Error (ExitCode::missing_file) naming file, reason and remedy.
  static BlockFile open(const std::string& file, Access access, const std::string& what);
  /// Makes `file` with `content`, all of it or nothing: it appears complete and durable, and never replaces another.
  /// Throws Error (ExitCode::missing_file).
  static void create(const std::string& file, std::span<const std::uint8_t> content, const std::string& what);
  /// Makes `file` with `bytes` zeros that take no space. As create().
  static void create_sparse(const std::string& file, std::uint64_t bytes, const std::string& what);

  bool is_open() const { return descriptor_ >= 0; }
  std::uint64_t size() const { return size_; }
  const std::string& name() const { return name_; }
  FileStamp stamp() const;
  /// Its name still leads to this file: nobody has deleted or replaced it.
  bool in_place() const;

  /// Where the file's content goes on at or after `offset`: after the hole that `offset` lies in, size() if nothing
  /// follows.
  std::uint64_t next_data(std::uint64_t offset) const;
  /// All of `data` at `offset`; false when the host's file does not give it.
  bool read(std::uint64_t offset, std::span<std::uint8_t> data) const;
  bool write(std::uint64_t offset, std::span<const std::uint8_t> data);
  /// What was written is on the host's disk when it returns true.
  bool sync() const;
  bool truncate(std::uint64_t bytes);

 private:
  void swap(BlockFile& other) noexcept;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::string name_;
};

}  // namespace planar::storage
