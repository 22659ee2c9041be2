// SPDX-License-Identifier: GPL-2.0-or-later
// The host's files as planar treats them: what it reads has an upper size, and what it writes as a whole appears as a
// whole. A run that is killed, or a disk that is full, leaves the file of before.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace planar {

/// What happens to a file that bears the name already.
enum class Existing : std::uint8_t { keep, replace };

/// Lets `fill` write a file beside `file` (same directory), makes it durable and gives it the name. Returns 0, or the
/// errno of what failed: then `file` is what it was and nothing is left beside it. EEXIST with Existing::keep and a
/// file that is there. `fill` returns false with errno set when it failed. A replaced file hands on its permissions.
int write_beside(const std::string& file, Existing existing, const std::function<bool(int descriptor)>& fill);

/// All of `data` at `offset`; false with errno set.
bool write_all(int descriptor, std::uint64_t offset, std::span<const std::uint8_t> data);

/// The descriptor of this process that `file` is another name of: 1 of /dev/stdout, 3 of /dev/fd/3 or /proc/self/fd/3.
std::optional<int> own_descriptor(const std::filesystem::path& file);

using OutputFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
/// Opens `file` to be written from its beginning, byte after byte; nothing if that cannot be (errno says why). What is
/// open already goes on where it stands: `--capture /dev/stdout > x.pcapng` comes after what was printed before.
OutputFile open_output(const std::filesystem::path& file);
/// The same of the file that `option` names. Throws Error (exit 3) if that cannot be.
OutputFile open_output(const std::string& file, std::string_view option);

/// Makes `content` the content of `file`, whole or not at all. A symbolic link stays one; devices and pipes are written
/// to, and so is what this process has open (own_descriptor()), where it stands. Throws Error (exit 3) naming the file,
/// preceded by `option` if there is one, the reason and the remedy.
void replace_file(const std::filesystem::path& file, std::string_view content, const std::string& option = {});
void replace_file(const std::filesystem::path& file, std::span<const std::uint8_t> content,
                  const std::string& option = {});

/// Makes `folder` with those above it, unless it is there. Throws Error (exit 3) naming it, reason and remedy.
void make_folder(const std::filesystem::path& folder);

/// The content of a regular file of at most `most_bytes`, or of a pipe that ends before. Throws Error (exit 3): "FILE:
/// " and `unreadable` ("cannot be read; name a kernel") or, for a larger file, a device or an endless pipe,
/// `too_large`.
std::string read_host_file(const std::filesystem::path& file, std::uint64_t most_bytes, const std::string& unreadable,
                           const std::string& too_large);

}  // namespace planar
