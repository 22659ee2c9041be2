// SPDX-License-Identifier: GPL-2.0-or-later
// The committed images of roms/images/, embedded in the binary.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace planar::roms {

/// The firmware ROM of a PS/2, 128 KB for E0000h to FFFFFh.
std::span<const std::uint8_t> firmware();
/// The firmware ROM of a PC with PCI, likewise.
std::span<const std::uint8_t> pc_firmware();
/// The guest test bench, a 1.44 MB diskette image; its settings sector is LBA 1 (roms/README.md section 3).
std::span<const std::uint8_t> guest();
/// The option ROM that starts a Linux kernel found in memory, 2 KB (roms/README.md section 4).
std::span<const std::uint8_t> kernel_loader();
/// The fixed instruction mix of `planar bench cpu`, a 1.44 MB diskette image (roms/README.md section 5).
std::vector<std::uint8_t> bench_mix();
/// The self-timed loops of `planar bench timing`, likewise.
std::vector<std::uint8_t> bench_timing();
/// The single accesses, bursts and memory lines of `planar bench timing` for a PC with PCI, likewise.
std::vector<std::uint8_t> bench_bus();
/// The loops of `planar bench timing` whose clocks others have measured on a Pentium Pro, II or III, likewise.
std::vector<std::uint8_t> bench_p6();

}  // namespace planar::roms
