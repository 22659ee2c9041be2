// SPDX-License-Identifier: GPL-2.0-or-later
// The DMA controller's operation: selects the device to serve, and moves one item after another as two cycles on the
// channel.
#include <algorithm>

#include "bus/mca/dma.hpp"
#include "bus/mca/dma_internal.hpp"

namespace planar::bus {

namespace {
/// A cycle to a port that no device answers.
constexpr CycleSpec nobody{8, CycleKind::standard, {}};
}  // namespace

int DmaController::channel_at(unsigned level) const {
  for (unsigned n = 0; n < channels; ++n)
    if (!channels_[n].masked && channels_[n].level == level) return static_cast<int>(n);
  return -1;
}

// Masks, levels or software requests have changed: determines who competes now.
void DmaController::rescan(Time now) {
  for (DmaLine* line : lines_) compete(*line, now);
  software_->update(now);
}

void DmaController::compete(DmaLine& line, Time now) {
  if (line.owns_channel()) return;  // decided at the end of its item
  if (line.wanted_ && channel_at(line.level_) >= 0)
    line.request_channel(line.level_, now);
  else
    line.withdraw_request(now);
}

// The device has been granted the channel: starts one item.
void DmaController::serve(DmaLine& line, Time now) {
  const int n = channel_at(line.level_);
  if (n < 0 || !line.wanted_) {
    line.release_channel(now);
    compete(line, now);
    return;
  }
  const ChannelRegisters& c = channels_[static_cast<unsigned>(n)];
  serving_ = &line;
  serving_channel_ = static_cast<std::uint8_t>(n);
  step_state_ = Step::first_cycle;
  const bool from_device = c.mode.to_memory() || c.mode.verify();
  const Time end = from_device ? io_end(c, line.client_, Direction::read, now) : memory_end(c, now);
  bus_.occupy(now, end, !from_device && !memory_.find(c.current_address));
  step_.at(end);
}

// End of a cycle: the item is in the controller or has reached its destination.
void DmaController::step(Time now) {
  if (!serving_) return;
  const ChannelRegisters& c = channels_[serving_channel_];
  const bool from_device = c.mode.to_memory() || c.mode.verify();
  const unsigned bytes = c.mode.bytes();
  if (step_state_ == Step::first_cycle) {
    step_state_ = Step::second_cycle;
    Time end;
    if (from_device) {
      item_ = device_read(c, serving_->client_, now);
      end = memory_end(c, now);
    } else {
      item_ = 0;
      for (unsigned i = 0; i < bytes; ++i) {
        std::uint8_t byte = 0xFF;
        memory_.master_read((c.current_address + i) & address_mask, {&byte, 1}, now);
        item_ = static_cast<std::uint16_t>(item_ | byte << (8 * i));
      }
      end = io_end(c, serving_->client_, Direction::write, now);
    }
    bus_.occupy(now, end, from_device && !memory_.find(c.current_address));
    step_.at(end);
    return;
  }
  if (c.mode.to_memory()) {
    for (unsigned i = 0; i < bytes; ++i) {
      const auto byte = static_cast<std::uint8_t>(item_ >> (8 * i));
      memory_.master_write((c.current_address + i) & address_mask, {&byte, 1}, now);
    }
  } else if (!c.mode.verify()) {
    device_write(c, serving_->client_, item_, now);
  }
  finish_item(now);
}

void DmaController::finish_item(Time now) {
  DmaLine& line = *serving_;
  ChannelRegisters& c = channels_[serving_channel_];
  trace_.at(memory_address(c.current_address), TraceCategory::dma, now, device_name, "channel {} {} {:0{}X} at {:06X}",
            serving_channel_,
            c.mode.verify()      ? "verifies"
            : c.mode.to_memory() ? "stores"
                                 : "fetches",
            item_, c.mode.wide() ? 4 : 2, c.current_address);
  const bool last = c.current_count == 0;
  advance_address(serving_channel_);
  --c.current_count;
  serving_ = nullptr;
  step_state_ = Step::idle;
  if (last) {
    c.terminal_count = true;
    if (c.mode.autoinitialise()) {
      c.current_address = c.base_address;
      c.current_count = c.base_count;
    } else {
      c.masked = true;
    }
    trace_(TraceCategory::dma, now, device_name, "channel {} terminal count", serving_channel_);
    line.client_.dma_terminal_count(now);
  }
  if (!line.owns_channel()) return;  // the client reset the machine, or the bus timed out
  const bool stays = line.burst_ && line.wanted_ && !last && !bus_.preempt_active();
  if (stays) {
    serve(line, now);
  } else {
    line.release_channel(now);
    compete(line, now);
  }
}

void DmaController::abandon(DmaLine& line) {
  if (serving_ != &line) return;
  serving_ = nullptr;
  step_state_ = Step::idle;
  step_.cancel();
}

// When programmed through the 8237 ports, the address wraps within its page of 64 KB (128 KB for the word channels).
void DmaController::advance_address(unsigned n) {
  ChannelRegisters& c = channels_[n];
  const std::uint32_t size = c.mode.bytes();
  const std::uint32_t wraps = c.carries ? address_mask : n < 4 ? 0xFFFF : 0x1'FFFF;
  const std::uint32_t next = c.mode.decrement() ? c.current_address - size : c.current_address + size;
  c.current_address = (c.current_address & ~wraps) | (next & wraps);
}

/// The I/O cycles of one item at the programmed port: calls `f(range, port, bytes, shift)` for each, where `range` is
/// null if nothing answers and `shift` is the place of its bytes in the item.
template <class F>
void DmaController::io_cycles(const ChannelRegisters& c, F f) const {
  const unsigned bytes = c.mode.bytes();
  const auto port = static_cast<std::uint16_t>(c.io_address & ~(bytes - 1u));
  for (unsigned done = 0; done < bytes;) {
    const IoSpace::Range* r = io_.find(static_cast<std::uint16_t>(port + done));
    const unsigned n = r && r->cycle.width >= 16 && r->last > port ? bytes - done : 1;
    f(r, port + done, n, 8 * done);
    done += n;
  }
}

Time DmaController::io_end(const ChannelRegisters& c, const DmaClient& client, Direction direction, Time start) const {
  if (!c.mode.use_io_address()) {
    const CycleSpec spec = client.dma_cycle();
    return start + bus_.costs().cycle(spec) * (c.mode.bytes() * 8 > spec.width ? 2 : 1);
  }
  Time end = start;
  io_cycles(c, [&](const IoSpace::Range* r, std::uint32_t port, unsigned n, unsigned) {
    const Time cycle_start = end;
    end += bus_.costs().cycle(r ? r->cycle : nobody);
    if (r) end = std::max(end, r->slave->ready(port - r->first, n, direction, cycle_start));
  });
  return end;
}

Time DmaController::memory_end(const ChannelRegisters& c, Time start) const {
  const unsigned bytes = c.mode.bytes();
  const AddressSpace::Range* r = memory_.find(c.current_address);
  const unsigned width = r ? r->cycle.width : bus_.timing().memory_width;
  const Time cycle = r ? bus_.costs().cycle(r->cycle) : bus_.timing().memory_cycle;
  // The controller moves at most 16 bits per cycle, so a word at an odd address takes two.
  const bool split = bytes == 2 && (width < 16 || (c.current_address & 1) != 0);
  return start + cycle * (split ? 2 : 1);
}

std::uint16_t DmaController::device_read(const ChannelRegisters& c, DmaClient& client, Time now) {
  if (!c.mode.use_io_address()) return client.dma_read(c.mode.bytes(), now);
  std::uint32_t value = c.mode.wide() ? 0xFFFF : 0xFF;
  io_cycles(c, [&](const IoSpace::Range* r, std::uint32_t port, unsigned n, unsigned shift) {
    if (!r) return;
    const std::uint32_t lane = (n == 2 ? 0xFFFFu : 0xFFu) << shift;
    value = (value & ~lane) | (r->slave->read(port - r->first, n, now) << shift & lane);
  });
  return static_cast<std::uint16_t>(value);
}

void DmaController::device_write(const ChannelRegisters& c, DmaClient& client, std::uint16_t value, Time now) {
  if (!c.mode.use_io_address()) {
    client.dma_write(c.mode.bytes(), value, now);
    return;
  }
  io_cycles(c, [&](const IoSpace::Range* r, std::uint32_t port, unsigned n, unsigned shift) {
    if (r) r->slave->write(port - r->first, n, value >> shift & (n == 2 ? 0xFFFFu : 0xFFu), now);
  });
}

}  // namespace planar::bus
