// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/system/system_ports.hpp"

namespace planar {

SystemPorts::SystemPorts(I8254& timers, Time refresh)
    : timers_(timers),
      refresh_(refresh),
      keyboard_a20_(*this, &SystemPorts::keyboard_a20),
      nmi_mask_(*this, &SystemPorts::nmi_mask_changed) {}

std::uint8_t SystemPorts::port_b(Time now) const {
  const bool refresh = (now / refresh_) & 1;
  return static_cast<std::uint8_t>((parity_.latched ? 0x80 : 0) | (channel_check_.latched ? 0x40 : 0) |
                                   (timers_.out2(now) ? 0x20 : 0) | (refresh ? 0x10 : 0) | port_b_);
}

void SystemPorts::write_port_b(std::uint8_t value, Time now) {
  port_b_ = value & 0x0F;
  timers_.set_gate2(value & timer2_gate, now);
  update_nmi(now);
}

bool SystemPorts::write_port_a(std::uint8_t value, Time now) {
  const bool rises = value & ~port_a_ & restart;
  port_a_ = value;
  update_a20(now);
  return rises;
}

void SystemPorts::update_nmi(Time now) {
  parity_.latched = !(port_b_ & parity_off) && (parity_.latched || parity_.input);
  channel_check_.latched = !(port_b_ & channel_check_off) && (channel_check_.latched || channel_check_.input);
  nmi.set(((parity_.latched || channel_check_.latched) && !masked_) || unmaskable(), now);
}

void SystemPorts::set_nmi(bus::NmiSource source, bool asserted, Time now) {
  if (source == bus::NmiSource::parity) parity_.input = asserted;
  if (source == bus::NmiSource::channel_check) channel_check_.input = asserted;
  update_nmi(now);
}

void SystemPorts::keyboard_a20(bool level, Time now) {
  keyboard_a20_level_ = level;
  update_a20(now);
}

void SystemPorts::nmi_mask_changed(bool level, Time now) {
  masked_ = level;
  update_nmi(now);
}

void SystemPorts::reset_ports(Time now) {
  port_b_ = port_a_ = 0;
  parity_.latched = channel_check_.latched = false;
  masked_ = true;
  timers_.set_gate2(false, now);
  update_a20(now);
  update_nmi(now);
}

}  // namespace planar
