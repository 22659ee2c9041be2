// SPDX-License-Identifier: GPL-2.0-or-later
// What a person does in front of the machine, as sentences; one step a line, '#' begins a comment:
//
//   wait screen "A:\\>" within 90 s     until a line of the text screen holds TEXT
//   wait prompt "login:" within 90 s    until TEXT stands directly before the cursor
//   wait serial "# "                    until COM1 has said TEXT, behind what the last such step found
//   wait still 3 s                      until a text screen has not changed for so long, and the diskette drive is off
//   wait 500 ms
//   type "dir\n"                        \n enter, \t tab, \b backspace, \e escape, \" \\ and \xHH
//   press ctrl-alt-del                  keys held together; with `for 2 s` held so long
//   grab screen ["FILE"]                into FILE: as text, or if it ends in .png the picture; without FILE both, as
//                                       screen-1.txt and .png, screen-2.txt... in the result folder
//   insert diskette "FILE[,mode=MODE]"  into drive A, in place of the one there (modes as of --floppy)
//   snapshot "FILE"
//   power off
//
// Times are virtual, 1000000 s at most. `within` may follow every step that waits for the machine: the three texts,
// still, type and press.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/time/time.hpp"

namespace planar {

enum class StepKind : std::uint8_t {
  wait_screen,
  wait_prompt,
  wait_serial,
  wait_still,
  wait_time,
  type,
  press,
  grab_screen,
  insert_diskette,
  snapshot,
  power_off
};

struct Step {
  StepKind kind = StepKind::power_off;
  std::string text;                 ///< to wait for or to type; a file
  std::vector<std::uint16_t> keys;  ///< of press
  Time time{};                      ///< of wait and wait still; how long keys are held
  Time limit{};                     ///< virtual time that the step may take
  std::string source;               ///< as written, without comment
  std::string origin;               ///< "FILE:line" or the option
};

/// Reads steps, one a line. `name` stands for the file in errors ("name:line:column: problem; remedy"); `limit` is what
/// a step without `within` may take. Throws Error.
std::vector<Step> parse_steps(std::string_view text, const std::string& name, Time limit);

/// What `--do` and the list scenario.steps hold: a step, or the name of a file of steps. `origin` names the place in
/// errors. Throws Error (exit 3 for a file that cannot be read).
std::vector<Step> read_steps(const std::string& step_or_file, const std::string& origin, Time limit);

/// The steps of `--type TEXT`: wait until the screen stands still, then type.
std::vector<Step> typing_steps(const std::string& text, Time limit);

}  // namespace planar
