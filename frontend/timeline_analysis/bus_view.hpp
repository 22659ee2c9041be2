// SPDX-License-Identifier: GPL-2.0-or-later
// A machine's buses during one frame, from a timeline file. The time of a frame lasts from its first bit to the first
// bit of its sender's next frame: in a steady stream it contains everything that belongs to one frame exactly once.
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
    std::string kind;   ///< selects how it is drawn: "I/O", "memory", "transfer", "owned", "refresh"
    std::string name;   ///< full text: "I/O read 608E", "slot1.3c905b writes 256 bytes"
    std::string brief;  ///< short text to draw inside it: "608E", "256 bytes"
    std::uint64_t bytes = 0;
  };
  struct Lane {
    std::string name;  ///< "pci: processor", "pci: slot1.3c905b", "wire"
    std::vector<Span> spans;
  };
  /// Spans of a lane that begin in the time of the frame, not counting mere ownership.
  struct Use {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    Time time{};
  };
  Use use(const Lane& lane) const;

  std::string title;
  std::uint64_t frame = 0;  ///< its number in the capture
  std::uint64_t bytes = 0;  ///< including the FCS
  bool received = false;    ///< by the machine; otherwise sent
  Time from{}, to{};        ///< the time of the frame
  Time until{};             ///< the end of the file; all spans lie within, or overlap, [from, until)
  std::vector<Lane> lanes;  ///< the wire first; then, by bus, the processor and each active master

  /// The view of frame `number`, or of the longest frame that is followed by another one of its sender. Throws Error
  /// (exit 3) if the file is not a timeline or has no such frame.
  static BusView read(const std::string& file, std::string title, std::optional<std::uint64_t> number);
};

/// One line for the frame, and one for each lane of a bus: number of uses, bytes, and time.
std::vector<std::string> bus_view_text(const BusView& view);

/// The views as one SVG picture, one below the other, on a common time scale, beginning with the first bit of the
/// frame. Each covers the longest time of a frame among them; with `zoom`, that much time from its longest transfer on.
std::string svg_bus_views(const std::string& title, const std::vector<BusView>& views, std::optional<Time> zoom);

}  // namespace planar
