// SPDX-License-Identifier: GPL-2.0-or-later
// The keys as Dear ImGui knows them. Up to 1.88 it reads a table of the host's codes, from 1.89 on it is sent events.
#pragma once

#include <imgui.h>

namespace planar::gui_keys {

/// Names the keys of the current ImGui context; before its first frame.
void name_keys();

/// The key with SDL's scan code `code` is down or up from the next frame on. ImGui has no name for most: they do
/// nothing.
void set(int code, bool down);

void set_modifiers(bool shift, bool ctrl, bool alt);

/// All keys are up, as when another window takes the keyboard.
void release_all();

/// Whether Escape went down with this frame.
bool escape_pressed();

}  // namespace planar::gui_keys
