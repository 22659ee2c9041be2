// SPDX-License-Identifier: GPL-2.0-or-later
// A PS/2 device as the 8042 sees it at the end of a cable (bytes to fetch, each ready at its time, and a way to send),
// and the command protocol common to all PS/2 devices.
//
// Timing (inferred): 0.5 ms from a received byte to its answer.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"

namespace planar {

/// Bytes that a device will send, in order, each not before its time.
class Ps2Queue {
 public:
  void push(std::uint8_t byte, Time ready) {
    if (!bytes_.empty() && ready < bytes_.back().second) ready = bytes_.back().second;
    bytes_.emplace_back(byte, ready);
  }
  bool empty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size(); }
  void clear() { bytes_.clear(); }
  /// When the first byte may start; Time::never() when there is none.
  Time ready() const { return bytes_.empty() ? Time::never() : bytes_.front().second; }
  std::uint8_t pop() {
    const auto byte = bytes_.front().first;
    bytes_.pop_front();
    return byte;
  }
  void archive(Archive& a) { a(bytes_); }

 private:
  std::deque<std::pair<std::uint8_t, Time>> bytes_;
};

/// Notified by a device when ready() may have become earlier.
class Ps2Host {
 public:
  virtual ~Ps2Host() = default;
  virtual void device_changed(Time now) = 0;
};

class Ps2Device {
 public:
  virtual ~Ps2Device() = default;
  /// Connects the cable.
  void attach(Ps2Host& host) { host_ = &host; }
  /// When the next byte may start on the cable; Time::never() when there is none.
  virtual Time ready() const = 0;
  /// The next byte; only called at or after ready().
  virtual std::uint8_t fetch(Time now) = 0;
  /// A byte from the host has arrived.
  virtual void receive(std::uint8_t byte, Time now) = 0;

 protected:
  static constexpr Time answer_time = 500_us;
  static constexpr std::uint8_t acknowledged = 0xFA, resend = 0xFE, self_test_passed = 0xAA;

  void answer(std::uint8_t byte, Time now, Time after = answer_time) {
    answers_.push(byte, now + after);
    tell_host(now);
  }
  void acknowledge(Time now) { answer(acknowledged, now); }
  void tell_host(Time now) {
    if (host_) host_->device_changed(now);
  }

  Ps2Queue answers_;

 private:
  Ps2Host* host_ = nullptr;
};

}  // namespace planar
