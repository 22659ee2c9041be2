// SPDX-License-Identifier: GPL-2.0-or-later
#include "roms/images.hpp"

// The assembler includes the files unmodified: no generated source, and changing an image rebuilds only one object.
#define EMBED(symbol, file) EMBED_PART(symbol, file, "")
// `part` is ", offset, length" in bytes.
#define EMBED_PART(symbol, file, part)                                                                         \
  asm(".section .rodata\n.balign 16\n.global " #symbol "_begin\n" #symbol "_begin:\n.incbin \"" file "\"" part \
      "\n.global " #symbol "_end\n" #symbol "_end:\n.byte 0\n.previous\n");                                    \
  extern "C" const std::uint8_t symbol##_begin[];                                                              \
  extern "C" const std::uint8_t symbol##_end[]

EMBED(planar_firmware, PLANAR_IMAGES "/planar-firmware.rom");
EMBED(planar_pc_firmware, PLANAR_IMAGES "/planar-pc-firmware.rom");
EMBED(planar_guest, PLANAR_IMAGES "/planar-guest.img");
EMBED(planar_kernel_loader, PLANAR_IMAGES "/kernel-loader.rom");
// The bench diskettes are empty after the first track.
EMBED_PART(planar_bench_timing, PLANAR_IMAGES "/bench/bench-timing.img", ", 0, 18 * 512");
EMBED_PART(planar_bench_bus, PLANAR_IMAGES "/bench/bench-bus.img", ", 0, 18 * 512");
EMBED_PART(planar_bench_p6, PLANAR_IMAGES "/bench/bench-p6.img", ", 0, 18 * 512");
EMBED_PART(planar_bench_mix, PLANAR_IMAGES "/bench/bench-mix.img", ", 0, 18 * 512");

namespace planar::roms {

namespace {
std::vector<std::uint8_t> diskette(const std::uint8_t* begin, const std::uint8_t* end) {
  std::vector<std::uint8_t> image(begin, end);
  image.resize(80 * 2 * 18 * 512);
  return image;
}
}  // namespace

std::span<const std::uint8_t> firmware() { return {planar_firmware_begin, planar_firmware_end}; }
std::span<const std::uint8_t> pc_firmware() { return {planar_pc_firmware_begin, planar_pc_firmware_end}; }
std::span<const std::uint8_t> guest() { return {planar_guest_begin, planar_guest_end}; }
std::span<const std::uint8_t> kernel_loader() { return {planar_kernel_loader_begin, planar_kernel_loader_end}; }
std::vector<std::uint8_t> bench_mix() { return diskette(planar_bench_mix_begin, planar_bench_mix_end); }
std::vector<std::uint8_t> bench_timing() { return diskette(planar_bench_timing_begin, planar_bench_timing_end); }
std::vector<std::uint8_t> bench_bus() { return diskette(planar_bench_bus_begin, planar_bench_bus_end); }
std::vector<std::uint8_t> bench_p6() { return diskette(planar_bench_p6_begin, planar_bench_p6_end); }

}  // namespace planar::roms
