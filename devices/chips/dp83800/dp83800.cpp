// SPDX-License-Identifier: GPL-2.0-or-later
// DP83800: registers, commands, interrupts.
#include "devices/chips/dp83800/dp83800.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"
#include "core/common/little_endian.hpp"
#include "devices/chips/port_activity.hpp"

namespace planar::ethernet {

Dp83800::Dp83800(Scheduler& scheduler, const std::string& name, ChipHost& host, const Dp83800Config& config,
                 const net::MacAddress& mac, std::uint64_t seed)
    : host_(host),
      config_(config),
      mac_(mac),
      port_(scheduler, name, *this, seed),
      transmit_start_(scheduler, name + ".transmit_start", Priority::device,
                      Callback::to<&Dp83800::transmit_start>(this)),
      looped_(scheduler, name + ".looped", Priority::device, Callback::to<&Dp83800::looped>(this)),
      room_check_(scheduler, name + ".room_check", Priority::device, Callback::to<&Dp83800::room_check>(this)),
      reset_done_(scheduler, name + ".reset_done", Priority::device, Callback::to<&Dp83800::reset_done>(this)) {
  clear(Time{});
}

// ---- registers ----

std::uint16_t Dp83800::peek(std::uint32_t offset) const {
  switch (offset) {
    case DATA: {
      if (receive_.empty()) return 0;
      const Received& r = receive_.front();
      const auto at = [&](std::uint32_t n) { return n < r.data.size() ? r.data[n] : 0u; };
      return static_cast<std::uint16_t>(at(r.read) | at(r.read + 1) << 8);
    }
    case TLR: {
      if (transmit_.empty()) return 0;
      const Sending& s = transmit_.back();
      return static_cast<std::uint16_t>(s.length - s.data.size());
    }
    case TFR: return static_cast<std::uint16_t>(transmit_room());
    case TSR: return statuses_.empty() ? 0 : statuses_.front();
    case RSR: return receive_.empty() ? 0 : receive_.front().status;
    case CR:
      return static_cast<std::uint16_t>((resetting() ? RST : 0) | (rx_enabled_ ? RXEN : 0) | (tx_enabled_ ? TXEN : 0));
    case ISR: return isr_;
    case IMR: return imr_;
    case TCR: return tcr_;
    case RCR: return rcr_;
    case MPT: return mpt_;
    case CRCT: return crct_;
    case FAET: return faet_;
    default: break;
  }
  if (offset >= PAR0 && offset < PAR0 + 2 * par_.size()) return par_[(offset - PAR0) / 2];
  if (offset >= MAR0 && offset < MAR0 + 2 * mar_.size()) return mar_[(offset - MAR0) / 2];
  return 0xFFFF;
}

std::uint16_t Dp83800::read(std::uint32_t offset, Time now) {
  const std::uint16_t value = peek(offset);
  switch (offset) {
    case DATA: advance_data(); break;
    case TSR:
      if (!statuses_.empty()) {
        statuses_.pop_front();
        start_next(now);
      }
      break;
    case MPT: mpt_ = 0; break;
    case CRCT: crct_ = 0; break;
    case FAET: faet_ = 0; break;
    default: break;
  }
  return value;
}

void Dp83800::write(std::uint32_t offset, std::uint16_t value, Time now) {
  if (resetting()) return;
  switch (offset) {
    case DATA: write_data(value, now); return;
    case TLR: open_frame(value, now); return;
    case CR: command(value, now); return;
    case ISR:
      isr_ &= static_cast<std::uint16_t>(~value);
      update_interrupt(now);
      return;
    case IMR:
      imr_ = value & causes;
      update_interrupt(now);
      return;
    case TCR: tcr_ = value & LBK; return;
    case RCR: rcr_ = value & rcr_bits; return;
    default: break;
  }
  if (offset >= PAR0 && offset < PAR0 + 2 * par_.size())
    par_[(offset - PAR0) / 2] = value;
  else if (offset >= MAR0 && offset < MAR0 + 2 * mar_.size())
    mar_[(offset - MAR0) / 2] = value;
}

// RST overrides the others; of two contradictory bits the one that stops takes precedence.
void Dp83800::command(std::uint16_t value, Time now) {
  if (value & RST) {
    clear(now);
    reset_done_.at(now + config_.reset);
    return;
  }
  if (value & RXEN) rx_enabled_ = true;
  if (value & RXDIS) rx_enabled_ = false;
  if (value & TXEN) tx_enabled_ = true;
  if (value & TXDIS) tx_enabled_ = false;
  if (value & RDISC) discard();
  if (value & TFLUSH) flush_transmit(now);
  start_next(now);
}

void Dp83800::reset(Time now) {
  clear(now);
  reset_done_.cancel();
}

void Dp83800::clear(Time now) {
  flush_transmit(now);
  isr_ = imr_ = tcr_ = rcr_ = mpt_ = crct_ = faet_ = 0;
  for (unsigned i = 0; i < par_.size(); ++i) par_[i] = load_little<std::uint16_t>(&mac_[2 * i]);
  mar_ = {};
  rx_enabled_ = tx_enabled_ = listening_ = overrun_ = false;
  receive_.clear();
  room_check_.cancel();
  update_interrupt(now);
}

void Dp83800::raise(std::uint16_t raised, Time now) {
  isr_ |= raised;
  update_interrupt(now);
}

void Dp83800::update_interrupt(Time now) {
  if (interrupt() == asserted_) return;
  asserted_ = interrupt();
  host_.interrupt(asserted_, now);
}

void Dp83800::tally(std::uint16_t& counter, Time now) {
  if (counter == 0xFFFF) return;
  if (++counter == 0x8000) raise(CTO, now);
}

void Dp83800::describe(Description& d) const {
  d.reg("CR", peek(CR), 16).reg("ISR", peek(ISR), 16).reg("IMR", peek(IMR), 16).reg("TCR", peek(TCR), 16);
  d.reg("RCR", peek(RCR), 16).reg("MPT", peek(MPT), 16).reg("CRCT", peek(CRCT), 16).reg("FAET", peek(FAET), 16);
  for (unsigned n = 0; n < par_.size(); ++n) d.reg(fmt::format("PAR{}", n), par_[n], 16);
  for (unsigned n = 0; n < mar_.size(); ++n) d.reg(fmt::format("MAR{}", n), mar_[n], 16);
  d.flag("INT", asserted_);
  Description& transmit = d.part("transmit FIFO");
  transmit.reg("TLR", peek(TLR), 16).reg("TFR", peek(TFR), 16).reg("TSR", peek(TSR), 16);
  transmit.activity("state", sending_ ? port_activity(port_) : "idle");
  transmit.level("bytes free", transmit_room())
      .number("frames", transmit_.size())
      .number("statuses", statuses_.size())
      .flag("sending", sending_);
  transmit.number("collisions", port_.collisions());
  Description& receive = d.part("receive FIFO");
  receive.reg("RSR", peek(RSR), 16).number("frames", receive_.size()).level("bytes free", receive_room());
  receive.flag("overrun", overrun_);
}

void Dp83800::archive(Archive& a) {
  a.section("dp83800", 1);
  a(isr_, imr_, tcr_, rcr_, mpt_, crct_, faet_, par_, mar_, rx_enabled_, tx_enabled_, asserted_);
  a(transmit_, statuses_, sending_, orphan_, loop_frame_, receive_, listening_, overrun_);
  a(counters_.sent, counters_.received, counters_.collisions, counters_.overruns, counters_.transmit_errors,
    counters_.receive_errors);
  port_.archive(a);
  for (Event* e : {&transmit_start_, &looped_, &room_check_, &reset_done_}) e->archive(a);
  if (a.saving()) return;
  std::uint64_t used = 0, held = 0;
  bool sound =
      statuses_.size() <= status_depth && (!sending_ || !transmit_.empty()) && (sending_ || !looped_.pending());
  for (const Sending& s : transmit_) {
    used += s.room();
    sound = sound && s.data.size() <= s.length && (s.data.size() == s.length || &s == &transmit_.back());
  }
  for (const Received& r : receive_) {
    sound = sound && r.read <= r.data.size();
    if (sound) held += r.held();
  }
  if (sending_ && sound) sound = transmit_.front().data.size() == transmit_.front().length;
  if (!sound || used > config_.transmit_fifo || held > config_.receive_fifo)
    throw Error("snapshot holds damaged DP83800 FIFOs; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
