// SPDX-License-Identifier: GPL-2.0-or-later
// Direct boot of a Linux kernel without a diskette: does the work of the period's boot loaders before power-on.
//
// The images are placed in the machine's memory, and the option ROM of roms/kernel_loader starts them at the point
// where the firmware would boot from a diskette. Facts: the Linux boot protocol, versions 2.00 (kernel 1.3.73) and
// later:
//
//     90000h   boot sector and set-up code of the kernel file, header filled in
//     99000h   command line, zero-terminated text
//     100000h  the rest of the kernel file (10000h if it is a zImage, which loads low)
//     above    ramdisk, at the end of memory but below the kernel's limit for it, page-aligned
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace planar {

/// A file given by the user.
struct NamedFile {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

/// The memory contents at power-on, and the data with which the loader ROM checks them before starting the kernel.
struct LinuxBoot {
  struct Part {
    std::uint32_t address = 0;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<Part> parts;          ///< no two overlap
  std::uint32_t checked_bytes = 0;  ///< starting at 90000h
  std::uint32_t checked_sum = 0;    ///< of these bytes, 32 bits
  std::string summary;              ///< one-line description
};

/// Checks and places a kernel (zImage or bzImage), an optional ramdisk and the command line. `memory_end` is the first
/// address after the memory from 1 MB on. Throws Error with exit code 3 for a file that is not such a kernel, is
/// truncated or does not fit, and with exit code 2 for a command line that is too long.
LinuxBoot prepare_linux_boot(const NamedFile& kernel, const std::optional<NamedFile>& ramdisk,
                             const std::string& command_line, std::uint32_t memory_end);

/// Copies the parts into memory, where `ram` is all of it from address 0.
void place_parts(const LinuxBoot& boot, std::span<std::uint8_t> ram);

/// The loader ROM for `boot`: the image of roms/kernel_loader with its table filled in.
std::vector<std::uint8_t> kernel_loader_rom(const LinuxBoot& boot);

}  // namespace planar
