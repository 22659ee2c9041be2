// SPDX-License-Identifier: GPL-2.0-or-later
// Drawing helpers shared by several panes.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/state/description.hpp"

namespace planar::widgets {

// Colours of the inspector. Text is light on dark.
inline constexpr ImU32 accent = IM_COL32(255, 190, 90, 255), good = IM_COL32(120, 210, 130, 255),
                       bad = IM_COL32(240, 100, 90, 255), quiet = IM_COL32(140, 145, 155, 255),
                       blue = IM_COL32(90, 150, 230, 255), track = IM_COL32(45, 50, 58, 255),
                       line = IM_COL32(75, 80, 90, 255);

/// Converts pixels at a scale of 1 to the window's scale.
float px(float pixels);
inline int px(int pixels) { return static_cast<int>(px(static_cast<float>(pixels)) + 0.5F); }

void text(std::string_view text);
void coloured(ImU32 colour, std::string_view text);
void heading(std::string_view text);

/// Places the next text, of about the length of `next`, beside the previous one at a distance of `gap` pixels (at a
/// scale of 1), or below it if it would be cut off.
void next_in_line(float gap, std::string_view next);
/// How many characters fit into a line.
int characters_that_fit();

/// A value as printed by the debugger ("3Fh", "yes"); times with their unit.
std::string field_text(const Field& field);
/// Shows the fields of `d`, but not its parts, in as many columns as fit.
void fields(const Description& d);
/// The same, followed by its parts under collapsible headings.
void device(const Description& d);

}  // namespace planar::widgets
