// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/system/i8259.hpp"

#include "core/common/error.hpp"

namespace planar {

namespace {
constexpr std::uint8_t bit(unsigned line) { return static_cast<std::uint8_t>(1u << line); }
}  // namespace

/// The line of `bits` with the highest priority, -1 for none.
int I8259::highest(unsigned bits) const {
  for (unsigned step = 1; step <= 8; ++step) {
    const unsigned line = (lowest_ + step) & 7;
    if (bits >> line & 1) return static_cast<int>(line);
  }
  return -1;
}

/// The line for which INT requests service: the highest unmasked request that no line in service blocks.
int I8259::pending_line() const {
  if (init_ != Init::ready) return -1;
  const int request = highest(irr() & ~imr_);
  if (request < 0) return -1;
  unsigned blocking = isr_;
  // Special mask mode: a masked level in service blocks nothing.
  if (special_mask_) blocking &= ~imr_;
  // Special fully nested mode: a slave may interrupt again while its own line is in service.
  if (icw4_ & 0x10 && cascaded(static_cast<unsigned>(request))) blocking &= ~bit(static_cast<unsigned>(request));
  const int serving = highest(blocking);
  if (serving >= 0 && rank(static_cast<unsigned>(serving)) <= rank(static_cast<unsigned>(request))) return -1;
  return request;
}

void I8259::update(Time now) { intr.set(pending_line() >= 0, now); }

void I8259::set_line(unsigned line, bool level, Time now) {
  const std::uint8_t lines = static_cast<std::uint8_t>(level ? lines_ | bit(line) : lines_ & ~bit(line));
  if (lines == lines_) return;
  lines_ = lines;
  edges_ = static_cast<std::uint8_t>(level ? edges_ | bit(line) : edges_ & ~bit(line));
  update(now);
}

void I8259::set_levels(std::uint8_t inputs, Time now) {
  elcr_ = inputs;
  update(now);
}

void I8259::reset(Time now) {
  init_ = Init::none;
  single_ = needs_icw4_ = special_mask_ = poll_ = read_isr_ = rotate_on_aeoi_ = false;
  icw1_ = icw2_ = icw3_ = icw4_ = imr_ = isr_ = edges_ = elcr_ = 0;
  lowest_ = 7;
  update(now);
}

void I8259::initialise(std::uint8_t icw1, Time now) {
  icw1_ = icw1;
  edges_ = 0;
  single_ = icw1 & 2;
  needs_icw4_ = icw1 & 1;
  imr_ = isr_ = 0;
  lowest_ = 7;
  special_mask_ = poll_ = read_isr_ = rotate_on_aeoi_ = false;
  icw3_ = master_ ? 0 : 7;
  icw4_ = 0;
  init_ = Init::icw2;
  update(now);
}

void I8259::after_initialisation_step(Time now) {
  if (init_ == Init::icw3 && single_) init_ = Init::icw4;
  if (init_ == Init::icw4 && !needs_icw4_) init_ = Init::ready;
  update(now);
}

void I8259::end_of_interrupt(std::uint8_t ocw2) {
  const bool specific = ocw2 & 0x40;
  int line = ocw2 & 7;
  if (!specific) {
    // In special mask mode a non-specific EOI does not apply to a masked level in service.
    line = highest(special_mask_ ? isr_ & ~imr_ : isr_);
    if (line < 0) return;
  }
  isr_ = static_cast<std::uint8_t>(isr_ & ~bit(static_cast<unsigned>(line)));
  if (ocw2 & 0x80) lowest_ = static_cast<std::uint8_t>(line);
}

void I8259::automatic_end(unsigned line) {
  isr_ = static_cast<std::uint8_t>(isr_ & ~bit(line));
  if (rotate_on_aeoi_) lowest_ = static_cast<std::uint8_t>(line);
}

void I8259::write(std::uint32_t offset, unsigned, std::uint32_t value32, Time now) {
  const auto value = static_cast<std::uint8_t>(value32);
  if (offset == 0) {
    if (value & 0x10) {
      initialise(value, now);
    } else if (value & 0x08) {  // OCW3
      if (value & 0x40) special_mask_ = value & 0x20;
      poll_ = value & 0x04;
      if (value & 0x02) read_isr_ = value & 0x01;
      update(now);
    } else {  // OCW2
      switch (value >> 5) {
        case 0: rotate_on_aeoi_ = false; break;
        case 4: rotate_on_aeoi_ = true; break;
        case 2: break;  // no operation
        case 6: lowest_ = value & 7; break;
        default: end_of_interrupt(value); break;
      }
      update(now);
    }
    return;
  }
  switch (init_) {
    case Init::icw2:
      icw2_ = value;
      init_ = Init::icw3;
      after_initialisation_step(now);
      break;
    case Init::icw3:
      icw3_ = value;
      init_ = Init::icw4;
      after_initialisation_step(now);
      break;
    case Init::icw4:
      icw4_ = value;
      init_ = Init::ready;
      update(now);
      break;
    case Init::none:
    case Init::ready:
      imr_ = value;
      update(now);
      break;
  }
}

I8259::Choice I8259::begin_acknowledge(Time now) {
  const int line = pending_line();
  if (line < 0) return {7, true};
  isr_ |= bit(static_cast<unsigned>(line));
  edges_ = static_cast<std::uint8_t>(edges_ & ~bit(static_cast<unsigned>(line)));
  if (icw4_ & 0x02) {
    automatic_end(static_cast<unsigned>(line));
    intr.set(false, now);  // INTA negates INT: a further request is a new edge for the master
  }
  update(now);
  return {static_cast<unsigned>(line), false};
}

std::uint8_t I8259::vector(unsigned line) const {
  if (icw4_ & 0x01) return static_cast<std::uint8_t>((icw2_ & 0xF8) | line);
  // MCS-80: low byte of the CALL address, interval 4 or 8.
  return static_cast<std::uint8_t>(icw1_ & 0x04 ? (icw1_ & 0xE0) | line << 2 : (icw1_ & 0xC0) | line << 3);
}

std::uint32_t I8259::read(std::uint32_t offset, unsigned bytes, Time now) {
  if (!poll_) return peek(offset, bytes, now);
  // The read of a poll takes the place of INTA.
  poll_ = false;
  const Choice choice = begin_acknowledge(now);
  return choice.spurious ? 0 : 0x80 | choice.line;
}

std::uint32_t I8259::peek(std::uint32_t offset, unsigned, Time) const {
  if (poll_) {
    const int line = pending_line();
    return line < 0 ? 0 : 0x80 | static_cast<unsigned>(line);
  }
  if (offset != 0) return imr_;
  return read_isr_ ? isr_ : irr();
}

void I8259::describe(Description& d) const {
  d.reg("IRR", irr(), 8).reg("ISR", isr_, 8).reg("IMR", imr_, 8);
  d.reg("ICW1", icw1_, 8).reg("ICW2", icw2_, 8).reg("ICW3", icw3_, 8).reg("ICW4", icw4_, 8);
  d.text("initialisation", init_ == Init::ready  ? "complete"
                           : init_ == Init::none ? "none since power-on"
                           : init_ == Init::icw2 ? "waits for ICW2"
                           : init_ == Init::icw3 ? "waits for ICW3"
                                                 : "waits for ICW4");
  d.reg("vector of input 0", vector(0), 8);
  if (trigger_ == Trigger::level)
    d.text("trigger", icw1_ & 0x08 ? "level" : "level (forced by the planar; ICW1 asks for edges)");
  else
    d.reg("level inputs", levels(), 8).reg("active inputs", lines_, 8);
  d.flag("single", single_).flag("automatic EOI", icw4_ & 0x02).flag("special fully nested", icw4_ & 0x10);
  d.flag("special mask", special_mask_).flag("poll", poll_).flag("rotate on automatic EOI", rotate_on_aeoi_);
  d.text("offset 0 reads", read_isr_ ? "ISR" : "IRR");
  d.number("lowest priority", lowest_).flag("INT", intr.level());
}

void I8259::archive(Archive& a) {
  a.section("i8259", 1);
  a(init_, single_, needs_icw4_, special_mask_, poll_, read_isr_, rotate_on_aeoi_);
  a(icw1_, icw2_, icw3_, icw4_, lines_, imr_, isr_, lowest_, intr);
  if (trigger_ != Trigger::level) a(edges_, elcr_);
  if (a.loading() && (init_ > Init::ready || lowest_ > 7))
    throw Error("snapshot holds a damaged interrupt controller; take a new one", ExitCode::missing_file);
}

I8259Pair::I8259Pair(Trace& trace, Trigger trigger)
    : trace_(trace), master_(true, trigger), slave_(false, trigger), cascade_(*this, &I8259Pair::cascade) {
  slave_.intr.connect(cascade_);
}

void I8259Pair::claim_ports(IoSpace& space) {
  ports_.claim(space, master_, 0x20, {{0x20, 0x21}});
  ports_.claim(space, slave_, 0xA0, {{0xA0, 0xA1}});
}

void I8259Pair::set_irq(unsigned irq, bool level, Time now) {
  if (irq == 2 || irq > 15) return;
  trace_(TraceCategory::irq, now, "pic", "irq {} {}", irq, level ? "active" : "released");
  if (irq < 8)
    master_.set_line(irq, level, now);
  else
    slave_.set_line(irq - 8, level, now);
}

void I8259Pair::set_levels(std::uint16_t lines, Time now) {
  master_.set_levels(static_cast<std::uint8_t>(lines), now);
  slave_.set_levels(static_cast<std::uint8_t>(lines >> 8), now);
}

std::uint8_t I8259Pair::acknowledge(Time now) {
  const I8259::Choice choice = master_.begin_acknowledge(now);
  std::uint8_t vector;
  if (!choice.spurious && master_.cascaded(choice.line)) {
    // The master drives the line's number on CAS2-0; only a slave with that ID drives the second byte. The slave is on
    // line 2.
    if (choice.line == 2 && slave_.slave_id() == 2) {
      vector = slave_.vector(slave_.begin_acknowledge(now).line);
    } else {
      vector = 0xFF;
    }
  } else {
    vector = master_.vector(choice.line);
    if (choice.spurious) trace_(TraceCategory::irq, now, "pic", "spurious irq 7");
  }
  trace_(TraceCategory::irq, now, "pic", "acknowledge vector {:02x}", vector);
  if (watch_) watch_(vector, now);
  return vector;
}

void I8259Pair::reset(Time now) {
  slave_.reset(now);
  master_.reset(now);
}

void I8259Pair::describe(Description& d) const {
  master_.describe(d.part("master"));
  slave_.describe(d.part("slave"));
}

void I8259Pair::archive(Archive& a) {
  a.section("i8259_pair", 1);
  a(master_, slave_);
}

}  // namespace planar
