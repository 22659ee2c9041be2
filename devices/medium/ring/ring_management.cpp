// SPDX-License-Identifier: GPL-2.0-or-later
// Requests from the ring's servers, and reports to them.
#include <algorithm>

#include "devices/medium/ring/ring.hpp"

#include "core/common/error.hpp"

namespace planar::net {
namespace {

/// Response codes (Linux smctr.h).
constexpr unsigned positive = 0x0001, unknown_vector = 0x8003, missing_subvector = 0x8007;

void count_in(std::uint8_t& counter) {
  if (counter < 255) ++counter;
}

}  // namespace

void RingProtocol::heard(std::span<const std::uint8_t> frame, std::uint8_t status, Time now) {
  const auto view = parse_mac_frame(frame);
  if (!view) return;
  switch (view->vector) {
    case MacVector::active_monitor_present:
    case MacVector::standby_monitor_present: heard_poll(*view, status, now); break;
    case MacVector::ring_purge:
      stand_by();
      poll_.cancel();
      watch_.at(now + ring_timer::standby_monitor);
      monitor_seen(now);
      break;
    case MacVector::claim_token: heard_claim(*view, now); break;
    case MacVector::beacon: heard_beacon(*view, now); break;
    case MacVector::duplicate_address_test: break;
    default:
      if (view->classes >> 4 == mac_class::station && view->vector != MacVector::response) serve(*view, now);
      break;
  }
}

void RingProtocol::serve(const MacFrameView& frame, Time now) {
  switch (frame.vector) {
    case MacVector::remove_ring_station: port_.remove_by_server(now); break;
    case MacVector::change_parameters:
    case MacVector::initialize_ring_station:
      if (!change_parameters(frame, now)) break;
      respond(frame, positive, now);
      if (phase_ == Phase::parameters) port_.joined(now);
      break;
    case MacVector::request_address:
    case MacVector::request_state:
    case MacVector::request_attachments: report(frame, now); break;
    default: respond(frame, unknown_vector, now); break;
  }
}

bool RingProtocol::change_parameters(const MacFrameView& frame, Time now) {
  if (!frame.find(mac_subvector::correlator, 2)) {
    respond(frame, missing_subvector, now);
    return false;
  }
  if (const auto drop = frame.find(mac_subvector::assign_physical_drop, 4))
    physical_drop_ = static_cast<std::uint32_t>(big_endian(drop->first(4)));
  if (const auto units = frame.find(mac_subvector::error_timer, 2))
    error_timer_ = 10_ms * std::max(std::int64_t{1}, static_cast<std::int64_t>(big_endian(units->first(2))));
  return true;
}

void RingProtocol::respond(const MacFrameView& frame, unsigned code, Time now) {
  MacAddress to;
  std::copy_n(frame.source.begin(), to.size(), to.begin());
  to[0] &= static_cast<std::uint8_t>(~routing_indicator);
  MacFrameBuilder response = build(ring_mac_control::normal, to, MacVector::response, frame.classes & 15);
  // The correlator comes last because Wireshark reads a byte after the code.
  response.add32(mac_subvector::response_code,
                 static_cast<std::uint32_t>(code << 16 | static_cast<unsigned>(frame.classes) << 8 |
                                            static_cast<unsigned>(frame.vector)));
  if (const auto correlator = frame.find(mac_subvector::correlator, 2))
    response.add(mac_subvector::correlator, correlator->first(2));
  send(response, now);
}

void RingProtocol::report(const MacFrameView& request, Time now) {
  MacAddress to;
  std::copy_n(request.source.begin(), to.size(), to.begin());
  to[0] &= static_cast<std::uint8_t>(~routing_indicator);
  const bool address = request.vector == MacVector::request_address, state = request.vector == MacVector::request_state;
  MacFrameBuilder answer = build(ring_mac_control::normal, to,
                                 address ? MacVector::report_address
                                 : state ? MacVector::report_state
                                         : MacVector::report_attachments,
                                 request.classes & 15);
  if (const auto correlator = request.find(mac_subvector::correlator, 2))
    answer.add(mac_subvector::correlator, correlator->first(2));
  if (address) {
    with_neighbour(answer);
    answer.add32(mac_subvector::group, port_.parameters_.group);
    answer.add32(mac_subvector::functional, port_.parameters_.functional);
  } else if (state) {
    answer.add(mac_subvector::station_identifier, port_.node());
    answer.add(mac_subvector::microcode, port_.parameters_.microcode);
    answer.add(mac_subvector::station_status,
               std::array<std::uint8_t, 6>{0, 0, 0, 0, 0, static_cast<std::uint8_t>(role_ == Role::active)});
  } else {
    answer.add(mac_subvector::product, port_.parameters_.product);
    answer.add32(mac_subvector::functional, port_.parameters_.functional);
    answer.add16(mac_subvector::function_classes, 0);
    answer.add16(mac_subvector::access_priority, 0);
  }
  send(answer, now);
}

// ---- errors ----

void RingProtocol::count(std::uint8_t RingErrors::*counter, Time now) {
  count_in(unreported_.*counter);
  const auto before = port_.errors_.*counter;
  count_in(port_.errors_.*counter);
  // Reported once, when the limit is reached: nothing changes until the counters are read.
  if (before != 255 && port_.errors_.*counter == 255)
    port_.station_.ring_status_changed(ring_status::counter_overflow, now);
  if (port_.on_ring_ && !report_.pending()) report_.at(now + error_timer_);
}

void RingProtocol::report_due(Time now) {
  if (!port_.inserted() || ring().full_duplex()) return;
  const RingErrors e = std::exchange(unreported_, {});
  MacFrameBuilder frame =
      build(ring_mac_control::normal, ring_error_monitor, MacVector::report_error, mac_class::error_monitor);
  frame.add(mac_subvector::isolating_errors,
            std::array<std::uint8_t, 6>{e.line, e.internal, e.burst, e.ac, e.abort_delimiter, 0});
  frame.add(mac_subvector::other_errors,
            std::array<std::uint8_t, 6>{e.lost_frame, e.congestion, e.frame_copied, e.frequency, e.token, 0});
  send(with_neighbour(frame), now);
  port_.station_.ring_status_changed(ring_status::soft_error, now);
}

void RingProtocol::archive(Archive& a) {
  a.section("ring protocol", 2);
  a(phase_, role_, upstream_, attempts_, good_tests_, answered_, complete_, last_neighbour_, own_claims_, beacons_of_,
    no_signal_, since_, told_, physical_drop_, error_timer_, unreported_);
  for (Event* event : {&phase_ends_, &poll_, &watch_, &repeat_, &report_}) event->archive(a);
  const bool waits =
      phase_ends_.pending() || poll_.pending() || watch_.pending() || repeat_.pending() || report_.pending();
  if (a.loading() && (phase_ > Phase::parameters || role_ > Role::beaconing || (waits && !port_.medium())))
    throw Error("snapshot holds a damaged ring station; take a new one", ExitCode::missing_file);
}

}  // namespace planar::net
