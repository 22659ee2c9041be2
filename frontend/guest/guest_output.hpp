// SPDX-License-Identifier: GPL-2.0-or-later
// The guest test bench's output on COM1: lines for people, and records `@tag key=value ...` for programs
// (roms/README.md section 3). Each benchmark interprets its own records (frontend/guest_benchmarks/).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"

namespace planar {

/// The processor's clock counts at one moment, from which its busy share is computed.
struct ClockReading {
  std::uint64_t clocks = 0;
  std::uint64_t halted = 0;
};

struct GuestLine {
  Time began{};  ///< when the stop bit of its first character left the serial port
  Time at{};     ///< the same for its line feed
  std::string text;
  ClockReading processor;

  /// Whether it begins with the words `tag`: "@row", "@netio start".
  bool tagged(const std::string& tag) const;
  /// The word after `key=`, or nothing.
  std::optional<std::string> value(const std::string& key) const;
  /// The same as a decimal number; nothing if it is not one.
  std::optional<std::uint64_t> number(const std::string& key) const;

  void archive(Archive& a) { a(began, at, text, processor.clocks, processor.halted); }
};

class GuestOutput {
 public:
  /// Feeds one byte from the serial port. Returns true if it completed a line.
  bool byte(std::uint8_t value, Time now, ClockReading processor);

  const std::vector<GuestLine>& lines() const { return lines_; }
  /// The line that has not ended yet.
  const std::string& partial() const { return partial_; }
  /// Whether `text` is in a line, or in an unfinished line that is no longer growing (a prompt: no byte for 100 ms up
  /// to `now`).
  bool says(const std::string& text, Time now) const;
  /// The value of `key=` in the first line that begins with `@tag`, or nothing.
  std::optional<std::string> value(const std::string& tag, const std::string& key) const;
  /// The first line that begins with the words `text`, or null.
  const GuestLine* find(const std::string& text) const;
  /// The status of `@done`, once received.
  std::optional<int> done() const;
  /// The text after `@fail`, if received.
  std::optional<std::string> failure() const;
  /// The same for the user: the text, or that none was given, and what a driver reported last before it.
  std::string reason() const;

  void archive(Archive& a);

 private:
  /// What a driver reported last before a failure ("ne2: interrupt 4 is taken"); empty if none did.
  std::string driver_report() const;

  std::string partial_;
  Time began_{};   // the line that has not ended yet
  Time latest_{};  // byte
  std::vector<GuestLine> lines_;
};

}  // namespace planar
