// SPDX-License-Identifier: GPL-2.0-or-later
// A card's way to the interrupt lines of the Micro Channel: the line that POS selects, driven by level while the card
// is enabled. On a change of the selection the old line is let go.
#pragma once

#include "bus/mca/slot.hpp"

namespace planar {

class IrqPin {
 public:
  explicit IrqPin(bus::Slot& slot) : slot_(slot) {}

  /// POS has changed: `line` is the one to drive, 0 if none is selected or the card is disabled.
  void select(unsigned line, Time now) {
    slot_.release_irqs(now);
    line_ = line;
    drive(now);
  }
  /// The card's cause (the OR of them, if it has several) comes or goes.
  void set(bool cause, Time now) {
    cause_ = cause;
    drive(now);
  }
  /// The board's own interrupt enable, for cards that have one. Open at first.
  void gate(bool open, Time now) {
    open_ = open;
    drive(now);
  }

  bool cause() const { return cause_; }
  unsigned line() const { return line_; }
  bool asserted() const { return line_ != 0 && cause_ && open_; }

  /// After a snapshot was loaded: the lines have restored their own levels, nothing is driven.
  void restore(unsigned line, bool cause, bool open) {
    line_ = line;
    cause_ = cause;
    open_ = open;
  }
  /// The cause alone: line and gate follow from the card's registers.
  void archive(Archive& a) { a(cause_); }

 private:
  void drive(Time now) {
    if (line_) slot_.set_irq(line_, cause_ && open_, now);
  }

  bus::Slot& slot_;
  unsigned line_ = 0;
  bool cause_ = false, open_ = true;
};

}  // namespace planar
