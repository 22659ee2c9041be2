// SPDX-License-Identifier: GPL-2.0-or-later
// How sizes and the parts of a frame's time are called in tables and plots.
#pragma once

#include <cstdint>
#include <string>

namespace planar {

/// "4K", and "32K" for netio's 32767.
std::string size_name(std::uint32_t bytes);

/// What a frame time's parts are, in a sentence for readers of a report.
inline constexpr const char* frame_parts_explained =
    "Where a data frame's time goes: bus wait = the processor stands still for a cycle of the channel, CPU copy and "
    "stack = it runs; wire = it is halted while something is on the wire, card = while the wire is silent until an "
    "adapter acts, idle = until another station does (its delayed ACK, or its backoff after collisions); on a ring the "
    "token's way to that station is part of it. Each moment counts once, in this order.";

/// "CPU copy" for a frame time's part "cpu_copy".
std::string frame_part_title(const std::string& name);

}  // namespace planar
