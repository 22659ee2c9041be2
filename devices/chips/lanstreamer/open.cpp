// SPDX-License-Identifier: GPL-2.0-or-later
// LANStreamer: self-test, opening and closing, reports from the ring.
//
//   In the SRB after a reset: +6 0, +8 pointer to the burnt-in address, +10 to the microcode's level, +12 to the
//   address table (node 6, 0, functional 4), +14 to the parameter table (+4 the upstream neighbour, +38 LAN status).
//   OPEN: +8 options, +12 node address (0: burnt-in). Answer: +2 return code, with 07 +6 the error: phase, reason;
//   +8 ASB, +10 SRB, +12 ARB, +16 TRB, +18 byte: 01 16 Mbit/s, 08 full duplex.
//   Wrap modes are refused as a failed lobe test (D). With GPR autosense the speed is the ring's.
#include <algorithm>

#include "devices/chips/lanstreamer/lanstreamer.hpp"

namespace planar::tokenring {
namespace {

using Memory = LocalMemory;

constexpr std::uint16_t at(std::uint16_t block, unsigned offset) { return static_cast<std::uint16_t>(block + offset); }
constexpr std::uint16_t error_code(net::InsertionPhase phase, net::InsertionError error) {
  return static_cast<std::uint16_t>(static_cast<unsigned>(phase) << 4 | static_cast<unsigned>(error));
}

}  // namespace

void LanStreamer::self_tested(Time now) {
  tested_ = true;
  memory_.clear();
  memory_.put(Memory::universal_address, node_);
  memory_.put(Memory::level, config_.microcode);
  memory_.put(Memory::addresses, node_);
  memory_.put(at(Memory::srb, 8), Memory::universal_address);
  memory_.put(at(Memory::srb, 10), Memory::level);
  memory_.put(at(Memory::srb, 12), Memory::addresses);
  memory_.put(at(Memory::srb, 14), Memory::parameters);
  raise_system(SRB_REPLY, now);
}

std::optional<std::uint8_t> LanStreamer::open_adapter(Time now) {
  if (ring_ == Ring::open) return RC_OPEN;
  open_options_ = memory_.word(at(Memory::srb, 8));
  net::RingInsertion how;
  for (unsigned i = 0; i < how.node.size(); ++i) how.node[i] = memory_[at(Memory::srb, 12 + i)];
  if (how.node == net::MacAddress{}) how.node = node_;
  if (how.node[0] & net::ring_group) return RC_BAD_NODE;
  memory_.put(at(Memory::srb, 6), std::uint16_t{0});
  if (open_options_ & (EXTERNAL_WRAP | INTERNAL_WRAP)) {
    memory_.put(at(Memory::srb, 6), error_code(net::InsertionPhase::lobe_test, net::InsertionError::function_failure));
    return RC_FAILED;
  }
  how.functional = functional_;
  how.autosense = config_.autosense && gpr_ & AUTOSENSE;
  how.bits_per_second = how.autosense || gpr_ & MBPS_16 ? 16'000'000 : 4'000'000;
  how.early_token_release = !(open_options_ & INHIBIT_ETR) && !board_inhibits_etr_;
  how.contender = open_options_ & CONTENDER;
  how.full_duplex = config_.full_duplex && open_options_ & ENABLE_FDX;
  how.product = config_.product;
  how.microcode = config_.microcode;
  address_ = how.node;
  memory_.put(Memory::addresses, address_);
  ring_ = Ring::opening;
  pass_mac();
  port_.insert(how, now);
  return std::nullopt;
}

void LanStreamer::pass_mac() {
  port_.pass_mac(open_options_ & PASS_ADAPTER_MAC, open_options_ & PASS_ATTENTION_MAC, open_options_ & PASS_BEACON);
}

void LanStreamer::insertion_ends(const net::InsertionOutcome& outcome, Time now) {
  if (ring_ != Ring::opening) return;
  if (outcome.ok()) {
    ring_ = Ring::open;
    memory_.put(at(Memory::srb, 8), Memory::asb);
    memory_.put(at(Memory::srb, 10), Memory::srb);
    memory_.put(at(Memory::srb, 12), Memory::arb);
    memory_.put(at(Memory::srb, 16), Memory::trb);
    memory_[at(Memory::srb, 18)] = static_cast<std::uint8_t>(
        (outcome.bits_per_second == 16'000'000 ? OPENED_16MBPS : 0) | (outcome.full_duplex ? OPENED_FDX : 0));
    reply(RC_GOOD, now);
    pump(now);
  } else {
    close(now);
    memory_.put(at(Memory::srb, 6), error_code(outcome.phase, outcome.error));
    reply(RC_FAILED, now);
  }
  if (rung_) ring_doorbell(rung_, now);
}

/// Leaves the ring; the host is not notified.
void LanStreamer::close(Time now) {
  channels(TX1_DIS | TX2_DIS | RX_DIS, now);
  ring_ = Ring::closed;
  port_.remove(now);
  ended_.clear();
  mac_frames_.clear();
  mac_offered_ = 0;
  arb_busy_ = false;
  status_pending_ = open_options_ = lan_status_ = 0;
  copy_all_ = 0;
  port_.hear_all(false);
  functional_ = group_ = 0;
  address_ = node_;
}

void LanStreamer::ring_status_changed(std::uint16_t bits, Time now) {
  if (ring_ != Ring::open) return;
  if (!port_.receiving()) cut_short(now);
  lan_status_ = static_cast<std::uint16_t>(bits | (port_.full_duplex() ? LSC_FDX_MODE : 0));
  memory_.put(Memory::lan_status, lan_status_);
  status_pending_ |= lan_status_;
  if (!port_.inserted()) {  // the station has left by itself
    const std::uint16_t pending = status_pending_;
    close(now);
    status_pending_ = pending;
  }
  offer_arb(now);
}

}  // namespace planar::tokenring
