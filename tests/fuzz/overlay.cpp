// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for overlay files (devices/storage/image): the input is one, whose checksums of the header and of the
// base's digest are corrected so that what follows them is reached.
//
// A finding: a crash or sanitizer report, an error that is not planar's own, a file that was opened or repaired once
// and is refused the next time, and a write to an open one that is not read back.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/common/crc32.hpp"
#include "core/common/error.hpp"
#include "devices/storage/image/overlay_file.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace planar;
using storage::BlockFile;
using storage::OverlayFile;

namespace {

void put_crc(std::vector<std::uint8_t>& bytes, std::size_t from, std::size_t count) {
  const auto crc = crc32(std::span(bytes).subspan(from, count));
  for (unsigned n = 0; n < 4; ++n) bytes[from + count + n] = static_cast<std::uint8_t>(crc >> (8 * n));
}

void use(const std::string& file) {
  OverlayFile overlay(file, BlockFile::Access::read_write);
  std::array<std::uint8_t, storage::sector_bytes> data{}, back{};
  for (const std::uint64_t sector : overlay.sectors()) overlay.read(sector, data);
  data.fill(0xA5);
  const std::uint64_t last = overlay.base().sectors - 1;
  fuzz::expect(overlay.write(last, data), "a write failed");
  fuzz::expect(overlay.read(last, back) == OverlayFile::Found::good && back == data, "a write was not read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string file =
      (std::filesystem::temp_directory_path() / ("planar-fuzz-" + std::to_string(::getpid()))).string();
  std::vector<std::uint8_t> bytes(data, data + std::min<std::size_t>(size, 1 << 16));
  if (bytes.size() >= 4096) {
    put_crc(bytes, 0, 2044);
    put_crc(bytes, 2560, 88);
    for (const std::size_t checkpoint : {2048, 3072}) put_crc(bytes, checkpoint, 24);
  }
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bool opened = false;
  try {
    use(file);
    opened = true;
  } catch (const Error&) {}
  try {
    if (!opened) OverlayFile::repair(file), opened = true;
  } catch (const Error&) {}
  try {
    if (opened) use(file);
  } catch (const Error& e) { fuzz::finding(e.what()); }
  std::filesystem::remove(file);
  return 0;
}
