// SPDX-License-Identifier: GPL-2.0-or-later
// What a debugged run stops at, and why it has stopped.
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
  decoded,    ///< an access to what the base addresses of the PCI card in a slot decode at that time
  frame,      ///< a frame has left its sender
  time,       ///< a virtual time is reached
};

struct Breakpoint {
  unsigned number = 0;  ///< as Debugger::add() gives it
  BreakKind kind = BreakKind::execute;
  std::uint32_t first = 0;  ///< address, port, vector, slot (0: any), of config device * 8 + function
  std::uint32_t last = 0;   ///< inclusive
  bool reads = false;       ///< memory and port: which direction
  bool writes = false;
  bool physical = false;                  ///< memory: the addresses are physical
  std::optional<std::uint32_t> offset{};  ///< of decoded: within the range; nothing: anywhere
  Time at = Time::never();                ///< of a time
  std::string sender;                     ///< frame: of a port whose name contains this; empty: of any
  std::optional<std::size_t> machine{};   ///< in a lab of several: of this one; nothing: of any
  bool once = false;                      ///< for one resumption: removed at the next stop, whatever stops it
  std::string text;                       ///< how its owner calls it
  std::uint64_t hits = 0;
};

/// An instruction boundary of a processor. A run passes each once, in this order.
struct Position {
  std::uint64_t clocks = 0;
  std::uint64_t instructions = 0;
  auto operator<=>(const Position&) const = default;
};

struct Stop {
  enum class Why : std::uint8_t {
    asked,       ///< by the user, or before the first instruction
    stepped,     ///< a step is complete
    breakpoint,  ///< `breakpoint` was hit
    beginning,   ///< going backwards: the history begins here
    halted,      ///< nothing can wake the processor any more
    ended,       ///< the run is over
  };
  Why why = Why::asked;
  std::size_t machine = 0;
  Breakpoint breakpoint{};    ///< that was hit
  std::uint32_t address = 0;  ///< of memory: the linear (physical: physical) address that was accessed
  bool written = false;       ///< memory and port
  std::string text;           ///< one line for the user
};

}  // namespace planar
