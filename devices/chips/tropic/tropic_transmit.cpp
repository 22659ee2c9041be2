// SPDX-License-Identifier: GPL-2.0-or-later
// TROPIC: transmission by request. A command in the SRB is accepted with a correlator; when a data holding buffer (DHB)
// is free, the ARB requests the frame; the host copies it there and confirms in the ASB; the SSB reports the result.
#include <algorithm>

#include "devices/chips/tropic/tropic.hpp"

namespace planar::tokenring {

using namespace tropic;

namespace {

constexpr std::size_t most_outstanding = 32;
constexpr std::uint8_t correlators = 0x80;
constexpr std::uint32_t correlator_field = 1, code_field = 2, station_field = 4;
// The ASB.
constexpr std::uint32_t length_field = 6, header_field = 8, sap_field = 9;
constexpr unsigned dhb_reserve = 6;  // part of a DHB used by the microcode
constexpr std::uint8_t ui = 0x03, xid = 0xAF, test = 0xE3, poll_final = 0x10, response = 0x01;

/// Size of the LLC header that the microcode writes, and the control byte; SAP commands only.
struct Llc {
  bool wanted = false;
  std::uint8_t control = 0, source_bits = 0;
};
Llc llc_of(std::uint8_t command) {
  switch (command) {
    case Command::transmit_ui: return {true, ui, 0};
    case Command::transmit_xid_command: return {true, xid | poll_final, 0};
    case Command::transmit_xid_final: return {true, xid | poll_final, response};
    case Command::transmit_xid_not_final: return {true, xid, response};
    case Command::transmit_test_command: return {true, test | poll_final, 0};
    default: return {};
  }
}

}  // namespace

std::uint8_t Tropic::request_transmission(std::uint8_t code, Time now) {
  Transmission t;
  t.command = code;
  t.station = get16(place::srb + station_field);
  if (code == Command::transmit_direct ? t.station != 0 : !sap_of(t.station)) return Code::invalid_station;
  if (asked_.size() + offered_.size() + filled_.size() + results_.size() >= most_outstanding)
    return Code::too_many_commands;
  t.correlator = next_correlator_;
  next_correlator_ = static_cast<std::uint8_t>((next_correlator_ + 1) % correlators);
  put8(place::srb + correlator_field, t.correlator);
  asked_.push_back(t);
  offer_buffers(now);
  return Code::accepted;
}

/// Requests from the host the frames for which there is a DHB.
void Tropic::offer_buffers(Time now) {
  while (!asked_.empty() && !dhbs_.empty()) {
    Transmission t = asked_.front();
    asked_.pop_front();
    t.dhb = dhbs_.front();
    dhbs_.erase(dhbs_.begin());
    offered_.push_back(t);
    requests_.push_back({.command = Command::transmit_data_request,
                         .correlator = t.correlator,
                         .station = t.station,
                         .address_or_status = t.dhb});
  }
  wake(now);
}

// ---- the host's answer ----

// An invalid answer gets a return code and an interrupt; the host may correct it. An answer that arrives after the
// adapter has been closed is dropped together with its frame.
void Tropic::answer(Time now) {
  const std::uint8_t command = get8(place::asb);
  std::uint8_t code = Code::good;
  if (state_ == State::open) code = command == Command::received_data ? receive_answer() : transmit_answer(now);
  std::uint8_t& bells = aca_[aca::ISRA_o];
  const bool told = bells & isra_o::asb_free_request;
  bells &= static_cast<std::uint8_t>(~(isra_o::response_in_asb | isra_o::asb_free_request));
  put8(place::asb + code_field, code ? code : std::uint8_t{Code::accepted});
  if (code || told) raise(isrp_o::asb_free, now);
}

std::uint8_t Tropic::transmit_answer(Time now) {
  const std::uint8_t command = get8(place::asb), correlator = get8(place::asb + correlator_field);
  const auto waiting =
      std::find_if(offered_.begin(), offered_.end(), [&](const Transmission& t) { return t.correlator == correlator; });
  if (waiting == offered_.end()) {
    const bool transmission = llc_of(command).wanted || command == Command::transmit_direct;
    return transmission ? Code::unknown_correlator : Code::invalid_command;
  }
  Transmission t = *waiting;
  if (command != t.command) return Code::invalid_command;
  if (get16(place::asb + station_field) != t.station) return Code::invalid_station;
  const std::uint8_t given = get8(place::asb + code_field);
  t.length = get16(place::asb + length_field);
  t.header = get8(place::asb + header_field);
  t.remote_sap = get8(place::asb + sap_field);
  if (!given && !sendable(t)) return Code::invalid_length;
  offered_.erase(waiting);
  if (given) {  // the host has no data for it after all
    t.code = Code::cancelled;
    dhbs_.push_back(t.dhb);
    results_.push_back(t);
    offer_buffers(now);
    return Code::good;
  }
  filled_.push_back(t);
  send_next(now);
  return Code::good;
}

/// Whether its lengths are valid for a frame in its DHB.
bool Tropic::sendable(const Transmission& t) const {
  const unsigned least = llc_of(t.command).wanted ? t.header + 3u : net::ring_header_bytes;
  return t.header >= net::ring_header_bytes && t.length >= least && t.length <= dhb_length_ - dhb_reserve;
}

// ---- the ring ----

/// The bytes to send: the microcode writes AC, its own address after the routing bit, and the LLC header of a SAP.
std::vector<std::uint8_t> Tropic::frame_of(const Transmission& t) const {
  std::vector<std::uint8_t> frame(t.length);
  for (unsigned i = 0; i < t.length; ++i) frame[i] = get8(t.dhb + i);
  frame[0] = net::ring_ac::frame;
  const std::uint8_t routing = frame[8] & net::routing_indicator;
  std::copy(node_.begin(), node_.end(), frame.begin() + 8);
  frame[8] |= routing;
  if (const Llc llc = llc_of(t.command); llc.wanted) {
    const Sap* sap = sap_of(t.station);
    frame[1] = net::ring_fc::llc;
    frame[t.header] = t.remote_sap;
    frame[t.header + 1u] = static_cast<std::uint8_t>((sap ? sap->value : 0) | llc.source_bits);
    frame[t.header + 2u] = llc.control;
  }
  return frame;
}

/// One frame at a time; requests in the mailboxes take priority over the fast path.
void Tropic::send_next(Time now) {
  while (ring_user_ == RingUser::none && !filled_.empty()) {
    const std::vector<std::uint8_t> frame = frame_of(filled_.front());
    if (net::is_mac_frame(frame)) {  // a station without a function class must not send any
      ring_user_ = RingUser::dhb;
      sent(Code::unauthorised_mac, 0, now);
      continue;
    }
    to_ring(frame, RingUser::dhb, now);
  }
  if (ring_user_ == RingUser::none && !fast_ready_.empty()) to_ring(fast_ready_.front().bytes, RingUser::fast, now);
}

void Tropic::to_ring(std::span<const std::uint8_t> frame, RingUser user, Time now) {
  ring_user_ = user;
  if (!(options_ & option::wrap)) return port_.transmit(frame, now);
  wrap_frame_.assign(frame.begin(), frame.end());
  constexpr std::int64_t check_sequence = 4;
  const std::int64_t bytes =
      static_cast<std::int64_t>(frame.size() + net::ring_start_bytes + net::ring_end_bytes) + check_sequence;
  wrap_end_.at(now + Time{8'000'000'000'000 / (sixteen() ? 16'000'000 : 4'000'000)} * bytes);
}

/// Wrap: nothing leaves the card; frames addressed to the station come back.
void Tropic::wrapped(Time now) {
  const bool mine = std::equal(node_.begin(), node_.end(), wrap_frame_.begin() + 2) || wrap_frame_[2] & net::ring_group;
  const std::uint8_t fs = mine ? net::ring_fs::recognised | net::ring_fs::copied : 0;
  const bool copied = mine && store(wrap_frame_, fs, now);
  sent(copied ? Code::good : Code::frame_status, copied ? fs : fs & net::ring_fs::recognised, now);
}

void Tropic::transmit_begins(Time) { on_wire_ = ring_user_ != RingUser::none; }

void Tropic::transmit_ends(const net::RingTransmitOutcome& outcome, Time now) {
  using Result = net::RingTransmitOutcome::Result;
  if (ring_user_ == RingUser::none) return;
  if (outcome.result == Result::removed) return sent(Code::closed_meanwhile, 0, now);
  if (outcome.result != Result::stripped) return sent(Code::strip_error, 0, now);
  const bool copied = outcome.status & net::ring_fs::copied;
  sent(copied ? Code::good : Code::frame_status, outcome.status, now);
}

/// The frame on the ring is done; the next one follows without the microprocessor.
void Tropic::sent(std::uint8_t code, std::uint8_t status, Time now) {
  on_wire_ = false;
  if (code == Code::good || code == Code::frame_status) ++counters_.sent;
  if (std::exchange(ring_user_, RingUser::none) == RingUser::fast) {
    FastFrame& frame = fast_ready_.front();
    frame.code = code;
    frame.status = status;
    fast_done_.push_back(std::move(frame));
    fast_ready_.pop_front();
  } else {
    Transmission t = filled_.front();
    filled_.pop_front();
    t.code = code;
    t.status = status;
    dhbs_.push_back(t.dhb);
    results_.push_back(t);
    offer_buffers(now);
  }
  if (options_ & option::wrap || port_.inserted()) send_next(now);
  wake(now);
}

}  // namespace planar::tokenring
