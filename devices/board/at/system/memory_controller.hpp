// SPDX-License-Identifier: GPL-2.0-or-later
// Planar memory: the addresses of RAM and ROM.
//
//   0-9FFFFh RAM   A0000h-BFFFFh video   C0000h-DFFFFh slots   E0000h-FFFFFh ROM   100000h- RAM
//   the ROM again at the top of the processor's address space: FE0000h with 24 address lines,
//   FFFE0000h with 32
//
// Facts: docs/hardware/memory.md#memory-map (emulators of this family). The memory controllers of the 56SX, 77 and 95
// are not publicly documented: ports E0h-E7h of the Model 70/80 class are absent here and read as ones; memory under
// the ROM alias of a 24-bit processor is lost (inferred), 384 KB above A0000h is not remapped.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/memory/address_space.hpp"
#include "core/memory/large_pages.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"

namespace planar {

class MemoryController {
 public:
  static constexpr std::uint32_t rom_bytes = 128 * 1024;

  /// `ram_kb` is the installed memory including the first megabyte (a multiple of 1024, at least 1024), `address_bits`
  /// is 24 or 32. Throws Error if they are invalid.
  MemoryController(AddressSpace& space, std::uint32_t ram_kb, unsigned address_bits);
  MemoryController(const MemoryController&) = delete;
  MemoryController& operator=(const MemoryController&) = delete;

  /// Loads the firmware: 128 KB, or 64 or 32 KB (repeated). Throws Error with `name` otherwise. The caller must notify
  /// processors that hold decoded code (only before a run, or with a reset).
  void load_rom(std::span<const std::uint8_t> image, const std::string& name);
  std::span<std::uint8_t> ram() { return ram_.span(); }
  /// Memory above 100000h in KB, as in CMOS 17h-18h.
  std::uint32_t extended_kb() const { return extended_kb_; }
  std::uint32_t ram_kb() const { return static_cast<std::uint32_t>(ram_.size() / 1024); }

  void describe(Description& d) const;
  /// The contents of RAM, with pages of zeros stored in short form (ROM is part of the machine, not of the snapshot).
  void archive(Archive& a);

 private:
  std::uint32_t extended_kb_ = 0;
  ZeroedBytes ram_;  // installed memory; A0000h-FFFFFh of it is not reachable
  std::vector<std::uint8_t> rom_;
};

}  // namespace planar
