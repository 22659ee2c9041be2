// SPDX-License-Identifier: GPL-2.0-or-later
// The steps that automate a session, one per line; '#' starts a comment:
//
//   wait screen "A:\\>" within 90 s     until a line of the text screen contains TEXT
//   wait prompt "login:" within 90 s    until TEXT is directly before the cursor
//   wait serial "# "                    until TEXT was sent on COM1, after the text that the last such step found
//   wait still 3 s                      until a text screen has not changed for this time and the diskette drive is off
//   wait 500 ms
//   wait until 12.5 s                   until this virtual time
//   type "dir\n"                        \n enter, \t tab, \b backspace, \e escape, \" \\ and \xHH
//   press ctrl-alt-del                  keys held together; with `for 2 s` held for that time
//   key KEY down|up                     one key goes down or up; recorded sessions consist of these
//   mouse move X Y                      relative, Y upwards
//   mouse buttons left|right|middle...  the buttons pressed from now on; none
//   grab screen ["FILE"]                to FILE, a name alone being one in the result folder: as text, or as a picture
//                                       if it ends in .png; without FILE both, as screen-1.txt and .png,
//                                       screen-2.txt...
//   describe [DEVICE]                   prints the registers and state of a device (pic, slot1, ne2...), or of all
//   insert diskette [b] "FILE[,mode=MODE]"  into drive A, or B, replacing the present one (modes as in --floppy)
//   eject diskette [b]                  out of drive A, or B
//   insert cd "FILE"                    into the first CD-ROM drive, unless the guest has locked its tray
//   eject cd [by force]                 by the drive's button, which does nothing while the guest has locked the tray;
//                                       by force: as with a paper clip
//   reset                               as by the power switch; memory keeps its contents
//   pull cable STATION                  of a network adapter, the peer, a bridge: part of its name in captures that no
//   plug cable STATION                  other station has (machines/lab/stations.hpp): ne2, client, peer
//   remove station STATION              from its ring, as a network manager does; an adapter's driver is told
//   insert station STATION              back onto its ring, with all phases; not an adapter, whose driver does that
//   snapshot "FILE"
//   power off
//   pause                               with --window: virtual time stops until the user continues it
//   repeat 300 times                    repeats the steps up to `end repeat`; not nested
//   end repeat
//
// Times are virtual, at most 1000000 s. `within` may follow every step that waits for the machine: screen, prompt,
// serial, still, type and press.
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
  wait_until,
  type,
  press,
  key,
  mouse_move,
  mouse_buttons,
  grab_screen,
  insert_diskette,
  eject_diskette,
  insert_cd,
  eject_cd,
  reset,
  describe,
  pull_cable,
  plug_cable,
  remove_station,
  insert_station,
  snapshot,
  power_off,
  repeat,  // unroll_steps() removes these two
  end_repeat,
  pause
};

struct Step {
  StepKind kind = StepKind::power_off;
  std::string text;                 ///< text to wait for or to type, file name, device, or station
  unsigned times = 0;               ///< repeat: number of times
  unsigned drive = 0;               ///< diskette drive: 0 A, 1 B
  bool force = false;               ///< eject cd: by force
  std::vector<std::uint16_t> keys;  ///< press and key
  bool down = false;                ///< key: down, not up
  int x = 0, y = 0;                 ///< mouse move
  std::uint8_t buttons = 0;         ///< mouse buttons: bit 0 left, 1 right, 2 middle
  Time time{};                      ///< duration (wait, wait still, press) or point in time (wait until)
  Time limit{};                     ///< virtual time limit of the step
  std::string source;               ///< as written, without the comment
  std::string origin;               ///< "FILE:line", or the option that gave the step
  std::string file{};               ///< the file of steps that it was read from; empty: none
};

/// True for a step that inserts or ejects a diskette or a CD.
constexpr bool of_drives(StepKind kind) {
  return kind == StepKind::insert_diskette || kind == StepKind::eject_diskette || kind == StepKind::insert_cd ||
         kind == StepKind::eject_cd;
}

/// The first words of all steps.
const std::vector<std::string>& step_words();

/// Parses steps, one per line. `name` denotes the file in errors ("name:line:column: problem; remedy"); `limit` is the
/// time limit of a step without `within`. Throws Error.
std::vector<Step> parse_steps(std::string_view text, const std::string& name, Time limit);

/// An element of `--do` or of the list scenario.steps: a step, or the name of a file of steps. `origin` is used in
/// errors. Throws Error (exit 3 for a file that cannot be read).
std::vector<Step> read_steps(const std::string& step_or_file, const std::string& origin, Time limit);

/// `steps` with the loops between `repeat` and `end repeat` unrolled. Throws Error for an unpaired `repeat` or `end
/// repeat`, and for more than 1000000 steps.
std::vector<Step> unroll_steps(std::vector<Step> steps);

/// The steps of `--type TEXT`: wait until the screen is unchanged, then type.
std::vector<Step> typing_steps(const std::string& text, Time limit);

}  // namespace planar
