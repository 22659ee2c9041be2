// SPDX-License-Identifier: GPL-2.0-or-later
// DP8390: remote DMA (between buffer memory and the board's I/O latch) and local bus arbitration.
#include <algorithm>

#include "devices/chips/dp8390/dp8390.hpp"

namespace planar::ethernet {

// RD2,1,0 of CR: 001 read, 010 write, 011 send packet, 1xx abort or complete; 000 is "not allowed" and has no effect
// here.
void Dp8390::start_remote(unsigned rd, Time now) {
  if (rd == 0) return;
  if (rd & 4) {
    remote_ = Remote::none;
    send_packet_ = false;
    return;
  }
  const Remote wanted = rd == 2 ? Remote::write : Remote::read;
  if (remote_ == wanted) return;  // the same command repeated, as when a driver selects a page
  send_packet_ = rd == 3;
  if (send_packet_) {
    // The whole next frame of the ring, header first; that header has its length and its successor. Requires DCR.AR.
    if (!(dcr_ & AR)) {
      send_packet_ = false;
      return;
    }
    rsar_ = static_cast<std::uint16_t>(bnry_ << 8);
    remote_next_ = local_read(static_cast<std::uint16_t>(rsar_ + 1));
    rbcr_ = static_cast<std::uint16_t>(local_read(static_cast<std::uint16_t>(rsar_ + 2)) |
                                       local_read(static_cast<std::uint16_t>(rsar_ + 3)) << 8);
  }
  if (rbcr_ == 0) {
    raise(RDC, now);
    return;
  }
  remote_ = wanted;
  remote_done_.cancel();
  latch_ready_ = wanted == Remote::write ? now : latch_timing().next_ready(now);
}

Time Dp8390::remote_ready(Time start) const { return remote_ == Remote::none ? start : std::max(start, latch_ready_); }

std::uint16_t Dp8390::remote_peek() const {
  if (remote_ != Remote::read) return latch_;
  if (!word_mode()) return static_cast<std::uint16_t>(0xFF00 | buffer_read(rsar_));
  const std::uint16_t address = remote_address();
  return static_cast<std::uint16_t>(buffer_read(address) | buffer_read(address + 1) << 8);
}

std::uint16_t Dp8390::remote_read(Time now) {
  sync_receive(now);
  latch_ = remote_peek();
  if (remote_ == Remote::read) advance_remote(now);
  return latch_;
}

void Dp8390::remote_write(std::uint16_t value, Time now) {
  latch_ = value;
  if (remote_ != Remote::write) return;
  const std::uint16_t address = remote_address();
  const bool patching = sending();
  const auto store = [&](std::uint16_t at, std::uint8_t byte) {
    buffer_write(at, byte);
    // If the host writes into the frame being sent, bytes not fetched yet change.
    if (patching) [[unlikely]] {
      const unsigned offset = (swapped(at) - transmit_address()) & decoded_;
      if (offset < tbcr_) port_.patch(offset, byte, !(tcr_ & CRC), now);
    }
  };
  store(address, static_cast<std::uint8_t>(value));
  if (word_mode()) store(address + 1, static_cast<std::uint8_t>(value >> 8));
  advance_remote(now);
}

// The address wraps from PSTOP to PSTART, so a frame that wraps in the ring can be read in one transfer.
void Dp8390::advance_remote(Time now) {
  const std::uint16_t step = word_mode() ? 2 : 1;
  rsar_ = static_cast<std::uint16_t>((rsar_ & ~(step - 1)) + step);
  if ((rsar_ & 0xFF) == 0 && rsar_ >> 8 == pstop_) rsar_ = static_cast<std::uint16_t>(pstart_ << 8);
  rbcr_ = rbcr_ > step ? rbcr_ - step : 0;  // an odd count still moves a whole last word
  latch_ready_ = latch_timing().next_ready(now);
  if (rbcr_) return;
  const bool reading = remote_ == Remote::read;
  if (send_packet_) {
    bnry_ = remote_next_;
    ring_full_ = false;
    plan_receive_step(now);
  }
  remote_ = Remote::none;
  send_packet_ = false;
  // A read ends when the host has the last word, a write when the latch has been emptied into memory.
  if (reading)
    raise(RDC, now);
  else
    remote_done_.at(latch_ready_);
}

void Dp8390::end_remote(Time now) { raise(RDC, now); }

// Local DMA has priority: while a frame is sent or stored it takes the bus for one burst whenever the FIFO passes its
// threshold. A remote transfer that would fall within a burst waits until it ends.
PortRun Dp8390::latch_timing() const {
  PortRun run;
  run.ready = latch_ready_;
  run.request = clocks(timing_.remote_handshake_clocks);
  run.use = clocks(timing_.transfer_clocks);
  if (storing_ && !receive_end_pending_) {
    const auto r = port_.receiving();
    if (!r) return run;
    run.taken_from = r->arrival(0);
  } else if (port_.transmitting()) {
    run.taken_from = port_.transmit_start() + port_.bit_time() * net::preamble_bits;
  } else {
    return run;
  }
  run.period = port_.byte_time() * threshold();
  run.taken = clocks(timing_.transfer_clocks) * (word_mode() ? threshold() / 2 : threshold());
  return run;
}

Time Dp8390::local_bus_free(Time t) const {
  PortRun run = latch_timing();
  run.request = run.use = {};
  return run.next_ready(t);
}

Undisturbed Dp8390::undisturbed(Time now) const {
  Undisturbed left(now);
  const PortRun run = latch_timing();
  if (run.period != Time{}) left.taken_every(run.period, run.taken_from, run.taken);
  if (storing_ && !receive_end_pending_ && !fifo_overrun_) {
    if (const auto r = port_.receiving()) left.taken_from(r->arrival(burst_limit(stored_) + threshold() - 1));
  }
  return left;
}

// ---- the latch, many words at once ----

PortRun Dp8390::remote_run(unsigned bytes, Direction direction) const {
  const std::uint32_t step = word_mode() ? 2 : 1;
  if (bytes != step || remote_ != (direction == Direction::write ? Remote::write : Remote::read)) return {};
  // A frame being stored may change the data to be read.
  if (direction == Direction::read && storing_ && !receive_end_pending_ && !fifo_overrun_) return {};
  const std::uint16_t address = remote_address(), at = place(address);
  if (at >= memory_.size() || rbcr_ <= step) return {};
  PortRun run = latch_timing();
  run.count = std::min((rbcr_ - 1u) / step, static_cast<std::uint32_t>(memory_.size() - at) / step);
  const auto end_before =
      [&](unsigned bytes) {  // bytes left to an address that it must not reach; 0: it is at that address
        if (bytes) run.count = std::min(run.count, (bytes - 1) / step);
      };
  end_before(static_cast<std::uint16_t>((pstop_ << 8) - address));
  if (direction == Direction::write && sending()) {
    if (((address - transmit_address()) & decoded_) < tbcr_) return {};
    end_before((transmit_address() - address) & decoded_);
  }
  return run;
}

void Dp8390::remote_run_written(std::span<const std::uint8_t> data, PortRun& run, Time end) {
  std::copy(data.begin(), data.end(), memory_.begin() + place(remote_address()));
  advance_run(data, run, end);
}

void Dp8390::remote_run_read(std::span<std::uint8_t> data, PortRun& run, Time end) {
  std::copy_n(memory_.begin() + place(remote_address()), data.size(), data.begin());
  advance_run(data, run, end);
}

void Dp8390::advance_run(std::span<const std::uint8_t> data, PortRun& run, Time end) {
  const std::size_t last = data.size() - 1;
  latch_ = word_mode() ? static_cast<std::uint16_t>(data[last - 1] | data[last] << 8)
                       : static_cast<std::uint16_t>((remote_ == Remote::read ? 0xFF00 : 0) | data[last]);
  rsar_ = static_cast<std::uint16_t>(remote_address() + data.size());
  rbcr_ = static_cast<std::uint16_t>(rbcr_ - data.size());
  latch_ready_ = run.next_ready(end);
}

void Dp8390::local_bus_denied(Time from, Time now) {
  // From the burst request on, the FIFO can absorb (or supply) what is beyond the threshold.
  const Time slack = port_.byte_time() * (16 - threshold());
  if (now - from <= slack) return;
  if (storing_ && !receive_end_pending_) {
    sync_receive(from);
    if (storing_) fifo_overrun_ = true;
  }
  if (port_.transmitting() && !orphan_) port_.underrun(now);
}

}  // namespace planar::ethernet
