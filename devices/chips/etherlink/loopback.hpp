// SPDX-License-Identifier: GPL-2.0-or-later
// A chip of the EtherLink family hears itself: its receiver gets the frame that its transmitter sends, in the time of
// the wire, whether the frame stays inside or is on the wire as well.
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

  /// The frame that leaves, with its FCS; it is heard only from begin() on.
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
  /// How long it takes, with its preamble.
  Time length() const;

  /// What the receiver hears at present: this frame, or what is on the wire.
  std::optional<net::Reception> heard() const;
  /// The frame is over; as the receiver has heard it. `sent`: all of it left; `own_fcs`: with the chip's own FCS.
  net::Reception end(bool sent, bool own_fcs);

  void archive(Archive& a) { a(on_, frame_, start_); }

 private:
  const net::EthernetPort& port_;
  bool on_ = false;
  std::vector<std::uint8_t> frame_;
  Time start_{};
};

}  // namespace planar::ethernet
