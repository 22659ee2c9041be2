// SPDX-License-Identifier: GPL-2.0-or-later
// NS16550A serial port with FIFOs, 1.8432 MHz.
//
//   +0 RBR/THR/DLL  +1 IER/DLM  +2 IIR/FCR  +3 LCR  +4 MCR  +5 LSR  +6 MSR  +7 SCR
//
// Facts: National NS16550A data sheet; docs/hardware/planar-devices.md#serial-port. Every character takes its line time
// in both directions; OUT 2 gates the interrupt, as on every PC serial port. In loop-back mode (MCR bit 4) the receiver
// samples the transmitter's line bit by bit, including breaks (ns16550_loopback.cpp).
// Known limits: the line at the other end has the same speed and format, so parity and framing errors occur in
// loop-back only; a break replaces the characters sent meanwhile (the far end receives nothing); the THRE delay of one
// character in FIFO mode is not modelled.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/board/at/system/port_group.hpp"
#include "devices/board/at/system/signal.hpp"

namespace planar {

class Ns16550 final : public Slave {
 public:
  /// `name` (for example "com1") prefixes its events and trace lines.
  Ns16550(Scheduler& scheduler, Trace& trace, std::string name);

  /// Decodes base to base+7 (3F8h or 2F8h) in place of any previous range.
  void claim_ports(IoSpace& space, std::uint16_t base, bool* selected = nullptr);
  void release_ports() { ports_.release(); }

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;

  Output irq;

  /// Called with each character when its last stop bit leaves.
  void on_output(std::function<void(std::uint8_t, Time)> sink) { sink_ = std::move(sink); }
  /// A character from the other end; characters arrive one after another at line speed, whether or not there is room.
  void receive(std::uint8_t byte, Time now);
  /// Modem inputs; CTS, DSR and DCD are active by default, as with a cable that loops them.
  void set_modem(bool cts, bool dsr, bool ri, bool dcd, Time now);

  void reset(Time now);
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  void write_fifo_control(std::uint8_t value, Time now);
  std::uint8_t iir() const;
  std::uint8_t lsr() const;
  std::uint8_t modem_inputs() const;
  void modem_changed(std::uint8_t before);
  bool fifo_on() const { return fcr_ & 1; }
  unsigned trigger() const;
  bool receive_data_due() const;
  void update_irq(Time now);
  void start_transmission(Time now);
  void transmitted(Time now);
  void start_reception(Time now);
  void received(Time now);
  void accept(std::uint8_t byte, std::uint8_t errors, Time now);
  void watch_idle(Time now);
  bool loopback() const { return mcr_ & 0x10; }
  bool divisor_access() const { return lcr_ & 0x80; }
  unsigned data_bits() const { return 5u + (lcr_ & 3); }
  void timed_out(Time now);
  Time character_end(Time start, unsigned characters) const;
  unsigned character_halves() const;
  Time after_bits(Time start, unsigned halves) const;

  // ns16550_loopback.cpp
  unsigned frame_bits() const;
  bool parity_bit(unsigned data) const;
  bool looped_line(Time now) const;
  void enter_loop();
  void watch_loop(Time now);
  void sample_loop(Time now);
  void take_frame(Time now);

  Trace& trace_;
  std::string name_;
  std::function<void(std::uint8_t, Time)> sink_;
  ClockDomain clock_{1'843'200};

  std::uint8_t ier_ = 0, fcr_ = 0, lcr_ = 0, mcr_ = 0, scr_ = 0;
  std::uint16_t divisor_ = 0;
  std::uint8_t lines_ = 0xB0;  // modem inputs: bits 7 DCD, 6 RI, 5 DSR, 4 CTS
  std::uint8_t deltas_ = 0;    // MSR bits 3-0
  bool overrun_ = false;       // LSR bit 1 until read
  bool thre_pending_ = false;
  bool timeout_pending_ = false;
  bool shifting_ = false;
  std::uint8_t shift_register_ = 0;
  std::deque<std::uint8_t> transmit_;                          // THR, or the transmit FIFO
  std::deque<std::pair<std::uint8_t, std::uint8_t>> receive_;  // byte, LSR error bits
  std::deque<std::uint8_t> line_in_;                           // sent by the other end, not yet arrived
  Event transmitted_;
  Event received_;
  Event timeout_;
  // Loop-back: start of the character being sent, and the receiver's shift register.
  Time shift_start_{};
  bool sampling_ = false;        // a start bit was seen
  bool waits_for_mark_ = false;  // after a break
  Time frame_start_{};
  std::uint8_t sampled_ = 0;  // bits, start bit included
  std::uint16_t samples_ = 0;
  Event loop_;
  PortGroup ports_;
};

}  // namespace planar
