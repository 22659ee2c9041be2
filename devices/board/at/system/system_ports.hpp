// SPDX-License-Identifier: GPL-2.0-or-later
// The system control ports that every AT has, for a board that adds its own:
//
//   61h  7 parity error or SERR# seen, 6 -CHCK or IOCHK# seen, 5 timer 2's output, 4 refresh toggle; 3 and 2 switch the
//        checks of bits 6 and 7 off and clear what they have seen, 1 speaker, 0 timer 2's gate (3:0 can be written)
//   92h  1 A20, 0 restarts the processor on its rise
//
// Facts: docs/hardware/planar-devices.md#system-control-ports, docs/hardware/piix3.md#ports.
#pragma once

#include <cstdint>

#include "bus/common/interrupts.hpp"
#include "core/memory/slave.hpp"
#include "devices/board/at/clocks/i8254.hpp"
#include "devices/board/at/system/signal.hpp"

namespace planar {

class SystemPorts : public Slave, public bus::NmiSink {
 public:
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return peek(offset, bytes, now); }

  // Outputs.
  Output nmi;  ///< any unmasked source; its rising edge goes to the processor
  Output a20;  ///< address line 20 enabled: 92h bit 1 or the 8042's output; starts inactive

  // Inputs.
  Signal& a20_from_keyboard() { return keyboard_a20_; }
  Signal& nmi_mask() { return nmi_mask_; }  ///< RtcCmos::nmi_mask: true = masked
  void set_nmi(bus::NmiSource source, bool asserted, Time now) override;

  bool speaker_data() const { return port_b_ & 2; }

 protected:
  /// A source of NMI; once seen it stays latched until its check is switched off.
  struct Check {
    bool input = false, latched = false;
  };
  enum PortB : std::uint8_t { timer2_gate = 0x01, parity_off = 0x04, channel_check_off = 0x08 };
  enum PortA : std::uint8_t { restart = 0x01, a20_gate = 0x02 };

  /// `refresh`: the interval at which bit 4 of 61h toggles.
  SystemPorts(I8254& timers, Time refresh);
  ~SystemPorts() override = default;

  /// Sources of NMI that port 70h does not mask.
  virtual bool unmaskable() const { return false; }

  std::uint8_t port_b(Time now) const;
  void write_port_b(std::uint8_t value, Time now);
  /// Keeps `value` as port 92h; returns whether the bit that restarts the processor rises.
  bool write_port_a(std::uint8_t value, Time now);
  /// Latches the checks that are on, and drives the NMI.
  void update_nmi(Time now);
  void reset_ports(Time now);

  I8254& timers_;
  std::uint8_t port_b_ = 0;  // written bits 3 to 0
  std::uint8_t port_a_ = 0;
  Check parity_, channel_check_;
  bool keyboard_a20_level_ = false;
  bool masked_ = true;

 private:
  void keyboard_a20(bool level, Time now);
  void nmi_mask_changed(bool level, Time now);
  void update_a20(Time now) { a20.set((port_a_ & a20_gate) || keyboard_a20_level_, now); }

  const Time refresh_;
  SignalTo<SystemPorts> keyboard_a20_, nmi_mask_;
};

}  // namespace planar
