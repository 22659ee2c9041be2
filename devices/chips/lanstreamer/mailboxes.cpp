// SPDX-License-Identifier: GPL-2.0-or-later
// LANStreamer: the microprocessor's response to doorbells. Blocks are big-endian, offsets from their start:
//
//   SRB  +0 command, +2 FE from the host, the return code from the adapter
//     00 NO OPERATION                                   06 / 02 SET, RESET GROUP: +6 the four bytes after C0-00
//     01 MODIFY OPEN OPTIONS: +4 options (D)            07 SET FUNCTIONAL: +6 the same
//     03 OPEN: open.cpp                                 08 READ LOG: from +6 line, internal, burst, AC, abort, 0, lost
//     04 CLOSE                                             frame, congestion, frame copied, frequency, token; then
//                                                          zeros
//     17 MODIFY RECEIVE OPTIONS: +4 options, ignored; +5 copy-all: 20 all LLC frames, 40 MAC frames through the
//        receive channel as well (assignment of the bits: D)
//   ARB  81 MAC frame: +6 first buffer, +8 header length (byte), +10 frame length; buffer: next, 0, frame status,
//        length, data.  84 LAN status: +6 status, with 0004 while in full duplex (OPEN itself raises none: its answer
//        reports it, and the host has no ARB address before that, D), +8 full-duplex protocol error (0)
//   ASB  81: +6 the buffer given in the ARB; answered at +2: FF accepted, 01, 26
//
// Group indicator bits: bit 31 of the four bytes is 1 in a group, 0 in a functional address; 3C otherwise (D).
#include <algorithm>
#include <array>

#include "devices/chips/lanstreamer/lanstreamer.hpp"

namespace planar::tokenring {
namespace {

using Memory = LocalMemory;

constexpr std::uint16_t at(std::uint16_t block, unsigned offset) { return static_cast<std::uint16_t>(block + offset); }
constexpr std::uint32_t group_bit = 0x80000000;

}  // namespace

void LanStreamer::ring_doorbell(std::uint16_t bits, Time now) {
  rung_ |= bits & (SRB_CMD | ASB_REPLY | ASB_FREE_REQ | ARB_FREE | TRB_FRAME);
  if (tested_ && rung_ && !firmware_.pending()) firmware_.at(now + config_.request);
}

/// Serves all pending doorbells, in this order. An SRB command waits while OPEN is in progress.
void LanStreamer::serve(Time now) {
  const std::uint16_t bits = ring_ == Ring::opening ? rung_ & ~SRB_CMD : rung_;
  rung_ &= ~bits;
  system_.lisr &= ~bits;
  if (bits & ARB_FREE) arb_busy_ = false;
  if (bits & ASB_REPLY) memory_[at(Memory::asb, 2)] = take_asb();
  if (bits & ASB_FREE_REQ) raise_system(ASB_FREE, now);
  if (bits & TRB_FRAME) {
    memory_[at(Memory::trb, 2)] = RC_UNKNOWN;
    raise_system(TRB_REPLY, now);
  }
  if (bits & SRB_CMD)
    if (const auto code = execute(now)) reply(*code, now);
  offer_arb(now);
  pump(now);
}

void LanStreamer::reply(std::uint8_t code, Time now) {
  memory_[at(Memory::srb, 2)] = code;
  raise_system(SRB_REPLY, now);
}

/// The return code; empty if it follows later.
std::optional<std::uint8_t> LanStreamer::execute(Time now) {
  const std::uint8_t command = memory_[Memory::srb];
  switch (command) {
    case SRB_NO_OPERATION: return RC_GOOD;
    case SRB_OPEN: return open_adapter(now);
    case SRB_MODIFY_OPEN_OPTIONS:
    case SRB_CLOSE:
    case SRB_SET_GROUP:
    case SRB_RESET_GROUP:
    case SRB_SET_FUNCTIONAL:
    case SRB_READ_LOG:
    case SRB_MODIFY_RECEIVE_OPTIONS: break;
    default: return RC_UNKNOWN;
  }
  if (ring_ != Ring::open) return RC_CLOSED;
  switch (command) {
    case SRB_CLOSE: close(now); return RC_GOOD;
    case SRB_MODIFY_OPEN_OPTIONS:
      open_options_ = memory_.word(at(Memory::srb, 4));
      pass_mac();
      return RC_GOOD;
    case SRB_SET_GROUP: return set_group(memory_.double_word(at(Memory::srb, 6)));
    case SRB_RESET_GROUP: return reset_group(memory_.double_word(at(Memory::srb, 6)));
    case SRB_SET_FUNCTIONAL:
      functional_ = memory_.double_word(at(Memory::srb, 6)) & ~group_bit;
      memory_.put(at(Memory::addresses, 10), static_cast<std::uint16_t>(functional_ >> 16));
      memory_.put(at(Memory::addresses, 12), static_cast<std::uint16_t>(functional_));
      port_.set_functional(functional_);
      return RC_GOOD;
    case SRB_READ_LOG: read_log(); return RC_GOOD;
    default:
      copy_all_ = memory_[at(Memory::srb, 5)] & (COPY_MAC | COPY_LLC);
      port_.hear_all(copy_all_ & COPY_LLC);
      return RC_GOOD;
  }
}

std::uint8_t LanStreamer::set_group(std::uint32_t group) {
  if (!(group & group_bit)) return RC_BAD_GROUP;
  if (group_ == group) return RC_GROUP_SET;
  if (group_) return RC_GROUPS_FULL;
  group_ = group;
  port_.set_group(group);
  return RC_GOOD;
}

std::uint8_t LanStreamer::reset_group(std::uint32_t group) {
  if (!group_ || group != group_) return RC_NO_GROUP;
  group_ = 0;
  port_.set_group(0);
  return RC_GOOD;
}

void LanStreamer::read_log() {
  const net::RingErrors e = port_.take_errors();
  const std::array<std::uint8_t, 14> log{
      e.line,  e.internal, e.burst, e.ac, e.abort_delimiter, 0, e.lost_frame, e.congestion, e.frame_copied, e.frequency,
      e.token, 0,          0,       0};
  memory_.put(at(Memory::srb, 6), log);
}

// ---- MAC frames ----

std::uint8_t LanStreamer::take_asb() {
  if (memory_[Memory::asb] != ARB_RECEIVE_DATA) return RC_UNKNOWN;
  const std::uint16_t first = memory_.word(at(Memory::asb, 6));
  for (std::uint32_t n = 0; n < mac_offered_; ++n) {
    if (mac_frames_[n].first != first) continue;
    mac_frames_.erase(mac_frames_.begin() + n);
    --mac_offered_;
    return RC_ACCEPTED;
  }
  return RC_BUFFER;
}

/// False if no buffers are free: the frame is lost.
bool LanStreamer::pass_to_local_buffers(const net::RingReception& r, Time now) {
  const auto frame = r.frame.first(r.length - std::min(r.length, net::fcs_bytes));
  const unsigned wanted = Memory::buffers_for(frame.size());
  if (wanted == 0) return false;
  std::array<bool, Memory::buffer_count> used{};
  for (const MacBuffer& f : mac_frames_)
    for (unsigned n = 0; n < f.count; ++n) used[(f.first - Memory::buffers) / Memory::buffer_bytes + n] = true;
  unsigned run = 0;
  for (unsigned n = 0; n < used.size(); ++n) {
    run = used[n] ? 0 : run + 1;
    if (run < wanted) continue;
    const auto header = static_cast<std::uint16_t>(net::ring_header_bytes + net::routing_bytes(frame));
    mac_frames_.push_back(memory_.store(frame, header, r.status, n + 1 - run));
    offer_arb(now);
    return true;
  }
  ++counters_.congested;
  return false;
}

/// Passes the ARB to the host if there is something to report.
void LanStreamer::offer_arb(Time now) {
  if (arb_busy_) return;
  memory_.clear(Memory::arb, 16);
  if (status_pending_) {
    memory_[Memory::arb] = ARB_LAN_STATUS;
    memory_.put(at(Memory::arb, 6), status_pending_);
    status_pending_ = 0;
  } else if (mac_offered_ < mac_frames_.size()) {
    const MacBuffer& f = mac_frames_[mac_offered_++];
    memory_[Memory::arb] = ARB_RECEIVE_DATA;
    memory_.put(at(Memory::arb, 6), f.first);
    memory_[at(Memory::arb, 8)] = static_cast<std::uint8_t>(f.header);
    memory_.put(at(Memory::arb, 10), f.length);
  } else {
    return;
  }
  arb_busy_ = true;
  raise_system(ARB_CMD, now);
}

}  // namespace planar::tokenring
