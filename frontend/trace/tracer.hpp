// SPDX-License-Identifier: GPL-2.0-or-later
// The trace of a run: which lines, when, and where they go. Outside of its time span, nothing is traced and no observer
// is installed.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/time/scheduler.hpp"
#include "frontend/options/trace_options.hpp"
#include "frontend/output/output_gate.hpp"
#include "frontend/trace/call_tracer.hpp"
#include "frontend/trace/instruction_tracer.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

class Tracer {
 public:
  /// Traces `lab`, which must outlive this object, from its present time on. Throws Error for options without effect,
  /// devices that the lab does not have, and a file that cannot be written.
  Tracer(Lab& lab, const TraceOptions& options);
  ~Tracer();
  Tracer(const Tracer&) = delete;

  /// True if the user has chosen categories.
  bool chosen() const { return file_ != nullptr; }
  /// True if categories were chosen and their start time has not been reached.
  bool waits() const { return chosen() && lab_.scheduler().now() < from_; }
  Time from() const { return from_; }
  /// Calls `listener` for every line of the first machine, whether or not it is written.
  void on_line(std::function<void(std::string_view)> listener) { listener_ = std::move(listener); }
  /// To be called when the lab's state and time have been replaced.
  void moved();
  /// Calls `call` with the gate of each machine's lines.
  template <class F>
  void each_gate(F&& call) {
    for (auto& machine : machines_) call(machine->gate);
  }
  /// Whether something could not be written.
  bool failed() const;
  /// Writes what is buffered; false if the file could not be written. True if there is nothing to write.
  bool flush();
  const std::string& file_name() const { return file_name_; }

 private:
  /// The trace of one machine.
  struct Traced {
    Traced(Machine& machine, Trace& trace, CallTable table)
        : machine(machine), trace(trace), instructions(machine, trace), calls(machine, trace, table) {}
    Machine& machine;
    Trace& trace;
    TraceMask categories = 0;
    bool following = false;
    OutputGate gate;
    InstructionTracer instructions;
    CallTracer calls;
  };
  void choose_devices(TraceFilter filter);
  void open(Time now);
  void close(Time now);
  void follow(Traced& traced, bool on);

  Lab& lab_;
  std::shared_ptr<std::FILE> file_;
  std::string file_name_;
  std::function<void(std::string_view)> listener_;
  std::vector<std::unique_ptr<Traced>> machines_;
  Time from_{}, to_ = Time::never();
  Event opens_, closes_;
};

}  // namespace planar
