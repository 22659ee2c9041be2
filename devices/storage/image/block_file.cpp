// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/storage/image/block_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <functional>
#include <utility>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"

namespace planar::storage {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& problem) {
  throw Error(fmt::format("{}: {}", file, problem), ExitCode::missing_file);
}

// Fills a file of another name in the same directory, then renames it.
void create_with(const std::string& file, const std::string& what, const std::function<bool(int descriptor)>& fill) {
  const int error = write_beside(file, Existing::keep, fill);
  if (error == EEXIST) refuse(file, "exists already; choose another name, or move it away once no run has it open");
  if (error == EACCES || error == ENOENT || error == ENOTDIR || error == EROFS)
    refuse(file, fmt::format("the {} cannot be made here ({}); name a directory that you may write to", what,
                             std::strerror(error)));
  if (error)
    refuse(file, fmt::format("the {} cannot be written ({}); check the free space and the permissions", what,
                             std::strerror(error)));
}

}  // namespace

BlockFile::~BlockFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void BlockFile::swap(BlockFile& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  std::swap(name_, other.name_);
}

BlockFile BlockFile::open(const std::string& file, Access access, const std::string& what) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) refuse(file, fmt::format("there is no such {}; check the path", what));
    refuse(file,
           fmt::format("cannot be looked at ({}); check the permissions of its directories", std::strerror(errno)));
  }
  if (S_ISDIR(status.st_mode)) refuse(file, fmt::format("is a directory and no {}; name the image file", what));
  if (!S_ISREG(status.st_mode)) refuse(file, fmt::format("is no plain file; copy it into a {} first", what));
  BlockFile opened;
  opened.name_ = file;
  opened.descriptor_ = ::open(file.c_str(), (access == Access::read_write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (!opened.is_open())
    refuse(file, fmt::format("cannot be {} ({}); check its permissions",
                             access == Access::read_write ? "written" : "read", std::strerror(errno)));
  // A file that its last user deleted after it was opened must not be used.
  if (access != Access::look &&
      ((::flock(opened.descriptor_, (access == Access::read_write ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 &&
        errno == EWOULDBLOCK) ||
       !opened.in_place()))
    refuse(file, fmt::format("the {} is in use by another planar; end that one, or take a copy", what));
  if (::fstat(opened.descriptor_, &status) != 0) refuse(file, fmt::format("cannot be read ({})", std::strerror(errno)));
  opened.size_ = static_cast<std::uint64_t>(status.st_size);
  return opened;
}

void BlockFile::create(const std::string& file, std::span<const std::uint8_t> content, const std::string& what) {
  create_with(file, what, [&](int descriptor) { return write_all(descriptor, 0, content); });
}

void BlockFile::create_sparse(const std::string& file, std::uint64_t bytes, const std::string& what) {
  create_with(file, what, [&](int descriptor) { return ::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0; });
}

FileStamp BlockFile::stamp() const {
  constexpr std::uint64_t second = 1'000'000'000, young = 2 * second;
  struct stat status {};
  timespec now{};
  if (::fstat(descriptor_, &status) != 0 || ::clock_gettime(CLOCK_REALTIME, &now) != 0) return {};
  const auto nanoseconds = [](const timespec& t) {
    return static_cast<std::uint64_t>(t.tv_sec) * second + static_cast<std::uint64_t>(t.tv_nsec);
  };
  const auto old_enough = [&](const timespec& t) {
    return nanoseconds(t) + young < nanoseconds(now) ? nanoseconds(t) : 0;
  };
  return {status.st_ino, old_enough(status.st_mtim), old_enough(status.st_ctim)};
}

bool BlockFile::in_place() const {
  struct stat own {
  }, named{};
  return ::fstat(descriptor_, &own) == 0 && ::stat(name_.c_str(), &named) == 0 && own.st_dev == named.st_dev &&
         own.st_ino == named.st_ino;
}

std::uint64_t BlockFile::next_data(std::uint64_t offset) const {
  const off_t data = ::lseek(descriptor_, static_cast<off_t>(offset), SEEK_DATA);
  if (data >= 0) return static_cast<std::uint64_t>(data);
  return errno == ENXIO ? size_ : offset;  // otherwise the file system does not report holes
}

bool BlockFile::read(std::uint64_t offset, std::span<std::uint8_t> data) const {
  while (!data.empty()) {
    const ssize_t n = ::pread(descriptor_, data.data(), data.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data = data.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return true;
}

bool BlockFile::write(std::uint64_t offset, std::span<const std::uint8_t> data) {
  if (!write_all(descriptor_, offset, data)) return false;
  size_ = std::max<std::uint64_t>(size_, offset + data.size());
  return true;
}

bool BlockFile::sync() const { return ::fdatasync(descriptor_) == 0; }

bool BlockFile::truncate(std::uint64_t bytes) {
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) return false;
  size_ = bytes;
  return true;
}

}  // namespace planar::storage
