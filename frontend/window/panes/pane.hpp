// SPDX-License-Identifier: GPL-2.0-or-later
// A pane of the inspector: one view of a machine. It draws the machine's description of itself and stores only what its
// user has typed and chosen; everything passed to it is const, so looking changes nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "frontend/window/content/bus_recorder.hpp"
#include "frontend/window/content/recorder.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

/// What a pane can look at.
struct Inspection {
  const Machine& machine;  ///< the machine that the window shows
  const Recorder& recorder;
  const BusRecorder& bus;
  bool held;  ///< virtual time stands still
};

class Pane {
 public:
  virtual ~Pane() = default;
  /// Its name in --panes and the menu: "cpu".
  virtual std::string_view name() const = 0;
  virtual const char* title() const = 0;
  /// One line of help for the menu.
  virtual const char* help() const = 0;
  /// Draws into the current ImGui window.
  virtual void draw(const Inspection& look) = 0;
};

std::unique_ptr<Pane> make_cpu_pane();
std::unique_ptr<Pane> make_memory_pane();
std::unique_ptr<Pane> make_slots_pane();
std::unique_ptr<Pane> make_planar_pane();
std::unique_ptr<Pane> make_adapter_pane();
std::unique_ptr<Pane> make_bus_pane();
std::unique_ptr<Pane> make_wire_pane();
std::unique_ptr<Pane> make_log_pane();

}  // namespace planar
