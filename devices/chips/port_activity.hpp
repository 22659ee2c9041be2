// SPDX-License-Identifier: GPL-2.0-or-later
// What a chip's transmitter is doing while the medium access is its port's.
#pragma once

#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar {

/// For Description::activity(): a frame is being sent, waits for silence, a gap or its backoff, or there is none.
inline const char* port_activity(const net::EthernetPort& port) {
  return port.transmitting() ? "sends" : port.busy() ? "waits for the wire" : "idle";
}

}  // namespace planar
