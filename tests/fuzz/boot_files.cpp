// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for the media and kernels that a machine boots from. Bit 0 of the first byte: a Linux kernel whose header
// is changed by the input, with a ramdisk and a command line; or a disk, CD-ROM or diskette image file whose beginning
// and length are given by the input.
//
// A finding: a crash or sanitizer report, an error that is not planar's own, parts of a kernel that overlap or lie
// outside the memory, and an image that was opened and cannot be read to its end.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "devices/board/at/diskette/floppy_image.hpp"
#include "machines/machine/linux_boot.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace planar;
using fuzz::expect;
using fuzz::Input;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// A bzImage of protocol 2.10 with four set-up sectors.
Bytes sound_kernel() {
  Bytes file(512 * 5 + 4096);
  const auto put = [&](std::size_t at, std::uint32_t value, unsigned bytes) {
    for (unsigned n = 0; n < bytes; ++n) file[at + n] = static_cast<std::uint8_t>(value >> 8 * n);
  };
  put(0x1F1, 4, 1);
  put(0x1F4, 4096 / 16, 4);
  put(0x1FE, 0xAA55, 2);
  std::memcpy(&file[0x202], "HdrS", 4);
  put(0x206, 0x020A, 2);
  put(0x211, 1, 1);
  put(0x22C, 0x37FFFFFF, 4);
  put(0x238, 255, 4);
  put(0x258, 0x100000, 4);
  put(0x260, 0x10000, 4);
  return file;
}

void kernel(Input& input) {
  static const Bytes sound = sound_kernel();
  NamedFile file{"kernel", sound};
  const std::uint32_t memory_end = input.u8() & 1 ? input.u32() : 0x800000;
  if (const unsigned shorter = input.u16(); shorter < file.bytes.size()) file.bytes.resize(sound.size() - shorter);
  for (unsigned edits = input.u8() & 15; edits; --edits) {
    std::size_t at = 0x1F0 + (input.u8() & 0x7F);
    for (const std::uint8_t b : input.take(1 + (input.u8() & 7)))
      if (at < file.bytes.size()) file.bytes[at++] = b;
  }
  std::optional<NamedFile> ramdisk;
  if (input.u8() & 1) ramdisk = NamedFile{"ramdisk", Bytes(input.u16())};
  const auto text = input.take(input.left());
  const LinuxBoot boot = prepare_linux_boot(file, ramdisk, std::string(text.begin(), text.end()), memory_end);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  for (const auto& part : boot.parts) {
    const std::uint64_t end = std::uint64_t{part.address} + part.bytes.size();
    expect(end <= 0xA0000 || (part.address >= 0x100000 && end <= memory_end), "a part outside the memory");
    spans.emplace_back(part.address, end);
  }
  std::sort(spans.begin(), spans.end());
  for (std::size_t n = 1; n < spans.size(); ++n) expect(spans[n - 1].second <= spans[n].first, "parts that overlap");
  const auto checked =
      std::find_if(boot.parts.begin(), boot.parts.end(), [](const auto& part) { return part.address == 0x90000; });
  expect(checked != boot.parts.end() && checked->bytes.size() == boot.checked_bytes &&
             std::accumulate(checked->bytes.begin(), checked->bytes.end(), std::uint32_t{0}) == boot.checked_sum,
         "a sum that does not fit");
  expect(kernel_loader_rom(boot).size() == 2048, "a loader of another size");
}

void image(Input& input) {
  static const std::string name =
      (std::filesystem::temp_directory_path() / ("planar-fuzz-" + std::to_string(::getpid()) + ".img")).string();
  static constexpr std::uint32_t sizes[] = {0, 511, 512, 163840, 368640, 737280, 1474560, 2048 * 5, 2352 * 5, 4096};
  const unsigned kind = input.u8();
  const std::uint64_t size = kind & 0x80 ? input.u16() : sizes[input.u8() % std::size(sizes)];
  Bytes content(size);
  const auto head = input.take(input.left());
  std::copy_n(head.begin(), std::min<std::size_t>(head.size(), size), content.begin());
  if (kind & 0x40) std::copy_n(head.rbegin(), std::min<std::size_t>(head.size(), size), content.rbegin());
  std::ofstream(name, std::ios::binary)
      .write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(size));
  const storage::DiskSpec spec{name, storage::WriteMode::memory, {}};
  try {
    if (kind & 1) {
      const FloppyImage diskette = FloppyImage::open(spec);
      expect(diskette.contents() == content, "a diskette that does not read as its file");
    } else {
      const auto disk = storage::DiskImage::open(spec, kind & 2 ? storage::cdrom_kind : storage::disk_kind);
      Bytes all(disk.sectors() * storage::sector_bytes);
      expect(disk.read(0, all) && all == content, "an image that does not read as its file");
      expect(!disk.read(disk.sectors(), std::span(all).first(storage::sector_bytes)), "a sector past the end");
    }
  } catch (const Error&) {}
  std::filesystem::remove(name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(std::span(data, std::min<std::size_t>(size, 1 << 14)));
  if (input.u8() & 1) {
    image(input);
  } else {
    try {
      kernel(input);
    } catch (const Error&) {}
  }
  return 0;
}
