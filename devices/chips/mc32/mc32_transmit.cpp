// SPDX-License-Identifier: GPL-2.0-or-later
// From the transmit list through card RAM to the wire.
#include "devices/chips/mc32/mc32.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint8_t error_collisions = 1, error_underrun = 2, error_carrier = 3, error_timeout = 5;

}  // namespace

void Mc32::command_transmit(unsigned verb, Time now) {
  switch (verb) {
    case start:
    case restart:
      tx_running_ = true;
      show_tail();
      break;
    case suspend:
      tx_running_ = false;
      respond(halted, now);
      break;
    case abort:
      tx_running_ = false;
      while (outgoing_.size() > (on_wire_ ? 1u : 0u)) outgoing_.pop_back();
      respond(aborted, now);
      break;
    default: break;
  }
}

bool Mc32::can_fetch() const {
  return tx_running_ && outgoing_.size() + sent_.size() < timing_.transmit_buffers && !(ram_peek(tx_last_ + 1u) & EOL);
}

// The mailbox names the descriptor after which the host appends: the one with the end-of-list bit.
void Mc32::show_tail() {
  std::uint16_t at = tx_last_;
  for (unsigned n = 0; n < tx_count_ && !(ram_peek(at + 1u) & EOL); ++n) at = get16(at + 2u);
  put16(tx_mailbox + 2, at);
}

// The next descriptor of the list; its data is read as bus master. A frame ends with its end-of-packet bit, or at the
// end of the list.
void Mc32::fetch_fragment(Time now) {
  tx_fragment_ = get16(tx_last_ + 2u);
  put8(tx_fragment_, static_cast<std::uint8_t>(ram_peek(tx_fragment_) | BUSY));
  const std::size_t room = longest_frame - gathered_.size();
  transfer_.resize(std::min<std::size_t>(get16(tx_fragment_ + 4u), room));
  work_ = Work::fetch_transfer;
  if (transfer_.empty())
    transfer_done(now);
  else
    host_.start_transfer(get32(tx_fragment_ + 6u), static_cast<std::uint32_t>(transfer_.size()), Direction::read, now);
}

void Mc32::fetched(Time now) {
  gathered_.insert(gathered_.end(), transfer_.begin(), transfer_.end());
  tx_last_ = tx_fragment_;
  const std::uint8_t control = ram_peek(tx_last_ + 1u);
  if (!(control & (EOP | EOL)) && ++tx_fragments_ < tx_count_) {
    fetch_fragment(now);
    return;
  }
  net::append_fcs(gathered_);
  outgoing_.push_back({std::move(gathered_), tx_last_});
  gathered_.clear();
  if (sent_.empty() || !workaround_) send_next(now);
}

void Mc32::send_next(Time now) {
  if (on_wire_ || outgoing_.empty() || chain_.pending()) return;
  on_wire_ = true;
  port_.transmit(outgoing_.front().bytes, now);
}

void Mc32::transmit_ends(const net::TransmitOutcome& outcome, Time now) {
  if (!on_wire_) return;  // a reset has discarded it
  on_wire_ = false;
  Sent sent{outgoing_.front().descriptor, COMPLETED};
  outgoing_.pop_front();
  counters_.collisions += outcome.collisions;
  switch (outcome.result) {
    case net::TransmitResult::ok:
      sent.status |= COMPLETED_OK;
      ++counters_.sent;
      if (outcome.collisions == 1)
        count(one_collision);
      else if (outcome.collisions > 1)
        count(more_collisions);
      break;
    case net::TransmitResult::excessive_collisions:
    case net::TransmitResult::late_collision:
      sent.status |= error_collisions;
      count(tx_collisions);
      break;
    case net::TransmitResult::carrier_lost:
      sent.status |= error_carrier;
      count(tx_carrier);
      break;
    case net::TransmitResult::underrun:
      sent.status |= error_underrun;
      count(tx_underrun);
      break;
    case net::TransmitResult::abandoned:
      sent.status |= error_timeout;
      count(tx_timeout);
      break;
  }
  sent_.push_back(sent);
  if (!workaround_ && !outgoing_.empty()) chain_.at(now + timing_.chain);
  dispatch(now);
}

void Mc32::report_sent(Time now) {
  const Sent s = sent_.front();
  sent_.pop_front();
  put8(s.descriptor, s.status);
  respond(s.status & COMPLETED_OK ? done : failed, now);
  send_next(now);
}

}  // namespace planar::ethernet
