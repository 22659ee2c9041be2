// SPDX-License-Identifier: GPL-2.0-or-later
// A session under a debugger: saving, restoring and replaying its state.
#include <utility>

#include "frontend/session/session.hpp"

namespace planar {

void Session::debug(std::unique_ptr<DebugClient> client) {
  debugger_.reset();
  debug_client_ = std::move(client);
  DebugTarget& target = *this;
  debugger_ = std::make_unique<Debugger>(target, *debug_client_);
}

// Polls the scenario when run() would, so that its steps are executed at the same times.
bool Session::replay(Time limit) {
  replaying_ = true;
  bool complete = true;
  while (complete && now() < limit) {
    const Time look = next_look(), next = std::min(limit, look);
    complete = control_->run_until(next) != RunControl::Stop::request;
    if (!complete || next < look) continue;
    looked_ = look;
    scenario_.advance(*scenario_host_, look);
  }
  replaying_ = false;
  return complete;
}

std::string Session::rewind_obstacle() {
  if (!repeatable()) return "the host's network or user takes part in it";
  if (window_) return "it has a window, whose user may take part in it";
  if (timeline_) return "its --timeline is written during the run";
  if (lockstep_) return "--lockstep compares it with Unicorn, which cannot go back";
  try {
    lab_->check_snapshot();
    lab_->check_rewind();
  } catch (const Error& e) { return e.what(); }
  return {};
}

template <class F>
void Session::each_gate(F&& call) {
  for (auto& console : consoles_) call(console->gate);
  tracer_->each_gate(call);
  if (gated_capture_) call(gated_capture_->gate());
}

void Session::archive_run(Archive& a) {
  lab_->archive(a);
  archive(a);
  a(looked_);
  each_gate([&](OutputGate& gate) { gate.archive(a); });
}

std::vector<std::uint8_t> Session::save_state() {
  Archive a = Archive::saver();
  archive_run(a);
  return a.stream();
}

void Session::restore_state(const std::vector<std::uint8_t>& state) {
  control_->settle();
  Archive a = Archive::loader(state);
  archive_run(a);
  tracer_->moved();
}

void Session::diverge() {
  each_gate([](OutputGate& gate) { gate.renew(); });
}

void Session::change_drive(const Step& step, std::size_t n) {
  switch (step.kind) {
    case StepKind::insert_diskette: return change_diskette(n, step.drive, step.text);
    case StepKind::eject_diskette: return eject_diskette(n, step.drive);
    case StepKind::insert_cd: return change_cdrom(n, first_cdrom(n), step.text);
    case StepKind::eject_cd: return eject_cdrom(n, first_cdrom(n), step.force);
    default: return;
  }
}

}  // namespace planar
