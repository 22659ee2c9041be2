// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/clocks/i8254.hpp"

namespace planar {

I8254::I8254(Scheduler& scheduler, Trace& trace, TimerBoard board)
    : trace_(trace), board_(board), edge_(scheduler, "i8254.out0", Priority::timer, Callback::to<&I8254::edge>(this)) {
  channel2_.set_gate(false, 0);
}

void I8254::claim_ports(IoSpace& space) {
  if (board_ == TimerBoard::ps2)
    ports_.claim(space, *this, 0x40, {{0x40, 0x40}, {0x42, 0x44}, {0x47, 0x47}});
  else
    ports_.claim(space, *this, 0x40, {{0x40, 0x43}});
}

I8254Counter::Tick I8254::tick(Time now) const { return static_cast<I8254Counter::Tick>(clock_.index_at(now)); }

void I8254::schedule(Time now) {
  auto next = channel0_.next_rise(tick(now));
  if (board_ == TimerBoard::at)
    if (const auto fall = channel0_.next_fall(tick(now)); fall >= 0 && (next < 0 || fall < next)) next = fall;
  edge_.at(next < 0 ? Time::never() : clock_.at(static_cast<std::uint64_t>(next)));
}

/// PS/2: the rising edge of OUT 0 sets the latch. If the latch is still set, a tick has been missed: the watchdog
/// counts it.
void I8254::rise(Time now) {
  if (board_ == TimerBoard::at) {
    irq0.set(false, now);
    irq0.set(true, now);
    return;
  }
  if (irq0.level() && watchdog_loaded_ && --watchdog_count_ == 0) {
    watchdog_count_ = 256;
    trace_(TraceCategory::timer, now, "pit", "watchdog has run out");
    watchdog.set(true, now);
  }
  irq0.set(true, now);
}

void I8254::edge(Time now) {
  const bool rises = channel0_.rises_at(tick(now));
  schedule(now);
  if (rises)
    rise(now);
  else if (board_ == TimerBoard::at)
    irq0.set(channel0_.out(tick(now)), now);
}

void I8254::clear_irq0(Time now) { irq0.set(false, now); }

void I8254::set_gate2(bool level, Time now) { channel2_.set_gate(level, tick(now)); }

bool I8254::out2(Time now) const { return channel2_.out(tick(now)); }

void I8254::write_control(std::uint8_t word, I8254Counter::Tick now) {
  const unsigned select = word >> 6;
  if (select == 3) {  // read-back
    for (unsigned n = 0; n < 3; ++n) {
      if (!(word >> (n + 1) & 1) || (n == 1 && board_ == TimerBoard::ps2)) continue;
      if (!(word & 0x20)) counter(n).latch_count(now);
      if (!(word & 0x10)) counter(n).latch_status(now);
    }
    return;
  }
  if (select == 1 && board_ == TimerBoard::ps2) return;  // channel 1 does not exist
  if ((word & 0x30) == 0)
    counter(select).latch_count(now);
  else
    counter(select).control(word, now);
}

void I8254::write_watchdog_control(std::uint8_t value, Time now) {
  if (value >> 6 != 0) return;
  switch (value >> 4 & 3) {
    case 0:
      watchdog_latched_ = true;
      watchdog_latch_ = static_cast<std::uint8_t>(watchdog_count_);
      break;
    case 1:  // low byte, mode 0, binary: OUT falls and waits for a count
      watchdog_control_ = value;
      watchdog_loaded_ = watchdog_latched_ = false;
      watchdog.set(false, now);
      break;
    default: break;
  }
}

void I8254::write(std::uint32_t offset, unsigned, std::uint32_t value32, Time now) {
  const auto value = static_cast<std::uint8_t>(value32);
  const auto here = tick(now);
  const bool before = channel0_.out(here);
  trace_(TraceCategory::timer, now, "pit", "{:02X}h <- {:02X}h", 0x40 + offset, value);
  switch (offset) {
    case 0: channel0_.write(value, here); break;
    case 1: channel1_.write(value, here); break;
    case 2: channel2_.write(value, here); break;
    case 3: write_control(value, here); break;
    case 4:
      if ((watchdog_control_ & 0x30) != 0x10) break;
      watchdog_count_ = value == 0 ? 256 : value;
      watchdog_loaded_ = true;
      watchdog.set(false, now);
      break;
    case 7: write_watchdog_control(value, now); break;
    default: break;
  }
  if (offset != 0 && offset != 3) return;
  schedule(now);
  const bool after = channel0_.out(here);
  if (!before && after)
    rise(now);  // a control word raises OUT at once
  else if (board_ == TimerBoard::at)
    irq0.set(after, now);
}

std::uint32_t I8254::read(std::uint32_t offset, unsigned bytes, Time now) {
  switch (offset) {
    case 0: return channel0_.read(tick(now));
    case 1: return channel1_.read(tick(now));
    case 2: return channel2_.read(tick(now));
    case 4: {
      const auto value = peek(offset, bytes, now);
      watchdog_latched_ = false;
      return value;
    }
    default: return peek(offset, bytes, now);
  }
}

std::uint32_t I8254::peek(std::uint32_t offset, unsigned, Time now) const {
  switch (offset) {
    case 0: return channel0_.peek(tick(now));
    case 1: return channel1_.peek(tick(now));
    case 2: return channel2_.peek(tick(now));
    case 4: return watchdog_latched_ ? watchdog_latch_ : static_cast<std::uint8_t>(watchdog_count_);
    default: return 0xFF;  // control registers cannot be read
  }
}

void I8254::reset(Time now) {
  channel0_ = I8254Counter{};
  channel1_ = I8254Counter{};
  channel2_ = I8254Counter{};
  channel2_.set_gate(false, tick(now));
  watchdog_loaded_ = watchdog_latched_ = false;
  watchdog_control_ = 0;
  watchdog_count_ = 0;
  edge_.cancel();
  irq0.set(board_ == TimerBoard::at && channel0_.out(tick(now)), now);
  watchdog.set(false, now);
}

void I8254::describe(Description& d, Time now) const {
  const bool ps2 = board_ == TimerBoard::ps2;
  d.flag(ps2 ? "IRQ 0 latch" : "IRQ 0", irq0.level());
  d.time(ps2 ? "next rise of OUT 0" : "next change of OUT 0", edge_.when());
  channel0_.describe(d.part("counter 0"), tick(now));
  if (!ps2) channel1_.describe(d.part("counter 1"), tick(now));
  channel2_.describe(d.part("counter 2"), tick(now));
  if (!ps2) return;
  Description& part = d.part("watchdog");
  part.reg("control", watchdog_control_, 8).number("count", watchdog_count_).flag("loaded", watchdog_loaded_);
  if (watchdog_latched_) part.reg("latched count", watchdog_latch_, 8);
  part.flag("output", watchdog.level());
}

void I8254::archive(Archive& a) {
  a.section("i8254", 2);
  a(channel0_, channel2_, watchdog_loaded_, watchdog_latched_, watchdog_control_, watchdog_count_, watchdog_latch_);
  if (board_ == TimerBoard::at) a(channel1_);
  a(irq0, watchdog, edge_);
}

}  // namespace planar
