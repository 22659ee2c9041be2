// SPDX-License-Identifier: GPL-2.0-or-later
// Level-sensitive, shared interrupt lines, and where they and non-maskable interrupts are routed.
//
// Every line is the OR of its sources; a source is a slot or a planar device that can assert the line. The interrupt
// controller sees the level of the line and is notified only of changes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/time.hpp"

namespace planar::bus {

/// The interrupt controller's side of the lines (the 8259 pair in devices/).
class InterruptSink {
 public:
  virtual ~InterruptSink() = default;
  /// The level of input `line` (0 to 15) has changed.
  virtual void set_irq(unsigned line, bool active, Time now) = 0;
};

/// What answers the processor's interrupt acknowledge cycles (the 8259 pair in devices/).
class InterruptAcknowledger {
 public:
  virtual ~InterruptAcknowledger() = default;
  /// The vector; `now` is the end of the second INTA cycle.
  virtual std::uint8_t acknowledge(Time now) = 0;
};

enum class NmiSource : std::uint8_t { parity, channel_check, bus_timeout, watchdog };

/// Where non-maskable interrupts go (the system control ports in devices/, which know the port 70h mask).
class NmiSink {
 public:
  virtual ~NmiSink() = default;
  /// A level: asserted from the event until its latch is cleared.
  virtual void set_nmi(NmiSource source, bool asserted, Time now) = 0;
};

/// The slots whose bit is set, counted from 1 as people do: "slot 1, slot 3".
std::string slot_names(std::uint32_t bits);

/// Sixteen shared interrupt lines. Sources 0 to 7 are the slots; planar devices obtain theirs from add_source().
class InterruptLines {
 public:
  static constexpr unsigned lines = 16;
  static constexpr unsigned max_sources = 32, slot_sources = 8;

  /// The lines may be constructed before the controller to which they lead.
  void connect(InterruptSink& sink) { sink_ = &sink; }
  /// Calls `watcher` whenever a source begins to assert a line; it may only inspect. An empty watcher removes it.
  using Watcher = std::function<void(unsigned line, unsigned source, Time now)>;
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }

  /// Allocates a source number for a planar device, which describe() calls `name`. Numbers follow the order of
  /// construction, which is the same in every run. Throws Error when all are taken.
  unsigned add_source(std::string name);

  /// `source` asserts `line` (true) or releases it. Does nothing if the state is unchanged or the line is out of range.
  void set(unsigned line, unsigned source, bool asserted, Time now);
  /// `source` releases every line.
  void release_all(unsigned source, Time now);

  /// The level of a line, true = active.
  bool level(unsigned line) const { return line < lines && pulled_[line] != 0; }
  /// The sources that assert it, one bit per source.
  std::uint32_t sources(unsigned line) const { return line < lines ? pulled_[line] : 0; }

  /// Each line: its level and the sources that assert it.
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  InterruptSink* sink_ = nullptr;
  Watcher watcher_;
  std::array<std::uint32_t, lines> pulled_{};
  std::vector<std::string> planar_sources_;  // from source 8 on
};

}  // namespace planar::bus
