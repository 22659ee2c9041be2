// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/piix3/piix3_ports.hpp"

namespace planar {

namespace {
constexpr std::uint32_t at(std::uint32_t port) { return port - 0x61; }
// RC
constexpr std::uint8_t everything = 0x02, reset_cpu = 0x04;
}  // namespace

Piix3Ports::Piix3Ports(I8254& timers, Trace& trace, Time refresh)
    : SystemPorts(timers, refresh), trace_(trace), keyboard_reset_(*this, &Piix3Ports::keyboard_reset) {}

void Piix3Ports::claim_ports(IoSpace& space) {
  ports_.claim(space, *this, 0x61, {{0x61, 0x61}, {0x92, 0x92}, {0xB2, 0xB3}, {0xCF9, 0xCF9}});
}

std::uint32_t Piix3Ports::peek(std::uint32_t offset, unsigned, Time now) const {
  switch (offset) {
    case at(0x61): return port_b(now);
    case at(0x92): return port_a_;
    case at(0xB2): return apmc_;
    case at(0xB3): return apms_;
    case at(0xCF9): return rc_;
    default: return 0xFF;
  }
}

std::string_view Piix3Ports::register_name(std::uint32_t offset, Direction) const {
  switch (offset) {
    case at(0x61): return "NSC";
    case at(0xB2): return "APMC";
    case at(0xB3): return "APMS";
    case at(0xCF9): return "RC";
    default: return {};
  }
}

void Piix3Ports::write(std::uint32_t offset, unsigned, std::uint32_t value32, Time now) {
  const auto value = static_cast<std::uint8_t>(value32);
  switch (offset) {
    case at(0x61): write_port_b(value, now); break;
    case at(0x92):
      if (!write_port_a(value & (restart | a20_gate), now)) break;
      trace_(TraceCategory::cpu, now, "piix3", "INIT through port 92h");
      init.pulse(now);
      break;
    case at(0xB2): apmc_ = value; break;
    case at(0xB3): apms_ = value; break;
    case at(0xCF9): write_rc(value, now); break;
    default: break;
  }
}

void Piix3Ports::write_rc(std::uint8_t value, Time now) {
  const bool rises = (value & reset_cpu) && !(rc_ & reset_cpu);
  rc_ = value & (everything | reset_cpu);
  if (!rises) return;
  trace_(TraceCategory::cpu, now, "piix3", "{} through CF9h", value & everything ? "reset" : "INIT");
  (value & everything ? hard_reset : init).pulse(now);
}

void Piix3Ports::reset(Time now) {
  apmc_ = apms_ = rc_ = 0;
  reset_ports(now);
}

void Piix3Ports::describe(Description& d, Time now) const {
  d.reg("NSC (61h)", port_b(now), 8).reg("port 92h", port_a_, 8).reg("RC (CF9h)", rc_, 8);
  d.reg("APMC (B2h)", apmc_, 8).reg("APMS (B3h)", apms_, 8);
  d.flag("timer 2 gate", port_b_ & timer2_gate).flag("timer 2 output", timers_.out2(now));
  d.flag("speaker data", speaker_data());
  d.flag("A20", a20.level()).flag("A20 of the keyboard controller", keyboard_a20_level_);
  Description& part = d.part("NMI");
  part.flag("output", nmi.level()).flag("masked (70h)", masked_);
  part.flag("SERR#", parity_.input).flag("SERR# latched", parity_.latched);
  part.flag("IOCHK#", channel_check_.input).flag("IOCHK# latched", channel_check_.latched);
}

void Piix3Ports::archive(Archive& a) {
  a.section("piix3 ports", 2);
  a(port_b_, port_a_, apmc_, apms_, rc_, parity_.input, channel_check_.input, parity_.latched, channel_check_.latched,
    keyboard_a20_level_, masked_);
  a(nmi, a20, init, hard_reset);
}

}  // namespace planar
