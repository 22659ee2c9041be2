// SPDX-License-Identifier: GPL-2.0-or-later
// What the guest test bench says on COM1: lines for people, and lines beginning with '@' for programs
// (roms/README.md section 3). The figures are the guest's own; nothing is computed behind its back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"

namespace planar {

/// One size of a netio run as the guest counted it.
struct NetioRow {
  std::uint32_t packet_bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t ticks = 0;  ///< of 1/1024 s
  /// netio's figure: KB (1024 bytes) a second.
  double kb_per_s() const;
};

/// The processor's clocks at some moment, for the share of time in which it worked.
struct ClockReading {
  std::uint64_t clocks = 0;
  std::uint64_t halted = 0;
};

struct GuestLine {
  Time at{};  ///< when the stop bit of its line feed left the serial port
  std::string text;
  ClockReading processor;
  void archive(Archive& a) { a(at, text, processor.clocks, processor.halted); }
};

class GuestOutput {
 public:
  /// Feeds one byte from the serial port. Returns true if it completed a line.
  bool byte(std::uint8_t value, Time now, ClockReading processor);

  const std::vector<GuestLine>& lines() const { return lines_; }
  /// The line that has not ended yet.
  const std::string& partial() const { return partial_; }
  /// `text` stands in a line, or in one that has not ended and gets no longer (a prompt: no byte for 100 ms up to
  /// `now`).
  bool says(const std::string& text, Time now) const;
  /// The value of `key=` in the first line that begins with `@tag`, or nothing.
  std::optional<std::string> value(const std::string& tag, const std::string& key) const;
  /// The first line that begins with the words `text`, or null.
  const GuestLine* find(const std::string& text) const;
  /// What it sent, and (netio from 1.16 on) what it received.
  std::vector<NetioRow> rows() const { return rows("@row"); }
  std::vector<NetioRow> received_rows() const { return rows("@row_received"); }
  /// The row of what it sent that the last line tells, if it tells one.
  std::optional<NetioRow> new_row() const;
  /// The status of `@done`, once it has come.
  std::optional<int> done() const;
  /// The text behind `@fail`, if it came.
  std::optional<std::string> failure() const;

  void archive(Archive& a);

 private:
  std::vector<NetioRow> rows(const std::string& tag) const;

  std::string partial_;
  Time latest_{};  // byte
  std::vector<GuestLine> lines_;
};

}  // namespace planar
