// SPDX-License-Identifier: GPL-2.0-or-later
// LANStreamer: registers, interrupts, soft reset, the order of bus master transfers.
#include "devices/chips/lanstreamer/lanstreamer.hpp"

namespace planar::tokenring {

using streamer::lower;
using streamer::upper;

LanStreamer::LanStreamer(Scheduler& scheduler, const std::string& name, BusMasterHost& host,
                         const LanStreamerConfig& config, const net::MacAddress& node, std::uint64_t seed)
    : host_(host),
      config_(config),
      node_(node),
      address_(node),
      receive_(*this, more_,
               {config.receive_fifo, config.burst, net::ring_header_bytes, TransmitFrame::longest, least_buffer}),
      port_(scheduler, name, *this, seed),
      self_test_(scheduler, name + ".self_test", Priority::device, Callback::to<&LanStreamer::self_tested>(this)),
      firmware_(scheduler, name + ".firmware", Priority::device, Callback::to<&LanStreamer::serve>(this)),
      room_(scheduler, name + ".room", Priority::device, Callback::to<&LanStreamer::room_comes>(this)),
      more_(scheduler, name + ".more", Priority::device, Callback::to<&LanStreamer::more_arrived>(this)) {}

void LanStreamer::configure(std::uint16_t gpr, bool inhibit_early_release) {
  board_gpr_ = gpr;
  board_inhibits_etr_ = inhibit_early_release;
}

// ---- reading ----

/// Two bytes of local memory in address order, as LAPD gives them. What the ring knows better is taken from it.
std::uint16_t LanStreamer::local(std::uint16_t at) const {
  const auto byte = [this](std::uint16_t a) -> unsigned {
    if (a >= LocalMemory::size) return 0xFF;
    const unsigned n = a - unsigned{LocalMemory::neighbour};
    if (n < 6 && ring_ == Ring::open)
      if (const auto neighbour = port_.upstream_neighbour()) return (*neighbour)[n];
    return memory_[a];
  };
  return static_cast<std::uint16_t>(byte(at) | byte(static_cast<std::uint16_t>(at + 1)) << 8);
}

std::uint16_t LanStreamer::peek(std::uint32_t offset) const {
  if (const auto value = system_.peek(offset)) return *value;
  const auto half = [offset](std::uint32_t value) { return offset & 2 ? upper(value) : lower(value); };
  switch (offset) {
    // clang-format off
    case GPR: return gpr_;
    case BMCTL_SUM: case BMCTL_RUM:
      return static_cast<std::uint16_t>(disabled_ | (ring_ == Ring::open && !(disabled_ & RX_DIS) ? RX_ENAB : 0));
    case BCTL: return bctl_;
    case LAPA: return lapa_;
    case LAPE: return lape_;
    case LAPD: case LAPDINC: return local(lapa_);
    case LAPCTL: return lapctl_;
    // clang-format on
    case LAPWWO: return LocalMemory::srb;
    case LAPWWC: return LocalMemory::writable_end;
    default: break;
  }
  switch (offset & ~2u) {
    case RXLBDA: return half(receive_.last());
    case RXBDA: return half(receive_.first());
    case RXSTAT: return half(rx_status_);
    case RXDBA: return half(receive_.address());
    case TX1LFDA: return half(channels_[0].last);
    case TX1FDA: return half(channels_[0].next);
    case TX1STAT: return half(tx_status_[0]);
    case TX2LFDA: return half(channels_[1].last);
    case TX2FDA: return half(channels_[1].next);
    case TX2STAT: return half(tx_status_[1]);
    case TX1DBA:
    case TX2DBA: {
      const unsigned channel = (offset & ~2u) == TX2DBA;
      for (const auto& f : {wire_, next_})
        if (f && f->channel == channel && f->fetched < f->length) return half(f->source());
      return 0;
    }
    default: return 0xFFFF;
  }
}

std::uint16_t LanStreamer::read(std::uint32_t offset, Time now) {
  const std::uint16_t value = peek(offset);
  if (offset == LAPD || offset == LAPDINC)
    if (lapa_ >= LocalMemory::size - 1) raise_system(LAP_ACC_ERR, now);
  if (offset == LAPDINC) lapa_ = static_cast<std::uint16_t>(lapa_ + 2);
  return value;
}

// ---- writing ----

void LanStreamer::put_local(std::uint16_t value, Time now) {
  if (!memory_.writable(lapa_) || !memory_.writable(static_cast<std::uint16_t>(lapa_ + 1))) {
    raise_system(LAP_ACC_ERR, now);
    return;
  }
  memory_[lapa_] = static_cast<std::uint8_t>(value);
  memory_[static_cast<std::uint16_t>(lapa_ + 1)] = static_cast<std::uint8_t>(value >> 8);
}

bool LanStreamer::write_descriptor_address(std::uint32_t offset, std::uint16_t value, Time now) {
  const std::uint32_t which = offset & ~2u;
  unsigned pair = 0;
  switch (which) {
    case RXLBDA:
    case RXBDA: break;
    case TX1LFDA: pair = 1; break;
    case TX2LFDA: pair = 2; break;
    default: return false;
  }
  if (!(offset & 2)) {
    halves_[pair] = value;
    return true;
  }
  const std::uint32_t address = halves_[pair] | std::uint32_t{value} << 16;
  if (which == RXBDA)
    receive_.set_first(address, job_ == Job::rx_fetch);
  else if (which == RXLBDA)
    receive_.set_last(address);
  else if (ring_ == Ring::open && !(disabled_ & (pair == 1 ? TX1_DIS : TX2_DIS)))
    channels_[pair - 1].ring(address);
  pump(now);
  return true;
}

void LanStreamer::write(std::uint32_t offset, std::uint16_t value, Time now) {
  if (offset == BCTL) {
    control(value, now);
    return;
  }
  if (bctl_ & SOFTRESET) return;
  switch (offset) {
    case LISR:
    case LISR_SUM: ring_doorbell(value, now); break;
    case GPR: gpr_ = value; break;
    case BMCTL_SUM: channels(disabled_ | (value & (TX1_DIS | TX2_DIS | RX_DIS)), now); break;
    case BMCTL_RUM: channels(disabled_ & value, now); break;
    case LAPA: lapa_ = value; break;
    case LAPE: lape_ = value; break;
    case LAPD: put_local(value, now); break;
    case LAPDINC:
      put_local(value, now);
      lapa_ = static_cast<std::uint16_t>(lapa_ + 2);
      break;
    case LAPCTL: lapctl_ = value; break;
    default:
      if (write_descriptor_address(offset, value, now)) return;
  }
  system_.write(offset, value);
  update_interrupt(now);
}

void LanStreamer::channels(std::uint16_t disabled, Time now) {
  const std::uint16_t stopped = disabled & ~disabled_;
  disabled_ = disabled;
  if (stopped & TX1_DIS) stop_transmit(0, now);
  if (stopped & TX2_DIS) stop_transmit(1, now);
  if (stopped & RX_DIS) stop_receive(now);
  pump(now);
}

// ---- interrupts ----

void LanStreamer::update_interrupt(Time now) {
  if (system_.interrupt() == asserted_) return;
  asserted_ = !asserted_;
  host_.interrupt(asserted_, now);
}

void LanStreamer::raise(std::uint16_t misr, Time now) {
  system_.raise_misr(misr);
  update_interrupt(now);
}

void LanStreamer::raise_system(std::uint16_t sisr, Time now) {
  system_.raise_sisr(sisr);
  update_interrupt(now);
}

// ---- reset ----

void LanStreamer::control(std::uint16_t value, Time now) {
  const bool released = bctl_ & SOFTRESET && !(value & SOFTRESET);
  if (value & SOFTRESET) reset(now);
  bctl_ = value;
  if (released) self_test_.at(now + config_.self_test);
}

void LanStreamer::reset(Time now) {
  self_test_.cancel();
  firmware_.cancel();
  close(now);
  system_.reset();
  bctl_ = lapa_ = lape_ = lapctl_ = rung_ = 0;
  halves_ = {};
  gpr_ = board_gpr_;
  tested_ = false;
  receive_.reset();
  rx_status_ = 0;
  tx_status_ = {};
  memory_.clear();
  update_interrupt(now);
}

// ---- transfers: one at a time, reception first ----

void LanStreamer::begin(Job job, std::uint32_t address, std::uint32_t bytes, Direction direction, Time now) {
  job_ = job;
  transfer_.resize(bytes);
  host_.start_transfer(address, bytes, direction, now);
}

void LanStreamer::abort_job(Time now) {
  job_ = Job::none;
  host_.cancel_transfer(now);
}

void LanStreamer::pump(Time now) {
  if (job_ != Job::none || ring_ != Ring::open) return;
  if (!(disabled_ & RX_DIS) && receive_pump(now)) return;
  transmit_pump(now);
}

void LanStreamer::transfer_done(Time now) {
  const Job job = job_;
  job_ = Job::none;
  switch (job) {
    case Job::none: break;
    case Job::rx_fetch: receive_.fetched(transfer_); break;
    case Job::rx_data:
      receive_.stored(static_cast<std::uint32_t>(transfer_.size()));
      if (const auto r = port_.receiving(); r && receive_.listening()) expect_more(*r, now);
      break;
    case Job::rx_status:
      rx_status_ = streamer::get32(transfer_, 0);
      raise(receive_.returned() ? RX_EOF : RX_EOB, now);
      break;
    case Job::tx_fetch: took_descriptor(now); break;
    case Job::tx_wire:
    case Job::tx_next:
      job_ = job;
      filled(now);
      break;
    case Job::tx_status: status_written(now); break;
  }
  pump(now);
}

}  // namespace planar::tokenring
