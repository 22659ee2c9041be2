// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/window/gui/commands.hpp"

#include <algorithm>

namespace planar {

namespace {

constexpr unsigned panes = 8;

constexpr CommandRow rows[] = {
    {Command::hold, "Pause", SDL_SCANCODE_P, "Ctrl-Alt-P", "stops or resumes virtual time"},
    {Command::step, "Step", SDL_SCANCODE_N, "Ctrl-Alt-N", "one instruction, then pause"},
    {Command::full_speed, "Full speed", SDL_SCANCODE_F, "Ctrl-Alt-F", "as fast as the host can, or real time"},
    {Command::reset, "Reset", SDL_SCANCODE_BACKSPACE, "Ctrl-Alt-Backspace", "as by the power switch"},
    {Command::ctrl_alt_del, "Ctrl-Alt-Del", SDL_SCANCODE_DELETE, "Ctrl-Alt-Del", "these keys, to the machine"},
    {Command::change_diskette, "Change diskette...", SDL_SCANCODE_D, "Ctrl-Alt-D", "in drive A; or drop its file here"},
    {Command::eject_diskette, "Eject diskette", SDL_SCANCODE_J, "Ctrl-Alt-J", "out of drive A"},
    {Command::change_diskette_b, "Change diskette in B...", SDL_SCANCODE_B, "Ctrl-Alt-B", "in drive B (--floppy-b)"},
    {Command::eject_diskette_b, "Eject diskette from B", SDL_SCANCODE_U, "Ctrl-Alt-U", "out of drive B"},
    {Command::change_cdrom, "Change CD...", SDL_SCANCODE_C, "Ctrl-Alt-C", "or drop its file (.iso) here"},
    {Command::eject_cdrom, "Eject CD", SDL_SCANCODE_O, "Ctrl-Alt-O",
     "by the drive's button; not if the guest locks it"},
    {Command::force_cdrom, "Eject CD by force", SDL_SCANCODE_UNKNOWN, "",
     "with a paper clip: although the guest has locked the tray"},
    {Command::save_snapshot, "Save snapshot", SDL_SCANCODE_S, "Ctrl-Alt-S", "into the result folder"},
    {Command::load_snapshot, "Load snapshot...", SDL_SCANCODE_L, "Ctrl-Alt-L",
     "of this machine; or drop its file here"},
    {Command::rewind, "Rewind to last snapshot", SDL_SCANCODE_R, "Ctrl-Alt-R", "that was saved or loaded"},
    {Command::save_screen, "Screenshot", SDL_SCANCODE_T, "Ctrl-Alt-T", "the machine's picture as PNG, in its own size"},
    {Command::save_picture, "Picture of the window", SDL_SCANCODE_W, "Ctrl-Alt-W", "with its panes, as PNG"},
    {Command::capture, "Capture", SDL_SCANCODE_E, "Ctrl-Alt-E", "frames into a pcapng file; or stops"},
    {Command::record, "Record steps", SDL_SCANCODE_K, "Ctrl-Alt-K", "your actions, for playback; or stops"},
    {Command::copy, "Copy the screen's text", SDL_SCANCODE_X, "Ctrl-Alt-X", "to the clipboard"},
    {Command::paste, "Paste text", SDL_SCANCODE_V, "Ctrl-Alt-V", "types the clipboard's text; or stops"},
    {Command::sound, "Sound", SDL_SCANCODE_A, "Ctrl-Alt-A", "the machine's speaker, on or off"},
    {Command::mouse, "Mouse to the machine", SDL_SCANCODE_G, "Ctrl-Alt-G", "and back; a click on the screen, too"},
    {Command::full_screen, "Full screen", SDL_SCANCODE_UNKNOWN, "F11, Alt-Enter", "and back"},
    {Command::menu, "Menu and status bar", SDL_SCANCODE_M, "Ctrl-Alt-M", "shown or hidden"},
    {Command::help, "Keys", SDL_SCANCODE_H, "Ctrl-Alt-H", "this list"},
    {Command::quit, "Quit", SDL_SCANCODE_Q, "Ctrl-Alt-Q", "ends the run"},
};

bool host_keys(std::uint16_t mod) { return (mod & KMOD_CTRL) && (mod & KMOD_ALT); }

}  // namespace

std::span<const CommandRow> window_commands() { return rows; }

const CommandRow& row_of(Command command) {
  return *std::find_if(std::begin(rows), std::end(rows), [=](const CommandRow& r) { return r.command == command; });
}

std::optional<Command> command_of(SDL_Scancode key, std::uint16_t mod) {
  if (key == SDL_SCANCODE_F11) return Command::full_screen;
  if (key == SDL_SCANCODE_RETURN && (mod & KMOD_ALT) && !(mod & KMOD_CTRL)) return Command::full_screen;
  // The machine receives Ctrl-Alt-Del itself, key by key.
  if (!host_keys(mod) || key == SDL_SCANCODE_DELETE) return {};
  for (const CommandRow& row : rows)
    if (row.key == key && key != SDL_SCANCODE_UNKNOWN) return row.command;
  return {};
}

std::optional<unsigned> pane_of(SDL_Scancode key, std::uint16_t mod) {
  if (!host_keys(mod) || key < SDL_SCANCODE_1 || key >= SDL_SCANCODE_1 + static_cast<int>(panes)) return {};
  return static_cast<unsigned>(key - SDL_SCANCODE_1);
}

}  // namespace planar
