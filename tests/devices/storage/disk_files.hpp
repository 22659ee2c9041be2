// SPDX-License-Identifier: GPL-2.0-or-later
// A test's image files, in a temporary directory that is removed afterwards.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "core/common/error.hpp"
#include "devices/storage/image/disk_image.hpp"

namespace planar::tests {

class DiskFiles {
 public:
  DiskFiles() {
    std::string name = (std::filesystem::temp_directory_path() / "planar-disk-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~DiskFiles() { std::filesystem::remove_all(path_); }
  DiskFiles(const DiskFiles&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::vector<std::uint8_t>& bytes) const {
    std::ofstream(file(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file(name);
  }
  std::string write(const std::string& name, const std::string& text) const {
    return write(name, std::vector<std::uint8_t>(text.begin(), text.end()));
  }
  static std::vector<std::uint8_t> read(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path path_;
};

/// The content of a sector, derived from its number and the number of writes to the disk; any mixture of two such
/// contents differs from both.
inline std::array<std::uint8_t, storage::sector_bytes> sector_content(std::uint32_t sector, std::uint32_t generation) {
  std::array<std::uint8_t, storage::sector_bytes> bytes;
  std::uint32_t x = sector * 2654435761u ^ generation * 40503u ^ 0x9E3779B9u;
  for (std::size_t n = 0; n < bytes.size(); n += 4) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    const std::uint32_t word = n == 0 ? sector : n == 4 ? generation : x;
    for (unsigned k = 0; k < 4; ++k) bytes[n + k] = static_cast<std::uint8_t>(word >> (8 * k));
  }
  return bytes;
}

/// The generation of a sector that was read; empty if the sector is not intact.
inline std::optional<std::uint32_t> generation_of(std::uint32_t sector, std::span<const std::uint8_t> bytes) {
  std::uint32_t generation = 0;
  for (unsigned k = 4; k-- > 0;) generation = generation << 8 | bytes[4 + k];
  const auto expected = sector_content(sector, generation);
  if (!std::equal(expected.begin(), expected.end(), bytes.begin())) return std::nullopt;
  return generation;
}

inline std::vector<std::uint8_t> content(std::uint32_t first, std::uint32_t count, std::uint32_t generation) {
  std::vector<std::uint8_t> bytes;
  for (std::uint32_t n = 0; n < count; ++n) {
    const auto one = sector_content(first + n, generation);
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  return bytes;
}

inline std::vector<std::uint8_t> base_content(std::uint32_t sectors) { return content(0, sectors, 0); }

/// The message of the Error; empty if there was none.
inline std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return {};
}

}  // namespace planar::tests
