// SPDX-License-Identifier: GPL-2.0-or-later
// Trace: lines of "virtual time, category, text", for people and for byte-exact comparison of two runs. A disabled
// trace costs one test of a mask.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/time/time.hpp"

namespace planar {

// clang-format off
enum class TraceCategory : std::uint8_t { cpu, irq, io, memory, bus, pos, dma, timer, diskette, keyboard, video, serial,
                                          nic, wire, peer, firmware, count };

/// Names as used on the command line, in the order of TraceCategory.
inline constexpr std::string_view trace_category_names[] = {
    "cpu", "irq", "io", "memory", "bus", "pos", "dma", "timer", "diskette", "keyboard", "video", "serial",
    "nic", "wire", "peer", "firmware"};
// clang-format on

class Trace {
 public:
  using Sink = std::function<void(std::string_view line)>;

  bool on(TraceCategory c) const { return mask_ >> static_cast<unsigned>(c) & 1; }
  void set_sink(Sink sink) { sink_ = std::move(sink); }
  /// Enables the categories in a comma-separated list ("pos,nic" or "all"). Throws Error naming an unknown one.
  void enable(std::string_view list);

  template <class... A>
  void operator()(TraceCategory c, Time now, fmt::format_string<A...> format, A&&... args) {
    if (on(c) && sink_) emit(c, now, fmt::format(format, std::forward<A>(args)...));
  }

 private:
  void emit(TraceCategory c, Time now, const std::string& text);
  std::uint32_t mask_ = 0;
  Sink sink_;
};

}  // namespace planar
