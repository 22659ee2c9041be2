// SPDX-License-Identifier: GPL-2.0-or-later
// A machine's buses while one frame passes, from a timeline's file. The time of a frame is that from its first bit to
// the first bit of the next one of its sender: in a steady stream everything that belongs to one frame is in it once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time/time.hpp"

namespace planar {

struct BusView {
  struct Span {
    Time from{}, to{};
    std::string kind;   ///< what it is drawn as: "I/O", "memory", "transfer", "owned", "refresh"
    std::string name;   ///< in full: "I/O read 608E", "slot1.3c905b writes 256 bytes"
    std::string brief;  ///< what fits into it: "608E", "256 bytes"
    std::uint64_t bytes = 0;
  };
  struct Lane {
    std::string name;  ///< "pci: processor", "pci: slot1.3c905b", "wire"
    std::vector<Span> spans;
  };
  /// What begins on a lane in the time of the frame, mere ownership excepted.
  struct Use {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    Time time{};
  };
  Use use(const Lane& lane) const;

  std::string title;
  std::uint64_t frame = 0;  ///< its number in the capture
  std::uint64_t bytes = 0;  ///< with the check sequence
  bool received = false;    ///< by the machine; otherwise sent
  Time from{}, to{};        ///< the time of the frame
  Time until{};             ///< where the file ends; all spans lie between `from` and this, or reach into it
  std::vector<Lane> lanes;  ///< the wire first; then by bus the processor and each master that was on it

  /// Of frame `number`, or of the longest frame that is followed by another one of its sender. Throws Error (exit 3) if
  /// the file is no timeline or has no such frame.
  static BusView read(const std::string& file, std::string title, std::optional<std::uint64_t> number);
};

/// A line for the frame, and one for each lane of a bus: how often, how many bytes, how long.
std::vector<std::string> bus_view_text(const BusView& view);

/// The views as one SVG picture, one above the other, on one time scale, from the first bit of the frame on. Each goes
/// on for as long as the longest time of a frame. With `zoom`, that much of each from its longest transfer on.
std::string svg_bus_views(const std::string& title, const std::vector<BusView>& views, std::optional<Time> zoom);

}  // namespace planar
