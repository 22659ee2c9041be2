// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/host/host_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "core/common/error.hpp"

namespace planar {
namespace {

// A new name is durable once its directory is. Some file systems cannot sync directories; the file itself is complete
// on all.
void sync_directory(const std::string& file) {
  auto directory = std::filesystem::path(file).parent_path();
  if (directory.empty()) directory = ".";
  const int d = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (d < 0) return;
  ::fsync(d);
  ::close(d);
}

// Gives the finished file its name without replacing another. File systems without links (FAT) rename.
int publish_new(const std::string& temporary, const std::string& file) {
  if (::link(temporary.c_str(), file.c_str()) == 0) return 0;
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  if (::access(file.c_str(), F_OK) == 0) return EEXIST;
  return ::rename(temporary.c_str(), file.c_str()) == 0 ? 0 : errno;
}

mode_t creation_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

// Names that refer to a file that some process has open.
bool of_open_file(const std::filesystem::path& file) {
  const auto name = std::filesystem::absolute(file).lexically_normal().string();
  return name.starts_with("/dev/") || name.starts_with("/proc/");
}

// Devices, pipes, and names that refer to a process's open files: there is nothing to replace.
bool written_in_place(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return true;
  return of_open_file(file);
}

// If reopened, a file to which standard output is redirected would be written from its start; the descriptor keeps the
// position.
int open_in_place(const std::filesystem::path& file) {
  if (const auto own = own_descriptor(file)) {
    std::fflush(nullptr);
    return ::fcntl(*own, F_DUPFD_CLOEXEC, 0);
  }
  return ::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
}

int write_in_place(const std::string& file, std::span<const std::uint8_t> content) {
  const int descriptor = open_in_place(file);
  if (descriptor < 0) return errno;
  int error = 0;
  while (!content.empty() && !error) {
    const ssize_t n = ::write(descriptor, content.data(), content.size());
    if (n > 0) content = content.subspan(static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) error = errno;
    if (n == 0) error = ENOSPC;
  }
  if (::close(descriptor) != 0 && !error) error = errno;
  return error;
}

}  // namespace

std::optional<int> own_descriptor(const std::filesystem::path& file) {
  const auto name = std::filesystem::absolute(file).lexically_normal().string();
  if (name == "/dev/stdout") return STDOUT_FILENO;
  if (name == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(folder)) continue;
    int number = 0;
    const char *first = name.data() + folder.size(), *last = name.data() + name.size();
    if (const auto [end, error] = std::from_chars(first, last, number); error == std::errc{} && end == last)
      return number;
  }
  return std::nullopt;
}

OutputFile open_output(const std::filesystem::path& file) {
  if (!own_descriptor(file)) return {std::fopen(file.c_str(), of_open_file(file) ? "abe" : "wbe"), std::fclose};
  const int descriptor = open_in_place(file);
  if (descriptor < 0) return {nullptr, std::fclose};
  OutputFile opened(::fdopen(descriptor, "wb"), std::fclose);
  if (!opened) ::close(descriptor);
  return opened;
}

OutputFile open_output(const std::string& file, std::string_view option) {
  OutputFile opened = open_output(std::filesystem::path(file));
  if (!opened)
    throw Error(fmt::format("{} {}: cannot be written; check the directory and its permissions", option, file),
                ExitCode::missing_file);
  return opened;
}

bool write_all(int descriptor, std::uint64_t offset, std::span<const std::uint8_t> data) {
  while (!data.empty()) {
    const ssize_t n = ::pwrite(descriptor, data.data(), data.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = ENOSPC;
    if (n <= 0) return false;
    data = data.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return true;
}

int write_beside(const std::string& file, Existing existing, const std::function<bool(int descriptor)>& fill) {
  mode_t mode = creation_mode();
  struct stat before {};
  if (::stat(file.c_str(), &before) == 0) {
    if (existing == Existing::keep) return EEXIST;
    if (S_ISDIR(before.st_mode)) return EISDIR;
    if (::access(file.c_str(), W_OK) != 0) return errno;  // write access to the directory alone does not permit this
    mode = before.st_mode & 07777;
  }
  std::string temporary = file + ".XXXXXX";
  const int descriptor = ::mkstemp(temporary.data());
  if (descriptor < 0) return errno;
  int error = 0;
  if (!fill(descriptor) || ::fchmod(descriptor, mode) != 0 || ::fsync(descriptor) != 0) error = errno ? errno : EIO;
  if (::close(descriptor) != 0 && !error) error = errno;
  if (!error && existing == Existing::keep) error = publish_new(temporary, file);
  if (!error && existing == Existing::replace && ::rename(temporary.c_str(), file.c_str()) != 0) error = errno;
  if (error || existing == Existing::keep) ::unlink(temporary.c_str());
  if (!error) sync_directory(file);
  return error;
}

void replace_file(const std::filesystem::path& file, std::span<const std::uint8_t> content, const std::string& option) {
  int error = 0;
  if (written_in_place(file)) {
    error = write_in_place(file.string(), content);
  } else {
    std::error_code dangling;
    const auto target = std::filesystem::is_symlink(file) ? std::filesystem::weakly_canonical(file, dangling) : file;
    error = write_beside(target.string(), Existing::replace,
                         [&](int descriptor) { return write_all(descriptor, 0, content); });
  }
  if (error)
    throw Error(fmt::format("{}{}{}: cannot be written ({}); check the directory, its permissions and the free space",
                            option, option.empty() ? "" : " ", file.string(), std::strerror(error)),
                ExitCode::missing_file);
}

void replace_file(const std::filesystem::path& file, std::string_view content, const std::string& option) {
  replace_file(file, std::span(reinterpret_cast<const std::uint8_t*>(content.data()), content.size()), option);
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw Error(fmt::format("{}: the folder cannot be made ({}); name one that you may write to", folder.string(),
                            failed.message()),
                ExitCode::missing_file);
}

std::string read_host_file(const std::filesystem::path& file, std::uint64_t most_bytes, const std::string& unreadable,
                           const std::string& too_large) {
  const auto refuse = [&](const std::string& problem) {
    throw Error(fmt::format("{}: {}", file.string(), problem), ExitCode::missing_file);
  };
  // Non-blocking: otherwise opening a pipe without a writer would wait for ever.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
    if (descriptor >= 0) ::close(descriptor);
    refuse(unreadable);
  }
  if (S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    refuse("is a folder; name a file");
  }
  const bool regular = S_ISREG(status.st_mode), pipe = S_ISFIFO(status.st_mode);
  if ((!regular && !pipe) || (regular && static_cast<std::uint64_t>(status.st_size) > most_bytes)) {
    ::close(descriptor);
    refuse(too_large);
  }
  if (pipe) ::fcntl(descriptor, F_SETFL, 0);  // its writer may take its time
  std::string content;
  std::string piece(1 << 16, '\0');
  ssize_t n = 0;
  while (content.size() <= most_bytes) {
    n = ::read(descriptor, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    content.append(piece, 0, static_cast<std::size_t>(n));
  }
  ::close(descriptor);
  if (n < 0 || (pipe && content.empty())) refuse(unreadable);  // it has no writer
  if (content.size() > most_bytes) refuse(too_large);
  return content;
}

}  // namespace planar
