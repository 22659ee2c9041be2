// SPDX-License-Identifier: GPL-2.0-or-later
// Keys for Dear ImGui, which up to version 1.88 reads a table of the host's key codes and from 1.89 on receives events.
#pragma once

#include <imgui.h>

namespace planar::gui_keys {

/// Sets up the keys of the current ImGui context. To be called before its first frame.
void name_keys();

/// Makes the key with SDL's scan code `code` down or up from the next frame on. Keys without a name in ImGui, which are
/// most, are ignored.
void set(int code, bool down);

void set_modifiers(bool shift, bool ctrl, bool alt);

/// Releases all keys, as when another window takes the keyboard.
void release_all();

/// Whether Escape was pressed in this frame.
bool escape_pressed();

}  // namespace planar::gui_keys
