// SPDX-License-Identifier: GPL-2.0-or-later
// Steps (scenario_steps.hpp) done one after another in virtual time, by looking at the machine every 20 ms and typing
// on its keyboard. Which looks there are depends on virtual time alone, and what is half done is part of a snapshot: a
// restored run goes on with the step it was in, and ends with the same state hash.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/common/error.hpp"
#include "core/state/archive.hpp"
#include "core/time/time.hpp"
#include "frontend/scenario/scenario_steps.hpp"
#include "frontend/scenario/typist.hpp"

namespace planar {

class Lab;
class Machine;

/// A line of the machine's text screen holds `text`.
bool on_screen(const Machine& machine, const std::string& text);

/// What steps need beside the lab.
struct ScenarioHost {
  Lab& lab;
  std::function<void(const std::string& file)> snapshot;  ///< saves the lab, the scenario included
  /// Into `file`, or if that is empty into picture number `count` of the result folder.
  std::function<void(const std::string& file, unsigned count)> grab_screen;
  std::function<void(const std::string& file)> insert_diskette;
};

class Scenario {
 public:
  /// Begins `steps` at `now`, in place of those that are left; keys that are down are released.
  void begin(std::vector<Step> steps, Time now);
  /// A byte has left COM1.
  void serial(std::uint8_t byte);

  bool active() const { return next_ < steps_.size(); }
  /// The last step has been done, or power is off.
  bool finished() const { return !steps_.empty() && !active() && !failure_; }
  bool powered_off() const { return powered_off_; }
  struct Failure {
    std::string message;
    ExitCode code;
  };
  const std::optional<Failure>& failure() const { return failure_; }

  /// When to look next: a time after the latest advance(), or never.
  Time next_look() const;
  /// Looks at the machine, whose time is `now`, and does every step that can be done.
  void advance(ScenarioHost& host, Time now);
  /// Gives the remaining steps up.
  void abandon();

  const std::vector<Step>& steps() const { return steps_; }
  /// The step that is being done, as written; empty if there is none.
  std::string current() const { return active() ? steps_[next_].source : std::string(); }
  struct Done {
    std::string source;
    Time at{};
    void archive(Archive& a) { a(source, at); }
  };
  const std::vector<Done>& done() const { return done_; }

  void archive(Archive& a);

 private:
  bool try_step(ScenarioHost& host, Time now);
  bool stands_still(ScenarioHost& host, Time now);
  void fail(const std::string& problem, ExitCode code);
  void start_step(Time now);
  void finish_step(Time now);

  std::vector<Step> steps_;
  std::uint64_t next_ = 0;
  Time started_{};      // of the step
  bool begun_ = false;  // type and press: the keys are with the typist
  Time look_{};         // when steps are looked at next
  Typist typist_;
  std::string serial_;             // COM1 behind the last text found there
  std::vector<std::string> seen_;  // wait still: the screen, and since when
  Time seen_since_{};
  Time halted_since_ = Time::never();
  std::vector<Done> done_;
  std::uint32_t grabs_ = 0;
  bool powered_off_ = false;
  std::optional<Failure> failure_;
};

}  // namespace planar
