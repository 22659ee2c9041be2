// SPDX-License-Identifier: GPL-2.0-or-later
// 8254 timers of an AT or PS/2: channel 0 (IRQ 0) and channel 2 (speaker); an AT also has channel 1 (refresh), a PS/2
// an IRQ 0 latch and channel 3 (watchdog).
//
//   PS/2  40h channel 0   42h channel 2   43h control   44h watchdog count   47h watchdog control   (no 41h, 45h, 46h)
//   AT    40h channel 0   41h channel 1   42h channel 2   43h control
//
// Facts: Intel 8254 data sheet (modes, latches, read-back); docs/hardware/planar-devices.md#timers (watchdog: 8 bits,
// binary, mode 0, counts ticks of channel 0 whose IRQ 0 is still pending; no channel 1; IRQ 0 latch cleared by 61h bit
// 7). Input clock 14.31818 MHz / 12 (choice inferred). Counts and outputs are computed from time; only the rising edges
// of OUT 0 are events, and on an AT, where IRQ 0 is OUT 0 itself, the falling ones in mode 3. The clock for which it is
// low in mode 2 is not an event: the pin falls at the time of the next rise. Known limits: a count of 1 in modes 2 and
// 3 (illegal in the data sheet) leaves OUT high; a count is loaded at the first clock edge after its write (the data
// sheet requires a full pulse, up to one clock later).
#pragma once

#include <cstdint>

#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/board/at/system/port_group.hpp"
#include "devices/board/at/system/signal.hpp"

namespace planar {

/// Input clock of a PC's counters: the 14.31818 MHz oscillator divided by twelve.
inline constexpr double i8254_hz = 14'318'180.0 / 12;
inline constexpr ClockDomain i8254_clock{14'318'180, 12};

/// One counter of an 8254, in closed form over its clock's tick number.
class I8254Counter {
 public:
  using Tick = std::int64_t;

  /// A control word for this counter (not a latch command), at tick `now`.
  void control(std::uint8_t word, Tick now);
  void latch_count(Tick now);
  void latch_status(Tick now);
  void write(std::uint8_t value, Tick now);
  std::uint8_t read(Tick now);
  std::uint8_t peek(Tick now) const;
  void set_gate(bool level, Tick now);
  bool gate() const { return gate_; }

  /// OUT at tick `now`.
  bool out(Tick now) const;
  /// OUT is high at tick `now` and was low at the tick before.
  bool rises_at(Tick now) const { return out(now) && !out(now - 1); }
  /// The next tick after `now` at which OUT may rise by itself (a reload makes it uncertain); -1 if none.
  Tick next_rise(Tick now) const;
  /// Mode 3: the next tick after `now` at which the high half ends; -1 if OUT is low, and in other modes.
  Tick next_fall(Tick now) const;
  unsigned mode() const { return mode_; }

  /// State at tick `now`.
  void describe(Description& d, Tick now) const;
  void archive(Archive& a);

 private:
  std::uint32_t modulus() const { return bcd_ ? 10'000 : 65'536; }
  bool periodic() const { return mode_ == 2 || mode_ == 3; }
  bool triggered_mode() const { return mode_ == 1 || mode_ == 5; }
  std::uint32_t initial_from(std::uint16_t count) const;
  void settle(Tick now);
  void load(Tick at);
  void count_complete(Tick now);
  void set_running(bool running, Tick now);
  Tick elapsed(Tick now) const { return running_ ? now - start_ : held_; }
  bool out_at(Tick elapsed) const;
  std::uint16_t count_at(Tick elapsed) const;
  std::uint16_t settled_count(Tick now) const;
  std::uint8_t status(Tick now) const;

  // The power-on state is undefined; here OUT starts high, so that the first control word causes no edge.
  std::uint8_t control_ = 0x36;  // status bits 5 to 0
  std::uint8_t mode_ = 3;
  bool bcd_ = false;
  bool gate_ = true;
  bool loaded_ = false;   // a count has reached the counting element; modes 1 and 5: a trigger has occurred
  bool running_ = false;  // the counting element decrements
  bool null_count_ = true;
  bool count_written_ = false;
  bool write_high_ = false;  // the next byte written is the high byte
  bool read_high_ = false;
  bool inhibited_ = false;  // mode 0: between the two bytes of a count
  std::uint16_t count_register_ = 0;
  std::uint32_t initial_ = 0x10000;
  Tick start_ = 0;             // tick of elapsed 0 while running
  Tick held_ = 0;              // elapsed while stopped
  Tick reload_at_ = -1;        // the count register is transferred at this tick; -1 none
  std::uint16_t residue_ = 0;  // value read before the first load
  bool status_latched_ = false;
  std::uint8_t latched_status_ = 0;
  bool count_latched_ = false;
  std::uint16_t latched_count_ = 0;
};

/// The board that the timers are on.
enum class TimerBoard : std::uint8_t { ps2, at };

class I8254 final : public Slave {
 public:
  I8254(Scheduler& scheduler, Trace& trace, TimerBoard board = TimerBoard::ps2);

  /// Decodes its board's ports. Offsets count from 40h.
  void claim_ports(IoSpace& space);

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;

  /// IRQ 0. PS/2: set by the rising edge of OUT 0, held until clear_irq0(). AT: OUT 0, which the interrupt controller
  /// takes as an edge.
  Output irq0;
  /// OUT 3: the watchdog has expired (NMI, and port 92h bit 4).
  Output watchdog;

  /// PS/2: port 61h bit 7 written as 1.
  void clear_irq0(Time now);
  /// Port 61h bit 0.
  void set_gate2(bool level, Time now);
  bool gate2() const { return channel2_.gate(); }
  /// Port 61h bit 5.
  bool out2(Time now) const;

  void reset(Time now);
  /// Counters and outputs at `now`.
  void describe(Description& d, Time now) const;
  void archive(Archive& a);

 private:
  I8254Counter::Tick tick(Time now) const;
  I8254Counter& counter(unsigned n) { return n == 0 ? channel0_ : n == 1 ? channel1_ : channel2_; }
  void edge(Time now);
  void rise(Time now);
  void schedule(Time now);
  void write_control(std::uint8_t word, I8254Counter::Tick now);
  void write_watchdog_control(std::uint8_t value, Time now);

  Trace& trace_;
  const TimerBoard board_;
  ClockDomain clock_{i8254_clock};
  I8254Counter channel0_;
  I8254Counter channel1_;  // AT
  I8254Counter channel2_;
  bool watchdog_loaded_ = false;
  bool watchdog_latched_ = false;
  std::uint8_t watchdog_control_ = 0;
  std::uint16_t watchdog_count_ = 0;
  std::uint8_t watchdog_latch_ = 0;
  Event edge_;
  PortGroup ports_{"pit"};
};

}  // namespace planar
