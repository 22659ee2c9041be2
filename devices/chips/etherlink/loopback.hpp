// SPDX-License-Identifier: GPL-2.0-or-later
// A chip of the EtherLink family in loopback: its receiver gets the frame that its transmitter sends, with the timing
// of the wire, whether the frame stays inside or is also on the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

class Loopback {
 public:
  explicit Loopback(const net::EthernetPort& port) : port_(port) {}

  /// The frame being sent, with its FCS; it is received only from begin() on.
  void load(std::vector<std::uint8_t> frame) { frame_ = std::move(frame); }
  /// Byte `at` of it is known only now.
  void patch(std::size_t at, std::uint8_t byte) {
    if (on_ && at < frame_.size()) frame_[at] = byte;
  }
  void begin(Time now) {
    on_ = true;
    start_ = now;
  }
  void stop() { on_ = false; }
  bool on() const { return on_; }
  /// Its duration, with preamble.
  Time length() const;

  /// What the receiver currently gets: this frame, or what is on the wire.
  std::optional<net::Reception> heard() const;
  /// The frame has ended; as received. `sent`: all of it was sent; `own_fcs`: with the chip's own FCS.
  net::Reception end(bool sent, bool own_fcs);

  void archive(Archive& a) { a(on_, frame_, start_); }

 private:
  const net::EthernetPort& port_;
  bool on_ = false;
  std::vector<std::uint8_t> frame_;
  Time start_{};
};

}  // namespace planar::ethernet
