// SPDX-License-Identifier: GPL-2.0-or-later
// DP8390: transmitter and loopback diagnostics.
#include <algorithm>

#include "devices/chips/dp8390/dp8390.hpp"

namespace planar::ethernet {
namespace {

/// A transceiver's heartbeat must begin within the first 6.4 us of the gap after a frame. Unit: bit times. Source:
/// DP8390D data sheet, TSR.CDH.
constexpr std::int64_t heartbeat_bits = 64;

}  // namespace

// "When TXP is set, the NIC begins to prefetch transmit data": transmission may start once a byte is in the FIFO.
void Dp8390::begin_transmit(Time now) {
  if (transmit_held_ || heartbeat_end_.pending()) return;
  tsr_ = 0;
  ncr_ = 0;
  fifo_filled_.at(now + clocks(timing_.transmit_start_clocks));
}

void Dp8390::fifo_filled(Time now) {
  if (port_.busy()) return;  // a frame cut by a reset is still on the wire; its end starts this one
  const auto frame = assemble_frame();
  if (loopback() == 1 || loopback() == 2) {
    loop_end_.at(now + port_.byte_time() * static_cast<std::int64_t>(8 + frame.size()));
  } else {
    port_.transmit(frame, now);
  }
}

// Loopback moves bytes only: in word mode every second one is used, the even locations with BOS, the odd ones without.
std::vector<std::uint8_t> Dp8390::assemble_frame() const {
  const std::uint16_t base = transmit_address(), at = place(base);
  const bool halves = loopback() != 0 && word_mode();
  const unsigned step = halves ? 2 : 1;
  const unsigned first = halves && !(dcr_ & BOS) ? 1 : 0;
  std::vector<std::uint8_t> frame;
  frame.reserve(tbcr_ + net::fcs_bytes);
  frame.resize(tbcr_ > first ? (tbcr_ - first + step - 1) / step : 0);
  if (!halves && swapped(0) == 0 && at < memory_.size() && frame.size() <= memory_.size() - at) {
    std::copy_n(memory_.begin() + at, frame.size(), frame.begin());  // in memory order
  } else {
    for (std::size_t n = 0; n < frame.size(); ++n) {
      const auto address = static_cast<std::uint16_t>(base + first + n * step);
      frame[n] = halves ? buffer_read(address) : local_read(address);
    }
  }
  if (!(tcr_ & CRC)) net::append_fcs(frame);
  return frame;
}

void Dp8390::transmit_ends(const net::TransmitOutcome& outcome, Time now) {
  if (orphan_) {
    orphan_ = false;
    if (running() && cr_ & TXP) begin_transmit(now);
    enter_reset_state_if_idle(now);
    return;
  }
  counters_.collisions += outcome.collisions;
  ncr_ = static_cast<std::uint8_t>(outcome.collisions & 15);
  std::uint8_t tsr = outcome.deferred ? 0 : ND;
  if (outcome.collisions) tsr |= COL;
  if (outcome.late_collision) tsr |= OWC;
  switch (outcome.result) {
    case net::TransmitResult::ok:
      ++counters_.sent;
      if (loopback() == 3) loop_back(now);
      await_heartbeat(tsr | TSR_PTX, now);
      break;
    case net::TransmitResult::carrier_lost:  // "Transmission is not aborted on loss of carrier"
      ++counters_.transmit_errors;
      await_heartbeat(tsr | TSR_PTX | CRS, now);
      break;
    case net::TransmitResult::excessive_collisions:
    case net::TransmitResult::late_collision:
      ++counters_.transmit_errors;
      finish_transmit(tsr | ABT, TXE, now);
      break;
    case net::TransmitResult::underrun:
      ++counters_.transmit_errors;
      finish_transmit(tsr | FU, TXE, now);
      break;
    case net::TransmitResult::abandoned:  // stopped after a collision: no status, the driver resends it
      cr_ &= static_cast<std::uint8_t>(~TXP);
      enter_reset_state_if_idle(now);
      break;
  }
}

// TSR reports whether the transceiver's heartbeat followed a transmitted frame (CDH), so it cannot be valid, nor PTX be
// set, before the heartbeat window has passed; inferred. A frame that was not transmitted has no such wait.
void Dp8390::await_heartbeat(std::uint8_t tsr, Time now) {
  sent_tsr_ = tsr;
  heartbeat_end_.at(now + port_.bit_time() * heartbeat_bits);
}

void Dp8390::heartbeat_end(Time now) { finish_transmit(sent_tsr_, PTX, now); }

void Dp8390::finish_transmit(std::uint8_t tsr, std::uint8_t isr, Time now) {
  tsr_ = tsr;
  cr_ &= static_cast<std::uint8_t>(~TXP);
  raise(isr, now);
  enter_reset_state_if_idle(now);
}

// Result of a looped frame (data sheet, "Loopback diagnostics"): the FIFO holds its last bytes and its count, the ring
// is unchanged, ISR shows PTX but never PRX. There is only one CRC circuit: if the transmitter appends the CRC, the
// receiver always reports an error; with CRC inhibited it checks the CRC in the frame. A frame for another address
// reports no error.
void Dp8390::loop_back(Time now) {
  const auto frame = assemble_frame();
  std::size_t i = 0;
  const auto into_fifo = [&](std::size_t byte) { fifo_[i++ & 7] = static_cast<std::uint8_t>(byte); };
  for (std::uint8_t byte : frame) into_fifo(byte);
  into_fifo(frame.size());
  into_fifo(frame.size() >> 8);
  into_fifo(frame.size() >> 8);
  fifo_read_ = 0;

  net::Reception seen;
  seen.frame = frame;
  seen.length = frame.size();
  bool group = false;
  const bool matches = frame.size() >= 6 && address_matches(seen, group);
  const bool good = tcr_ & CRC && net::fcs_good(frame);
  rsr_ = static_cast<std::uint8_t>((matches && !good ? RSR_CRC : RSR_PRX) | (group && matches ? PHY : 0));
  // Internal loopback senses neither carrier nor heartbeat; through the encoder there is carrier.
  if (loopback() == 1)
    finish_transmit(TSR_PTX | ND | CRS | CDH, PTX, now);
  else if (loopback() == 2)
    finish_transmit(TSR_PTX | ND | CDH, PTX, now);
}

}  // namespace planar::ethernet
