// SPDX-License-Identifier: GPL-2.0-or-later
// An adapter's buffers as bars: rings with their pointers, FIFOs and transfers with their levels. They are derived from
// the device's description, whose fields have the data sheet's names.
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
  /// [from, to); in a ring it may wrap, so that from > to.
  struct Fill {
    std::uint64_t from, to;
  };
  std::string title;
  std::uint64_t first = 0, end = 0;  ///< range that the bar represents: [first, end)
  std::vector<Fill> fills;
  std::vector<Mark> marks;
  bool cells = false;  ///< each unit is drawn separately: pages, descriptors
};

/// The bars of `device` and its parts; empty while no buffers are set up.
std::vector<BufferBar> buffer_bars(const Description& device);

}  // namespace planar
