// SPDX-License-Identifier: GPL-2.0-or-later
// A frame in words: who to whom, which protocol, what it says. For a look; tshark over a capture knows more.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "devices/medium/medium.hpp"

namespace planar {

struct FrameText {
  std::string from, to;            ///< addresses of the highest protocol that is known
  std::string protocol;            ///< "TCP", "ARP", "MAC"
  std::string info;                ///< one line
  std::vector<std::string> lines;  ///< a line for each protocol in it, the outermost first
};

/// `bytes` as on the medium, with the check sequence. Whatever they are, nothing past their end is read.
FrameText frame_text(net::LinkType link, std::span<const std::uint8_t> bytes);

}  // namespace planar
