// SPDX-License-Identifier: GPL-2.0-or-later
// A Linux kernel started without a diskette: what the boot loaders of the period do, done before power-on.
//
// The images are put into the machine's memory, and the option ROM of roms/kernel_loader enters them when the firmware
// would start from a diskette. Facts: the Linux boot protocol, versions 2.00 (kernel 1.3.73) and on:
//
//   90000h   boot sector and set-up code of the kernel file, header filled in
//   99000h   command line, text with a zero at its end
//   100000h  the rest of the kernel file (10000h if it is a zImage, which loads low)
//   above    ramdisk, at the end of memory but below the kernel's limit for it, on a page
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace planar {

/// A file that the user named.
struct NamedFile {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

/// What lies in memory at power-on, and what the loader ROM checks before it starts it.
struct LinuxBoot {
  struct Part {
    std::uint32_t address = 0;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<Part> parts;          ///< no two overlap
  std::uint32_t checked_bytes = 0;  ///< from 90000h on
  std::uint32_t checked_sum = 0;    ///< of these bytes, 32 bits
  std::string summary;              ///< one line for people
};

/// Checks and places a kernel (zImage or bzImage), an optional ramdisk and the command line. `memory_end` is the end of
/// the memory from 1 MB on, the first address behind it. Throws Error with exit code 3 for a file that is no such
/// kernel, is cut off or does not fit, and with exit code 2 for a command line that is too long.
LinuxBoot prepare_linux_boot(const NamedFile& kernel, const std::optional<NamedFile>& ramdisk,
                             const std::string& command_line, std::uint32_t memory_end);

/// The loader ROM for `boot`: the image of roms/kernel_loader with its table filled in.
std::vector<std::uint8_t> kernel_loader_rom(const LinuxBoot& boot);

}  // namespace planar
