// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/streamer/chip_set.hpp"

namespace planar::streamer {

// ---- registers ----

std::uint16_t ChipSet::peek(std::uint32_t offset) const {
  if (const auto value = system_.peek(offset)) return *value;
  switch (offset) {
    // clang-format off
    case BMCTL_SUM: case BMCTL_RUM:
      return static_cast<std::uint16_t>(disabled_ | (open() && !(disabled_ & RX_DIS) ? RX_ENAB : 0));
    case BCTL: return bctl_;
    case LAPA: return lapa_;
    case LAPD: case LAPDINC: return local(lapa_);
    // clang-format on
    case RXLBDA: return lower(receive_.last());
    case RXLBDA + 2: return upper(receive_.last());
    case RXBDA: return lower(receive_.first());
    case RXBDA + 2: return upper(receive_.first());
    default: return peek_own(offset);
  }
}

std::uint16_t ChipSet::read(std::uint32_t offset, Time now) {
  const std::uint16_t value = peek(offset);
  if (offset == LAPD || offset == LAPDINC) local_read(now);
  if (offset == LAPDINC) lapa_ = static_cast<std::uint16_t>(lapa_ + 2);
  return value;
}

void ChipSet::write(std::uint32_t offset, std::uint16_t value, Time now) {
  if (offset == BCTL) {
    control(value, now);
    return;
  }
  if (bctl_ & SOFTRESET) return;
  switch (offset) {
    case BMCTL_SUM: channels(disabled_ | (value & all_channels_), now); break;
    case BMCTL_RUM: channels(disabled_ & value, now); break;
    case LAPA: lapa_ = value; break;
    case LAPD: put_local(lapa_, value, now); break;
    case LAPDINC:
      put_local(lapa_, value, now);
      lapa_ = static_cast<std::uint16_t>(lapa_ + 2);
      break;
    case RXLBDA:
    case RXBDA:
    case RXLBDA + 2:
    case RXBDA + 2:
      if (const auto address = whole_address(0, offset, value)) {
        if ((offset & ~2u) == RXBDA)
          receive_.set_first(*address, job_ == Job::rx_fetch);
        else
          receive_.set_last(*address);
        pump(now);
      }
      break;
    default: system_.write(offset, value); break;
  }
  written(offset, value, now);
  update_interrupt(now);
}

std::optional<std::uint32_t> ChipSet::whole_address(unsigned pair, std::uint32_t offset, std::uint16_t value) {
  if (offset & 2) return halves_[pair] | std::uint32_t{value} << 16;
  halves_[pair] = value;
  return std::nullopt;
}

void ChipSet::channels(std::uint16_t disabled, Time now) {
  const std::uint16_t stopped = disabled & ~disabled_;
  disabled_ = disabled;
  stop_transmit_channels(stopped, now);
  if (stopped & RX_DIS) stop_receive(now);
  pump(now);
}

void ChipSet::update_interrupt(Time now) {
  if (interrupt_pin() == asserted_) return;
  asserted_ = !asserted_;
  host_.interrupt(asserted_, now);
}

void ChipSet::raise(std::uint16_t misr, Time now) {
  system_.raise_misr(misr);
  update_interrupt(now);
}

void ChipSet::raise_system(std::uint16_t sisr, Time now) {
  system_.raise_sisr(sisr);
  update_interrupt(now);
}

void ChipSet::control(std::uint16_t value, Time now) {
  const bool released = bctl_ & SOFTRESET && !(value & SOFTRESET);
  if (value & SOFTRESET) reset(now);
  bctl_ = value;
  if (released) self_test_event_.at(now + self_test_time_);
}

void ChipSet::reset_registers() {
  self_test_event_.cancel();
  system_.reset();
  bctl_ = lapa_ = 0;
  halves_ = {};
  disabled_ = all_channels_;
  tested_ = false;
  receive_.reset();
}

// ---- transfers: one at a time, reception first ----

void ChipSet::begin(Job job, std::uint32_t address, std::uint32_t bytes, Direction direction, Time now) {
  job_ = job;
  transfer_.resize(bytes);
  host_.start_transfer(address, bytes, direction, now);
}

void ChipSet::abort_job(Time now) {
  job_ = Job::none;
  host_.cancel_transfer(now);
}

void ChipSet::pump(Time now) {
  if (job_ != Job::none || !open()) return;
  if (!(disabled_ & RX_DIS) && receive_pump(now)) return;
  transmit_pump(now);
}

/// Returns whether a transfer has begun.
bool ChipSet::receive_pump(Time now) {
  using Step = ReceiveChannel::Step;
  const auto t = receive_.next(transfer_, now);
  switch (t.step) {
    case Step::none: return false;
    case Step::fetch: begin(Job::rx_fetch, t.address, t.bytes, Direction::read, now); break;
    case Step::data: begin(Job::rx_data, t.address, t.bytes, Direction::write, now); break;
    case Step::status: begin(Job::rx_status, t.address, t.bytes, Direction::write, now); break;
  }
  return true;
}

void ChipSet::stop_receive(Time now) {
  if (job_ == Job::rx_fetch || job_ == Job::rx_data || job_ == Job::rx_status) abort_job(now);
  receive_.stop();
}

void ChipSet::transfer_done(Time now) {
  const Job job = job_;
  job_ = Job::none;
  switch (job) {
    case Job::none: break;
    case Job::rx_fetch: receive_.fetched(transfer_); break;
    case Job::rx_data:
      receive_.stored(static_cast<std::uint32_t>(transfer_.size()));
      if (receive_.listening()) expect_more(now);
      break;
    case Job::rx_status: buffer_returned(receive_.returned(), now); break;
    default: transmit_transfer_done(job, now);
  }
  pump(now);
}

// ---- state ----

void ChipSet::describe_registers(Description& d) const {
  d.reg("LISR", peek(LISR), 16).reg("SISR", peek(SISR), 16).reg("SISR_MASK", peek(SISR_MASK), 16);
  d.reg("BMCTL", peek(BMCTL_SUM), 16).reg("MISR", peek(MISR_RUM), 16).reg("MISR_MASK", peek(MISR_MASK), 16);
  d.reg("BCTL", bctl_, 16).reg("LAPA", lapa_, 16).flag("interrupt", interrupt_pin());
}

void ChipSet::describe_transfer(Description& d, std::span<const char* const> own) const {
  constexpr std::array family{"none", "receive descriptor", "received bytes", "receive status", "transmit descriptor"};
  const auto job = static_cast<std::size_t>(job_);
  d.activity("bus transfer", job < family.size() ? family[job] : own[job - family.size()]);
}

bool ChipSet::sound() const {
  const std::size_t n = transfer_.size();
  return receive_.sound() && (job_ != Job::rx_fetch || n == ReceiveChannel::descriptor_bytes) &&
         (job_ != Job::rx_data || receive_.may_store(n)) &&
         (job_ != Job::rx_status || n == ReceiveChannel::status_bytes) &&
         (job_ != Job::tx_fetch || n == transmit_descriptor_bytes);
}

}  // namespace planar::streamer
