// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/ports/ns16550.hpp"

#include "core/common/error.hpp"

namespace planar {

namespace {
enum Register : unsigned { rbr_thr, ier, iir_fcr, lcr, mcr, lsr_register, msr, scr };
constexpr std::size_t fifo_depth = 16;
// IER and the interrupts
constexpr std::uint8_t receive_interrupt = 1, transmit_interrupt = 2, line_interrupt = 4, modem_interrupt = 8;
// LSR
constexpr std::uint8_t data_ready = 0x01, overrun = 0x02, any_error = 0x1E, holding_empty = 0x20,
                       transmitter_empty = 0x40, error_in_fifo = 0x80;
constexpr std::uint8_t send_break = 0x40;              // LCR
constexpr std::uint8_t out2 = 0x08, loop_back = 0x10;  // MCR
// IIR
constexpr std::uint8_t no_interrupt = 0x01, line_status = 0x06, data_available = 0x04, character_timeout = 0x0C,
                       transmitter_ready = 0x02, modem_status = 0x00;
}  // namespace

Ns16550::Ns16550(Scheduler& scheduler, Trace& trace, std::string name)
    : trace_(trace),
      name_(std::move(name)),
      transmitted_(scheduler, name_ + ".transmitted", Priority::device, Callback::to<&Ns16550::transmitted>(this)),
      received_(scheduler, name_ + ".received", Priority::device, Callback::to<&Ns16550::received>(this)),
      timeout_(scheduler, name_ + ".timeout", Priority::device, Callback::to<&Ns16550::timed_out>(this)),
      loop_(scheduler, name_ + ".loop", Priority::device, Callback::to<&Ns16550::sample_loop>(this)),
      ports_(name_) {}

void Ns16550::claim_ports(IoSpace& space, std::uint16_t base, bool* selected) {
  ports_.release();
  ports_.claim(space, *this, base, {{base, static_cast<std::uint16_t>(base + 7)}}, selected);
}

/// Half bits in a character of the programmed format.
unsigned Ns16550::character_halves() const {
  const unsigned stop_halves = !(lcr_ & 4) ? 2 : data_bits() == 5 ? 3 : 4;
  return 2 + 2 * data_bits() + (lcr_ & 8 ? 2 : 0) + stop_halves;
}

/// The end of `characters` characters that begin at `start`.
Time Ns16550::character_end(Time start, unsigned characters) const {
  return after_bits(start, character_halves() * characters);
}

/// `halves` half bits after the first clock at or after `start`.
Time Ns16550::after_bits(Time start, unsigned halves) const {
  const std::uint64_t divisor = divisor_ == 0 ? 65'536 : divisor_;
  return clock_.at(clock_.first_at_or_after(start) + std::uint64_t{8} * halves * divisor);
}

// --- Transmitter ---

void Ns16550::start_transmission(Time now) {
  if (shifting_ || transmit_.empty()) return;
  shift_register_ = transmit_.front();
  transmit_.pop_front();
  shifting_ = true;
  shift_start_ = after_bits(now, 0);
  if (transmit_.empty()) thre_pending_ = true;
  transmitted_.at(character_end(now, 1));
  watch_loop(now);
}

void Ns16550::transmitted(Time now) {
  shifting_ = false;
  if (!loopback() && !(lcr_ & send_break)) {
    const auto byte = static_cast<std::uint8_t>(shift_register_ & ((1u << data_bits()) - 1));
    trace_(TraceCategory::serial, now, name_, "sends {:02x}", byte);
    if (sink_) sink_(byte, now);
  }
  start_transmission(now);
  update_irq(now);
}

// --- Receiver ---

void Ns16550::receive(std::uint8_t byte, Time now) {
  line_in_.push_back(byte);
  start_reception(now);
}

void Ns16550::start_reception(Time now) {
  if (!line_in_.empty() && !received_.pending()) received_.at(character_end(now, 1));
}

void Ns16550::received(Time now) {
  const std::uint8_t byte = line_in_.front();
  line_in_.pop_front();
  if (!loopback()) accept(static_cast<std::uint8_t>(byte & ((1u << data_bits()) - 1)), 0,
                          now);  // else SIN is cut off
  start_reception(now);
  update_irq(now);
}

void Ns16550::accept(std::uint8_t byte, std::uint8_t errors, Time now) {
  trace_(TraceCategory::serial, now, name_, "receives {:02x}", byte);
  if (fifo_on()) {
    if (receive_.size() >= fifo_depth)
      overrun_ = true;  // the FIFO keeps its content
    else
      receive_.emplace_back(byte, errors);
  } else {
    if (!receive_.empty()) overrun_ = true;
    receive_.assign(1, {byte, errors});
  }
  watch_idle(now);
}

/// FIFO mode: data that is not accessed for four character times raises the time-out interrupt.
void Ns16550::watch_idle(Time now) {
  timeout_.at(fifo_on() && !receive_.empty() ? character_end(now, 4) : Time::never());
}

void Ns16550::timed_out(Time now) {
  timeout_pending_ = true;
  update_irq(now);
}

unsigned Ns16550::trigger() const {
  constexpr std::uint8_t levels[] = {1, 4, 8, 14};
  return levels[fcr_ >> 6];
}

bool Ns16550::receive_data_due() const { return fifo_on() ? receive_.size() >= trigger() : !receive_.empty(); }

// --- Modem lines ---

std::uint8_t Ns16550::modem_inputs() const {
  if (!loopback()) return lines_;
  return static_cast<std::uint8_t>((mcr_ & 2 ? 0x10 : 0) | (mcr_ & 1 ? 0x20 : 0) | (mcr_ & 4 ? 0x40 : 0) |
                                   (mcr_ & 8 ? 0x80 : 0));
}

void Ns16550::modem_changed(std::uint8_t before) {
  const std::uint8_t after = modem_inputs();
  const std::uint8_t changed = before ^ after;
  deltas_ |= static_cast<std::uint8_t>(changed >> 4 & 0x0B);
  if (changed & before & 0x40) deltas_ |= 0x04;  // only RI's trailing edge counts
}

void Ns16550::set_modem(bool cts, bool dsr, bool ri, bool dcd, Time now) {
  const std::uint8_t before = modem_inputs();
  lines_ = static_cast<std::uint8_t>((cts ? 0x10 : 0) | (dsr ? 0x20 : 0) | (ri ? 0x40 : 0) | (dcd ? 0x80 : 0));
  modem_changed(before);
  update_irq(now);
}

// --- Interrupt ---

std::uint8_t Ns16550::lsr() const {
  std::uint8_t value = overrun_ ? overrun : 0;
  if (!receive_.empty()) value |= data_ready | receive_.front().second;
  if (transmit_.empty()) value |= holding_empty;
  if (transmit_.empty() && !shifting_) value |= transmitter_empty;
  if (fifo_on())
    for (const auto& entry : receive_)
      if (entry.second) value |= error_in_fifo;
  return value;
}

std::uint8_t Ns16550::iir() const {
  const std::uint8_t fifos = fifo_on() ? 0xC0 : 0x00;
  if (ier_ & line_interrupt && lsr() & any_error) return line_status | fifos;
  if (ier_ & receive_interrupt && receive_data_due()) return data_available | fifos;
  if (ier_ & receive_interrupt && timeout_pending_) return character_timeout | fifos;
  if (ier_ & transmit_interrupt && thre_pending_) return transmitter_ready | fifos;
  if (ier_ & modem_interrupt && deltas_) return modem_status | fifos;
  return no_interrupt | fifos;
}

void Ns16550::update_irq(Time now) { irq.set(!(iir() & no_interrupt) && mcr_ & out2 && !loopback(), now); }

// --- Registers ---

std::uint32_t Ns16550::peek(std::uint32_t offset, unsigned, Time) const {
  switch (offset) {
    case rbr_thr:
      if (divisor_access()) return divisor_ & 0xFFu;
      return receive_.empty() ? 0 : receive_.front().first;
    case ier: return divisor_access() ? divisor_ >> 8 : ier_;
    case iir_fcr: return iir();
    case lcr: return lcr_;
    case mcr: return mcr_;
    case lsr_register: return lsr();
    case msr: return modem_inputs() | deltas_;
    default: return scr_;
  }
}

std::uint32_t Ns16550::read(std::uint32_t offset, unsigned bytes, Time now) {
  const std::uint32_t value = peek(offset, bytes, now);
  switch (offset) {
    case rbr_thr:
      if (divisor_access()) return value;
      if (!receive_.empty()) receive_.pop_front();
      timeout_pending_ = false;
      watch_idle(now);
      break;
    case iir_fcr:
      if ((value & 0x0F) == transmitter_ready) thre_pending_ = false;
      break;
    case lsr_register:
      overrun_ = false;
      if (!receive_.empty()) receive_.front().second = 0;
      break;
    case msr: deltas_ = 0; break;
    default: return value;
  }
  update_irq(now);
  return value;
}

void Ns16550::write_fifo_control(std::uint8_t value, Time now) {
  const bool toggles = (value ^ fcr_) & 1;
  fcr_ = value & 1 ? value & 0xC9 : 0;
  if (toggles || value & 2) {
    receive_.clear();
    timeout_pending_ = false;
    watch_idle(now);
  }
  if ((toggles || value & 4) && !transmit_.empty()) {
    transmit_.clear();
    thre_pending_ = true;
  }
}

void Ns16550::write(std::uint32_t offset, unsigned, std::uint32_t value32, Time now) {
  const auto value = static_cast<std::uint8_t>(value32);
  switch (offset) {
    case rbr_thr:
      if (divisor_access()) {
        divisor_ = static_cast<std::uint16_t>((divisor_ & 0xFF00) | value);
        return;
      }
      if (!fifo_on())
        transmit_.assign(1, value);
      else if (transmit_.size() < fifo_depth)
        transmit_.push_back(value);
      thre_pending_ = false;
      start_transmission(now);
      break;
    case ier:
      if (divisor_access()) {
        divisor_ = static_cast<std::uint16_t>((divisor_ & 0x00FF) | value << 8);
        return;
      }
      if (value & ~ier_ & transmit_interrupt && transmit_.empty()) thre_pending_ = true;
      ier_ = value & 0x0F;
      break;
    case iir_fcr: write_fifo_control(value, now); break;
    case lcr:
      lcr_ = value;
      watch_loop(now);
      return;
    case mcr: {
      const std::uint8_t before = modem_inputs(), changed = mcr_ ^ value;
      mcr_ = value & 0x1F;
      modem_changed(before);
      if (changed & loop_back) enter_loop();
      watch_loop(now);
      break;
    }
    case scr: scr_ = value; return;
    default: return;  // LSR and MSR: factory test only
  }
  update_irq(now);
}

void Ns16550::reset(Time now) {
  ier_ = fcr_ = lcr_ = mcr_ = deltas_ = 0;
  overrun_ = thre_pending_ = timeout_pending_ = shifting_ = sampling_ = waits_for_mark_ = false;
  transmit_.clear();
  receive_.clear();
  transmitted_.cancel();
  timeout_.cancel();
  loop_.cancel();
  update_irq(now);
}

void Ns16550::describe(Description& d) const {
  d.flag("decoded", ports_.claimed());
  d.reg("IER", ier_, 8).reg("IIR", iir(), 8).reg("FCR", fcr_, 8).reg("LCR", lcr_, 8).reg("MCR", mcr_, 8);
  d.reg("LSR", lsr(), 8).reg("MSR", modem_inputs() | deltas_, 8).reg("SCR", scr_, 8).number("divisor", divisor_);
  d.number("bits per second", divisor_ ? 115'200u / divisor_ : 0).number("data bits", data_bits());
  d.flag("interrupt", irq.level()).flag("THRE pending", thre_pending_).flag("time-out pending", timeout_pending_);
  d.number("transmit FIFO", transmit_.size()).flag("shifting", shifting_);
  if (shifting_) d.reg("shift register", shift_register_, 8).time("shifted out", transmitted_.when());
  d.number("receive FIFO", receive_.size()).number("on the line", line_in_.size());
  if (loopback()) d.flag("loop-back: in a character", sampling_).flag("after a break", waits_for_mark_);
}

void Ns16550::archive(Archive& a) {
  a.section("ns16550", 1);
  a(ier_, fcr_, lcr_, mcr_, scr_, divisor_, lines_, deltas_, overrun_, thre_pending_, timeout_pending_, shifting_,
    shift_register_, transmit_, receive_, line_in_);
  a(irq, transmitted_, received_, timeout_);
  if (a.loading() && received_.pending() && line_in_.empty())
    throw Error("snapshot holds a damaged serial port; take a new one", ExitCode::missing_file);
  // Outside loop-back none of this is needed, and the stream is as it was before loop-back was modelled.
  if (loopback()) return a(shift_start_, sampling_, waits_for_mark_, frame_start_, sampled_, samples_, loop_);
  if (a.saving()) return;
  sampling_ = waits_for_mark_ = false;
  loop_.cancel();
}

}  // namespace planar
