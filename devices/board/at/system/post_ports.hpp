// SPDX-License-Identifier: GPL-2.0-or-later
// The latches for POST checkpoints, which have no effect beyond displaying a value.
//
// Facts: docs/hardware/planar-devices.md#operator-panel: checkpoints at 680h and 681h; 80h is a plain latch that Linux
// uses as its delay port.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "devices/board/at/system/port_group.hpp"

namespace planar {

/// POST checkpoints: 680h and 681h, traced in category `firmware`; and the plain latches 80h, 84h-86h, 88h, 8Ch-8Eh,
/// which belong to the DMA page register file but control no channel. Offsets count from 80h.
class PostPorts final : public Slave {
 public:
  explicit PostPorts(Trace& trace) : trace_(trace) {}

  /// Decodes 680h-681h, and the latches at 80h-8Eh if no DMA controller decodes them (bus::DmaController does).
  void claim_ports(IoSpace& space, bool with_page_latches = false);

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;

  /// The latest checkpoint: 681h in the high byte, 680h in the low byte.
  std::uint16_t checkpoint() const { return static_cast<std::uint16_t>(checkpoint_[1] << 8 | checkpoint_[0]); }
  /// The latest values written to 680h, oldest first (at most 64), for reports.
  const std::vector<std::uint8_t>& history() const { return history_; }

  void describe(Description& d) const;
  void archive(Archive& a) {
    a.section("post_ports", 1);
    a(checkpoint_, latches_, history_);
  }

 private:
  Trace& trace_;
  std::array<std::uint8_t, 2> checkpoint_{};
  std::array<std::uint8_t, 16> latches_{};
  std::vector<std::uint8_t> history_;
  PortGroup ports_{"post"};
};

}  // namespace planar
