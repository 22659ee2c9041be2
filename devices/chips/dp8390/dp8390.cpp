// SPDX-License-Identifier: GPL-2.0-or-later
// DP8390: registers, start and stop, interrupts, tally counters.
#include "devices/chips/dp8390/dp8390.hpp"

#include "core/common/error.hpp"
#include "devices/chips/port_activity.hpp"

namespace planar::ethernet {
namespace {

// A tally counter stops at 192; CNT is set when its top bit is (data sheet, "Network tally counters").
constexpr std::uint8_t tally_limit = 192;
constexpr std::uint8_t tally_alarm = 128;
// Unused bits of the configuration registers read as ones on page 2.
constexpr std::uint8_t rcr_fixed = 0xC0, tcr_fixed = 0xE0, dcr_fixed = 0x80, imr_fixed = 0x80;

std::uint8_t low(std::uint16_t v) { return static_cast<std::uint8_t>(v); }
std::uint8_t high(std::uint16_t v) { return static_cast<std::uint8_t>(v >> 8); }
void set_low(std::uint16_t& v, std::uint8_t b) { v = static_cast<std::uint16_t>((v & 0xFF00) | b); }
void set_high(std::uint16_t& v, std::uint8_t b) { v = static_cast<std::uint16_t>((v & 0x00FF) | b << 8); }

}  // namespace

Dp8390::Dp8390(Scheduler& scheduler, const std::string& name, Dp8390Host& host, Dp8390Timing timing, std::uint64_t seed)
    : host_(host),
      timing_(timing),
      clock_time_{static_cast<std::int64_t>(1'000'000'000'000 / timing.bus_clock_hz)},
      port_(scheduler, name + ".port", *this, seed),
      fifo_filled_(scheduler, name + ".fifo_filled", Priority::device, Callback::to<&Dp8390::fifo_filled>(this)),
      loop_end_(scheduler, name + ".loop_end", Priority::device, Callback::to<&Dp8390::loop_back>(this)),
      heartbeat_end_(scheduler, name + ".heartbeat_end", Priority::device, Callback::to<&Dp8390::heartbeat_end>(this)),
      receive_step_(scheduler, name + ".receive_step", Priority::device, Callback::to<&Dp8390::receive_step>(this)),
      receive_done_(scheduler, name + ".receive_done", Priority::device, Callback::to<&Dp8390::receive_done>(this)),
      remote_done_(scheduler, name + ".remote_done", Priority::device, Callback::to<&Dp8390::end_remote>(this)) {
  port_.mac().retry_late_collisions = true;  // "Transmissions rescheduled as in normal collisions" (TSR.OWC)
}

// RESET changes only a few registers (data sheet, "Initialization"): all others keep their contents.
void Dp8390::reset(Time now) {
  cr_ = STP | RD2;
  isr_ = RST;
  imr_ = 0;
  dcr_ |= LAS;
  tcr_ &= static_cast<std::uint8_t>(~(LB0 | LB1));
  stopping_ = false;
  fifo_filled_.cancel();
  loop_end_.cancel();
  heartbeat_end_.cancel();
  receive_step_.cancel();
  receive_done_.cancel();
  remote_done_.cancel();
  listening_ = storing_ = matched_ = receive_end_pending_ = receiver_off_ = false;
  transmit_held_ = false;
  remote_ = Remote::none;
  send_packet_ = false;
  if (port_.cut(now)) orphan_ = true;
  update_interrupt(now);
}

// ---- reading ----

std::uint8_t Dp8390::read(unsigned reg, Time now) {
  reg &= 15;
  sync_receive(now);
  const std::uint8_t value = peek(reg);
  if (cr_ >> 6 == 0) {
    if (reg >= 0x0D) cntr_[reg - 0x0D] = 0;
    if (reg == 0x06) fifo_read_ = (fifo_read_ + 1) & 7;
  }
  return value;
}

std::uint8_t Dp8390::peek(unsigned reg) const {
  reg &= 15;
  if (reg == 0) return cr_;
  switch (cr_ >> 6) {
    case 0: return peek_page0(reg);
    case 1: return reg <= 6 ? par_[reg - 1] : reg == 7 ? curr_ : mar_[reg - 8];
    case 2: return peek_page2(reg);
    default: return 0;
  }
}

std::uint8_t Dp8390::peek_page0(unsigned reg) const {
  switch (reg) {
    case 0x01: return low(clda_);
    case 0x02: return high(clda_);
    case 0x03: return bnry_;
    case 0x04: return tsr_;
    case 0x05: return port_.busy() ? static_cast<std::uint8_t>(port_.collisions() & 15) : ncr_;
    case 0x06: return fifo_[fifo_read_];
    case 0x07: return isr_;
    case 0x08: return low(rsar_);
    case 0x09: return high(rsar_);
    case 0x0C: return static_cast<std::uint8_t>(rsr_ | (port_.carrier() ? DFR : 0));
    case 0x0D:
    case 0x0E:
    case 0x0F: return cntr_[reg - 0x0D];
    default: return 0xFF;
  }
}

std::uint8_t Dp8390::peek_page2(unsigned reg) const {
  switch (reg) {
    case 0x01: return pstart_;
    case 0x02: return pstop_;
    case 0x03: return remote_next_;
    case 0x04: return tpsr_;
    case 0x05: return local_next_;
    case 0x06: return high(address_counter_);
    case 0x07: return low(address_counter_);
    case 0x0C: return rcr_ | rcr_fixed;
    case 0x0D: return tcr_ | tcr_fixed;
    case 0x0E: return dcr_ | dcr_fixed;
    case 0x0F: return imr_ | imr_fixed;
    default: return 0xFF;
  }
}

// ---- writing ----

void Dp8390::write(unsigned reg, std::uint8_t value, Time now) {
  reg &= 15;
  sync_receive(now);
  if (reg == 0) {
    command(value, now);
    return;
  }
  switch (cr_ >> 6) {
    case 0: write_page0(reg, value, now); break;
    case 1: write_page1(reg, value, now); break;
    case 2: write_page2(reg, value); break;
    default: break;  // test registers: the data sheet forbids their use
  }
}

void Dp8390::write_page0(unsigned reg, std::uint8_t value, Time now) {
  switch (reg) {
    case 0x01: pstart_ = value; break;
    case 0x02: pstop_ = value; break;
    case 0x03:
      bnry_ = value;
      ring_full_ = false;
      // "cleared when one or more packets have been removed from the ring" (ISR.RST after an overflow)
      if (receiver_off_ && running()) isr_ &= static_cast<std::uint8_t>(~RST);
      break;
    case 0x04: tpsr_ = value; break;
    case 0x05: set_low(tbcr_, value); break;
    case 0x06: set_high(tbcr_, value); break;
    case 0x07: isr_ &= static_cast<std::uint8_t>(~value | RST); break;
    case 0x08: set_low(rsar_, value); break;
    case 0x09: set_high(rsar_, value); break;
    case 0x0A: set_low(rbcr_, value); break;
    case 0x0B: set_high(rbcr_, value); break;
    case 0x0C:
      rcr_ = value & 0x3F;
      rsr_ = static_cast<std::uint8_t>(rcr_ & MON ? rsr_ | DIS : rsr_ & ~DIS);
      break;
    case 0x0D:
      tcr_ = value & 0x1F;
      port_.mac().low_priority_backoff = tcr_ & OFST;
      if (!(tcr_ & ATD) && transmit_held_) {
        transmit_held_ = false;
        if (cr_ & TXP && running()) begin_transmit(now);
      }
      break;
    case 0x0E: dcr_ = value & 0x7F; break;
    case 0x0F: imr_ = value & 0x7F; break;
    default: break;
  }
  if (reg <= 3 || reg == 0x0E) plan_receive_step(now);  // a frame being received may now meet another boundary
  update_interrupt(now);
}

void Dp8390::write_page1(unsigned reg, std::uint8_t value, Time now) {
  if (reg <= 6) {
    par_[reg - 1] = value;
  } else if (reg == 7) {
    curr_ = value;
    ring_full_ = false;
    clda_ = static_cast<std::uint16_t>(value << 8);
    plan_receive_step(now);
  } else {
    mar_[reg - 8] = value;
  }
}

// For diagnostics only, according to the data sheet.
void Dp8390::write_page2(unsigned reg, std::uint8_t value) {
  switch (reg) {
    case 0x01: set_low(clda_, value); break;
    case 0x02: set_high(clda_, value); break;
    case 0x03: remote_next_ = value; break;
    case 0x05: local_next_ = value; break;
    case 0x06: set_high(address_counter_, value); break;
    case 0x07: set_low(address_counter_, value); break;
    default: break;
  }
}

// ---- command register ----

// STA = STP = 0 changes nothing: drivers write 20h and 60h in service on every interrupt. STP leaves STA as it was ("if
// the NIC has previously been in start mode and the STP is set, both bits will remain set").
void Dp8390::command(std::uint8_t value, Time now) {
  const bool was_running = running();
  cr_ = static_cast<std::uint8_t>((value & 0xF8) | (cr_ & (STP | STA | TXP)));
  if (value & STP) {
    cr_ |= static_cast<std::uint8_t>(STP | (value & STA));
    if (was_running) stop(now);
  } else if (value & STA) {
    cr_ = static_cast<std::uint8_t>((cr_ | STA) & ~STP);
    if (!was_running)
      start(now);
    else if (!receiver_off_)
      isr_ &= static_cast<std::uint8_t>(~RST);
  }
  start_remote(value >> 3 & 7, now);
  if (value & TXP && !(cr_ & TXP)) {
    cr_ |= TXP;
    if (running()) begin_transmit(now);
  }
  update_interrupt(now);
}

void Dp8390::start(Time now) {
  isr_ &= static_cast<std::uint8_t>(~RST);
  stopping_ = false;
  receiver_off_ = false;
  if (cr_ & TXP) begin_transmit(now);
}

// "Any reception or transmission in progress will continue to completion before entering the reset state." A frame
// still waiting for the medium is dropped without a status: that is why drivers check whether they must resend it.
void Dp8390::stop(Time now) {
  stopping_ = true;
  const bool ends = loop_end_.pending() || heartbeat_end_.pending();
  if (fifo_filled_.pending() || (cr_ & TXP && !ends && !port_.abandon(now))) {
    fifo_filled_.cancel();
    cr_ &= static_cast<std::uint8_t>(~TXP);
  }
  if (!storing_) listening_ = false;
  enter_reset_state_if_idle(now);
}

void Dp8390::enter_reset_state_if_idle(Time now) {
  if (!stopping_ || storing_ || receive_end_pending_) return;
  if (port_.transmitting() || loop_end_.pending() || heartbeat_end_.pending()) return;
  stopping_ = false;
  raise(RST, now);
}

// ---- interrupts and tallies ----

void Dp8390::raise(std::uint8_t isr_bits, Time now) {
  isr_ |= isr_bits;
  update_interrupt(now);
}

// RST is only a status bit.
void Dp8390::update_interrupt(Time now) {
  const bool level = isr_ & imr_ & 0x7F;
  if (level == interrupt_) return;
  interrupt_ = level;
  host_.interrupt(level, now);
}

void Dp8390::tally(unsigned counter, Time now) {
  std::uint8_t& c = cntr_[counter];
  if (c < tally_limit) ++c;
  if (c >= tally_alarm) raise(CNT, now);
}

std::string_view Dp8390::register_name(unsigned reg, Direction direction) const {
  constexpr std::array<std::string_view, 16> read_0{"CR",   "CLDA0", "CLDA1", "BNRY",  "TSR", "NCR",
                                                    "FIFO", "ISR",   "CRDA0", "CRDA1", "",    "",
                                                    "RSR",  "CNTR0", "CNTR1", "CNTR2"},
      write_0{"CR",    "PSTART", "PSTOP", "BNRY",  "TPSR", "TBCR0", "TBCR1", "ISR",
              "RSAR0", "RSAR1",  "RBCR0", "RBCR1", "RCR",  "TCR",   "DCR",   "IMR"},
      page_1{"CR",   "PAR0", "PAR1", "PAR2", "PAR3", "PAR4", "PAR5", "CURR",
             "MAR0", "MAR1", "MAR2", "MAR3", "MAR4", "MAR5", "MAR6", "MAR7"},
      page_2{"CR", "PSTART", "PSTOP", "RNPP", "TPSR", "LNPP", "AC1", "AC0", "", "", "", "", "RCR", "TCR", "DCR", "IMR"};
  switch (cr_ >> 6) {
    case 0: return direction == Direction::read ? read_0[reg & 15] : write_0[reg & 15];
    case 1: return page_1[reg & 15];
    case 2: return page_2[reg & 15];
    default: return (reg & 15) == 0 ? "CR" : "";
  }
}

void Dp8390::describe(Description& d) const {
  d.reg("CR", cr_, 8).reg("ISR", isr_, 8).reg("IMR", imr_, 8).reg("DCR", dcr_, 8);
  d.reg("TCR", tcr_, 8).reg("TSR", tsr_, 8).reg("RCR", rcr_, 8).reg("RSR", rsr_, 8).reg("NCR", ncr_, 8);
  d.reg("PAR", big_endian(par_), 48).reg("MAR", big_endian(mar_), 64);
  d.reg("CNTR0", cntr_[0], 8).reg("CNTR1", cntr_[1], 8).reg("CNTR2", cntr_[2], 8);
  d.flag("INT", interrupt_);
  Description& ring = d.part("receive ring");
  ring.reg("PSTART", pstart_, 8)
      .reg("PSTOP", pstop_, 8)
      .reg("BNRY", bnry_, 8)
      .reg("CURR", curr_, 8)
      .reg("CLDA", clda_, 16);
  ring.reg("local next packet", local_next_, 8).flag("full", ring_full_).flag("stopped by overflow", receiver_off_);
  if (pstart_ < pstop_ && curr_ >= pstart_ && bnry_ >= pstart_)
    ring.level("pages held", static_cast<unsigned>(curr_ + (curr_ < bnry_ ? pstop_ - pstart_ : 0) - bnry_));
  ring.activity("arriving frame", storing_ ? "stored" : listening_ ? "not for this station so far" : "none");
  ring.number("bytes stored", stored_).flag("FIFO overrun", fifo_overrun_);
  Description& transmit = d.part("transmitter");
  transmit.reg("TPSR", tpsr_, 8).reg("TBCR", tbcr_, 16).flag("sending", sending());
  transmit.number("collisions", port_.collisions()).flag("held by TCR.ATD", transmit_held_);
  transmit.activity("state", fifo_filled_.pending()     ? "fills the FIFO"
                             : heartbeat_end_.pending() ? "waits for the heartbeat"
                             : orphan_                  ? "idle"
                                                        : port_activity(port_));
  Description& remote = d.part("remote DMA");
  remote.level("bytes left", remote_ == Remote::none ? 0 : rbcr_);
  remote.activity("direction", remote_ == Remote::none ? "none" : remote_ == Remote::read ? "read" : "write");
  remote.reg("RSAR", rsar_, 16).reg("RBCR", rbcr_, 16).reg("latch", latch_, 16);
  remote.reg("remote next packet", remote_next_, 8).flag("send packet", send_packet_);
}

void Dp8390::archive(Archive& a) {
  a.section("dp8390", 2);
  a(cr_, isr_, imr_, dcr_, tcr_, tsr_, rcr_, rsr_, ncr_, pstart_, pstop_, bnry_, tpsr_, curr_);
  a(tbcr_, rsar_, rbcr_, clda_, remote_next_, local_next_, address_counter_, par_, mar_, cntr_, fifo_, fifo_read_);
  a(stopping_, interrupt_, transmit_held_, orphan_, sent_tsr_, listening_, storing_, matched_, group_, fifo_overrun_,
    ring_full_, receiver_off_, receive_end_pending_, stored_, frame_length_, frame_status_);
  a(remote_, send_packet_, latch_, latch_ready_);
  a(counters_.sent, counters_.received, counters_.collisions, counters_.overruns, counters_.missed,
    counters_.receive_errors, counters_.transmit_errors);
  fifo_read_ &= 7;
  port_.archive(a);
  fifo_filled_.archive(a);
  loop_end_.archive(a);
  heartbeat_end_.archive(a);
  receive_step_.archive(a);
  receive_done_.archive(a);
  remote_done_.archive(a);
  if (a.loading() && (remote_ > Remote::write || latch_ready_ > port_.now() + 1_s))
    throw Error("snapshot holds a damaged DP8390; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
