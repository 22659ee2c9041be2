// SPDX-License-Identifier: GPL-2.0-or-later
// Names of sizes and of the parts of a frame's time in tables and plots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace planar {

/// "1 run", "2 runs".
std::string counted(std::size_t number, std::string_view one);

/// "4K", and "32K" for netio's 32767.
std::string size_name(std::uint32_t bytes);

/// Explains the parts of a frame's time to readers of a report.
inline constexpr const char* frame_parts_explained =
    "Where a data frame's time goes: the time from one full-size frame to the next, shorter frames between them "
    "included. Bus wait: the processor waits for a cycle on the bus. CPU copy and stack: it "
    "executes. Wire: it is halted while something is on the wire. Card: it is halted and the wire is silent until an "
    "adapter acts. Idle: until another station acts (a delayed ACK, the backoff after a collision; on a ring, also "
    "until the token reaches that station). Where parts overlap, the first one listed counts.";

/// "CPU copy" for "cpu_copy", a part of a frame's time.
std::string frame_part_title(const std::string& name);

}  // namespace planar
