// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/ports/parallel_port.hpp"

namespace planar {

namespace {
constexpr Time printer_step = 5_us;  // inferred
// Control
constexpr std::uint8_t strobe = 0x01, interrupt_enable = 0x10, read_direction = 0x20;
}  // namespace

ParallelPort::ParallelPort(Scheduler& scheduler, std::string name)
    : phase_(scheduler, name + ".printer", Priority::device, Callback::to<&ParallelPort::next_phase>(this)),
      ports_(std::move(name)) {}

void ParallelPort::claim_ports(IoSpace& space, std::uint16_t base, bool* selected) {
  ports_.release();
  ports_.claim(space, *this, base, {{base, static_cast<std::uint16_t>(base + 2)}}, selected);
}

std::uint8_t ParallelPort::status() const {
  if (!sink_) return static_cast<std::uint8_t>(0x7F & ~(pending_ ? 0x04 : 0));
  return static_cast<std::uint8_t>((busy_ ? 0 : 0x80) | (acknowledge_ ? 0 : 0x40) | 0x18 | (pending_ ? 0 : 0x04) |
                                   0x03);
}

void ParallelPort::update_irq(Time now) { irq.set(pending_ && control_ & interrupt_enable, now); }

/// Busy, then acknowledge, then ready.
void ParallelPort::next_phase(Time now) {
  if (busy_) {
    busy_ = false;
    acknowledge_ = true;
    pending_ = true;
    phase_.at(now + printer_step);
  } else {
    acknowledge_ = false;
  }
  update_irq(now);
}

std::uint32_t ParallelPort::peek(std::uint32_t offset, unsigned, Time) const {
  switch (offset) {
    case 0: return extended_ && control_ & read_direction ? inbound_ : data_;
    case 1: return status();
    case 2: return 0xC0u | (control_ & 0x1F) | (extended_ ? control_ & read_direction : read_direction);
    default: return 0xFF;
  }
}

std::uint32_t ParallelPort::read(std::uint32_t offset, unsigned bytes, Time now) {
  const std::uint32_t value = peek(offset, bytes, now);
  if (offset == 1) {
    pending_ = false;
    update_irq(now);
  }
  return value;
}

void ParallelPort::write(std::uint32_t offset, unsigned, std::uint32_t value32, Time now) {
  const auto value = static_cast<std::uint8_t>(value32);
  if (offset == 0) {
    data_ = value;
  } else if (offset == 2) {
    const bool strobes = value & ~control_ & strobe;
    control_ = value & 0x3F;
    if (strobes && sink_ && !busy_ && !acknowledge_) {
      sink_(data_, now);
      busy_ = true;
      phase_.at(now + printer_step);
    }
    update_irq(now);
  }
}

void ParallelPort::reset(Time now) {
  data_ = control_ = 0;
  busy_ = acknowledge_ = pending_ = false;
  phase_.cancel();
  update_irq(now);
}

void ParallelPort::describe(Description& d) const {
  d.flag("decoded", ports_.claimed()).flag("extended", extended_);
  d.reg("data", data_, 8).reg("status", status(), 8).reg("control", control_, 8).reg("inbound", inbound_, 8);
  d.flag("interrupt pending", pending_).flag("interrupt", irq.level());
}

void ParallelPort::archive(Archive& a) {
  a.section("parallel_port", 1);
  a(extended_, data_, control_, inbound_, busy_, acknowledge_, pending_);
  a(irq, phase_);
}

}  // namespace planar
