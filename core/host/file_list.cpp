// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/file_list.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"

namespace planar {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view standard_output = "standard output", standard_error = "standard error";

bool is_stream(std::string_view named_by) { return named_by == standard_output || named_by == standard_error; }

/// Where a file would be created: dangling symbolic links are followed as open() follows them.
fs::path place_of(fs::path file) {
  constexpr int most_links = 40;  // as in the kernel
  std::error_code none;
  for (int n = 0; n < most_links && fs::is_symlink(fs::symlink_status(file, none)); ++n) {
    const fs::path target = fs::read_symlink(file, none);
    if (none) break;
    file = file.parent_path() / target;  // an absolute target replaces the path
  }
  return file;
}

}  // namespace

FileIdentity::FileIdentity(const std::string& file) {
  if (file.empty()) return;
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0) {
    if (S_ISREG(status.st_mode) || S_ISSOCK(status.st_mode)) take(status.st_dev, status.st_ino);
    return;
  }
  const fs::path place = place_of(file);
  const fs::path directory = place.has_parent_path() ? place.parent_path() : fs::path(".");
  name_ = place.filename().string();
  if (::stat(directory.c_str(), &status) == 0) {
    take(status.st_dev, status.st_ino);
    return;
  }
  // Its directory does not exist yet either.
  std::error_code none;
  name_ = fs::weakly_canonical(fs::absolute(place, none), none).string();
  known_ = !name_.empty();
}

FileIdentity::FileIdentity(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) take(status.st_dev, status.st_ino);
}

void FileIdentity::take(std::uint64_t device, std::uint64_t inode) {
  known_ = true;
  device_ = device;
  inode_ = inode;
}

bool FileIdentity::same(const FileIdentity& other) const {
  return known_ && other.known_ && device_ == other.device_ && inode_ == other.inode_ && name_ == other.name_;
}

void FileList::add(const std::string& file, std::string named_by, std::string owner, bool written) {
  if (owner.empty()) owner = named_by;
  entries_.push_back({file, std::move(named_by), std::move(owner), written, FileIdentity(file)});
}

void FileList::reads(const std::string& file, std::string named_by, std::string owner) {
  add(file, std::move(named_by), std::move(owner), false);
}

void FileList::writes(const std::string& file, std::string named_by, std::string owner) {
  add(file, std::move(named_by), std::move(owner), true);
}

void FileList::writes_standard_streams() {
  for (const auto& [name, descriptor] : {std::pair(standard_output, STDOUT_FILENO), {standard_error, STDERR_FILENO}})
    entries_.push_back({std::string(name), std::string(name), std::string(name), true, FileIdentity(descriptor)});
}

std::string FileList::problem(const Entry& a, const Entry& b) {
  if ((!a.written && !b.written) || !a.identity.same(b.identity) || a.owner == b.owner) return {};
  // Both streams may go to one file; other names of them refer to the same position in it.
  const auto is_open = [](const Entry& e) { return is_stream(e.named_by) || own_descriptor(e.file); };
  if (a.written && b.written && is_open(a) && is_open(b)) return {};
  if (a.written && b.written)
    return fmt::format("{} and {} are written into the same file ({}); name two files", a.named_by, b.named_by,
                       is_stream(a.named_by) ? b.file : a.file);
  const Entry &written = a.written ? a : b, &read = a.written ? b : a;
  return fmt::format("{} would overwrite {}, which this run uses ({}); name another file to write", written.named_by,
                     read.file, read.named_by);
}

// Files of one owner are adjacent in the list, and may belong to very many runs: they are not compared with each other.
void FileList::check() const {
  for (std::size_t n = 0, first = 0; n < entries_.size(); ++n) {
    if (entries_[n].owner != entries_[first].owner) first = n;
    for (std::size_t before = 0; before < first; ++before)
      if (const auto text = problem(entries_[before], entries_[n]); !text.empty()) throw Error(text);
  }
}

bool FileList::holds(const std::string& file) const {
  const FileIdentity identity(file);
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.identity.same(identity); });
}

}  // namespace planar
