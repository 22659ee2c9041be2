// SPDX-License-Identifier: GPL-2.0-or-later
// System control ports B (61h) and A (92h) of the PS/2: those of the AT (system_ports.hpp), and
//
//   61h  write: 7 acknowledges IRQ 0
//   92h  7, 6 disk light, 4 watchdog (read), 3 password lock
//
// Facts: docs/hardware/planar-devices.md#system-control-ports; docs/hardware/micro-channel.md#refresh (every 15.12 us).
// NMI: port 70h bit 7 masks parity and channel check, but not the watchdog and the bus time-out.
// Known limits: the speaker data bit produces no sound; memory errors never occur by themselves.
#pragma once

#include <cstdint>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "devices/board/at/system/port_group.hpp"
#include "devices/board/at/system/signal.hpp"
#include "devices/board/at/system/system_ports.hpp"

namespace planar {

/// Offsets count from 61h: 0 = port B, 31h = port A (92h).
class SystemControl final : public SystemPorts {
 public:
  /// `refresh_period` is the planar's (bus::RefreshTiming).
  SystemControl(I8254& timers, Trace& trace, Time refresh_period);

  /// Decodes 61h and 92h.
  void claim_ports(IoSpace& space);

  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;

  // Outputs.
  Output cpu_reset;   ///< pulse: 92h bit 0 rising (100-125 ns on a Model 80), or the 8042's
  Output disk_light;  ///< 92h bit 7 or 6

  // Inputs.
  Signal& reset_from_keyboard() { return keyboard_reset_; }
  Signal& watchdog() { return watchdog_; }  ///< I8254::watchdog
  /// -CHCK of the slots, parity, and the central arbiter's time-out.
  void set_nmi(bus::NmiSource source, bool asserted, Time now) override;

  bool password_locked() const { return port_a_ & 8; }
  bool a20_enabled() const { return a20.level(); }

  /// Power-on state: NMI masked, A20 controlled by the 8042 only, everything else 0. Not called for a CPU-only reset.
  void reset(Time now);
  /// The ports as read at `now`, NMI sources and masks, A20.
  void describe(Description& d, Time now) const;
  void archive(Archive& a);

 private:
  bool unmaskable() const override { return watchdog_input_ || timeout_input_; }
  void keyboard_reset(bool level, Time now);
  void watchdog_changed(bool level, Time now);
  std::uint8_t port_a() const;

  Trace& trace_;
  bool watchdog_input_ = false;
  bool timeout_input_ = false;
  SignalTo<SystemControl> keyboard_reset_, watchdog_;
  PortGroup ports_{"system"};
};

}  // namespace planar
