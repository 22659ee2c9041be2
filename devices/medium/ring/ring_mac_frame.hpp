// SPDX-License-Identifier: GPL-2.0-or-later
// MAC frames, exchanged by the ring stations themselves: a vector of subvectors
// (docs/hardware/token-ring.md#mac-frames).
//
//   AC FC DA SA | length 2 | class 1 | vector 1 | { length 1, subvector 1, value }...
//
// The class byte holds the function of the destination in its high nibble, that of the source in its low nibble.
#pragma once

#include <optional>
#include <vector>

#include "devices/medium/ring/ring_frame.hpp"

namespace planar::net {

/// Major vector identifiers.
enum class MacVector : std::uint8_t {
  response = 0x00,
  beacon = 0x02,
  claim_token = 0x03,
  ring_purge = 0x04,
  active_monitor_present = 0x05,
  standby_monitor_present = 0x06,
  duplicate_address_test = 0x07,
  remove_ring_station = 0x0B,
  change_parameters = 0x0C,
  initialize_ring_station = 0x0D,
  request_address = 0x0E,
  request_state = 0x0F,
  request_attachments = 0x10,
  request_initialization = 0x20,
  report_address = 0x22,
  report_state = 0x23,
  report_attachments = 0x24,
  report_new_monitor = 0x25,
  report_neighbour_change = 0x26,
  report_poll_failure = 0x27,
  report_error = 0x29,
};

/// Subvector identifiers.
namespace mac_subvector {
inline constexpr std::uint8_t beacon_type = 0x01, upstream_neighbour = 0x02, ring_number = 0x03,
                              assign_physical_drop = 0x04, error_timer = 0x05, function_classes = 0x06,
                              access_priority = 0x07, correlator = 0x09, last_neighbour = 0x0A, physical_drop = 0x0B,
                              response_code = 0x20, address_modifier = 0x21, product = 0x22, microcode = 0x23,
                              station_identifier = 0x28, station_status = 0x29, group = 0x2B, functional = 0x2C,
                              isolating_errors = 0x2D, other_errors = 0x2E;
}

/// Functions of stations, in the class byte.
namespace mac_class {
inline constexpr std::uint8_t station = 0, manager = 1, report_server = 4, parameter_server = 5, error_monitor = 6;
}

/// Functional addresses of the ring's servers.
inline constexpr MacAddress ring_parameter_server{0xC0, 0, 0, 0, 0, 0x02}, ring_error_monitor{0xC0, 0, 0, 0, 0, 0x08},
    ring_report_server{0xC0, 0, 0, 0, 0, 0x10};

/// Makes a MAC frame, AC to the end of its subvectors.
class MacFrameBuilder {
 public:
  /// `control` is the low nibble of FC (1 is the express buffer; beacon and the vectors after it have values of their
  /// own).
  MacFrameBuilder(std::uint8_t control, const MacAddress& to, const MacAddress& from, MacVector vector,
                  std::uint8_t to_class = mac_class::station, std::uint8_t from_class = mac_class::station);
  MacFrameBuilder& add(std::uint8_t subvector, std::span<const std::uint8_t> value);
  MacFrameBuilder& add16(std::uint8_t subvector, unsigned value);
  MacFrameBuilder& add32(std::uint8_t subvector, std::uint32_t value);
  std::vector<std::uint8_t> done() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// A parsed MAC frame; its views refer to the frame.
struct MacFrameView {
  std::span<const std::uint8_t> source;  ///< address
  std::uint8_t classes = 0;
  MacVector vector{};
  std::span<const std::uint8_t> subvectors;
  /// Value of a subvector that has at least `bytes` bytes, or nothing.
  std::optional<std::span<const std::uint8_t>> find(std::uint8_t subvector, std::size_t bytes) const;
};

/// Empty if the frame's lengths are inconsistent. `frame` has no FCS; routing information is skipped.
std::optional<MacFrameView> parse_mac_frame(std::span<const std::uint8_t> frame);

}  // namespace planar::net
