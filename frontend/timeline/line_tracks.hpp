// SPDX-License-Identifier: GPL-2.0-or-later
// The interrupt lines of a machine: one track per line, with a slice while the line is asserted, named after the
// sources.
#pragma once

#include <array>
#include <cstdint>

#include "bus/common/interrupts.hpp"
#include "frontend/timeline/trace_event_file.hpp"

namespace planar {

class LineTracks {
 public:
  LineTracks(TraceEventFile& file, unsigned process, const bus::InterruptLines& lines)
      : file_(file), process_(process), lines_(lines) {}
  void sample(Time now);
  void close(Time now);

 private:
  void finish(unsigned line, Time now);

  TraceEventFile& file_;
  unsigned process_;
  const bus::InterruptLines& lines_;
  struct Line {
    std::uint32_t sources = 0;
    Time since{};
  };
  std::array<Line, bus::InterruptLines::lines> seen_;
};

}  // namespace planar
