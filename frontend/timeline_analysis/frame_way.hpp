// SPDX-License-Identifier: GPL-2.0-or-later
// The path of one data frame, from a timeline's file: what processor, bus, adapter and wire did up to its end.
// From the end of the data frame before it to its own is the time of a frame in a steady stream: its reciprocal is the
// rate. A card that is loaded with a frame while it sends another has taken this one in the time before that.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/time/time.hpp"

namespace planar {

struct FrameWay {
  struct Span {
    Time from{}, to{};
    std::string kind;  ///< what it is drawn as: "kernel", "I/O", "sends"
    std::string name;  ///< in full
    Time length() const { return to - from; }
  };
  struct Lane {
    std::string name;
    std::vector<Span> spans;  ///< in order of time
    /// Of the spans of a kind together, from `since` on.
    Time total(const std::string& kind, Time since) const;
  };
  struct Level {
    std::string name;
    std::vector<std::pair<Time, std::uint64_t>> values;  ///< each from its time on; the first at the beginning
  };

  std::string title;        ///< the card's, for the picture
  std::uint64_t frame = 0;  ///< its number in the capture
  std::uint64_t bytes = 0;  ///< with the check sequence
  Time from{}, to{};        ///< all spans lie within: from the end of the second data frame before it to its own
  Time before{};            ///< the end of the data frame before it
  Lane processor;           ///< user, kernel, interrupt, real mode, halted
  Lane bus_wait;            ///< the processor stands still for the bus, in whatever state
  Lane bus;                 ///< I/O, memory, interrupt acknowledge, transfer
  std::vector<Lane> engines;
  std::vector<Level> levels;
  Lane interrupt;       ///< of the card
  Lane sent, received;  ///< on the wire, as the machine sees it

  /// Of the frame that `file` was made for, or of its last data frame. Throws Error (exit 3) if the file is no timeline
  /// or shows no frame of a machine's adapter.
  static FrameWay read(const std::string& file, std::string title);
};

}  // namespace planar
