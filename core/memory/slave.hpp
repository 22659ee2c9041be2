// SPDX-License-Identifier: GPL-2.0-or-later
// The slave's side of an access on any bus, and the characteristics of its cycles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "core/memory/port_run.hpp"
#include "core/time/time.hpp"

namespace planar {

/// How a claimed range responds. The cycle kinds are an enumeration of the bus (bus/mca/cycles.hpp): a range belongs to
/// one bus, and only that bus's cycle table (bus/common/bus.hpp) interprets the kind.
struct CycleSpec {
  constexpr CycleSpec() = default;
  /// `cycle_kind`: an enumerator of the bus; `wait`: the time by which the slave lengthens a cycle, if the kind permits
  /// that.
  template <class Kind>
  requires std::is_enum_v<Kind>
  constexpr CycleSpec(unsigned data_width, Kind cycle_kind, Time wait)
      : width(static_cast<std::uint8_t>(data_width)), kind(static_cast<std::uint8_t>(cycle_kind)), ready_delay(wait) {}

  template <class Kind>
  requires std::is_enum_v<Kind>
  constexpr bool is(Kind wanted) const { return kind == static_cast<std::uint8_t>(wanted); }

  std::uint8_t width = 8;  ///< of the slave's data path in bits: 8, 16 or 32
  std::uint8_t kind = 0;   ///< the bus's default cycle
  Time ready_delay{};
};

/// The slave's side of an I/O or memory cycle. `offset` counts from the start of the claimed range; `bytes` is 1, 2 or
/// 4 and never exceeds the claimed width; `now` is the end of the data phase, when the slave sees the access.
class Slave {
 public:
  virtual ~Slave() = default;
  virtual std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) = 0;
  virtual void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) = 0;
  /// The value a read at `now` would return, without its side effects (debuggers, traces).
  virtual std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const = 0;
  /// The data sheet's name of the register at `offset`, for traces; empty if there is no single register with a name.
  virtual std::string_view register_name(std::uint32_t /*offset*/, Direction) const { return {}; }
  /// The earliest time at which this cycle may end, for slaves whose readiness depends on their state (a FIFO being
  /// filled, a memory port in use). The bus uses the later of this and the claim's own timing.
  virtual Time ready(std::uint32_t /*offset*/, unsigned /*bytes*/, Direction, Time start) { return start; }

  /// Describes the accesses of `bytes` at `offset` that can be made as a run in the present state. A run must give
  /// exactly the results of read(), write() and ready() called for each access.
  virtual PortRun port_run(std::uint32_t /*offset*/, unsigned /*bytes*/, Direction) { return {}; }
  /// A run of accesses was made, at most as many as port_run() allowed. `data` is the data written, or receives the
  /// data read (consecutive, lowest byte first). The last access ended at `end`; next_ready() of `run` was called after
  /// each access except the last.
  virtual void run_written(std::uint32_t /*offset*/, std::span<const std::uint8_t> /*data*/, PortRun&, Time /*end*/) {}
  virtual void run_read(std::uint32_t /*offset*/, std::span<std::uint8_t> /*data*/, PortRun&, Time /*end*/) {}
};

}  // namespace planar
