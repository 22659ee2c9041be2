// SPDX-License-Identifier: GPL-2.0-or-later
// TMS380: arbitration for the communications processor and its DMA channel; doorbells; statuses to the host.
#include <algorithm>

#include "devices/chips/tms380/tms380.hpp"

namespace planar::tokenring {
namespace {

enum PostStep : std::uint8_t { compose, ssb_written };
constexpr std::size_t list_fixed_bytes = 8, fragment_bytes = 6;
constexpr std::uint16_t more_fragments = 0x8000;

}  // namespace

// ---- turns ----

bool Tms380::wants(Task task) const {
  const bool running = state_ == State::running;
  switch (task) {
    case Task::none: return false;
    case Task::doorbell: return pending_ && (running || state_ == State::ready);
    case Task::initialize: return execute_ && state_ == State::ready;
    case Task::command: return execute_ && running && posts_.size() < most_posts;
    case Task::fetch: return open_ && transmitting_ && !transmit_waits_ && !transmit_blocked_ && !halting_;
    case Task::sent: return !outgoing_.empty() && outgoing_.front().finished;
    case Task::receive:
      return open_ && receiving_ && !receive_waits_ && !receive_suspended_ && (relink_ || !incoming_.empty());
    case Task::post:
      return running && !posts_.empty() && !(sts_ & SYSTEM_INTERRUPT) && (!posts_.front().uses_ssb || ssb_free_);
  }
  return false;
}

Time Tms380::first_work(Task task) const {
  switch (task) {
    case Task::none: break;
    case Task::doorbell: return config_.interrupt;
    case Task::initialize: return config_.initialize;
    case Task::command: return config_.command;
    case Task::fetch:
    case Task::receive: return config_.look;
    case Task::sent: return config_.transmit_status;
    case Task::post: return config_.status;
  }
  return {};
}

// A doorbell is an interrupt and takes priority; the other tasks take turns.
void Tms380::wake(Time now) {
  if (task_ != Task::none) return;
  Task next = Task::none;
  if (wants(Task::doorbell)) {
    next = Task::doorbell;
  } else {
    for (unsigned n = 1; n <= tasks && next == Task::none; ++n) {
      const auto candidate = static_cast<Task>((static_cast<unsigned>(served_) + n) % tasks);
      if (wants(candidate)) next = candidate;
    }
    if (next != Task::none) served_ = next;
  }
  if (next == Task::none) return;
  task_ = next;
  step_ = 0;
  processor_.at(now + first_work(next));
}

void Tms380::continue_task(Time now) {
  switch (task_) {
    case Task::none: break;
    case Task::doorbell: do_doorbell(now); break;
    case Task::initialize: do_initialize(now); break;
    case Task::command: do_command(now); break;
    case Task::fetch: do_fetch(now); break;
    case Task::sent: do_sent(now); break;
    case Task::receive: do_receive(now); break;
    case Task::post: do_post(now); break;
  }
}

void Tms380::end_task(Time now) {
  task_ = Task::none;
  wake(now);
}

/// Abandons the processor's present task.
void Tms380::drop_task(Time now) {
  processor_.cancel();
  if (dma_busy_) host_.cancel_transfer(now);
  dma_busy_ = false;
  task_ = Task::none;
}

// ---- DMA ----

// For a write, `transfer_` holds the bytes.
void Tms380::dma(std::uint32_t address, std::uint32_t bytes, Direction direction, Time now) {
  transfer_.resize(bytes);
  dma_address_ = address;
  dma_direction_ = direction;
  dmalen_ = static_cast<std::uint16_t>(bytes);
  retries_ = 0;
  begin_transfer(now);
}

void Tms380::begin_transfer(Time now) {
  dma_busy_ = true;
  host_.start_transfer(dma_address_, dma_direction_ == Direction::read ? transmit_burst_ : receive_burst_,
                       dma_direction_, now);
}

void Tms380::transfer_done(Time now) {
  dma_busy_ = false;
  continue_task(now);
}

// Retried as often as the initialization block allows.
void Tms380::transfer_failed(DmaFault fault, Time now) {
  dma_busy_ = false;
  const bool parity = fault == DmaFault::parity;
  if (++retries_ <= (parity ? parity_retries_ : bus_retries_)) {
    std::uint8_t& count = parity ? parity_errors_ : dma_errors_;
    if (count != 0xFF) ++count;
    begin_transfer(now);
    return;
  }
  if (task_ == Task::initialize) {
    constexpr std::uint8_t dma_timeout = 9;  // then parity, bus error
    set_status(static_cast<std::uint8_t>(INITIALIZE | ERROR | (dma_timeout + static_cast<unsigned>(fault))), now);
    end_task(now);
    return;
  }
  adapter_check(dma_direction_ == Direction::read ? DMA_READ_ABORT : DMA_WRITE_ABORT, fault, now);
}

// ---- doorbells ----

void Tms380::do_doorbell(Time now) {
  const std::uint16_t bits = pending_;
  pending_ = 0;
  if (bits & EXECUTE) execute_ = true;
  if (state_ == State::running) {
    if (bits & SSB_CLEAR) ssb_free_ = true;
    if (bits & SCB_REQUEST) {
      if (execute_)
        scb_request_ = true;
      else
        post({Irq::scb_clear, false, {}});
    }
    if (bits & RECEIVE_CONTINUE) receive_suspended_ = false;
    if (bits & RECEIVE_VALID) receive_waits_ = false;
    if (bits & TRANSMIT_VALID) transmit_waits_ = false;
  }
  end_task(now);
}

// ---- statuses: one at a time, each after the previous interrupt was cleared and the SSB is free ----

void Tms380::post(const Status& status) {
  if (posts_.size() < 2 * most_posts) posts_.push_back(status);
}

// One status may cover several frames: it names the last list.
void Tms380::post_list_status(Irq irq, Command command, std::uint16_t bits, std::uint32_t list) {
  const std::array<std::uint16_t, 4> words{command, bits, static_cast<std::uint16_t>(list >> 16),
                                           static_cast<std::uint16_t>(list)};
  const bool error = irq == Irq::transmit_status && bits & LIST_ERROR;
  for (std::size_t n = task_ == Task::post ? 1 : 0; n < posts_.size() && !error; ++n) {
    Status& waiting = posts_[n];
    if (waiting.irq != irq || (irq == Irq::transmit_status && waiting.words[1] & LIST_ERROR)) continue;
    const std::uint16_t before = waiting.words[1];
    waiting.words = words;
    waiting.words[1] |= before;
    return;
  }
  post({irq, true, words});
}

void Tms380::do_post(Time now) {
  const Status& status = posts_.front();
  if (step_ == compose && status.uses_ssb) {
    transfer_.resize(2 * status.words.size());
    for (unsigned n = 0; n < status.words.size(); ++n) put16(2 * n, status.words[n]);
    step_ = ssb_written;
    dma(ssb_, 8, Direction::write, now);
    return;
  }
  if (status.uses_ssb) ssb_free_ = false;
  const auto code = static_cast<std::uint8_t>(status.irq);
  posts_.pop_front();
  set_status(SYSTEM_INTERRUPT | code, now);
  end_task(now);
}

// ---- big-endian words of transfer_; 0 beyond its end ----

std::uint16_t Tms380::get16(std::size_t at) const {
  if (at + 2 > transfer_.size()) return 0;
  return static_cast<std::uint16_t>(transfer_[at] << 8 | transfer_[at + 1]);
}

std::uint32_t Tms380::get32(std::size_t at) const { return std::uint32_t{get16(at)} << 16 | get16(at + 2); }

void Tms380::put16(std::size_t at, std::uint16_t value) {
  transfer_[at] = static_cast<std::uint8_t>(value >> 8);
  transfer_[at + 1] = static_cast<std::uint8_t>(value);
}

// A transmit or receive list in transfer_, with those of its fragments that are not empty.
Tms380::ListHeader Tms380::list_header(std::vector<Fragment>& fragments) const {
  fragments.clear();
  for (std::size_t at = list_fixed_bytes; at + fragment_bytes <= transfer_.size(); at += fragment_bytes) {
    const std::uint16_t count = get16(at);
    if (const std::uint32_t bytes = count & ~std::uint32_t{more_fragments}) fragments.push_back({get32(at + 2), bytes});
    if (!(count & more_fragments)) break;
  }
  return {get32(0), get16(4), get16(6)};
}

}  // namespace planar::tokenring
