// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/medium/ethernet/ethernet_path.hpp"

namespace planar::net {
namespace {

// Sources and limits: docs/hardware/netio.md#the-path. A transceiver is on the card or sits on its AUI connector
// without a drop cable. Cables are a third as long as allowed, the mean distance of two stations anywhere on them.
constexpr Time bit = 100_ns;
constexpr Time transmitter_lost = bit, transmitter_steady = 25_ns;
constexpr Time receiver_lost = bit * 4, receiver_steady = 15_ns;
constexpr Time carrier_on = 50_ns, carrier_off = 160_ns;
constexpr Time coax_length = Time{185'000 * 513 / 300};  // 185 m / 3 at 5.13 ns/m
constexpr Time pair_length = Time{100'000 * 570 / 300};  // 100 m / 3 at 5.7 ns/m
constexpr Time repeater_start = bit * 8;

/// One link with a transceiver at each end.
constexpr PathDelays link(Time length) {
  const Time steady = transmitter_steady + length + receiver_steady;
  return {transmitter_lost + steady + receiver_lost, steady, steady, transmitter_steady + receiver_steady};
}

constexpr PathDelays sensed(PathDelays path) {
  return {path.begins + carrier_on, path.data, path.ends + carrier_off, path.own_ends + carrier_off};
}

}  // namespace

PathDelays path_delays(PathKind kind, Time bare) {
  if (kind == PathKind::cable) return {bare, bare, bare, Time{}};
  if (kind == PathKind::coax) return sensed(link(coax_length));
  // A repeater sends whole preambles: what follows waits as long as the first bit did.
  const PathDelays pair = link(pair_length);
  const Time hub = pair.begins + repeater_start;
  return sensed({hub + pair.begins, hub + pair.data, hub + pair.ends, pair.own_ends});
}

}  // namespace planar::net
