// SPDX-License-Identifier: GPL-2.0-or-later
// TROPIC: the microprocessor. It performs one task at a time, each as a step; answers and results take priority over
// new work, so that buffers are returned.
#include "devices/chips/tropic/tropic.hpp"

namespace planar::tokenring {

using namespace tropic;

Tropic::Task Tropic::next_task() const {
  const std::uint8_t bells = aca_[aca::ISRA_o];
  if (bells & isra_o::response_in_asb) return Task::answer;
  if (insertion_over_) return Task::opened;
  if (ssb_free_ && !results_.empty()) return Task::result;
  if (!fast_done_.empty()) return Task::fast_result;
  if (bells & isra_o::command_in_srb && state_ != State::opening) return Task::command;
  if (arb_free_ && !requests_.empty()) return Task::request;
  if (fast_work()) return Task::fast_request;
  return Task::none;
}

/// Not within a step: its end checks for new work.
void Tropic::wake(Time now) {
  if (task_ != Task::none || state_ == State::held || state_ == State::testing || state_ == State::checked) return;
  task_ = next_task();
  if (task_ == Task::none) return;
  step_began_ = now;
  step_.at(now + config_.timing.step);
}

void Tropic::step(Time now) {
  switch (task_) {
    case Task::none: break;
    case Task::command: command(now); break;
    case Task::answer: answer(now); break;
    case Task::opened: opened(now); break;
    case Task::request: post_request(now); break;
    case Task::result: post_result(now); break;
    case Task::fast_request: take_fast_frame(now); break;
    case Task::fast_result: finish_fast_frame(now); break;
  }
  task_ = Task::none;
  if (state_ != State::checked) doorbells(now);
}

/// The next request for the host into the ARB.
void Tropic::post_request(Time now) {
  if (requests_.empty()) return;
  const Request r = std::move(requests_.front());
  requests_.pop_front();
  put8(place::arb, r.command);
  put8(place::arb + 1, r.correlator);
  put16(place::arb + 4, r.station);
  put16(place::arb + 6, r.address_or_status);
  if (r.command == Command::received_data) {
    put8(place::arb + 8, r.lan_header);
    put8(place::arb + 9, r.dlc_header);
    put16(place::arb + 10, r.length);
    put8(place::arb + 12, r.type);
    handed_.push_back(r.buffers);
  }
  arb_free_ = false;
  raise(isrp_o::arb_command, now);
}

/// The next final result of a transmission into the SSB.
void Tropic::post_result(Time now) {
  if (results_.empty()) return;
  const Transmission& t = results_.front();
  put8(place::ssb, t.command);
  put8(place::ssb + 1, t.correlator);
  put8(place::ssb + 2, t.code);
  put16(place::ssb + 4, t.station);
  put8(place::ssb + 6, t.status);
  results_.pop_front();
  ssb_free_ = false;
  raise(isrp_o::ssb_response, now);
}

}  // namespace planar::tokenring
