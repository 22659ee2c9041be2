// SPDX-License-Identifier: GPL-2.0-or-later
// Executes steps (scenario_steps.hpp) one after another in virtual time, by polling the machine every 20 ms and typing
// on its keyboard. The polls depend on virtual time alone, and a partly executed step is part of a snapshot: a restored
// run continues with the current step and ends with the same state hash.
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

/// True if a line of the machine's text screen contains `text`.
bool on_screen(const Machine& machine, const std::string& text);

/// The lab and the operations that steps need from the session.
struct ScenarioHost {
  Lab& lab;
  std::function<void(const std::string& file)> snapshot;  ///< saves the lab, including the scenario
  /// Saves the screen to `file` or, if that is empty, as picture number `count` in the result folder.
  std::function<void(const std::string& file, unsigned count)> grab_screen;
  std::function<void(unsigned drive, const std::string& file)> insert_diskette;
  std::function<void(unsigned drive)> eject_diskette;
  std::function<void(const std::string& file)> insert_cd;
  std::function<void(bool by_force)> eject_cd;
  std::function<void()> reset;
  std::function<void(const std::string& device)> describe;  ///< prints a device's description; empty: all
  std::function<void()> pause;                              ///< stops virtual time
};

class Scenario {
 public:
  /// Starts `steps` at `now`, replacing the remaining ones; pressed keys are released.
  void begin(std::vector<Step> steps, Time now);
  /// A byte was sent on COM1.
  void serial(std::uint8_t byte);

  bool active() const { return next_ < steps_.size(); }
  /// True if the last step is done or the power is off.
  bool finished() const { return !steps_.empty() && !active() && !failure_; }
  bool powered_off() const { return powered_off_; }
  struct Failure {
    std::string message;
    ExitCode code;
  };
  const std::optional<Failure>& failure() const { return failure_; }

  /// The time of the next poll, which is after the latest advance(), or never.
  Time next_look() const;
  /// Polls the machine, whose time is `now`, and executes every step that is ready.
  void advance(ScenarioHost& host, Time now);
  /// Discards the remaining steps.
  void abandon();

  const std::vector<Step>& steps() const { return steps_; }
  /// The current step, as written; empty if there is none.
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
  bool try_drives(ScenarioHost& host);
  bool stands_still(ScenarioHost& host, Time now);
  void fail(const std::string& problem, ExitCode code);
  void start_step(Time now);
  void finish_step(Time now);

  std::vector<Step> steps_;
  std::uint64_t next_ = 0;
  Time started_{};      // start of the current step
  bool begun_ = false;  // for type and press: the keys have been queued
  Time look_{};         // time of the next poll
  Typist typist_;
  std::string serial_;             // COM1 output after the last text found there
  std::vector<std::string> seen_;  // for wait still: the screen, unchanged since seen_since_
  Time seen_since_{};
  Time halted_since_ = Time::never();
  std::vector<Done> done_;
  std::uint32_t grabs_ = 0;
  bool powered_off_ = false;
  std::optional<Failure> failure_;
};

}  // namespace planar
