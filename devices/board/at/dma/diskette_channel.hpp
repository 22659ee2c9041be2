// SPDX-License-Identifier: GPL-2.0-or-later
// The diskette controller's connection to DMA on an AT: DREQ 2, data, terminal count.
#pragma once

#include "devices/board/at/diskette/i82077.hpp"
#include "devices/board/at/dma/i8237.hpp"
#include "devices/board/at/system/signal.hpp"

namespace planar {

class DisketteChannel final : private I8237Client {
 public:
  static constexpr unsigned channel = 2;

  DisketteChannel(I82077& controller, I8237Pair& dma)
      : controller_(controller), dma_(dma), request_(*this, &DisketteChannel::request) {
    dma.connect(channel, *this);
    controller.drq.connect(request_);
  }
  DisketteChannel(const DisketteChannel&) = delete;
  DisketteChannel& operator=(const DisketteChannel&) = delete;

 private:
  void request(bool active, Time now) { dma_.request(channel, active, now); }
  std::uint16_t dma_read(Time now) override { return controller_.dma_read(now); }
  void dma_write(std::uint16_t value, Time now) override {
    controller_.dma_write(static_cast<std::uint8_t>(value), now);
  }
  void dma_terminal_count(Time now) override { controller_.terminal_count(now); }

  I82077& controller_;
  I8237Pair& dma_;
  SignalTo<DisketteChannel> request_;
};

}  // namespace planar
