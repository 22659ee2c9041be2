// SPDX-License-Identifier: GPL-2.0-or-later
// 8042 keyboard and mouse controller of a PS/2 (ports 60h and 64h), with the two devices on its cables.
//
// Facts: docs/hardware/planar-devices.md#keyboard-controller: command set, status bits, output port; IRQ 1 and IRQ 12
// are planar latches set by the controller and cleared by reading 60h.
// Timing (inferred; "10 us to 1 ms class"): 25 us to accept a byte, 100 us for an answer, 300 us for the self test; a
// byte on the cable takes 11 bits of 80 us in either direction.
// Known limits: bits 4 and 5 (interrupts) and 2, 3, 6, 7 (cables) written by D1h do not drive their lines; the RAM
// beyond the documented bytes is plain memory; both devices are always present, parity errors and time-outs never
// occur.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/board/at/input/ps2_keyboard.hpp"
#include "devices/board/at/input/ps2_mouse.hpp"
#include "devices/board/at/system/port_group.hpp"
#include "devices/board/at/system/signal.hpp"

namespace planar {

/// Offsets count from 60h: 0 = data, 4 = command (write) and status (read).
class I8042 final : public Slave, private Ps2Host {
 public:
  I8042(Scheduler& scheduler, Trace& trace);

  /// Decodes 60h and 64h.
  void claim_ports(IoSpace& space);

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;

  Output irq1;
  Output irq12;
  Output a20;        ///< output port bit 1
  Output cpu_reset;  ///< output port bit 0 low, or pulsed by FEh: active while low

  Ps2Keyboard& keyboard() { return keyboard_; }
  Ps2Mouse& mouse() { return mouse_; }

  /// Power-on or system reset: both interfaces disabled (command byte 30h), A20 on (all port lines
  /// high), no IRQ; both devices run their self tests.
  void reset(Time now);
  /// With keyboard and mouse as parts.
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  enum class Link : std::uint8_t { idle, from_keyboard, from_mouse, to_keyboard, to_mouse };

  void device_changed(Time now) override { look_for_work(now); }
  std::uint8_t status() const;
  void take_input(Time now);
  void command(std::uint8_t byte, Time now);
  void data(std::uint8_t byte, Time now);
  void answer(std::uint8_t byte, Time now, Time after);
  void deliver_answer(Time now);
  void fill(std::uint8_t byte, bool from_mouse, Time now);
  void write_output_port(std::uint8_t value, Time now);
  std::uint8_t output_port() const;
  void pulse(std::uint8_t lines, Time now);
  void end_pulse(Time now);
  void send(Link link, std::uint8_t byte, Time now);
  bool sending() const { return link_ == Link::to_keyboard || link_ == Link::to_mouse || queued_ != Link::idle; }
  void look_for_work(Time now);
  void link_done(Time now);
  void from_keyboard(std::uint8_t byte, Time now);
  void check_password(std::uint8_t code, Time now);
  bool keyboard_enabled() const { return !(ram_[0] & 0x10); }
  bool mouse_enabled() const { return !(ram_[0] & 0x20); }

  Trace& trace_;
  Ps2Keyboard keyboard_;
  Ps2Mouse mouse_;

  std::array<std::uint8_t, 32> ram_{};  // byte 0 is the command byte
  bool output_full_ = false;
  bool output_from_mouse_ = false;  // status bit 5
  bool input_full_ = false;
  bool input_is_command_ = false;  // status bit 3
  bool polling_ = false;           // after C1h, C2h: status bits 7-4 show the input port
  bool polling_high_ = false;
  std::uint8_t output_ = 0;
  std::uint8_t input_ = 0;
  std::uint8_t expecting_ = 0;         // command whose data byte is expected next
  std::vector<std::uint8_t> answers_;  // controller bytes not yet in the output buffer
  std::uint8_t output_port_ = 0xCF;
  bool break_prefix_ = false;  // F0h seen while translating
  std::vector<std::uint8_t> password_;
  std::vector<std::uint8_t> loading_;
  bool security_ = false;
  std::uint32_t password_position_ = 0;
  Link link_ = Link::idle;
  Link queued_ = Link::idle;  // the byte waiting for the cable
  std::uint8_t queued_byte_ = 0;
  std::uint8_t link_byte_ = 0;
  Event input_event_;
  Event answer_event_;
  Event link_event_;
  Event pulse_event_;
  PortGroup ports_{"keyboard"};
};

}  // namespace planar
