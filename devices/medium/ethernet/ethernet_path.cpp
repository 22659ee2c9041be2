// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/medium/ethernet/ethernet_path.hpp"

namespace planar::net {
namespace {

// Sources and limits: docs/hardware/netio-path.md#the-path. A transceiver is on the card or directly on its AUI
// connector, without a drop cable.
constexpr Time bit = 100_ns;
constexpr Time transmitter_lost = bit, transmitter_steady = 25_ns;
constexpr Time receiver_lost = bit * 4, receiver_steady = 15_ns;
constexpr Time carrier_on = 50_ns, carrier_off = 160_ns;
constexpr Time coax_metre = Time{5'130}, pair_metre = Time{5'700};
constexpr Time repeater_start = bit * 8;

/// Delay of a cable of `metres`, or of a third of `longest` if that is 0.
constexpr Time length(Time metre, unsigned metres, unsigned longest) {
  return metres ? metre * static_cast<std::int64_t>(metres) : Time{metre.ps * longest / 3};
}

/// One link with a transceiver at each end.
constexpr PathDelays link(Time cable) {
  const Time steady = transmitter_steady + cable + receiver_steady;
  return {transmitter_lost + steady + receiver_lost, steady, steady, transmitter_steady + receiver_steady};
}

constexpr PathDelays sensed(PathDelays path) {
  return {path.begins + carrier_on, path.data, path.ends + carrier_off, path.own_ends + carrier_off};
}

}  // namespace

PathDelays path_delays(PathKind kind, Time bare, unsigned metres) {
  if (kind == PathKind::cable) return {bare, bare, bare, Time{}};
  if (kind == PathKind::coax) return sensed(link(length(coax_metre, metres, longest_coax)));
  // A repeater sends complete preambles, so the bits that follow are delayed as long as the first one.
  const PathDelays pair = link(length(pair_metre, metres, longest_pair));
  const Time hub = pair.begins + repeater_start;
  return sensed({hub + pair.begins, hub + pair.data, hub + pair.ends, pair.own_ends});
}

}  // namespace planar::net
