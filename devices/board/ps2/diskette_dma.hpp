// SPDX-License-Identifier: GPL-2.0-or-later
// The diskette controller's connection to the DMA controller: DRQ at arbitration level 2, data, terminal count.
#pragma once

#include "bus/mca/dma.hpp"
#include "devices/board/at/diskette/i82077.hpp"
#include "devices/board/at/system/signal.hpp"

namespace planar {

class DisketteDma final : private bus::DmaClient {
 public:
  static constexpr unsigned level = 2;  // docs/hardware/micro-channel.md#arbitration

  DisketteDma(I82077& controller, bus::DmaController& dma)
      : controller_(controller), line_(dma, *this, "diskette"), request_(*this, &DisketteDma::request) {
    controller_.drq.connect(request_);
  }
  DisketteDma(const DisketteDma&) = delete;
  DisketteDma& operator=(const DisketteDma&) = delete;

 private:
  void request(bool active, Time now) {
    if (active)
      line_.request(level, now);
    else
      line_.withdraw(now);
  }
  std::uint16_t dma_read(unsigned, Time now) override { return controller_.dma_read(now); }
  void dma_write(unsigned, std::uint16_t value, Time now) override {
    controller_.dma_write(static_cast<std::uint8_t>(value), now);
  }
  void dma_terminal_count(Time now) override { controller_.terminal_count(now); }

  I82077& controller_;
  bus::DmaLine line_;
  SignalTo<DisketteDma> request_;
};

}  // namespace planar
