// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a lab that may be stopped: up to a virtual time, until a stop is requested, or by single instructions. Stopped
// or not, a run gives the same results and the same state hash. Requests act through the scheduler's horizon, so they
// cost nothing if no stop is requested.
#pragma once

#include <cstddef>

#include "core/time/time.hpp"

namespace planar {

class Lab;

class RunControl {
 public:
  /// The lab must outlive it.
  explicit RunControl(Lab& lab) : lab_(lab) {}

  enum class Stop {
    limit,    ///< virtual time has reached the limit
    request,  ///< a stop was requested
    step,     ///< the instruction has been executed
  };

  /// Runs until every processor has reached virtual time `limit` and is between two instructions. After a request it
  /// ends at once, and some may be left inside an instruction.
  Stop run_until(Time limit);
  /// Lets machine `n` execute one instruction (one iteration of a repeated one) or take one interrupt or exception,
  /// first waiting for whatever wakes it if it is halted; or complete the instruction in which a stop has left it. No
  /// processor goes beyond `limit`. The other machines keep up with virtual time and may be left inside an instruction.
  Stop step(std::size_t n, Time limit = Time::never());
  /// Lets machines that have been left inside an instruction complete it, as required for a snapshot or state hash.
  /// Until then their processors' registers and counts are not exact. A request meanwhile ends the next run.
  void settle();

  /// Ends the run when the processor that is running reaches an instruction boundary or has to wait in an access
  /// (Scheduler::stop()); if none is in progress, the next run_until() or step() returns at once. May be called from
  /// inside the run (an event, an observer, a device's callback) or between runs, but not from a signal handler.
  void request_stop();

 private:
  bool take_request();

  Lab& lab_;
  bool requested_ = false;
};

}  // namespace planar
