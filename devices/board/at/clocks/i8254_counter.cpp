// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/clocks/i8254.hpp"

#include "core/common/error.hpp"

namespace planar {

namespace {
std::uint16_t to_bcd(std::uint32_t value) {
  std::uint32_t bcd = 0;
  for (unsigned shift = 0; shift < 16; shift += 4, value /= 10) bcd |= value % 10 << shift;
  return static_cast<std::uint16_t>(bcd);
}
}  // namespace

std::uint32_t I8254Counter::initial_from(std::uint16_t count) const {
  std::uint32_t value = count;
  if (bcd_) {
    value = 0;
    for (int shift = 12; shift >= 0; shift -= 4) value = value * 10 + (count >> shift & 15);
  }
  return value == 0 ? modulus() : value;
}

/// Transfers the count register to the counting element at tick `at`.
void I8254Counter::load(Tick at) {
  // Mode 3 loads a new count at the end of a half cycle: a high half is followed by a low one.
  const bool low_half = mode_ == 3 && loaded_ && running_ && out_at(at - 1 - start_);
  initial_ = initial_from(count_register_);
  const Tick offset = low_half ? (initial_ + 1) / 2 : 0;
  loaded_ = true;
  null_count_ = false;
  inhibited_ = false;
  running_ = triggered_mode() || gate_;
  start_ = at - offset;
  held_ = offset;
}

void I8254Counter::settle(Tick now) {
  if (reload_at_ < 0 || now < reload_at_) return;
  const Tick at = reload_at_;
  reload_at_ = -1;
  load(at);
}

void I8254Counter::set_running(bool running, Tick now) {
  if (running == running_) return;
  if (running)
    start_ = now - held_;
  else
    held_ = now - start_;
  running_ = running;
}

bool I8254Counter::out_at(Tick elapsed) const {
  if (mode_ == 0) return loaded_ && !inhibited_ && elapsed >= initial_;
  if (!loaded_) return true;
  switch (mode_) {
    case 1: return elapsed >= initial_;
    case 2: return !gate_ || initial_ < 2 || elapsed % initial_ != initial_ - 1;
    case 3: return !gate_ || elapsed % initial_ < (initial_ + 1) / 2;
    default: return elapsed != initial_;  // 4 and 5: a strobe of one clock
  }
}

std::uint16_t I8254Counter::count_at(Tick elapsed) const {
  if (!loaded_) return residue_;
  std::uint32_t value;
  if (mode_ == 2) {
    value = initial_ - static_cast<std::uint32_t>(elapsed % initial_);
  } else if (mode_ == 3) {
    // Both halves count down by two; an odd count is loaded less one, and its high half includes zero.
    const Tick high = (initial_ + 1) / 2;
    const Tick position = elapsed % initial_;
    const Tick in_half = position < high ? position : position - high;
    value = static_cast<std::uint32_t>((initial_ & ~1u) - 2 * in_half);
  } else {
    const Tick wrap = modulus();
    value = static_cast<std::uint32_t>((((initial_ - elapsed) % wrap) + wrap) % wrap);
  }
  value %= modulus();
  return bcd_ ? to_bcd(value) : static_cast<std::uint16_t>(value);
}

std::uint16_t I8254Counter::settled_count(Tick now) const {
  I8254Counter copy = *this;
  copy.settle(now);
  return copy.count_at(copy.elapsed(now));
}

bool I8254Counter::out(Tick now) const {
  if (reload_at_ < 0 || now < reload_at_) return out_at(elapsed(now));
  I8254Counter copy = *this;
  copy.settle(now);
  return copy.out_at(copy.elapsed(now));
}

I8254Counter::Tick I8254Counter::next_rise(Tick now) const {
  if (reload_at_ >= 0 && now >= reload_at_) {
    I8254Counter copy = *this;
    copy.settle(now);
    return copy.next_rise(now);
  }
  Tick rise = -1;
  if (loaded_ && running_ && !inhibited_) {
    const Tick e = now - start_;
    if (periodic()) {
      if (initial_ >= 2) rise = start_ + (e / initial_ + 1) * initial_;
    } else {
      const Tick at = mode_ <= 1 ? initial_ : Tick{initial_} + 1;
      if (e < at) rise = start_ + at;
    }
  }
  if (reload_at_ >= 0 && (rise < 0 || rise > reload_at_)) rise = reload_at_;
  return rise;
}

I8254Counter::Tick I8254Counter::next_fall(Tick now) const {
  if (reload_at_ >= 0 && now >= reload_at_) {
    I8254Counter copy = *this;
    copy.settle(now);
    return copy.next_fall(now);
  }
  if (mode_ != 3 || !loaded_ || !running_ || initial_ < 2) return -1;
  const Tick position = (now - start_) % initial_, high = (initial_ + 1) / 2;
  return position < high ? now - position + high : -1;
}

void I8254Counter::control(std::uint8_t word, Tick now) {
  residue_ = settled_count(now);
  control_ = word & 0x3F;
  mode_ = word >> 1 & 7;
  if (mode_ > 5) mode_ -= 4;  // x10 and x11 are modes 2 and 3
  bcd_ = word & 1;
  loaded_ = running_ = count_written_ = write_high_ = read_high_ = inhibited_ = false;
  status_latched_ = count_latched_ = false;
  null_count_ = true;
  count_register_ = 0;
  held_ = 0;
  reload_at_ = -1;
}

void I8254Counter::latch_count(Tick now) {
  if (count_latched_) return;  // a second latch command before the read is ignored
  count_latched_ = true;
  latched_count_ = settled_count(now);
}

std::uint8_t I8254Counter::status(Tick now) const {
  I8254Counter copy = *this;
  copy.settle(now);
  return static_cast<std::uint8_t>((copy.out_at(copy.elapsed(now)) ? 0x80 : 0) | (copy.null_count_ ? 0x40 : 0) |
                                   control_);
}

void I8254Counter::latch_status(Tick now) {
  if (status_latched_) return;
  status_latched_ = true;
  latched_status_ = status(now);
}

void I8254Counter::write(std::uint8_t value, Tick now) {
  settle(now);
  switch (control_ >> 4 & 3) {
    case 1: count_register_ = value; break;
    case 2: count_register_ = static_cast<std::uint16_t>(value << 8); break;
    case 3:
      if (!write_high_) {
        count_register_ = static_cast<std::uint16_t>((count_register_ & 0xFF00) | value);
        write_high_ = true;
        if (mode_ == 0) {  // the first byte stops the count and lowers OUT
          set_running(false, now);
          inhibited_ = true;
          reload_at_ = -1;
        }
        return;
      }
      count_register_ = static_cast<std::uint16_t>((count_register_ & 0x00FF) | value << 8);
      write_high_ = false;
      break;
    default: return;
  }
  count_complete(now);
}

void I8254Counter::count_complete(Tick now) {
  count_written_ = true;
  null_count_ = true;
  if (triggered_mode()) return;  // waits for the gate
  if (!periodic() || !loaded_) {
    reload_at_ = now + 1;
  } else if (reload_at_ < 0 && running_) {
    const Tick e = now - start_;
    Tick boundary = (e / initial_ + 1) * initial_;
    if (mode_ == 3) {
      const Tick middle = e / initial_ * initial_ + (initial_ + 1) / 2;
      if (e < middle) boundary = middle;
    }
    reload_at_ = start_ + boundary;
  }
}

void I8254Counter::set_gate(bool level, Tick now) {
  settle(now);
  if (level == gate_) return;
  if (triggered_mode()) {
    gate_ = level;
    if (level && count_written_) reload_at_ = now + 1;
    return;
  }
  if (periodic()) {
    set_running(false, now);
    gate_ = level;
    reload_at_ = level && count_written_ ? now + 1 : -1;
    if (level || !count_written_) return;
    if (!loaded_) reload_at_ = now + 1;  // the first count is transferred even with the gate low
    return;
  }
  gate_ = level;
  if (loaded_ && !inhibited_) set_running(level, now);
}

std::uint8_t I8254Counter::read(Tick now) {
  settle(now);
  const std::uint8_t value = peek(now);
  if (status_latched_) {
    status_latched_ = false;
    return value;
  }
  if ((control_ >> 4 & 3) == 3) {
    read_high_ = !read_high_;
    if (!read_high_) count_latched_ = false;
  } else {
    count_latched_ = false;
  }
  return value;
}

std::uint8_t I8254Counter::peek(Tick now) const {
  if (status_latched_) return latched_status_;
  const std::uint16_t count = count_latched_ ? latched_count_ : settled_count(now);
  const unsigned access = control_ >> 4 & 3;
  const bool high = access == 2 || (access == 3 && read_high_);
  return static_cast<std::uint8_t>(high ? count >> 8 : count);
}

void I8254Counter::describe(Description& d, Tick now) const {
  I8254Counter at = *this;
  at.settle(now);
  d.number("count", at.count_at(at.elapsed(now))).number("count register", count_register_);
  d.number("mode", mode_).flag("BCD", bcd_);
  constexpr const char* access[] = {"none", "low byte", "high byte", "low byte, high byte"};
  d.text("access", access[control_ >> 4 & 3]).text("next byte read", read_high_ ? "high" : "low");
  d.text("next byte written", write_high_ ? "high" : "low");
  d.flag("gate", gate_).flag("output", at.out_at(at.elapsed(now))).flag("counting", at.running_);
  d.flag("null count", at.null_count_);
  if (count_latched_) d.number("latched count", latched_count_);
  if (status_latched_) d.reg("latched status", latched_status_, 8);
}

void I8254Counter::archive(Archive& a) {
  a(control_, mode_, bcd_, gate_, loaded_, running_, null_count_, count_written_, write_high_, read_high_, inhibited_);
  a(count_register_, initial_, start_, held_, reload_at_, residue_);
  a(status_latched_, latched_status_, count_latched_, latched_count_);
  // The scheduler's time range ends at 106 days.
  const auto possible = [](Tick tick) { return tick > -(Tick{1} << 43) && tick < Tick{1} << 43; };
  if (a.loading() &&
      (mode_ > 5 || (loaded_ && initial_ == 0) || !possible(start_) || !possible(held_) || !possible(reload_at_)))
    throw Error("snapshot holds a damaged timer; take a new one", ExitCode::missing_file);
}

}  // namespace planar
