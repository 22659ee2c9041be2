// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/piix3/piix3_ports.hpp"

namespace planar {

namespace {
constexpr std::uint32_t at(std::uint32_t port) { return port - 0x61; }
// NSC
constexpr std::uint8_t timer2_gate = 0x01, serr_off = 0x04, iochk_off = 0x08, written_bits = 0x0F;
// 92h
constexpr std::uint8_t fast_init = 0x01, fast_a20 = 0x02;
// RC
constexpr std::uint8_t everything = 0x02, reset_cpu = 0x04;
}  // namespace

Piix3Ports::Piix3Ports(I8254& timers, Trace& trace, Time refresh)
    : timers_(timers),
      trace_(trace),
      refresh_(refresh),
      keyboard_a20_(*this, &Piix3Ports::keyboard_a20),
      keyboard_reset_(*this, &Piix3Ports::keyboard_reset),
      nmi_mask_(*this, &Piix3Ports::nmi_mask_changed) {}

void Piix3Ports::claim_ports(IoSpace& space) {
  ports_.claim(space, *this, 0x61, {{0x61, 0x61}, {0x92, 0x92}, {0xB2, 0xB3}, {0xCF9, 0xCF9}});
}

std::uint8_t Piix3Ports::nsc(Time now) const {
  const bool refresh = (now / refresh_) & 1;
  return static_cast<std::uint8_t>((serr_latched_ ? 0x80 : 0) | (iochk_latched_ ? 0x40 : 0) |
                                   (timers_.out2(now) ? 0x20 : 0) | (refresh ? 0x10 : 0) | nsc_);
}

std::uint32_t Piix3Ports::read(std::uint32_t offset, unsigned bytes, Time now) { return peek(offset, bytes, now); }

std::uint32_t Piix3Ports::peek(std::uint32_t offset, unsigned, Time now) const {
  switch (offset) {
    case at(0x61): return nsc(now);
    case at(0x92): return port92_;
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
    case at(0x61): write_nsc(value, now); break;
    case at(0x92): {
      const bool rises = (value & fast_init) && !(port92_ & fast_init);
      port92_ = value & (fast_init | fast_a20);
      a20.set((port92_ & fast_a20) || keyboard_a20_level_, now);
      if (!rises) break;
      trace_(TraceCategory::cpu, now, "piix3", "INIT through port 92h");
      init.pulse(now);
      break;
    }
    case at(0xB2): apmc_ = value; break;
    case at(0xB3): apms_ = value; break;
    case at(0xCF9): write_rc(value, now); break;
    default: break;
  }
}

void Piix3Ports::write_nsc(std::uint8_t value, Time now) {
  nsc_ = value & written_bits;
  timers_.set_gate2(value & timer2_gate, now);
  update_checks(now);
}

void Piix3Ports::write_rc(std::uint8_t value, Time now) {
  const bool rises = (value & reset_cpu) && !(rc_ & reset_cpu);
  rc_ = value & (everything | reset_cpu);
  if (!rises) return;
  trace_(TraceCategory::cpu, now, "piix3", "{} through CF9h", value & everything ? "reset" : "INIT");
  (value & everything ? hard_reset : init).pulse(now);
}

/// Latches the enabled checks; disabling one clears its latch.
void Piix3Ports::update_checks(Time now) {
  serr_latched_ = !(nsc_ & serr_off) && (serr_latched_ || serr_);
  iochk_latched_ = !(nsc_ & iochk_off) && (iochk_latched_ || iochk_);
  nmi.set((serr_latched_ || iochk_latched_) && !masked_, now);
}

void Piix3Ports::set_nmi(bus::NmiSource source, bool asserted, Time now) {
  if (source == bus::NmiSource::parity) serr_ = asserted;
  if (source == bus::NmiSource::channel_check) iochk_ = asserted;
  update_checks(now);
}

void Piix3Ports::keyboard_a20(bool level, Time now) {
  keyboard_a20_level_ = level;
  a20.set((port92_ & fast_a20) || level, now);
}

void Piix3Ports::nmi_mask_changed(bool level, Time now) {
  masked_ = level;
  update_checks(now);
}

void Piix3Ports::reset(Time now) {
  nsc_ = port92_ = apmc_ = apms_ = rc_ = 0;
  serr_latched_ = iochk_latched_ = false;
  masked_ = true;
  timers_.set_gate2(false, now);
  a20.set(keyboard_a20_level_, now);
  update_checks(now);
}

void Piix3Ports::describe(Description& d, Time now) const {
  d.reg("NSC (61h)", nsc(now), 8).reg("port 92h", port92_, 8).reg("RC (CF9h)", rc_, 8);
  d.reg("APMC (B2h)", apmc_, 8).reg("APMS (B3h)", apms_, 8);
  d.flag("timer 2 gate", nsc_ & timer2_gate).flag("timer 2 output", timers_.out2(now));
  d.flag("speaker data", speaker_data());
  d.flag("A20", a20.level()).flag("A20 of the keyboard controller", keyboard_a20_level_);
  Description& part = d.part("NMI");
  part.flag("output", nmi.level()).flag("masked (70h)", masked_);
  part.flag("SERR#", serr_).flag("SERR# latched", serr_latched_);
  part.flag("IOCHK#", iochk_).flag("IOCHK# latched", iochk_latched_);
}

void Piix3Ports::archive(Archive& a) {
  a.section("piix3 ports", 2);
  a(nsc_, port92_, apmc_, apms_, rc_, serr_, iochk_, serr_latched_, iochk_latched_, keyboard_a20_level_, masked_);
  a(nmi, a20, init, hard_reset);
}

}  // namespace planar
