// SPDX-License-Identifier: GPL-2.0-or-later
// The debugger's way back in time: from a checkpoint forwards again.
#include <fmt/format.h>

#include "frontend/debug/debugger.hpp"

namespace planar {

namespace {
/// A run up to a time may end after it by the longest access.
constexpr Time overshoot = 200_us;
}  // namespace

void Debugger::keep_checkpoint() {
  if (!served_ || !target_.rewind_obstacle().empty() || !lab().scheduler().between_instructions()) return;
  Checkpoint c;
  c.at = lab().scheduler().now();
  for (auto& watcher : watchers_) c.positions.push_back(watcher->position());
  c.on_the_wire = on_the_wire_;
  c.state = target_.save_state();
  history_.add(std::move(c));
}

void Debugger::check_history() {
  if (const auto obstacle = target_.rewind_obstacle(); !obstacle.empty())
    throw Error(fmt::format("this run cannot go back in time: {}", obstacle));
}

// Fast up to `margin` before the boundary, then followed.
void Debugger::replay_near(const Checkpoint& from, const Position& to, Time margin) {
  mode_ = Mode::seek;
  target_.restore_state(from.state);
  on_the_wire_ = from.on_the_wire;
  for (auto& watcher : watchers_) watcher->attach(false);
  if (const Time near = time_of(to) - margin; near > from.at) target_.replay(near);
}

// The boundary was reached before; it is again, at the same time.
void Debugger::follow_to(const Position& to) {
  Watcher& watcher = *watchers_[current_];
  watcher.arrive_at(to);
  watcher.attach(true);
  if (target_.replay(time_of(to) + overshoot) && position() < to)
    throw Error("the run did not repeat: something from outside of the lab has taken part in it");
}

void Debugger::go(const Checkpoint& from, const Position& to) {
  replay_near(from, to, overshoot);
  if (position() > to) replay_near(from, to, time_of(to));  // from the checkpoint on, each instruction
  if (position() < to) follow_to(to);
  watchers_[current_]->arrive_at({});
  disarm();
  stop_.reset();
}

void Debugger::arrived() { target_.request_stop("debugger"); }

std::optional<Position> Debugger::boundary_before(const Checkpoint& from, const Position& here) {
  for (Time margin = overshoot;; margin = margin * 16) {
    replay_near(from, here, margin);
    const bool whole = time_of(here) - margin <= from.at;
    if (position() < here) {
      follow_to(here);
      if (const auto previous = watchers_[current_]->previous()) return previous;
    }
    if (whole) return {};
  }
}

Stop Debugger::reverse_step() {
  check_history();
  const Position here = position();
  Stop stop;
  stop.machine = current_;
  const auto& list = history_.list();
  for (auto from = list.rbegin(); from != list.rend(); ++from) {
    if (from->positions[current_] >= here) continue;
    const auto previous = boundary_before(*from, here);
    if (!previous) continue;
    go(*from, *previous);
    stop.why = Stop::Why::stepped;
    return stop;
  }
  if (!list.empty() && position() != here) go(list.front(), here);
  disarm();
  stop.why = Stop::Why::beginning;
  return stop;
}

Stop Debugger::reverse_continue() {
  check_history();
  const Position here = position();
  Position end = here;
  const auto& list = history_.list();
  for (auto from = list.rbegin(); from != list.rend() && !breakpoints_.empty(); ++from) {
    if (from->positions[current_] >= end) continue;
    found_.reset();
    replay_near(*from, end, time_of(end));
    search_end_ = end;
    follow(true);
    mode_ = Mode::search;
    set_alarm(lab().scheduler().now());
    follow_to(end);
    if (found_) {
      const auto [at, stop] = *found_;
      go(*from, at);
      return stop;
    }
    end = from->positions[current_];
  }
  Stop stop;
  stop.machine = current_;
  stop.why = Stop::Why::beginning;
  if (!list.empty()) go(list.front(), list.front().positions[current_]);
  disarm();
  return stop;
}

}  // namespace planar
