// SPDX-License-Identifier: GPL-2.0-or-later
// TROPIC: reception. A frame is stored in a chain of receive buffers while it arrives; the ARB notifies the host, which
// copies it and returns the chain in the ASB.
#include <algorithm>

#include "devices/chips/tropic/tropic.hpp"

namespace planar::tokenring {

using namespace tropic;

namespace {

constexpr std::size_t check_sequence = 4;
constexpr std::uint32_t buffer_field = 6;
constexpr std::uint8_t message_mac = 0x02, message_i = 0x04, message_ui = 0x06, message_xid_poll = 0x08,
                       message_xid = 0x0A, message_xid_final = 0x0C, message_xid_not_final = 0x0E,
                       message_test_final = 0x10, message_test_not_final = 0x12, message_other = 0x14;
constexpr std::uint8_t poll_final = 0x10, ui = 0x03, xid = 0xAF, test = 0xE3, response = 0x01;

/// Category of a frame for the ARB, from its LLC header (docs/hardware/tropic.md#receive).
std::uint8_t message_type(std::uint8_t source_sap, std::uint8_t control) {
  const bool final = control & poll_final, is_response = source_sap & response;
  if (!(control & 1)) return message_i;
  switch (control & ~poll_final) {
    case ui: return message_ui;
    case xid:
      return is_response ? (final ? message_xid_final : message_xid_not_final)
                         : (final ? message_xid_poll : message_xid);
    case test: return is_response ? (final ? message_test_final : message_test_not_final) : message_other;
    default: return message_other;
  }
}

}  // namespace

bool Tropic::frame_ends(const net::RingReception& reception, Time now) {
  if (state_ != State::open || !reception.good || reception.length < net::ring_header_bytes + check_sequence)
    return false;
  const auto data = reception.frame.first(reception.length - check_sequence);
  return store(data, reception.status | net::ring_fs::recognised | net::ring_fs::copied, now);
}

/// Stores AC to the end of the data. False, with nothing stored, if there are not enough buffers.
bool Tropic::store(std::span<const std::uint8_t> data, std::uint8_t status, Time now) {
  const std::size_t room = receive_length_ - buffer::data, needed = (data.size() + room - 1) / room;
  if (needed > pool_.size()) {
    ++counters_.overruns;
    return false;
  }
  Request r{.command = Command::received_data};
  for (std::size_t n = 0; n < needed; ++n) {
    r.buffers.push_back(pool_.front());
    pool_.pop_front();
  }
  for (std::size_t n = 0; n < needed; ++n) {
    const std::uint16_t at = r.buffers[n];
    const auto part = data.subspan(n * room, std::min(room, data.size() - n * room));
    const bool last = n + 1 == needed;
    put16(at, 0);
    put16(at + buffer::next, last ? 0 : static_cast<std::uint16_t>(r.buffers[n + 1] + buffer::next));
    put8(at + 4, 0);
    put8(at + buffer::status, last ? status : 0);
    put16(at + buffer::bytes, static_cast<std::uint16_t>(part.size()));
    put_bytes(at + buffer::data, part);
  }
  r.address_or_status = r.buffers.front();
  r.length = static_cast<std::uint16_t>(data.size());
  r.lan_header = static_cast<std::uint8_t>(std::min(data.size(), net::ring_header_bytes + net::routing_bytes(data)));
  const auto llc = data.subspan(r.lan_header);
  if (net::is_mac_frame(data)) {
    r.type = message_mac;
  } else {
    r.type = llc.size() >= 3 ? message_type(llc[1], llc[2]) : message_other;
    r.dlc_header =
        static_cast<std::uint8_t>(std::min<std::size_t>(llc.size(), llc.size() >= 3 && (llc[2] & 3) != 3 ? 4 : 3));
    for (std::size_t n = 0; n < saps_.size() && !llc.empty(); ++n)
      if (saps_[n].value && saps_[n].value == (llc[0] & ~response))
        r.station = static_cast<std::uint16_t>((n + 1) << 8);
  }
  requests_.push_back(std::move(r));
  ++counters_.received;
  wake(now);
  return true;
}

/// The host has finished with a frame, or could not take it: its buffers are freed in either case.
std::uint8_t Tropic::receive_answer() {
  const std::uint16_t first = get16(place::asb + buffer_field);
  const auto chain = std::find_if(handed_.begin(), handed_.end(), [&](const auto& c) { return c.front() == first; });
  if (chain == handed_.end()) return Code::unknown_correlator;
  pool_.insert(pool_.end(), chain->begin(), chain->end());
  handed_.erase(chain);
  return Code::good;
}

}  // namespace planar::tokenring
