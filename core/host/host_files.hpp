// SPDX-License-Identifier: GPL-2.0-or-later
// planar's access to host files: reads have a size limit, and whole-file writes are atomic. If a run is killed or the
// disk is full, the previous file remains.
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

/// What to do if a file of that name already exists.
enum class Existing : std::uint8_t { keep, replace };

/// Lets `fill` write a temporary file beside `file` (same directory), makes it durable and gives it its final name.
/// Returns 0 or the errno of the failure, in which case `file` is unchanged and no temporary file remains. Returns
/// EEXIST with Existing::keep if the file exists. `fill` returns false with errno set on failure. A replaced file's
/// permissions are kept.
int write_beside(const std::string& file, Existing existing, const std::function<bool(int descriptor)>& fill);

/// Writes all of `data` at `offset`; returns false with errno set on failure.
bool write_all(int descriptor, std::uint64_t offset, std::span<const std::uint8_t> data);

/// The descriptor of this process that `file` denotes: 1 for /dev/stdout, 3 for /dev/fd/3 or /proc/self/fd/3.
std::optional<int> own_descriptor(const std::filesystem::path& file);

using OutputFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
/// Opens `file` for sequential writing from its beginning; returns nothing on failure (errno gives the reason). A file
/// that is already open continues at its current position: `--capture /dev/stdout > x.pcapng` follows any earlier
/// output.
OutputFile open_output(const std::filesystem::path& file);
/// The same for the file named by `option`. Throws Error (exit 3) on failure.
OutputFile open_output(const std::string& file, std::string_view option);

/// Replaces the content of `file` with `content`, entirely or not at all. A symbolic link is kept; devices and pipes
/// are written to, and so are files that this process has open (own_descriptor()), at their current position. Throws
/// Error (exit 3) naming the file, preceded by `option` if given, the reason and the remedy.
void replace_file(const std::filesystem::path& file, std::string_view content, const std::string& option = {});
void replace_file(const std::filesystem::path& file, std::span<const std::uint8_t> content,
                  const std::string& option = {});

/// Creates `folder` and its parents unless they exist. Throws Error (exit 3) naming it, the reason and the remedy.
void make_folder(const std::filesystem::path& folder);

/// The content of a regular file of at most `most_bytes`, or of a pipe that ends within that limit. Throws Error (exit
/// 3): "FILE: " and `unreadable` ("cannot be read; name a kernel") or, for a larger file, a device or an endless pipe,
/// `too_large`.
std::string read_host_file(const std::filesystem::path& file, std::uint64_t most_bytes, const std::string& unreadable,
                           const std::string& too_large);

}  // namespace planar
