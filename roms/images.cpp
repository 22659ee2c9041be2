// SPDX-License-Identifier: GPL-2.0-or-later
#include "roms/images.hpp"

// The assembler includes the files as they are: no generated source, and a change of an image is a change of one object.
#define EMBED(symbol, file)                                       \
  asm(".section .rodata\n.balign 16\n.global " #symbol "_begin\n" \
      #symbol "_begin:\n.incbin \"" file "\"\n.global " #symbol   \
      "_end\n" #symbol "_end:\n.byte 0\n.previous\n");            \
  extern "C" const std::uint8_t symbol##_begin[];                 \
  extern "C" const std::uint8_t symbol##_end[]

EMBED(planar_firmware, PLANAR_IMAGES "/planar-firmware.rom");
EMBED(planar_guest, PLANAR_IMAGES "/planar-guest.img");
EMBED(planar_kernel_loader, PLANAR_IMAGES "/kernel-loader.rom");

namespace planar::roms {

std::span<const std::uint8_t> firmware() { return {planar_firmware_begin, planar_firmware_end}; }
std::span<const std::uint8_t> guest() { return {planar_guest_begin, planar_guest_end}; }
std::span<const std::uint8_t> kernel_loader() { return {planar_kernel_loader_begin, planar_kernel_loader_end}; }

}  // namespace planar::roms
