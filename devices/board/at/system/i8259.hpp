// SPDX-License-Identifier: GPL-2.0-or-later
// 8259A programmable interrupt controllers, the pair of an AT or PS/2 (ports 20h-21h and A0h-A1h).
//
// Facts: Intel 8259A data sheet (ICW, OCW, priorities, poll, AEOI, edge and level triggering). The board determines
// which inputs are edge-triggered (Trigger): a PS/2 forces levels (docs/hardware/micro-channel.md#interrupts), a plain
// AT leaves it to ICW1 bit 3 (LTIM), a PCI board has a register bit for each line (ELCR, Intel 82371SB data sheet: 4D0h
// and 4D1h; LTIM has no effect). Linux writes ICW1 = 11h everywhere.
//
// An edge input requests from its rise until the acknowledge, if it stays active that long; a level input requests
// while it is active. ICW1 clears latched edges: an input that is active then requests again after its next rise.
//
// Known limits: MCS-80 mode returns the low byte of its CALL address as the vector (a PC never selects it); the
// buffered mode bits are stored without effect; a chip requests nothing until its initialisation sequence is complete;
// both INTA cycles happen at the same instant, so a slave's request that drops before them takes the slave's INT with
// it and appears as spurious 7, never as spurious 15.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "bus/common/interrupts.hpp"
#include "core/memory/io_space.hpp"
#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "devices/board/at/system/port_group.hpp"
#include "devices/board/at/system/signal.hpp"

namespace planar {

/// What determines which inputs are edge-triggered: nothing (all are levels), ICW1 of each controller, or the board's
/// ELCR.
enum class Trigger : std::uint8_t { level, icw1, elcr };

/// One controller. Offsets: 0 = ICW1, OCW2, OCW3 (write), IRR/ISR/poll (read); 1 = ICW2-4, OCW1 =
/// IMR.
class I8259 final : public Slave {
 public:
  /// `master` is the level of the -SP pin.
  explicit I8259(bool master, Trigger trigger = Trigger::level) : master_(master), trigger_(trigger) {}

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;

  /// Level of input `line` (0 to 7).
  void set_line(unsigned line, bool level, Time now);
  /// Trigger::elcr: inputs whose bit is set are level-triggered, the others edge-triggered.
  void set_levels(std::uint8_t inputs, Time now);
  /// INT output.
  Output intr;

  /// Result of the first INTA: the chosen line, or `spurious` if no request is left.
  struct Choice {
    unsigned line;
    bool spurious;
  };
  /// First INTA: resolves priority and sets the in-service bit (in AEOI mode, clears it at once).
  Choice begin_acknowledge(Time now);
  /// The byte of the second INTA for `line`.
  std::uint8_t vector(unsigned line) const;
  /// Whether input `line` has a slave (ICW3 of the master; never in single mode).
  bool cascaded(unsigned line) const { return master_ && !single_ && (icw3_ >> line & 1); }
  /// ICW3 of a slave: the line of the master that it answers to.
  unsigned slave_id() const { return icw3_ & 7; }

  std::uint8_t irr() const { return static_cast<std::uint8_t>(lines_ & (levels() | edges_)); }

  /// Power-on: uninitialised, INT low. Input levels stay.
  void reset(Time now);
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  enum class Init : std::uint8_t { none, icw2, icw3, icw4, ready };
  int pending_line() const;
  int highest(unsigned bits) const;
  unsigned rank(unsigned line) const { return (line - lowest_ - 1u) & 7; }
  void after_initialisation_step(Time now);
  void update(Time now);
  void initialise(std::uint8_t icw1, Time now);
  void end_of_interrupt(std::uint8_t ocw2);
  void automatic_end(unsigned line);

  /// The inputs that are level-triggered at present.
  std::uint8_t levels() const {
    return trigger_ == Trigger::level ? 0xFF : trigger_ == Trigger::elcr ? elcr_ : icw1_ & 0x08 ? 0xFF : 0;
  }

  const bool master_;
  const Trigger trigger_;
  Init init_ = Init::none;
  bool single_ = false;
  bool needs_icw4_ = false;
  bool special_mask_ = false;
  bool poll_ = false;
  bool read_isr_ = false;
  bool rotate_on_aeoi_ = false;
  std::uint8_t icw1_ = 0;
  std::uint8_t icw2_ = 0;
  std::uint8_t icw3_ = 0;
  std::uint8_t icw4_ = 0;
  std::uint8_t lines_ = 0;  // input levels
  std::uint8_t edges_ = 0;  // risen and not acknowledged since
  std::uint8_t elcr_ = 0;
  std::uint8_t imr_ = 0;
  std::uint8_t isr_ = 0;
  std::uint8_t lowest_ = 7;  // line of lowest priority
};

/// The cascaded pair: sixteen inputs, one INTR to the processor.
class I8259Pair final : public bus::InterruptSink, public bus::InterruptAcknowledger {
 public:
  explicit I8259Pair(Trace& trace, Trigger trigger = Trigger::level);
  I8259Pair(const I8259Pair&) = delete;
  I8259Pair& operator=(const I8259Pair&) = delete;

  /// Decodes 20h-21h and A0h-A1h.
  void claim_ports(IoSpace& space);

  /// Level of IRQ 0 to 15; 2 is the cascade and is ignored.
  void set_irq(unsigned irq, bool level, Time now) override;

  /// Trigger::elcr: bit n is set if IRQ n is level-triggered. ELCR1 is the low byte.
  void set_levels(std::uint16_t lines, Time now);

  /// INTR to the processor; `Output::connect` it.
  Output& intr() { return master_.intr; }
  /// Both INTA cycles: returns the vector. If no request is left it is line 7 of the master, and no in-service bit is
  /// set (spurious IRQ 7). A slave whose ICW3 is not 2 leaves the bus floating: FFh.
  std::uint8_t acknowledge(Time now) override;
  /// Observer of acknowledge cycles elsewhere on the planar: called with each vector, at the end of the cycles.
  void on_acknowledge(std::function<void(std::uint8_t vector, Time now)> watch) { watch_ = std::move(watch); }

  void reset(Time now);
  /// Both controllers, as parts of the description.
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  void cascade(bool level, Time now) { master_.set_line(2, level, now); }

  Trace& trace_;
  I8259 master_, slave_;
  SignalTo<I8259Pair> cascade_;
  std::function<void(std::uint8_t vector, Time now)> watch_;
  PortGroup ports_{"pic"};
};

}  // namespace planar
