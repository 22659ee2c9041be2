// SPDX-License-Identifier: GPL-2.0-or-later
// The path of one data frame, from a timeline file: what processor, bus, adapter and wire did up to its end. In a
// steady stream, the time from the end of the previous data frame to its own end is the time of a frame, whose
// reciprocal is the rate. A card that is loaded with one frame while it sends another has taken in this frame before
// that time.
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
    std::string kind;  ///< selects how it is drawn: "kernel", "I/O", "sends"
    std::string name;  ///< full text
    Time length() const { return to - from; }
  };
  struct Lane {
    std::string name;
    std::vector<Span> spans;  ///< in order of time
    /// Total time of the spans of a kind from `since` on.
    Time total(const std::string& kind, Time since) const;
  };
  struct Level {
    std::string name;
    std::vector<std::pair<Time, std::uint64_t>> values;  ///< each valid from its time on; the first from the beginning
  };

  std::string title;        ///< the card's title in the picture
  std::uint64_t frame = 0;  ///< its number in the capture
  std::uint64_t bytes = 0;  ///< including the FCS
  Time from{}, to{};        ///< bounds of all spans: from the end of the second data frame before it to its own end
  Time before{};            ///< the end of the previous data frame
  Lane processor;           ///< user, kernel, interrupt, real mode, halted
  Lane bus_wait;            ///< the processor is stalled by the bus, in any state
  Lane bus;                 ///< I/O, memory, interrupt acknowledge, transfer
  std::vector<Lane> engines;
  std::vector<Level> levels;
  Lane interrupt;       ///< the card's
  Lane sent, received;  ///< on the wire, as the machine sees it

  /// The path of the frame that `file` was made for, or of its last data frame. Throws Error (exit 3) if the file is
  /// not a timeline or shows no frame of a machine's adapter.
  static FrameWay read(const std::string& file, std::string title);
};

}  // namespace planar
