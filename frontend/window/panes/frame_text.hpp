// SPDX-License-Identifier: GPL-2.0-or-later
// A frame as text: addresses, protocol, contents. Meant as an overview; tshark decodes more of a capture.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "devices/medium/medium.hpp"

namespace planar {

struct FrameText {
  std::string from, to;            ///< addresses of the highest known protocol layer
  std::string protocol;            ///< "TCP", "ARP", "MAC"
  std::string info;                ///< one line
  std::vector<std::string> lines;  ///< one line per protocol in it, outermost first
};

/// `bytes` as on the medium, including the FCS. Arbitrary content is safe: nothing past the end is read.
FrameText frame_text(net::LinkType link, std::span<const std::uint8_t> bytes);

}  // namespace planar
