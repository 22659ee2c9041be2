// SPDX-License-Identifier: GPL-2.0-or-later
// An adapter's buffers as bars: rings with their pointers, FIFOs and transfers with their levels. They follow from the
// device's description, by the data sheets' names of its fields.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/state/description.hpp"

namespace planar {

struct BufferBar {
  struct Mark {
    std::string name;
    std::uint64_t at;
  };
  /// [from, to); in a ring it may begin after its end.
  struct Fill {
    std::uint64_t from, to;
  };
  std::string title;
  std::uint64_t first = 0, end = 0;  ///< what the bar stands for: [first, end)
  std::vector<Fill> fills;
  std::vector<Mark> marks;
  bool cells = false;  ///< each unit is drawn by itself: pages, descriptors
};

/// Those of `device` and its parts; empty while it has none set up.
std::vector<BufferBar> buffer_bars(const Description& device);

}  // namespace planar
