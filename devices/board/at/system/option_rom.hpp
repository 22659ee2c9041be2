// SPDX-License-Identifier: GPL-2.0-or-later
// A ROM in adapter space (C0000h to DFFFFh): 55h AAh, length in units of 512 bytes, entry at 3, bytes add up to 0. The
// firmware finds it in its scan (docs/hardware/pos-and-adf.md#adapter-roms). It has no POS registers: it represents a
// ROM socket on the planar, not an adapter. Timing: an 8-bit board device (inferred).
#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/address_space.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"

namespace planar {

class OptionRom final : private Slave {
 public:
  explicit OptionRom(AddressSpace& space) : space_(space) {}
  OptionRom(const OptionRom&) = delete;

  /// Maps `image` at `base`; its last byte is set to correct the checksum. An empty image removes the ROM.
  void install(std::uint32_t base, std::vector<std::uint8_t> image);
  std::uint32_t base() const { return base_; }
  const std::vector<std::uint8_t>& image() const { return image_; }

  void describe(Description& d) const { d.reg("base", base_, 32).number("bytes", image_.size()); }
  void archive(Archive& a);

 private:
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return peek(offset, bytes, now); }
  void write(std::uint32_t, unsigned, std::uint32_t, Time) override {}
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
  void decode();

  AddressSpace& space_;
  std::uint32_t base_ = 0;
  std::vector<std::uint8_t> image_;
  TraceSubject subject_{"kernel-rom"};
  MemoryClaim claim_;
};

}  // namespace planar
