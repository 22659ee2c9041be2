// SPDX-License-Identifier: GPL-2.0-or-later
// A card's connection to the Micro Channel interrupt lines: it drives the line that POS selects, by level, while the
// card is enabled. When the selection changes, the old line is released.
#pragma once

#include "bus/mca/slot.hpp"

namespace planar {

class IrqPin {
 public:
  explicit IrqPin(bus::Slot& slot) : slot_(slot) {}

  /// POS has changed: drive `line`, or nothing if it is 0 (none selected, or card disabled).
  void select(unsigned line, Time now) {
    slot_.release_irqs(now);
    line_ = line;
    drive(now);
  }
  /// The card's interrupt cause (the OR of several, if it has them) is asserted or negated.
  void set(bool cause, Time now) {
    cause_ = cause;
    drive(now);
  }
  /// The board's own interrupt enable, on cards that have one. Initially open.
  void gate(bool open, Time now) {
    open_ = open;
    drive(now);
  }

  bool cause() const { return cause_; }
  unsigned line() const { return line_; }
  bool asserted() const { return line_ != 0 && cause_ && open_; }

  /// After a snapshot is loaded: the lines restore their own levels, so nothing is driven.
  void restore(unsigned line, bool cause, bool open) {
    line_ = line;
    cause_ = cause;
    open_ = open;
  }
  /// Only the cause: line and gate follow from the card's registers.
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
