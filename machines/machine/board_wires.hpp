// SPDX-License-Identifier: GPL-2.0-or-later
// The wiring of a board: wires from a part's output to a function of the board or to an interrupt line.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bus/common/interrupts.hpp"
#include "devices/board/at/system/signal.hpp"

namespace planar {

class BoardWires {
 public:
  explicit BoardWires(bus::InterruptLines& lines) : lines_(lines) {}

  void connect(Output& output, std::function<void(bool, Time)> function) {
    wires_.push_back(std::make_unique<SignalFunction>(std::move(function)));
    output.connect(*wires_.back());
  }
  /// Connects to interrupt line `line`; the output becomes one of its sources, called `name`.
  void connect_irq(Output& output, unsigned line, std::string name) {
    const unsigned source = lines_.add_source(std::move(name));
    connect(output, [this, line, source](bool level, Time now) { lines_.set(line, source, level, now); });
  }

 private:
  bus::InterruptLines& lines_;
  std::vector<std::unique_ptr<SignalFunction>> wires_;
};

}  // namespace planar
