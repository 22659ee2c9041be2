// SPDX-License-Identifier: GPL-2.0-or-later
// 82371SB (PIIX3): the ports that control the machine.
//
//   61h   NSC   system_ports.hpp; bit 7 SERR# seen, 6 IOCHK# seen
//   92h         1 A20, 0 INIT on its rise; the others read 0
//   B2h   APMC, B3h APMS: two bytes for communication between systems and firmware; without effect here
//   CF9h  RC    2 reset on its rise, of the kind in bit 1: 0 INIT, 1 everything
//
// Source: docs/hardware/piix3.md#ports. NMI is masked by port 70h bit 7, which belongs to the clock
// (RtcCmos::nmi_mask). There is no watchdog, and IRQ 0 needs no acknowledge in 61h.
// Not modelled: sound (derived elsewhere from bit 1 and the timer), SMI# by APMC, SERR# by the bus.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "devices/board/at/system/port_group.hpp"
#include "devices/board/at/system/signal.hpp"
#include "devices/board/at/system/system_ports.hpp"

namespace planar {

/// Offsets count from 61h.
class Piix3Ports final : public SystemPorts {
 public:
  /// `refresh`: interval at which bit 4 of 61h toggles: 18 clocks of timer 1, as every AT programs it.
  Piix3Ports(I8254& timers, Trace& trace, Time refresh = 15'085_ns);

  /// Decodes 61h, 92h, B2h, B3h and CF9h. The last lies within the bridge's configuration ports, of which the bridge
  /// decodes only doublewords.
  void claim_ports(IoSpace& space);

  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
  std::string_view register_name(std::uint32_t offset, Direction) const override;

  // Outputs.
  Output init;        ///< pulse: restarts the processor only
  Output hard_reset;  ///< pulse: RST# on PCI, RESETDRV on ISA, and the processor's RESET

  // Inputs: of NMI there are IOCHK# (channel_check) and SERR# (parity).
  Signal& reset_from_keyboard() { return keyboard_reset_; }

  /// RST#: NMI masked, A20 controlled by the 8042 only, everything else 0.
  void reset(Time now);
  void describe(Description& d, Time now) const;
  void archive(Archive& a);

 private:
  void write_rc(std::uint8_t value, Time now);
  void keyboard_reset(bool level, Time now) { init.set(level, now); }

  Trace& trace_;
  std::uint8_t apmc_ = 0, apms_ = 0, rc_ = 0;
  SignalTo<Piix3Ports> keyboard_reset_;
  PortGroup ports_{"piix3"};
};

}  // namespace planar
