// SPDX-License-Identifier: GPL-2.0-or-later
// Commands that move virtual time, in either direction.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/common/error.hpp"
#include "frontend/debug/command_parts.hpp"
#include "machines/config/units.hpp"

namespace planar::debug_commands {

namespace {

constexpr std::uint32_t most_steps = 1'000'000;

Result resume() { return {"", DebugCommands::Then::resume}; }

Result step(Debugger& d, const Arguments& a) {
  Stop stop;
  for (std::uint32_t n = a.empty() ? 1 : parse_count(a[0], most_steps); n > 0; --n)
    if (stop = d.step(false); stop.why != Stop::Why::stepped) break;
  return {DebugCommands::describe_stop(d, stop)};
}

Result go_on(Debugger&, const Arguments&) { return resume(); }

Result next_frame(Debugger& d, const Arguments& a) {
  Breakpoint b;
  b.kind = BreakKind::frame;
  b.once = true;
  b.text = "the next frame";
  if (!a.empty()) b.sender = a[0];
  check_sender(d, b.sender);
  d.add(std::move(b));
  return resume();
}

Result until(Debugger& d, const Arguments& a) {
  const auto text = fmt::format("{}", fmt::join(a, " "));
  const auto at = parse_time(text);
  if (!at || *at <= d.lab().scheduler().now())
    throw Error(fmt::format("until {}: write a virtual time that is ahead, for example until 2.5 s", text));
  Breakpoint b;
  b.kind = BreakKind::time;
  b.once = true;
  b.at = *at;
  b.text = "until";
  d.add(std::move(b));
  return resume();
}

Result back_step(Debugger& d, const Arguments& a) {
  const Stop stop = d.reverse_step(a.empty() ? 1 : parse_count(a[0], most_steps));
  return {DebugCommands::describe_stop(d, stop)};
}

Result back(Debugger& d, const Arguments&) { return {DebugCommands::describe_stop(d, d.reverse_continue())}; }

Result quit(Debugger&, const Arguments&) { return {"", DebugCommands::Then::quit}; }

constexpr Command run_command_table[] = {
    {"step s", "[N]", "execute instructions", step, true},
    {"continue c", "", "run to the next breakpoint, or the end", go_on, true},
    {"frame f", "[SENDER]", "run until a frame has left its sender", next_frame, true},
    {"until", "TIME", "run to a virtual time", until, true},
    {"reverse-step rs", "[N]", "back by instructions", back_step, true},
    {"reverse-continue rc", "", "back to the latest breakpoint that was passed", back, true},
    {"quit q", "", "end the run", quit, true},
};

}  // namespace

std::span<const Command> run_commands() { return run_command_table; }

}  // namespace planar::debug_commands
