// SPDX-License-Identifier: GPL-2.0-or-later
// Trace: lines of "virtual time, category, device, text", for people and for byte-exact comparison of two runs
// (docs/tracing.md). A disabled trace costs only a test of a mask.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time/time.hpp"

namespace planar {

// clang-format off
enum class TraceCategory : std::uint8_t { cpu, syscall, irq, io, memory, bus, arbitration, dma, pos, timer, diskette, disk,
                                          keyboard, video, serial, nic, wire, peer, firmware, count };
// clang-format on

/// Their names on the command line and in trace lines, in the order of TraceCategory; docs/tracing.md describes them.
inline constexpr std::array<std::string_view, static_cast<std::size_t>(TraceCategory::count)> trace_categories{
    "cpu",      "syscall", "irq",      "io",    "memory", "bus", "arbitration", "dma",  "pos",     "timer",
    "diskette", "disk",    "keyboard", "video", "serial", "nic", "wire",        "peer", "firmware"};
constexpr std::string_view name(TraceCategory c) { return trace_categories[static_cast<std::size_t>(c)]; }

/// A set of categories.
using TraceMask = std::uint32_t;
constexpr TraceMask trace_bit(TraceCategory c) { return TraceMask{1} << static_cast<unsigned>(c); }

/// The location of an access or instruction: a port or a memory address.
struct TraceAddress {
  std::uint32_t value;
  bool port;
};
constexpr TraceAddress port_address(std::uint32_t port) { return {port & 0xFFFF, true}; }
constexpr TraceAddress memory_address(std::uint32_t address) { return {address, false}; }

/// Selects the lines that pass. Empty members do not filter.
struct TraceFilter {
  Time from{};              ///< the first time that passes
  Time to = Time::never();  ///< the end: the first later time that does not pass
  /// Device names: "slot1.ne2", or "slot1" or "ne2" for the same device.
  std::vector<std::string> devices;
  struct Span {
    std::uint32_t first, last;
    bool ports, memory;  ///< whether it applies to ports, to memory
  };
  /// Lines with an address pass only if it is in one of these; lines without an address pass.
  std::vector<Span> addresses;

  bool passes(Time now, std::string_view device) const;
  bool passes(TraceAddress address) const;
};

/// Whether `name` denotes `device`: it is one or more adjacent dot-separated parts of the device's name.
bool names_device(std::string_view name, std::string_view device);

/// The categories of a comma-separated list ("pos,nic" or "all"). Throws Error naming an unknown one.
TraceMask parse_trace_categories(std::string_view list);

class Trace {
 public:
  using Sink = std::function<void(std::string_view line)>;

  bool on(TraceCategory c) const { return mask_ >> static_cast<unsigned>(c) & 1; }
  bool any(TraceMask categories) const { return (mask_ & categories) != 0; }
  void set_sink(Sink sink) { sink_ = std::move(sink); }
  /// Adds the categories in a list. Throws Error naming an unknown one.
  void enable(std::string_view list) { mask_ |= parse_trace_categories(list); }
  void set_categories(TraceMask categories) { mask_ = categories; }
  void set_filter(TraceFilter filter) { filter_ = std::move(filter); }
  const TraceFilter& filter() const { return filter_; }

  /// A line about `device`.
  template <class... A>
  void operator()(TraceCategory c, Time now, std::string_view device, fmt::format_string<A...> format, A&&... args) {
    if (on(c) && sink_ && filter_.passes(now, device))
      emit(c, now, device, fmt::format(format, std::forward<A>(args)...));
  }
  /// The same, about an access or instruction at `address`.
  template <class... A>
  void at(TraceAddress address, TraceCategory c, Time now, std::string_view device, fmt::format_string<A...> format,
          A&&... args) {
    if (on(c) && filter_.passes(address)) (*this)(c, now, device, format, std::forward<A>(args)...);
  }

 private:
  void emit(TraceCategory c, Time now, std::string_view device, const std::string& text);
  TraceMask mask_ = 0;
  Sink sink_;
  TraceFilter filter_;
};

/// Names the part that has claimed ports or memory in trace lines; it outlives the claim.
struct TraceSubject {
  std::string device;  ///< as listed by Machine::devices()
  /// The category of accesses to its registers; count: only what the part itself reports.
  TraceCategory registers = TraceCategory::count;
};

}  // namespace planar
