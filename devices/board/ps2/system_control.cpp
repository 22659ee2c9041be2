// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/ps2/system_control.hpp"

namespace planar {

namespace {
constexpr std::uint32_t port_a_offset = 0x92 - 0x61;
// 61h
constexpr std::uint8_t timer2_gate = 0x01, parity_disable = 0x04, channel_check_disable = 0x08, reset_irq0 = 0x80;
// 92h
constexpr std::uint8_t hot_reset = 0x01, a20_gate = 0x02, password_lock = 0x08, watchdog_status = 0x10, lights = 0xC0;
}  // namespace

SystemControl::SystemControl(I8254& timers, Trace& trace, Time refresh_period)
    : timers_(timers),
      trace_(trace),
      refresh_period_(refresh_period),
      keyboard_a20_(*this, &SystemControl::keyboard_a20),
      keyboard_reset_(*this, &SystemControl::keyboard_reset),
      watchdog_(*this, &SystemControl::watchdog_changed),
      nmi_mask_(*this, &SystemControl::nmi_mask_changed) {}

void SystemControl::claim_ports(IoSpace& space) { ports_.claim(space, *this, 0x61, {{0x61, 0x61}, {0x92, 0x92}}); }

std::uint8_t SystemControl::port_b(Time now) const {
  const bool refresh = (now / refresh_period_) & 1;
  return static_cast<std::uint8_t>((parity_latched_ ? 0x80 : 0) | (channel_latched_ ? 0x40 : 0) |
                                   (timers_.out2(now) ? 0x20 : 0) | (refresh ? 0x10 : 0) | port_b_);
}

std::uint8_t SystemControl::port_a() const {
  return static_cast<std::uint8_t>(port_a_ | (watchdog_input_ ? watchdog_status : 0));
}

std::uint32_t SystemControl::read(std::uint32_t offset, unsigned bytes, Time now) { return peek(offset, bytes, now); }

std::uint32_t SystemControl::peek(std::uint32_t offset, unsigned, Time now) const {
  return offset == 0 ? port_b(now) : offset == port_a_offset ? port_a() : 0xFF;
}

void SystemControl::write(std::uint32_t offset, unsigned, std::uint32_t value32, Time now) {
  const auto value = static_cast<std::uint8_t>(value32);
  if (offset == 0) {
    if (value & reset_irq0) timers_.clear_irq0(now);
    port_b_ = value & 0x0F;
    timers_.set_gate2(value & timer2_gate, now);
    update_checks(now);
    return;
  }
  if (offset != port_a_offset) return;
  const bool reset_rises = (value & hot_reset) && !(port_a_ & hot_reset);
  // The password lock is sticky until power-off; the watchdog bit is read-only.
  port_a_ = static_cast<std::uint8_t>((value & (lights | a20_gate | hot_reset)) | ((value | port_a_) & password_lock));
  disk_light.set(port_a_ & lights, now);
  a20.set((port_a_ & a20_gate) || keyboard_a20_level_, now);
  if (reset_rises) {
    trace_(TraceCategory::cpu, now, "system", "hot reset through port 92h");
    cpu_reset.pulse(now);
  }
}

/// Latches the enabled checks; disabling one clears its latch (the way handlers acknowledge an NMI).
void SystemControl::update_checks(Time now) {
  if (port_b_ & parity_disable)
    parity_latched_ = false;
  else if (parity_input_)
    parity_latched_ = true;
  if (port_b_ & channel_check_disable)
    channel_latched_ = false;
  else if (channel_input_)
    channel_latched_ = true;
  update_nmi(now);
}

void SystemControl::update_nmi(Time now) {
  nmi.set(((parity_latched_ || channel_latched_) && !masked_) || watchdog_input_ || timeout_input_, now);
}

void SystemControl::set_nmi(bus::NmiSource source, bool asserted, Time now) {
  switch (source) {
    case bus::NmiSource::parity: parity_input_ = asserted; break;
    case bus::NmiSource::channel_check: channel_input_ = asserted; break;
    case bus::NmiSource::bus_timeout: timeout_input_ = asserted; break;
    case bus::NmiSource::watchdog: watchdog_input_ = asserted; break;
  }
  update_checks(now);
}

void SystemControl::keyboard_a20(bool level, Time now) {
  keyboard_a20_level_ = level;
  a20.set((port_a_ & a20_gate) || level, now);
}

void SystemControl::keyboard_reset(bool level, Time now) { cpu_reset.set(level, now); }

void SystemControl::watchdog_changed(bool level, Time now) { set_nmi(bus::NmiSource::watchdog, level, now); }

void SystemControl::nmi_mask_changed(bool level, Time now) {
  masked_ = level;
  update_nmi(now);
}

void SystemControl::reset(Time now) {
  port_b_ = port_a_ = 0;
  parity_latched_ = channel_latched_ = false;
  masked_ = true;
  timers_.set_gate2(false, now);
  disk_light.set(false, now);
  a20.set(keyboard_a20_level_, now);
  update_checks(now);
}

void SystemControl::describe(Description& d, Time now) const {
  d.reg("port B (61h)", port_b(now), 8).reg("port A (92h)", port_a(), 8);
  d.flag("timer 2 gate", port_b_ & timer2_gate)
      .flag("timer 2 output", timers_.out2(now))
      .flag("speaker data", speaker_data());
  d.flag("parity check on", !(port_b_ & parity_disable)).flag("channel check on", !(port_b_ & channel_check_disable));
  d.flag("A20", a20.level()).flag("A20 of the keyboard controller", keyboard_a20_level_);
  d.flag("password locked", password_locked()).flag("disk light", disk_light.level());
  Description& part = d.part("NMI");
  part.flag("output", nmi.level()).flag("masked (70h)", masked_);
  part.flag("parity", parity_input_).flag("parity latched", parity_latched_);
  part.flag("channel check", channel_input_).flag("channel check latched", channel_latched_);
  part.flag("watchdog", watchdog_input_).flag("bus time-out", timeout_input_);
}

void SystemControl::archive(Archive& a) {
  a.section("system_control", 2);
  a(port_b_, port_a_, parity_latched_, channel_latched_, parity_input_, channel_input_, watchdog_input_, timeout_input_,
    keyboard_a20_level_, masked_);
  a(nmi, a20, cpu_reset, disk_light);
}

}  // namespace planar
