// SPDX-License-Identifier: GPL-2.0-or-later
// The configuration NVRAM extension: 2 KB at 74h (address low), 75h (address high) and 76h (data).
//
// Facts: docs/hardware/pos-and-adf.md#cmos-and-nvram; the address wraps at 2 KB and both halves read back. The layout
// is in roms/README.md section 2.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "devices/board/at/system/port_group.hpp"

namespace planar {

/// Offsets: 0 = address low, 1 = address high, 2 = data.
class Nvram final : public Slave {
 public:
  static constexpr std::size_t size = 2048;

  /// Decodes 74h-76h.
  void claim_ports(IoSpace& space) { ports_.claim(space, *this, 0x74, {{0x74, 0x76}}); }

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;

  /// The contents, for the machine builder (the ADF solver's records) and for a file that outlives a run.
  std::span<std::uint8_t, size> contents() { return contents_; }

  /// Address and the byte it points to; how much of the contents is in use.
  void describe(Description& d) const;
  void archive(Archive& a) {
    a.section("nvram", 1);
    a(address_, contents_);
  }

 private:
  std::uint16_t address_ = 0;
  std::array<std::uint8_t, size> contents_{};
  PortGroup ports_{"nvram"};
};

}  // namespace planar
