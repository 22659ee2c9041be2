// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/debug/debugger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace planar {

namespace {
constexpr std::size_t most_breakpoints = 256;
}  // namespace

Debugger::Debugger(DebugTarget& target, DebugClient& client)
    : target_(target),
      client_(client),
      watch_(target.lab().media(), *this),
      time_event_(target.lab().scheduler(), "debugger.time", Priority::observer,
                  Callback::to<&Debugger::time_reached>(this)) {
  for (std::size_t n = 0; n < lab().machines(); ++n)
    watchers_.push_back(std::make_unique<Watcher>(
        lab().machine(n), n, breakpoints_,
        Watcher::Calls{[this, n](const Breakpoint& b, std::uint32_t address, bool written, std::string text) {
                         hit(n, b, address, written, std::move(text));
                       },
                       [this] { poll(); }, [this] { arrived(); }}));
}

Debugger::~Debugger() = default;

unsigned Debugger::add(Breakpoint breakpoint) {
  if (breakpoints_.size() >= most_breakpoints)
    throw Error(fmt::format("there are {} breakpoints already; remove some", most_breakpoints));
  breakpoint.number = next_number_++;
  breakpoints_.push_back(std::move(breakpoint));
  return breakpoints_.back().number;
}

bool Debugger::remove(unsigned number) {
  std::erase_if(stops_, [=](const Stop& s) { return s.why == Stop::Why::breakpoint && s.breakpoint.number == number; });
  return std::erase_if(breakpoints_, [=](const Breakpoint& b) { return b.number == number; }) != 0;
}

void Debugger::remove_all() {
  std::erase_if(stops_, [](const Stop& s) { return s.why == Stop::Why::breakpoint; });
  breakpoints_.clear();
}

// ---- the run --------------------------------------------------------------------------------------------------------

bool Debugger::attend() {
  if (!begun_) {
    begun_ = true;
    if (client_.waits()) interrupt();
  }
  if (!stopped() && client_.poll(*this)) interrupt();
  if (!stopped() && served_ && history_.due(lab().scheduler().now(), false)) keep_checkpoint();
  while (stopped()) {
    const Stop stop = take_stop();
    disarm();
    served_ = true;
    if (history_.due(lab().scheduler().now(), true)) keep_checkpoint();
    if (!client_.stopped(*this, stop)) return false;
    resumed_halted_ = lab().halted_for_good();
    arm();
  }
  return true;
}

bool Debugger::stop_halted() {
  if (!client_.ends_the_run() || resumed_halted_) return false;
  if (stopped()) return true;
  Stop stop;
  stop.why = Stop::Why::halted;
  stop.machine = current_;
  stops_.push_back(std::move(stop));
  return true;
}

void Debugger::interrupt() {
  if (stopped()) return;
  Stop stop;
  stop.machine = current_;
  stops_.push_back(std::move(stop));
}

void Debugger::poll() {
  if (mode_ == Mode::idle || mode_ == Mode::seek || stopped()) return;
  const bool asked = client_.poll(*this), left = mode_ == Mode::search && !served_;
  if (!asked && !left) return;
  interrupt();
  target_.request_stop();
}

void Debugger::hit(std::size_t n, const Breakpoint& b, std::uint32_t address, bool written, std::string text) {
  if (mode_ == Mode::idle || mode_ == Mode::seek) return;
  Stop stop;
  stop.why = Stop::Why::breakpoint;
  stop.machine = n;
  stop.breakpoint = b;
  stop.address = address;
  stop.written = written;
  stop.text = std::move(text);
  if (mode_ == Mode::search) {
    const Position& at = watchers_[current_]->before_instruction();
    if (at < search_end_ && !b.once) found_.emplace(at, std::move(stop));
    return;
  }
  if (std::any_of(stops_.begin(), stops_.end(), [n](const Stop& s) { return s.machine == n; })) return;
  if (b.kind == BreakKind::execute) watchers_[n]->leave();  // it is reported once, whichever machine continues
  stops_.push_back(std::move(stop));
  target_.request_stop();
}

void Debugger::observe(const net::WireRecord& record) {
  if (on_the_wire_ > 0) --on_the_wire_;
  for (const Breakpoint& b : breakpoints_)
    if (b.kind == BreakKind::frame && record.sender.find(b.sender) != std::string_view::npos)
      return hit(current_, b, 0, false,
                 fmt::format("{} has sent {} bytes{}", record.sender, record.bytes.size(),
                             record.good()                             ? ""
                             : record.damage == net::Damage::collision ? ", a collision"
                                                                       : ", damaged"));
}

void Debugger::time_reached(Time now) {
  for (const Breakpoint& b : breakpoints_)
    if (b.kind == BreakKind::time && b.at == now) hit(current_, b, 0, false, "the time is reached");
  set_alarm(now);
}

void Debugger::set_alarm(Time now) {
  Time next = Time::never();
  for (const Breakpoint& b : breakpoints_)
    if (b.kind == BreakKind::time && b.at > now) next = std::min(next, b.at);
  time_event_.at(next);
}

// What happens in other machines until a machine has completed its instruction is earlier than the end of that.
Stop Debugger::take_stop() {
  const auto complete = [this](const Stop& s) {
    return lab().scheduler().between_instructions(lab().machine(s.machine).cpu());
  };
  auto first = std::find_if(stops_.begin(), stops_.end(), complete);
  while (first == stops_.end()) {
    target_.step(stops_.front().machine);
    first = std::find_if(stops_.begin(), stops_.end(), complete);
  }
  Stop stop = std::move(*first);
  stops_.erase(first);
  if (stop.why == Stop::Why::breakpoint) {
    current_ = stop.machine;
    for (Breakpoint& b : breakpoints_)
      if (b.number == stop.breakpoint.number) ++b.hits;
  }
  std::erase_if(breakpoints_, [](const Breakpoint& b) { return b.once; });
  return stop;
}

void Debugger::follow(bool all) {
  const bool needed = all || std::any_of(breakpoints_.begin(), breakpoints_.end(), [](const Breakpoint& b) {
                        return b.kind != BreakKind::frame && b.kind != BreakKind::time;
                      });
  for (auto& watcher : watchers_) watcher->attach(needed);
}

void Debugger::arm() {
  if (history_.empty()) keep_checkpoint();
  follow(false);
  for (auto& watcher : watchers_) watcher->arrive_at({});
  watchers_[current_]->leave();
  mode_ = Mode::run;
  set_alarm(lab().scheduler().now());
}

void Debugger::disarm() {
  mode_ = Mode::idle;
  time_event_.cancel();
  for (auto& watcher : watchers_) watcher->attach(false);
}

// ---- forwards -------------------------------------------------------------------------------------------------------

Stop Debugger::step(bool over_interrupts) {
  Stop stop;
  stop.machine = current_;
  if (machine().halted_for_good()) {  // there is no next instruction
    stop.why = Stop::Why::halted;
    return stop;
  }
  const auto before = machine().cpu().registers();
  const auto returned = [&] {
    const auto r = machine().cpu().registers();
    return r.eip == before.eip && r.segment[1].base == before.segment[1].base && r.gpr[4] == before.gpr[4] &&
           r.segment[2].base == before.segment[2].base && r.cpl == before.cpl;
  };
  const Watcher& watcher = *watchers_[current_];
  arm();
  follow(true);
  bool stepped = target_.step(current_);
  while (over_interrupts && stepped && !stopped() && !watcher.executed()) {
    // An interrupt was delivered. Its handler returns to this instruction.
    while (stepped && !stopped() && !returned()) stepped = target_.step(current_);
    if (stepped && !stopped()) stepped = target_.step(current_);
  }
  if (stopped())
    stop = take_stop();
  else if (stepped)
    stop.why = Stop::Why::stepped;
  disarm();
  return stop;
}

Stop Debugger::step_range(std::uint32_t first, std::uint32_t end) {
  for (unsigned n = 1;; ++n) {
    Stop stop = step(true);
    const std::uint32_t at = machine().cpu().instruction_address();
    if (stop.why != Stop::Why::stepped || at < first || at >= end) return stop;
    if (n % 256 == 0 && client_.poll(*this)) {
      stop.why = Stop::Why::asked;
      return stop;
    }
    for (const Breakpoint& b : breakpoints_)
      if (b.kind == BreakKind::execute && at >= b.first && at <= b.last) {
        stop.why = Stop::Why::breakpoint;
        stop.breakpoint = b;
        stop.address = at;
        return stop;
      }
  }
}

void Debugger::changed() {
  target_.diverge();
  history_.clear();  // the next resumption begins a new one
}

void Debugger::change_drive(const Step& step) {
  target_.change_drive(step, current_);
  changed();
}

}  // namespace planar
