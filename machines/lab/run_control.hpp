// SPDX-License-Identifier: GPL-2.0-or-later
// How a lab is run for somebody who may stop it: up to a virtual time, until a stop is requested, or by single
// instructions. Stopped or not, a run gives the same results and the same state hash. Requests act through the
// scheduler's horizon, so a lab that nobody stops pays nothing for them.
#pragma once

#include <cstddef>
#include <string>

#include "core/time/time.hpp"

namespace planar {

class Lab;

class RunControl {
 public:
  /// The lab outlives it.
  explicit RunControl(Lab& lab) : lab_(lab) {}

  enum class Stop {
    limit,    ///< virtual time has come to the limit
    request,  ///< somebody asked: why() says what for
    step,     ///< the instruction has been executed
  };

  /// Runs until every processor has come to virtual time `limit` or, after a request, stands between two instructions.
  Stop run_until(Time limit);
  /// Lets machine `n` execute one instruction (one iteration of a repeated one) or take one interrupt or exception; if
  /// it is halted, after whatever wakes it. Nobody goes beyond `limit`. The other machines keep to virtual time and may
  /// be left inside an instruction: their processors' registers and counts are exact after settle() only.
  Stop step(std::size_t n, Time limit = Time::never());
  /// Lets machines that step() has left inside an instruction complete it, as a snapshot or state hash needs it.
  void settle();

  /// Ends the run at the next instruction boundary of every processor; without one under way the next run_until() or
  /// step() returns at once. To be called from inside the run (an event, an observer, a device's callback) or between
  /// runs, not from a signal handler. Of several requests the first says why.
  void request_stop(std::string why);
  /// Of the latest stop by request.
  const std::string& why() const { return why_; }

 private:
  bool take_request();

  Lab& lab_;
  bool requested_ = false;
  std::string why_;
};

}  // namespace planar
