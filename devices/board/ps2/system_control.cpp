// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/ps2/system_control.hpp"

namespace planar {

namespace {
constexpr std::uint32_t port_a_offset = 0x92 - 0x61;
// 61h
constexpr std::uint8_t reset_irq0 = 0x80;
// 92h
constexpr std::uint8_t password_lock = 0x08, watchdog_status = 0x10, lights = 0xC0;
}  // namespace

SystemControl::SystemControl(I8254& timers, Trace& trace, Time refresh_period)
    : SystemPorts(timers, refresh_period),
      trace_(trace),
      keyboard_reset_(*this, &SystemControl::keyboard_reset),
      watchdog_(*this, &SystemControl::watchdog_changed) {}

void SystemControl::claim_ports(IoSpace& space) { ports_.claim(space, *this, 0x61, {{0x61, 0x61}, {0x92, 0x92}}); }

std::uint8_t SystemControl::port_a() const {
  return static_cast<std::uint8_t>(port_a_ | (watchdog_input_ ? watchdog_status : 0));
}

std::uint32_t SystemControl::peek(std::uint32_t offset, unsigned, Time now) const {
  return offset == 0 ? port_b(now) : offset == port_a_offset ? port_a() : 0xFF;
}

void SystemControl::write(std::uint32_t offset, unsigned, std::uint32_t value32, Time now) {
  const auto value = static_cast<std::uint8_t>(value32);
  if (offset == 0) {
    if (value & reset_irq0) timers_.clear_irq0(now);
    write_port_b(value, now);
    return;
  }
  if (offset != port_a_offset) return;
  // The password lock is sticky until power-off; the watchdog bit is read-only.
  const bool hot_reset = write_port_a(
      static_cast<std::uint8_t>((value & (lights | a20_gate | restart)) | ((value | port_a_) & password_lock)), now);
  disk_light.set(port_a_ & lights, now);
  if (hot_reset) {
    trace_(TraceCategory::cpu, now, "system", "hot reset through port 92h");
    cpu_reset.pulse(now);
  }
}

void SystemControl::set_nmi(bus::NmiSource source, bool asserted, Time now) {
  if (source == bus::NmiSource::bus_timeout) timeout_input_ = asserted;
  if (source == bus::NmiSource::watchdog) watchdog_input_ = asserted;
  SystemPorts::set_nmi(source, asserted, now);
}

void SystemControl::keyboard_reset(bool level, Time now) { cpu_reset.set(level, now); }

void SystemControl::watchdog_changed(bool level, Time now) { set_nmi(bus::NmiSource::watchdog, level, now); }

void SystemControl::reset(Time now) {
  reset_ports(now);
  disk_light.set(false, now);
}

void SystemControl::describe(Description& d, Time now) const {
  d.reg("port B (61h)", port_b(now), 8).reg("port A (92h)", port_a(), 8);
  d.flag("timer 2 gate", port_b_ & timer2_gate)
      .flag("timer 2 output", timers_.out2(now))
      .flag("speaker data", speaker_data());
  d.flag("parity check on", !(port_b_ & parity_off)).flag("channel check on", !(port_b_ & channel_check_off));
  d.flag("A20", a20.level()).flag("A20 of the keyboard controller", keyboard_a20_level_);
  d.flag("password locked", password_locked()).flag("disk light", disk_light.level());
  Description& part = d.part("NMI");
  part.flag("output", nmi.level()).flag("masked (70h)", masked_);
  part.flag("parity", parity_.input).flag("parity latched", parity_.latched);
  part.flag("channel check", channel_check_.input).flag("channel check latched", channel_check_.latched);
  part.flag("watchdog", watchdog_input_).flag("bus time-out", timeout_input_);
}

void SystemControl::archive(Archive& a) {
  a.section("system_control", 2);
  a(port_b_, port_a_, parity_.latched, channel_check_.latched, parity_.input, channel_check_.input, watchdog_input_,
    timeout_input_, keyboard_a20_level_, masked_);
  a(nmi, a20, cpu_reset, disk_light);
}

}  // namespace planar
