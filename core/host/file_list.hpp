// SPDX-License-Identifier: GPL-2.0-or-later
// All files of a run, each with what names it. They are compared before any is opened: a file that is written must not
// be used for anything else. Two names denote the same file if they lead to the same device and inode or, for a file
// that does not exist yet, to the same name in the same directory.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace planar {

/// The identity shared by all names of a file. Devices, pipes and terminals have none, since nothing of theirs can be
/// destroyed.
class FileIdentity {
 public:
  /// Identity of `file`, which need not exist.
  explicit FileIdentity(const std::string& file);
  /// Identity of an open file; none if it is not a regular file.
  explicit FileIdentity(int descriptor);
  bool same(const FileIdentity& other) const;

 private:
  void take(std::uint64_t device, std::uint64_t inode);
  bool known_ = false;
  std::uint64_t device_ = 0, inode_ = 0;  // of the file, or of the directory in which it would be created
  std::string name_;                      // in that directory; empty for an existing file
};

class FileList {
 public:
  /// `named_by`: where the user named the file, "--floppy a.img" or "lab.toml:3:8: floppy.a.file". An `owner` uses its
  /// files one after another (the diskettes of a drive, the snapshots of a scenario's steps) and may name one twice; if
  /// empty, `named_by` is the owner.
  void reads(const std::string& file, std::string named_by, std::string owner = {});
  void writes(const std::string& file, std::string named_by, std::string owner = {});
  /// Adds standard output and standard error if they are redirected to files.
  void writes_standard_streams();

  /// Throws Error (ExitCode::bad_configuration) with both names if a file that is written is also read, or written, by
  /// another owner.
  void check() const;
  /// Whether `file` is also one of the run's files.
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
