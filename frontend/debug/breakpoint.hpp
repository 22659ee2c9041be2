// SPDX-License-Identifier: GPL-2.0-or-later
// Breakpoints of a debugged run, and the reasons for a stop.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/time/time.hpp"

namespace planar {

enum class BreakKind : std::uint8_t {
  execute,    ///< the instruction at a linear address
  memory,     ///< data at linear (or physical) addresses, by the processor, DMA or a bus master
  port,       ///< an I/O cycle of the processor
  interrupt,  ///< the delivery of a vector
  pos,        ///< a POS register of a slot is written
  config,     ///< a register in the configuration space of a PCI function is written
  decoded,    ///< an access to a range that the PCI card in a slot decodes at that time
  frame,      ///< a frame has left its sender
  time,       ///< a virtual time is reached
};

struct Breakpoint {
  unsigned number = 0;  ///< assigned by Debugger::add()
  BreakKind kind = BreakKind::execute;
  std::uint32_t first = 0;  ///< address, port, vector, slot (0: any); config: bus << 8 | device << 3 | function
  std::uint32_t last = 0;   ///< inclusive
  bool reads = false;       ///< memory and port: stop at reads
  bool writes = false;
  bool physical = false;                  ///< memory: the addresses are physical
  std::optional<std::uint32_t> offset{};  ///< decoded: offset within the range; nothing: anywhere
  Time at = Time::never();                ///< time: when to stop
  std::string sender;                     ///< frame: sent by a port whose name contains this; empty: by any
  std::optional<std::size_t> machine{};   ///< in a lab of several: only this one; nothing: any
  bool once = false;                      ///< removed at the next stop, whatever its cause
  std::string text;                       ///< its owner's name for it
  std::uint64_t hits = 0;
};

/// An instruction boundary of a processor. A run passes each position once, in ascending order.
struct Position {
  std::uint64_t clocks = 0;
  std::uint64_t instructions = 0;
  auto operator<=>(const Position&) const = default;
};

struct Stop {
  enum class Why : std::uint8_t {
    asked,       ///< requested by the user, or before the first instruction
    stepped,     ///< a step is complete
    breakpoint,  ///< `breakpoint` was hit
    beginning,   ///< going backwards: reached the start of the history
    halted,      ///< nothing can wake the processor
    ended,       ///< the run is over
  };
  Why why = Why::asked;
  std::size_t machine = 0;
  Breakpoint breakpoint{};    ///< the one that was hit
  std::uint32_t address = 0;  ///< memory: the address accessed, linear or (`physical`) physical
  bool written = false;       ///< memory and port: a write
  std::string text;           ///< one line for the user
};

}  // namespace planar
