// SPDX-License-Identifier: GPL-2.0-or-later
// Going back in time: restores a checkpoint and runs forwards from there.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "frontend/debug/debugger.hpp"

namespace planar {

namespace {
/// A run to a given time may overshoot it by the longest access.
constexpr Time overshoot = 200_us;
}  // namespace

void Debugger::keep_checkpoint() {
  if (!served_ || !target_.rewind_obstacle().empty() || !lab().scheduler().between_instructions()) return;
  Checkpoint c;
  c.at = lab().scheduler().now();
  for (std::size_t n = 0; n < watchers_.size(); ++n) {
    c.positions.push_back(watchers_[n]->position());
    c.asleep.push_back(lab().machine(n).cpu().asleep());
  }
  c.on_the_wire = on_the_wire_;
  c.state = target_.save_state();
  history_.add(std::move(c));
}

void Debugger::check_history() {
  if (const auto obstacle = target_.rewind_obstacle(); !obstacle.empty())
    throw Error(fmt::format("this run cannot go back in time: {}", obstacle));
}

// Runs fast up to `margin` before the boundary; the rest is run with the watcher attached. Restoring lets machines that
// are inside an instruction complete it, which no watcher is to follow.
void Debugger::replay_near(const Checkpoint& from, const Position& to, Time margin) {
  mode_ = Mode::seek;
  for (auto& watcher : watchers_) {
    watcher->attach(false);
    watcher->leave(false);
  }
  stops_.clear();
  target_.restore_state(from.state);
  on_the_wire_ = from.on_the_wire;
  if (const Time near = time_of(to) - margin; near > from.at) target_.replay(near);
}

// The boundary was reached before and is reached again at the same time.
void Debugger::follow_to(const Position& to, std::size_t keep) {
  Watcher& watcher = *watchers_[current_];
  watcher.arrive_at(to, keep);
  watcher.attach(true);
  if (target_.replay(time_of(to) + overshoot) && position() < to)
    throw Error("the run did not repeat: something outside the lab affected it");
}

void Debugger::go(const Checkpoint& from, const Position& to) {
  replay_near(from, to, overshoot);
  if (position() > to) replay_near(from, to, time_of(to));  // from the checkpoint on, instruction by instruction
  if (position() < to) follow_to(to);
  watchers_[current_]->arrive_at({});
  disarm();
  stops_.clear();
}

void Debugger::arrived() { target_.request_stop(); }

std::vector<Position> Debugger::boundaries_before(const Checkpoint& from, const Position& here, std::size_t count) {
  for (Time margin = overshoot;; margin = margin * 16) {
    replay_near(from, here, margin);
    const bool whole = time_of(here) - margin <= from.at;
    if (position() < here) {
      // If the replay did not begin at the checkpoint, the first boundary may only be the end of a sleep.
      follow_to(here, count + 1);
      const auto& passed = watchers_[current_]->passed();
      const std::size_t known = whole || passed.empty() ? passed.size() : passed.size() - 1,
                        found = std::min(known, count);
      if (whole || found == count) return {passed.end() - static_cast<std::ptrdiff_t>(found), passed.end()};
    } else if (whole) {
      return {};
    }
  }
}

Stop Debugger::reverse_step(std::size_t count) {
  check_history();
  Stop stop;
  stop.machine = current_;
  Position before = position();
  bool moved = false;
  const auto& list = history_.list();
  for (auto from = list.rbegin(); from != list.rend(); ++from) {
    const Position& start = from->positions[current_];
    if (start >= before) continue;
    moved = true;
    const auto passed = boundaries_before(*from, before, count);
    if (passed.size() == count) {
      go(*from, passed.front());
      stop.why = Stop::Why::stepped;
      return stop;
    }
    count -= passed.size();
    before = start;
    if (from->asleep[current_]) ++before.instructions;  // only an earlier checkpoint can tell if this is a boundary
  }
  if (moved) go(list.front(), list.front().positions[current_]);
  disarm();
  stop.why = Stop::Why::beginning;
  return stop;
}

// Returns to where the user was. Without a history, because the user has left, runs forwards from here.
Stop Debugger::abandon_search(const Position& here) {
  Stop stop = std::move(stops_.front());
  stops_.clear();
  const auto& list = history_.list();
  const auto from =
      std::find_if(list.rbegin(), list.rend(), [&](const Checkpoint& c) { return c.positions[current_] <= here; });
  if (from != list.rend()) {
    go(*from, here);
  } else {
    mode_ = Mode::seek;
    follow_to(here);
    disarm();
  }
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
    if (stopped()) return abandon_search(here);
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
