// SPDX-License-Identifier: GPL-2.0-or-later
// All files of a run and what names each, compared before any is opened: a file that is written is nobody else's. Two
// names are one file if they lead to the same device and inode, or, of a file that is not there yet, to the same place
// in the same directory.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace planar {

/// What two names of one file have in common. Devices, pipes and terminals have none: nothing of them is destroyed.
class FileIdentity {
 public:
  /// Of `file`, which need not exist.
  explicit FileIdentity(const std::string& file);
  /// Of an open file; of nothing if it is not a regular one.
  explicit FileIdentity(int descriptor);
  bool same(const FileIdentity& other) const;

 private:
  void take(std::uint64_t device, std::uint64_t inode);
  bool known_ = false;
  std::uint64_t device_ = 0, inode_ = 0;  // of the file, or of the directory that it would be in
  std::string name_;                      // in that directory; empty for a file that is there
};

class FileList {
 public:
  /// `named_by`: where the user named the file, "--floppy a.img" or "lab.toml:3:8: floppy.a.file". What has one `owner`
  /// uses its files one after another (the diskettes of a drive, the snapshots of a scenario's steps) and may name one
  /// twice; empty: whoever is named by that.
  void reads(const std::string& file, std::string named_by, std::string owner = {});
  void writes(const std::string& file, std::string named_by, std::string owner = {});
  /// Standard output and standard error, where they go into files.
  void writes_standard_streams();

  /// Throws Error (ExitCode::bad_configuration) with both names when a file that is written is read, or written by
  /// another, too.
  void check() const;
  /// A file of the run is this one, too.
  bool holds(const std::string& file) const;

 private:
  struct Entry {
    std::string file, named_by, owner;
    bool written;
    FileIdentity identity;
  };
  void add(const std::string& file, std::string named_by, std::string owner, bool written);
  static std::string problem(const Entry& a, const Entry& b);
  std::vector<Entry> entries_;
};

}  // namespace planar
