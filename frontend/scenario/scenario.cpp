// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/scenario/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machines/lab/lab.hpp"
#include "machines/lab/stations.hpp"

namespace planar {

namespace {

constexpr Time look_every = 20_ms;   // text visible for a shorter time may be missed
constexpr Time last_words = 100_ms;  // after a halt: characters are still being sent on COM1
constexpr std::size_t most_serial = 1 << 20;

/// The number of bytes of the first `characters` characters of a UTF-8 text; its whole length if it has fewer.
std::size_t bytes_of(const std::string& text, unsigned characters) {
  std::size_t at = 0;
  while (at < text.size() && characters) {
    ++at;
    while (at < text.size() && (text[at] & 0xC0) == 0x80) ++at;
    --characters;
  }
  return at;
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// Blanks between prompt and cursor are ignored, because lines are returned without trailing blanks.
bool before_cursor(Machine& machine, const std::string& text) {
  const auto screen = machine.video().text_screen();
  const auto lines = machine.video().text_lines();
  if (!screen.columns || screen.cursor_row >= lines.size()) return false;
  const auto& line = lines[screen.cursor_row];
  return trimmed(line.substr(0, bytes_of(line, screen.cursor_column))).ends_with(trimmed(text));
}

}  // namespace

bool on_screen(const Machine& machine, const std::string& text) {
  const auto lines = machine.video().text_lines();
  return std::any_of(lines.begin(), lines.end(),
                     [&](const auto& line) { return line.find(text) != std::string::npos; });
}

void Scenario::begin(std::vector<Step> steps, Time now) {
  steps_ = std::move(steps);
  next_ = 0;
  serial_.clear();
  done_.clear();
  failure_.reset();
  powered_off_ = false;
  typist_.stop(now);
  look_ = now;
  start_step(now);
}

void Scenario::start_step(Time now) {
  started_ = now;
  begun_ = false;
  seen_.clear();
  seen_since_ = now;
  halted_since_ = Time::never();
}

void Scenario::finish_step(Time now) {
  done_.push_back({steps_[next_].source, now});
  ++next_;
  start_step(now);
}

void Scenario::serial(std::uint8_t byte) {
  if (!active()) return;
  serial_ += static_cast<char>(byte);
  if (serial_.size() > 2 * most_serial) serial_.erase(0, most_serial);
}

Time Scenario::next_look() const {
  const Time typing = typist_.next();
  return active() ? std::min(look_, typing) : typing;
}

void Scenario::advance(ScenarioHost& host, Time now) {
  typist_.advance(host.lab.machine(), now);
  if (!active() || now < look_) return;
  look_ = now;
  while (active()) {
    const Step& step = steps_[next_];
    if (of_drives(step.kind) ? !try_drives(host) : !try_step(host, now)) break;
    if (step.kind != StepKind::snapshot) finish_step(now);
  }
  if (failure_ || !active()) return;
  look_ = look_every * (now / look_every + 1);
  const Step& step = steps_[next_];
  if (step.kind == StepKind::wait_time) {
    look_ = std::max(started_ + step.time, now + 1_ps);
    return;
  }
  if (step.kind == StepKind::wait_until) {
    look_ = std::max(step.time, now + 1_ps);
    return;
  }
  if (now - started_ >= step.limit) {
    fail(fmt::format("did not complete within {:.6g} virtual seconds", step.limit.seconds()),
         ExitCode::virtual_timeout);
  } else if (!host.lab.machine().halted_for_good()) {
    halted_since_ = Time::never();
  } else if (halted_since_ == Time::never()) {
    halted_since_ = now;
  } else if (now - halted_since_ >= last_words) {
    fail("cannot complete: the processor has halted for good", ExitCode::scenario_failed);
  }
}

bool Scenario::try_step(ScenarioHost& host, Time now) {
  const Step& step = steps_[next_];
  Machine& machine = host.lab.machine();
  switch (step.kind) {
    case StepKind::wait_screen: return on_screen(machine, step.text);
    case StepKind::wait_prompt: return before_cursor(machine, step.text);
    case StepKind::wait_serial: {
      const auto at = serial_.find(step.text);
      if (at == std::string::npos) return false;
      serial_.erase(0, at + step.text.size());
      return true;
    }
    case StepKind::wait_still: return stands_still(host, now);
    case StepKind::wait_time: return now - started_ >= step.time;
    case StepKind::wait_until: return now >= step.time;
    case StepKind::key: machine.keyboard_controller().keyboard().key(step.keys.front(), step.down, now); return true;
    case StepKind::mouse_move: machine.keyboard_controller().mouse().moved(step.x, step.y, now); return true;
    case StepKind::mouse_buttons: machine.keyboard_controller().mouse().buttons(step.buttons, now); return true;
    case StepKind::type:
    case StepKind::press:
      if (!begun_ && step.kind == StepKind::type)
        typist_.type(step.text, now);
      else if (!begun_)
        typist_.press(step.keys, step.time, now);
      if (!begun_) typist_.advance(machine, now);
      begun_ = true;
      return !typist_.busy();
    case StepKind::grab_screen: host.grab_screen(step.text, ++grabs_); return true;
    case StepKind::insert_diskette:
    case StepKind::eject_diskette:
    case StepKind::insert_cd:
    case StepKind::eject_cd: return true;
    case StepKind::reset: host.reset(); return true;
    case StepKind::pull_cable: plug_cable(host.lab, step.text, false); return true;
    case StepKind::plug_cable: plug_cable(host.lab, step.text, true); return true;
    case StepKind::remove_station: remove_station(host.lab, step.text); return true;
    case StepKind::insert_station: insert_station(host.lab, step.text); return true;
    case StepKind::repeat:
    case StepKind::end_repeat: return true;
    case StepKind::describe: host.describe(step.text); return true;
    case StepKind::pause: host.pause(); return true;
    case StepKind::snapshot:
      finish_step(now);  // first, so that a restored run does not repeat it
      host.snapshot(step.text);
      return true;
    case StepKind::power_off:
      powered_off_ = true;
      steps_.resize(next_ + 1);
      return true;
  }
  return false;
}

// The guest may have locked the tray of the CD-ROM drive, and an image file may have been removed since the run began.
bool Scenario::try_drives(ScenarioHost& host) {
  const Step& step = steps_[next_];
  try {
    if (step.kind == StepKind::insert_diskette) host.insert_diskette(step.drive, step.text);
    if (step.kind == StepKind::eject_diskette) host.eject_diskette(step.drive);
    if (step.kind == StepKind::insert_cd) host.insert_cd(step.text);
    if (step.kind == StepKind::eject_cd) host.eject_cd(step.force);
    return true;
  } catch (const Error& e) {
    failure_ = Failure{fmt::format("{}: step '{}': {}", step.origin, step.source, e.what()),
                       e.code() == ExitCode::missing_file ? e.code() : ExitCode::scenario_failed};
    return false;
  }
}

bool Scenario::stands_still(ScenarioHost& host, Time now) {
  Machine& machine = host.lab.machine();
  auto lines = machine.video().text_lines();
  if (lines.empty()) {  // a graphics mode: compare the picture, unless it has only one colour
    const auto picture = machine.video().picture(now);
    const auto& rgb = picture.rgb;
    if (rgb.size() > 3 && !std::equal(rgb.begin() + 3, rgb.end(), rgb.begin())) lines.push_back(sha256_hex(rgb));
  }
  const bool blank = std::all_of(lines.begin(), lines.end(), [](const auto& line) { return line.empty(); });
  if (blank || lines != seen_ || machine.diskette().motor_on()) {
    seen_ = std::move(lines);
    seen_since_ = now;
    return false;
  }
  return now - seen_since_ >= steps_[next_].time;
}

void Scenario::fail(const std::string& problem, ExitCode code) {
  const Step& step = steps_[next_];
  failure_ = Failure{fmt::format("{}: step '{}' {}", step.origin, step.source, problem), code};
  if (code == ExitCode::virtual_timeout && (step.kind == StepKind::type || step.kind == StepKind::press))
    failure_->message = fmt::format("{}: the machine did not read the keys of step '{}' within {:.6g} virtual seconds",
                                    step.origin, step.source, step.limit.seconds());
}

void Scenario::abandon() {
  steps_.resize(next_);
  typist_.stop(look_);
}

void Scenario::archive(Archive& a) {
  a.section("scenario", 1);
  // Steps are saved as text.
  std::vector<std::string> sources, origins;
  std::vector<Time> limits;
  for (const auto& step : steps_) {
    sources.push_back(step.source);
    origins.push_back(step.origin);
    limits.push_back(step.limit);
  }
  a(sources, origins, limits, next_, started_, begun_, look_, typist_, serial_, seen_, seen_since_, halted_since_,
    done_, grabs_, powered_off_);
  if (!a.loading()) return;
  if (origins.size() != sources.size() || limits.size() != sources.size())
    throw Error("snapshot: broken list of steps", ExitCode::missing_file);
  steps_.clear();
  for (std::size_t n = 0; n < sources.size(); ++n) {
    auto read = parse_steps(sources[n], origins[n], limits[n]);
    if (read.size() != 1) throw Error("snapshot: broken list of steps", ExitCode::missing_file);
    steps_.push_back(std::move(read.front()));
    steps_.back().origin = origins[n];
  }
  if (next_ > steps_.size()) throw Error("snapshot: broken list of steps", ExitCode::missing_file);
}

}  // namespace planar
