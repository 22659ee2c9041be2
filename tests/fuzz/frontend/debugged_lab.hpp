// SPDX-License-Identifier: GPL-2.0-or-later
// A small machine under the debugger, as used by gdb and the prompt, but without a session; each run starts before its
// first instruction.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/debug/debugger.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/lab/run_control.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace planar::fuzz {

/// The user's actions at a stop; false: nothing more.
using AtStop = std::function<bool(Debugger&, const Stop&)>;

class DebuggedLab final : private DebugTarget {
 public:
  DebuggedLab() : lab_(config()), control_(lab_), debugger_(*this, client_) { pristine_ = save_state(); }

  /// Starts from the beginning: `at_stop` is called, and again whenever the machine has run for `length` or to a
  /// breakpoint.
  void run(const AtStop& at_stop, Time length) {
    constexpr unsigned most_stops = 50;
    debugger_.remove_all();
    debugger_.select(0);
    debugger_.release();
    restore_state(pristine_);
    client_.at_stop = at_stop;
    for (unsigned n = 0;; ++n) {
      if (n == most_stops) client_.at_stop = [](Debugger&, const Stop&) { return false; };
      debugger_.interrupt();
      if (!debugger_.attend()) return;
      const Time end = lab_.scheduler().now() + length;
      while (!debugger_.stopped() && lab_.scheduler().now() < end &&
             control_.run_until(end) != RunControl::Stop::request) {}
      control_.settle();
    }
  }

 private:
  struct Client final : DebugClient {
    bool waits() const override { return false; }
    bool stopped(Debugger& debugger, const Stop& stop) override { return at_stop(debugger, stop); }
    bool poll(Debugger&) override { return false; }
    void ended(Debugger&) override {}
    AtStop at_stop;
  };

  static Config config() {
    Config c = load_machine("model56sx");
    c.set("memory.size", "2 MB", "fuzz");
    c.set("slot.1.card", "ne2", "fuzz");
    return c;
  }

  // DebugTarget
  Lab& lab() override { return lab_; }
  bool step(std::size_t n) override { return control_.step(n, lab_.scheduler().now() + 1_s) == RunControl::Stop::step; }
  bool replay(Time limit) override { return control_.run_until(limit) != RunControl::Stop::request; }
  void request_stop() override { control_.request_stop(); }
  std::string rewind_obstacle() override { return {}; }
  std::vector<std::uint8_t> save_state() override {
    Archive a = Archive::saver();
    lab_.archive(a);
    return a.stream();
  }
  void restore_state(const std::vector<std::uint8_t>& state) override {
    control_.settle();
    Archive a = Archive::loader(state);
    lab_.archive(a);
  }
  void diverge() override {}
  void change_drive(const Step&, std::size_t) override {}

  Lab lab_;
  RunControl control_;
  Client client_;
  Debugger debugger_;
  std::vector<std::uint8_t> pristine_;
};

}  // namespace planar::fuzz
