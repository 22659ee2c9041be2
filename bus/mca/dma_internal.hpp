// SPDX-License-Identifier: GPL-2.0-or-later
// Private to the DMA controller's sources.
#pragma once

#include "bus/mca/dma.hpp"

namespace planar::bus {

inline constexpr std::uint32_t address_mask = 0xFF'FFFF;  // 24 address lines

class DmaController::SoftwareRequest final : public BusMaster {
 public:
  explicit SoftwareRequest(DmaController& controller);
  /// Competes for the first channel whose software request is set and that has no device at its level.
  void update(Time now);

 private:
  void granted(Time now) override;
  void timed_out(Time now) override;
  DmaController& controller_;
};

}  // namespace planar::bus
