// SPDX-License-Identifier: GPL-2.0-or-later
// The window's commands and their keys. Menu, key help and keyboard all use this table.
#pragma once

#include <SDL.h>

#include <cstdint>
#include <optional>
#include <span>

namespace planar {

enum class Command : std::uint8_t {
  hold,
  step,
  full_speed,
  reset,
  ctrl_alt_del,
  change_diskette,
  eject_diskette,
  change_diskette_b,
  eject_diskette_b,
  change_cdrom,
  eject_cdrom,
  force_cdrom,
  save_snapshot,
  load_snapshot,
  rewind,
  save_screen,
  save_picture,
  capture,
  record,
  copy,
  paste,
  sound,
  mouse,
  full_screen,
  menu,
  help,
  quit,
};

struct CommandRow {
  Command command;
  const char* title;
  SDL_Scancode key;  ///< with Ctrl and Alt; SDL_SCANCODE_UNKNOWN: none
  const char* keys;  ///< name of the keys in the menu and the key help
  const char* help;
};

std::span<const CommandRow> window_commands();
const CommandRow& row_of(Command command);

/// The command for a key with the modifiers `mod` (SDL_Keymod); nothing: the key belongs to the machine.
std::optional<Command> command_of(SDL_Scancode key, std::uint16_t mod);
/// Which pane Ctrl-Alt-1 to -8 opens or closes, from 0.
std::optional<unsigned> pane_of(SDL_Scancode key, std::uint16_t mod);

}  // namespace planar
