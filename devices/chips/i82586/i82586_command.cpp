// SPDX-License-Identifier: GPL-2.0-or-later
// 82586: command unit, action commands, transmitter and loopback.
#include <algorithm>

#include "devices/chips/i82586/i82586.hpp"

namespace planar::ethernet {
namespace {

constexpr unsigned head_words = 3;  // status, command, link
constexpr unsigned tbd_words = 4;
constexpr unsigned tbds_at_once = 16;  // empty buffer descriptors handled in one event
// TDR listens for an echo for the range of its 11-bit counter; DIAGNOSE runs the two 10-bit backoff counters through,
// one clock per step. Inferred.
constexpr std::int64_t tdr_bits = 2048;
constexpr unsigned diagnose_clocks = 2 * 1024;
// The serial interface (82501 and successors) cuts off longer transmissions. Datasheet: 25 ms.
constexpr std::size_t watchdog_bytes = 31'250;
constexpr std::size_t preamble_bytes = 8;

constexpr unsigned configure_most = 12;

}  // namespace

// ---- control ----

void I82586::command_unit_control(unsigned cuc, Time now) {
  switch (cuc) {
    case 1:
      if (cu_ == Cu::active) {  // the present command is completed first
        start_again_ = true;
        new_list_ = get16(at(scb_, 4));
        unpark(now);
      } else {
        start_list(get16(at(scb_, 4)), now);
      }
      break;
    case 2:
      if (cu_ == Cu::suspended) start_list(cb_, now);
      break;
    case 3:
      if (cu_ == Cu::active) {
        suspend_requested_ = true;
        unpark(now);
      }
      break;
    case 4:
      if (cu_ == Cu::active) abort_command(now);
      cu_ = Cu::idle;
      break;
    default: break;
  }
}

void I82586::start_list(std::uint16_t offset, Time now) {
  cu_ = Cu::active;
  suspend_requested_ = false;
  cb_ = offset;
  fetch(now);
}

void I82586::leave_active(Cu state, Time now) {
  cu_ = state;
  phase_ = Phase::none;
  suspend_requested_ = false;
  raise(CNA, now);
}

void I82586::abort_command(Time now) {
  command_step_.cancel();
  loop_end_.cancel();
  cut_.cancel();
  if (phase_ == Phase::wire && port_.abandon(now)) {
    orphan_ = true;
    port_.underrun(now);
  }
  if (phase_ != Phase::none && phase_ != Phase::fetch) put16(at(cb_), C | A);
  parked_ = start_again_ = false;
  leave_active(Cu::idle, now);
}

// ---- the list ----

void I82586::fetch(Time now) {
  phase_ = Phase::fetch;
  command_step_.at(now + words(head_words));
}

void I82586::command_step(Time now) {
  switch (phase_) {
    case Phase::fetch: execute(now); break;
    case Phase::execute: complete(perform(command_ & 7), now); break;
    case Phase::gather: offer_frame(now); break;
    case Phase::finish: complete(last_tx_status_, now); break;
    default: break;
  }
}

void I82586::execute(Time now) {
  command_ = get16(at(cb_, 2));
  link_ = get16(at(cb_, 4));
  put16(at(cb_), B);
  const unsigned op = command_ & 7;
  phase_ = Phase::execute;
  if (op == transmit) {
    phase_ = Phase::gather;
    frame_.clear();
    tbd_ = get16(at(cb_, 6));
    cut_at_ = UINT64_MAX;
    // busy written, the descriptor's offset read; then its descriptor and the first word of data
    command_step_.at(now + words(2 + tbd_words + 1) + clocks(timing_.command_clocks));
    return;
  }
  command_step_.at(now + words(2) + clocks(timing_.command_clocks) + duration_of(op));
}

Time I82586::duration_of(unsigned op) const {
  switch (op) {
    case ia_setup: return words(3);
    case configure: return words(configure_most / 2);
    case mc_setup: return words(1 + (get16(at(cb_, 6)) & COUNT) / 2);
    case tdr: return port_.bit_time() * tdr_bits;
    case dump: return words(1 + dump_bytes / 2);
    case diagnose: return clocks(diagnose_clocks);
    default: return {};
  }
}

// Performs a command's effect at its end; returns its status without C.
std::uint16_t I82586::perform(unsigned op) {
  switch (op) {
    case ia_setup:
      for (unsigned i = 0; i < 6; ++i) address_[i] = get8(at(cb_, 6 + i));
      break;
    case configure: set_configuration(); break;
    case mc_setup: set_multicast(); break;
    case tdr: put16(at(cb_, 6), port_.plugged() ? LINK_OK : ET_OPEN); break;  // an open end at the connector itself
    case dump: write_dump(); break;
    default: break;
  }
  return OK;
}

// Only as many bytes as the block counts are changed, including the count and the FIFO limit.
void I82586::set_configuration() {
  const unsigned bytes = std::clamp<unsigned>(get8(at(cb_, 6)) & 15, 4, configure_most);
  for (unsigned i = 0; i < bytes; ++i) config_[i] = get8(at(cb_, 6 + i));
  port_.mac().attempts = (config(7) >> 4) + 1u;
}

// A 64-bit hash of bits 7 to 2 of the address's CRC: the filter passes some other addresses too, so software must check
// again.
void I82586::set_multicast() {
  hash_ = {};
  const unsigned bytes = get16(at(cb_, 6)) & COUNT;
  for (unsigned done = 0; done + 6 <= bytes; done += 6) {
    net::MacAddress m;
    for (unsigned i = 0; i < 6; ++i) m[i] = get8(at(cb_, 8 + done + i));
    const unsigned bit = net::crc32_remainder(m) >> 2 & 63;
    hash_[bit / 8] |= static_cast<std::uint8_t>(1 << bit % 8);
  }
}

void I82586::write_dump() {
  std::array<std::uint8_t, dump_bytes> area{};
  std::copy(config_.begin(), config_.end(), area.begin());
  std::copy(address_.begin(), address_.end(), area.begin() + 0x0C);
  area[0x12] = static_cast<std::uint8_t>(last_tx_status_);
  area[0x13] = static_cast<std::uint8_t>(last_tx_status_ >> 8);
  area[0x22] = static_cast<std::uint8_t>(last_rx_status_);
  area[0x23] = static_cast<std::uint8_t>(last_rx_status_ >> 8);
  std::copy(hash_.begin(), hash_.end(), area.begin() + 0x24);
  const std::uint16_t to = get16(at(cb_, 6));
  for (unsigned i = 0; i < dump_bytes; ++i) put8(at(to, i), area[i]);
}

void I82586::complete(std::uint16_t status, Time now) {
  put16(at(cb_), static_cast<std::uint16_t>(C | status));
  if (command_ & I) events_ |= CX;
  const std::uint16_t done = cb_;
  cb_ = link_;
  if (start_again_) {
    start_again_ = false;
    cb_ = new_list_;
    update_scb(now);
    fetch(now + words(1));
  } else if (command_ & EL) {
    leave_active(Cu::idle, now);
  } else if (command_ & S || suspend_requested_) {
    leave_active(Cu::suspended, now);
  } else {
    if (command_ & I) update_scb(now);
    if ((command_ & 7) == nop && !(command_ & I) && link_ == done)
      park(now);
    else
      fetch(now + words(command_ & I ? 1 : 0));
  }
}

void I82586::park(Time now) {
  // Memory may differ from what was fetched: then a real fetch is needed.
  if (get16(at(cb_, 2)) != command_ || get16(at(cb_, 4)) != cb_) {
    fetch(now);
    return;
  }
  parked_ = true;
  phase_ = Phase::fetch;
  loop_origin_ = now;
}

// The next fetch that sees memory as it is from `now` on.
void I82586::unpark(Time now) {
  if (!parked_) return;
  parked_ = false;
  const Time turn = nop_time();
  Time read = loop_origin_ + words(head_words);
  if (now > read) {
    const std::int64_t turns = (now - read) / turn;
    read += turn * turns;
    if (read < now) read += turn;
  }
  command_step_.at(read);
}

// The RU may have written into the NOP: a list that extends into the receive area.
void I82586::look_at_parked(Time now) {
  if (parked_ && (get16(at(cb_, 2)) != command_ || get16(at(cb_, 4)) != cb_)) unpark(now);
}

// ---- transmitter ----

I82586::Loop I82586::loopback() const {
  if (serial_loopback_ || config(3) & 0x40) return Loop::inside;
  return config(3) & 0x80 ? Loop::outside : Loop::none;
}

// Follows the buffer descriptors. False if so many empty ones follow one another that time must pass first.
bool I82586::gather(std::vector<std::uint8_t>& frame, Time& spent) {
  const Time byte = port_.byte_time();
  const auto wanted = [&](std::size_t k) { return byte * static_cast<std::int64_t>(preamble_bytes + k); };
  // DMA timing: `spent` counts from the first preamble bit; the FIFO takes 16 bytes ahead of the wire.
  unsigned empty = 0;
  while (tbd_ != nowhere) {
    const std::uint16_t head = get16(at(tbd_));
    const std::uint32_t address = get24(at(tbd_, 4));
    const unsigned count = head & COUNT;
    for (unsigned i = 0; i < count; ++i) {
      const std::size_t k = frame.size();
      if (k >= fifo_bytes) spent = std::max(spent, wanted(k - fifo_bytes));
      if (i % 2 == 0) spent += word_time();
      if (spent > wanted(k) || k >= watchdog_bytes) {
        cut_at_ = k;  // the rest will never leave
        tbd_ = nowhere;
        return true;
      }
      frame.push_back(get8(address + i));
    }
    tbd_ = head & EOF_BIT ? nowhere : get16(at(tbd_, 2));
    spent += words(tbd_words);
    empty = count ? 0 : empty + 1;
    if (empty == tbds_at_once && tbd_ != nowhere) {
      if (frame.empty()) return false;
      cut_at_ = frame.size();  // the wire does not wait
      tbd_ = nowhere;
    }
  }
  return true;
}

void I82586::offer_frame(Time now) {
  std::vector<std::uint8_t> data;
  Time spent{};
  if (!gather(data, spent)) {
    command_step_.at(now + words(tbd_words * tbds_at_once));
    return;
  }
  frame_.clear();
  if (!(config(3) & 0x08)) {  // AT-LOC 0: addresses and length from the command block, the source from IA-SETUP
    for (unsigned i = 0; i < 6; ++i) frame_.push_back(get8(at(cb_, 8 + i)));
    frame_.insert(frame_.end(), address_.begin(), address_.end());
    frame_.push_back(get8(at(cb_, 14)));
    frame_.push_back(get8(at(cb_, 15)));
    if (cut_at_ != UINT64_MAX) cut_at_ += 14;
  }
  frame_.insert(frame_.end(), data.begin(), data.end());
  if (!(config(8) & 0x10)) net::append_fcs(frame_);
  phase_ = Phase::wire;
  if (loopback() == Loop::inside)
    loop_end_.at(now + port_.byte_time() * static_cast<std::int64_t>(preamble_bytes + frame_.size()));
  else
    port_.transmit(frame_, now);  // ignored while the tail of a cut frame leaves; its end retries this one
}

void I82586::transmit_begins(Time now) {
  if (orphan_ || cut_at_ == UINT64_MAX) return;
  cut_.at(now + port_.byte_time() * static_cast<std::int64_t>(preamble_bytes + cut_at_));
}

void I82586::cut(Time now) { port_.underrun(now); }

void I82586::transmit_ends(const net::TransmitOutcome& outcome, Time now) {
  cut_.cancel();
  if (orphan_) {
    orphan_ = false;
    if (phase_ == Phase::wire && !loop_end_.pending()) port_.transmit(frame_, now);
    return;
  }
  if (phase_ != Phase::wire) return;
  counters_.collisions += outcome.collisions;
  auto status = static_cast<std::uint16_t>(std::min(outcome.collisions, 15u) | (outcome.deferred ? DEFERRED : 0) |
                                           (heartbeat_ ? HRT_BEAT : 0));
  heartbeat_ = false;
  switch (outcome.result) {
    case net::TransmitResult::ok:
      status |= OK;
      heartbeat_ = true;
      break;
    case net::TransmitResult::excessive_collisions: status |= MAX_COLL; break;
    case net::TransmitResult::late_collision: status |= LATE_COLL; break;
    case net::TransmitResult::carrier_lost: status |= NO_CRS; break;
    case net::TransmitResult::underrun: status |= UNDERRUN; break;
    case net::TransmitResult::abandoned: return;
  }
  ++(status & OK ? counters_.sent : counters_.transmit_errors);
  if (loopback() == Loop::outside && status & OK) hear_own_frame(now);
  finish_transmit(status, now);
}

void I82586::finish_transmit(std::uint16_t status, Time now) {
  last_tx_status_ = status;
  phase_ = Phase::finish;
  command_step_.at(now + clocks(timing_.command_clocks) + words(1));
}

void I82586::loop_done(Time now) {
  hear_own_frame(now);
  ++counters_.sent;
  finish_transmit(OK, now);
}

// Loopback is complete: the RU receives the frame like any other.
void I82586::hear_own_frame(Time now) {
  const net::Reception r = port_.looped(frame_, now);
  listen();
  end_frame(r, now);
}

}  // namespace planar::ethernet
