// SPDX-License-Identifier: GPL-2.0-or-later
// Records what a user does at a machine as steps (scenario_steps.hpp) that repeat it at the same virtual times: played
// back on the same machine, they lead to the same state.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "core/time/time.hpp"

namespace planar {

class StepWriter {
 public:
  /// `heading`: lines for people at the head of the file. Throws Error (exit 3) naming `option` (or only the file) if
  /// the file cannot be written.
  StepWriter(const std::string& file, const std::string& option, std::string_view heading);

  const std::string& file() const { return name_; }
  /// A key by its code (Ps2Keyboard::key()); keys without a name are left out.
  void key(std::uint16_t code, bool pressed, Time now);
  void mouse_moved(int x, int y, Time now);
  /// Bit 0 left, 1 right, 2 middle.
  void mouse_buttons(std::uint8_t pressed, Time now);
  void type(std::string_view text, Time now);
  /// The rest of the text was not typed after all: noted in a comment, as there is no step for it.
  void typing_stopped(Time now);
  /// `name` as passed to --floppy.
  void insert_diskette(unsigned drive, std::string_view name, Time now);
  void eject_diskette(unsigned drive, Time now);
  void insert_cd(std::string_view file, Time now);
  void eject_cd(bool by_force, Time now);
  void reset(Time now);
  /// Writes the last line: playback continues until `now`.
  void end(Time now);
  /// Throws Error (exit 3) if the file could not be written completely.
  void check() const;

 private:
  void step(std::string_view text, Time now);

  std::string name_;
  std::shared_ptr<std::FILE> file_;
  Time written_{};  // virtual time up to which steps have been written
};

}  // namespace planar
