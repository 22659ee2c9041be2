// SPDX-License-Identifier: GPL-2.0-or-later
// The debugger's drive commands: the steps that insert and eject diskettes and CDs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "core/common/error.hpp"
#include "frontend/debug/command_parts.hpp"
#include "frontend/scenario/scenario_steps.hpp"

namespace planar::debug_commands {

namespace {

Result change(Debugger& d, const char* verb, const Arguments& a) {
  const bool of_a_drive = !a.empty() && (a[0] == "diskette" || a[0] == "cd");  // a step may also insert a station
  const auto steps =
      of_a_drive ? parse_steps(fmt::format("{} {}", verb, fmt::join(a, " ")), "command", {}) : std::vector<Step>{};
  if (steps.size() != 1 || !of_drives(steps.front().kind))
    throw Error(fmt::format("{} what? write diskette, diskette b or cd", verb));
  d.change_drive(steps.front());
  return {};
}

Result insert(Debugger& d, const Arguments& a) { return change(d, "insert", a); }
Result eject(Debugger& d, const Arguments& a) { return change(d, "eject", a); }

constexpr Command drive_command_table[] = {
    {"insert", "diskette [b] \"FILE\"|cd \"FILE\"", "put it into drive A, drive B or the CD-ROM drive", insert},
    {"eject", "diskette [b]|cd [by force]", "take it out; by force: although the guest has locked the tray", eject}};

}  // namespace

std::span<const Command> drive_commands() { return drive_command_table; }

}  // namespace planar::debug_commands
