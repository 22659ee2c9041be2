// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a lab that may be stopped: up to a virtual time, until a stop is requested, or by single instructions. Stopped
// or not, a run gives the same results and the same state hash. Requests act through the scheduler's horizon, so they
// cost nothing if no stop is requested.
#pragma once

#include <cstddef>
#include <string>

#include "core/time/time.hpp"

namespace planar {

class Lab;

class RunControl {
 public:
  /// The lab must outlive it.
  explicit RunControl(Lab& lab) : lab_(lab) {}

  enum class Stop {
    limit,    ///< virtual time has reached the limit
    request,  ///< a stop was requested: why() gives the reason
    step,     ///< the instruction has been executed
  };

  /// Runs until every processor has reached virtual time `limit` or, after a request, is between two instructions.
  Stop run_until(Time limit);
  /// Lets machine `n` execute one instruction (one iteration of a repeated one) or take one interrupt or exception,
  /// first waiting for whatever wakes it if it is halted. No processor goes beyond `limit`. The other machines keep up
  /// with virtual time and may be left inside an instruction: their processors' registers and counts are exact only
  /// after settle().
  Stop step(std::size_t n, Time limit = Time::never());
  /// Lets machines that step() has left inside an instruction complete it, as required for a snapshot or state hash.
  void settle();

  /// Ends the run at the next instruction boundary of every processor; if none is in progress, the next run_until() or
  /// step() returns at once. May be called from inside the run (an event, an observer, a device's callback) or between
  /// runs, but not from a signal handler. The first of several requests determines the reason.
  void request_stop(std::string why);
  /// The reason for the latest requested stop.
  const std::string& why() const { return why_; }

 private:
  bool take_request();

  Lab& lab_;
  bool requested_ = false;
  std::string why_;
};

}  // namespace planar
