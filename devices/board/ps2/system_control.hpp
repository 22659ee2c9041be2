// SPDX-License-Identifier: GPL-2.0-or-later
// System control ports B (61h) and A (92h): timer and speaker gates, refresh toggle, NMI sources,
// A20, hot reset.
//
// Facts: docs/hardware/planar-devices.md#system-control-ports; docs/hardware/micro-channel.md#refresh (every 15.12 us).
// 61h bits 2 and 3 *disable* the parity and channel checks (0 = checking on). NMI: port 70h bit 7 masks parity and
// channel check, but not the watchdog and the bus time-out.
// Known limits: the speaker data bit produces no sound; memory errors never occur by themselves.
#pragma once

#include <cstdint>

#include "bus/common/interrupts.hpp"
#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "devices/board/at/clocks/i8254.hpp"
#include "devices/board/at/system/port_group.hpp"
#include "devices/board/at/system/signal.hpp"

namespace planar {

/// Offsets count from 61h: 0 = port B, 31h = port A (92h).
class SystemControl final : public Slave, public bus::NmiSink {
 public:
  /// `refresh_period` is the planar's (bus::RefreshTiming).
  SystemControl(I8254& timers, Trace& trace, Time refresh_period);

  /// Decodes 61h and 92h.
  void claim_ports(IoSpace& space);

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;

  // Outputs.
  Output nmi;         ///< any unmasked source; its rising edge goes to the processor and
                      ///< bus::Channel::nmi_delivered()
  Output a20;         ///< address line 20 enabled: 92h bit 1 or the 8042's output; starts inactive
  Output cpu_reset;   ///< pulse: 92h bit 0 rising (100-125 ns on a Model 80), or the 8042's
  Output disk_light;  ///< 92h bit 7 or 6

  // Inputs.
  Signal& a20_from_keyboard() { return keyboard_a20_; }
  Signal& reset_from_keyboard() { return keyboard_reset_; }
  Signal& watchdog() { return watchdog_; }  ///< I8254::watchdog
  Signal& nmi_mask() { return nmi_mask_; }  ///< RtcCmos::nmi_mask: true = masked
  /// -CHCK of the slots, parity, and the central arbiter's time-out.
  void set_nmi(bus::NmiSource source, bool asserted, Time now) override;

  bool speaker_data() const { return port_b_ & 2; }
  bool password_locked() const { return port_a_ & 8; }
  bool a20_enabled() const { return a20.level(); }

  /// Power-on state: NMI masked, A20 controlled by the 8042 only, everything else 0. Not called for a CPU-only reset.
  void reset(Time now);
  /// The ports as read at `now`, NMI sources and masks, A20.
  void describe(Description& d, Time now) const;
  void archive(Archive& a);

 private:
  void keyboard_a20(bool level, Time now);
  void keyboard_reset(bool level, Time now);
  void watchdog_changed(bool level, Time now);
  void nmi_mask_changed(bool level, Time now);
  void update_nmi(Time now);
  void update_checks(Time now);
  std::uint8_t port_b(Time now) const;
  std::uint8_t port_a() const;

  I8254& timers_;
  Trace& trace_;
  Time refresh_period_;
  std::uint8_t port_b_ = 0;  // written bits 3 to 0
  std::uint8_t port_a_ = 0;
  bool parity_latched_ = false;
  bool channel_latched_ = false;
  bool parity_input_ = false;
  bool channel_input_ = false;
  bool watchdog_input_ = false;
  bool timeout_input_ = false;
  bool keyboard_a20_level_ = false;
  bool masked_ = true;
  SignalTo<SystemControl> keyboard_a20_, keyboard_reset_, watchdog_, nmi_mask_;
  PortGroup ports_{"system"};
};

}  // namespace planar
