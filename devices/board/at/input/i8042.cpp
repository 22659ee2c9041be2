// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/input/i8042.hpp"

#include <algorithm>

#include "core/common/error.hpp"

namespace planar {

namespace {

// All inferred (the controller has its own clock); drivers allow milliseconds.
constexpr Time take_time = 25_us;     // until the input buffer is read
constexpr Time answer_time = 100_us;  // until an answer is in the output buffer
constexpr Time self_test_time = 300_us;
constexpr Time cable_byte = 880_us;  // 11 bits of 80 us
constexpr Time pulse_time = 6_us;    // commands F0h to FFh

constexpr std::size_t password_limit = 32;

// Command byte
constexpr std::uint8_t keyboard_irq = 0x01, mouse_irq = 0x02, system_flag = 0x04, keyboard_off = 0x10, mouse_off = 0x20,
                       translate = 0x40;
// Output port
constexpr std::uint8_t not_reset = 0x01, gate_a20 = 0x02;
// RAM bytes of the password
constexpr unsigned security_on_code = 0x13, security_off_code = 0x14, ignored_code_1 = 0x16, ignored_code_2 = 0x17;
constexpr std::uint8_t input_port = 0x07;  // both data lines high, keyboard power good

/// Scan code set 2 to 1 (make codes), as in the controller's program. Codes from 80h on pass unchanged except 83h (F7)
/// and 84h (system request).
constexpr std::uint8_t to_set1[128] = {
    0xFF, 0x43, 0x41, 0x3F, 0x3D, 0x3B, 0x3C, 0x58, 0x64, 0x44, 0x42, 0x40, 0x3E, 0x0F, 0x29, 0x59, 0x65, 0x38, 0x2A,
    0x70, 0x1D, 0x10, 0x02, 0x5A, 0x66, 0x71, 0x2C, 0x1F, 0x1E, 0x11, 0x03, 0x5B, 0x67, 0x2E, 0x2D, 0x20, 0x12, 0x05,
    0x04, 0x5C, 0x68, 0x39, 0x2F, 0x21, 0x14, 0x13, 0x06, 0x5D, 0x69, 0x31, 0x30, 0x23, 0x22, 0x15, 0x07, 0x5E, 0x6A,
    0x72, 0x32, 0x24, 0x16, 0x08, 0x09, 0x5F, 0x6B, 0x33, 0x25, 0x17, 0x18, 0x0B, 0x0A, 0x60, 0x6C, 0x34, 0x35, 0x26,
    0x27, 0x19, 0x0C, 0x61, 0x6D, 0x73, 0x28, 0x74, 0x1A, 0x0D, 0x62, 0x6E, 0x3A, 0x36, 0x1C, 0x1B, 0x75, 0x2B, 0x63,
    0x76, 0x55, 0x56, 0x77, 0x78, 0x79, 0x7A, 0x0E, 0x7B, 0x7C, 0x4F, 0x7D, 0x4B, 0x47, 0x7E, 0x7F, 0x6F, 0x52, 0x53,
    0x50, 0x4C, 0x4D, 0x48, 0x01, 0x45, 0x57, 0x4E, 0x51, 0x4A, 0x37, 0x49, 0x46, 0x54,
};

std::uint8_t translated(std::uint8_t code) {
  if (code < 0x80) return to_set1[code];
  return code == 0x83 ? 0x41 : code == 0x84 ? 0x54 : code;
}

}  // namespace

I8042::I8042(Scheduler& scheduler, Trace& trace)
    : trace_(trace),
      keyboard_(scheduler, "keyboard"),
      mouse_(scheduler, "mouse"),
      input_event_(scheduler, "i8042.input", Priority::device, Callback::to<&I8042::take_input>(this)),
      answer_event_(scheduler, "i8042.answer", Priority::device, Callback::to<&I8042::deliver_answer>(this)),
      link_event_(scheduler, "i8042.cable", Priority::device, Callback::to<&I8042::link_done>(this)),
      pulse_event_(scheduler, "i8042.pulse", Priority::device, Callback::to<&I8042::end_pulse>(this)) {
  keyboard_.attach(*this);
  mouse_.attach(*this);
}

void I8042::claim_ports(IoSpace& space) { ports_.claim(space, *this, 0x60, {{0x60, 0x60}, {0x64, 0x64}}); }

void I8042::reset(Time now) {
  ram_.fill(0);
  ram_[0] = keyboard_off | mouse_off;
  output_full_ = output_from_mouse_ = input_full_ = input_is_command_ = polling_ = break_prefix_ = security_ = false;
  expecting_ = 0;
  answers_.clear();
  loading_.clear();
  password_position_ = 0;
  link_ = queued_ = Link::idle;
  input_event_.cancel();
  answer_event_.cancel();
  link_event_.cancel();
  pulse_event_.cancel();
  irq1.set(false, now);
  irq12.set(false, now);
  write_output_port(0xCF, now);
  keyboard_.reset(now);
  mouse_.reset(now);
}

// --- Ports ---

std::uint8_t I8042::status() const {
  std::uint8_t value = static_cast<std::uint8_t>((output_full_ ? 0x01 : 0) | (input_full_ ? 0x02 : 0) |
                                                 (ram_[0] & system_flag) | (input_is_command_ ? 0x08 : 0));
  if (polling_) return static_cast<std::uint8_t>(value | (polling_high_ ? input_port & 0xF0 : input_port << 4));
  value |= security_ ? 0 : 0x10;
  return static_cast<std::uint8_t>(value | (output_full_ && output_from_mouse_ ? 0x20 : 0));
}

std::uint32_t I8042::peek(std::uint32_t offset, unsigned, Time) const {
  return offset == 0 ? output_ : offset == 4 ? status() : 0xFF;
}

std::uint32_t I8042::read(std::uint32_t offset, unsigned bytes, Time now) {
  if (offset != 0) return peek(offset, bytes, now);
  const std::uint8_t value = output_;
  irq1.set(false, now);
  irq12.set(false, now);
  if (output_full_) {
    output_full_ = false;
    if (!answers_.empty() && !answer_event_.pending()) answer_event_.at(now + answer_time);
    look_for_work(now);
  }
  return value;
}

void I8042::write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) {
  if (offset != 0 && offset != 4) return;
  input_ = static_cast<std::uint8_t>(value);
  input_is_command_ = offset == 4;
  input_full_ = true;
  if (!sending()) input_event_.at(now + take_time);  // otherwise when the cable is free
}

void I8042::take_input(Time now) {
  if (!input_full_ || sending()) return;
  input_full_ = false;
  trace_(TraceCategory::keyboard, now, "keyboard", "takes {} {:02x}", input_is_command_ ? "command" : "data", input_);
  if (input_is_command_)
    command(input_, now);
  else
    data(input_, now);
  look_for_work(now);
}

/// Puts a byte into the output buffer and sets the corresponding interrupt latch.
void I8042::fill(std::uint8_t byte, bool from_mouse, Time now) {
  output_ = byte;
  output_full_ = true;
  output_from_mouse_ = from_mouse;
  trace_(TraceCategory::keyboard, now, "keyboard", "gives {:02x}{}", byte, from_mouse ? " (mouse)" : "");
  if (from_mouse && ram_[0] & mouse_irq) irq12.set(true, now);
  if (!from_mouse && ram_[0] & keyboard_irq) irq1.set(true, now);
}

void I8042::answer(std::uint8_t byte, Time now, Time after) {
  answers_.push_back(byte);
  if (!answer_event_.pending()) answer_event_.at(now + after);
}

void I8042::deliver_answer(Time now) {
  if (output_full_ || answers_.empty()) return;  // reading 60h reschedules the event
  const std::uint8_t byte = answers_.front();
  answers_.erase(answers_.begin());
  fill(byte, false, now);
}

// --- Commands ---

std::uint8_t I8042::output_port() const {
  return static_cast<std::uint8_t>((output_port_ & 0xCF) | (irq1.level() ? 0x10 : 0) | (irq12.level() ? 0x20 : 0));
}

void I8042::write_output_port(std::uint8_t value, Time now) {
  output_port_ = value;
  a20.set(value & gate_a20, now);
  cpu_reset.set(!(value & not_reset), now);
}

void I8042::pulse(std::uint8_t lines, Time now) {
  if (lines & not_reset) cpu_reset.set(true, now);
  if (lines & gate_a20) a20.set(false, now);
  pulse_event_.at(now + pulse_time);
}

void I8042::end_pulse(Time now) { write_output_port(output_port_, now); }

void I8042::command(std::uint8_t byte, Time now) {
  expecting_ = 0;
  polling_ = false;
  if (byte >= 0xF0) {
    pulse(static_cast<std::uint8_t>(~byte & 0x0F), now);
    return;
  }
  if (byte >= 0x20 && byte <= 0x3F) {
    answer(ram_[byte & 0x1F], now, answer_time);
    return;
  }
  if (byte >= 0x60 && byte <= 0x7F) {
    expecting_ = byte;
    return;
  }
  switch (byte) {
    case 0xA4: answer(password_.empty() ? 0xF1 : 0xFA, now, answer_time); break;
    case 0xA5:
      loading_.clear();
      expecting_ = byte;
      break;
    case 0xA6:
      if (password_.empty()) break;
      security_ = true;
      password_position_ = 0;
      if (ram_[security_on_code]) answer(ram_[security_on_code], now, answer_time);
      break;
    case 0xA7: ram_[0] |= mouse_off; break;
    case 0xA8: ram_[0] &= static_cast<std::uint8_t>(~mouse_off); break;
    case 0xA9:
    case 0xAB: answer(0x00, now, answer_time); break;  // clock and data lines are good
    case 0xAA:
      ram_[0] |= system_flag;
      answer(0x55, now, self_test_time);
      break;
    case 0xAD: ram_[0] |= keyboard_off; break;
    case 0xAE: ram_[0] &= static_cast<std::uint8_t>(~keyboard_off); break;
    case 0xC0: answer(input_port, now, answer_time); break;
    case 0xC1:
    case 0xC2:
      polling_ = true;
      polling_high_ = byte == 0xC2;
      break;
    case 0xD0: answer(output_port(), now, answer_time); break;
    case 0xD1:
    case 0xD2:
    case 0xD3:
    case 0xD4: expecting_ = byte; break;
    case 0xE0:
      answer(static_cast<std::uint8_t>((keyboard_enabled() ? 1 : 0) | (mouse_enabled() ? 2 : 0)), now, answer_time);
      break;
    default: break;
  }
}

void I8042::data(std::uint8_t byte, Time now) {
  const std::uint8_t what = expecting_;
  if (what == 0xA5) {  // a password ends with 0
    if (byte != 0) {
      if (loading_.size() < password_limit) loading_.push_back(byte);
      return;
    }
    password_ = loading_;
    password_position_ = 0;
    if (password_.empty()) security_ = false;  // otherwise nothing would ever unlock it
  }
  expecting_ = 0;
  switch (what) {
    case 0x00:
      ram_[0] &= static_cast<std::uint8_t>(~keyboard_off);  // a byte for the keyboard enables its cable
      send(Link::to_keyboard, byte, now);
      break;
    case 0xD1: write_output_port(byte, now); break;
    case 0xD2: fill(byte, false, now); break;
    case 0xD3: fill(byte, true, now); break;
    case 0xD4: send(Link::to_mouse, byte, now); break;
    case 0xA5: break;
    default: ram_[what & 0x1F] = byte; break;
  }
}

// --- Cables ---

void I8042::send(Link link, std::uint8_t byte, Time now) {
  queued_ = link;
  queued_byte_ = byte;
  look_for_work(now);
}

/// Starts a transfer if possible: first a byte to a device, then a byte from one if the output buffer has room. While
/// the buffer is full, both cables are inhibited.
void I8042::look_for_work(Time now) {
  if (link_ != Link::idle) return;
  if (queued_ != Link::idle) {
    link_ = queued_;
    link_byte_ = queued_byte_;
    queued_ = Link::idle;
    link_event_.at(now + cable_byte);
    return;
  }
  if (output_full_ || !answers_.empty() || input_full_) return;
  const Time keyboard = keyboard_enabled() ? keyboard_.ready() : Time::never();
  const Time mouse = mouse_enabled() ? mouse_.ready() : Time::never();
  const Time first = std::min(keyboard, mouse);
  if (first == Time::never()) {
    link_event_.cancel();
  } else if (first > now) {
    link_event_.at(first);  // checks again then
  } else {
    link_ = keyboard <= mouse ? Link::from_keyboard : Link::from_mouse;
    link_event_.at(now + cable_byte);
  }
}

void I8042::link_done(Time now) {
  const Link done = link_;
  link_ = Link::idle;
  switch (done) {
    case Link::idle: break;
    case Link::to_keyboard: keyboard_.receive(link_byte_, now); break;
    case Link::to_mouse: mouse_.receive(link_byte_, now); break;
    // If inhibited before the last bit, the device keeps the byte and resends it.
    case Link::from_keyboard:
      if (!output_full_ && answers_.empty() && keyboard_enabled() && keyboard_.ready() <= now)
        from_keyboard(keyboard_.fetch(now), now);
      break;
    case Link::from_mouse:
      if (!output_full_ && answers_.empty() && mouse_enabled() && mouse_.ready() <= now) {
        const std::uint8_t byte = mouse_.fetch(now);
        if (!security_) fill(byte, true, now);
      }
      break;
  }
  if (input_full_ && !sending() && !input_event_.pending()) input_event_.at(now + take_time);
  look_for_work(now);
}

void I8042::from_keyboard(std::uint8_t byte, Time now) {
  if (ram_[0] & translate) {
    if (byte == 0xF0) {
      break_prefix_ = true;
      return;
    }
    byte = static_cast<std::uint8_t>(translated(byte) | (break_prefix_ ? 0x80 : 0));
    break_prefix_ = false;
  }
  if (security_)
    check_password(byte, now);
  else
    fill(byte, false, now);
}

/// Password security: nothing is passed to the host until the right keys have been pressed in order.
void I8042::check_password(std::uint8_t code, Time now) {
  if (code & 0x80 || code == ram_[ignored_code_1] || code == ram_[ignored_code_2]) return;
  if (code != password_[password_position_]) {
    password_position_ = 0;
    return;
  }
  if (++password_position_ < password_.size()) return;
  security_ = false;
  if (ram_[security_off_code]) fill(ram_[security_off_code], false, now);
}

void I8042::describe(Description& d) const {
  d.reg("status", status(), 8).reg("command byte", ram_[0], 8).reg("output port", output_port(), 8);
  d.flag("output buffer full", output_full_).reg("output buffer", output_, 8);
  d.text("output buffer from", output_from_mouse_ ? "mouse" : "keyboard or controller");
  d.flag("input buffer full", input_full_).reg("input buffer", input_, 8);
  if (expecting_) d.reg("command waits for data", expecting_, 8);
  d.number("answers to come", answers_.size());
  d.flag("IRQ 1", irq1.level()).flag("IRQ 12", irq12.level()).flag("A20", a20.level());
  d.flag("reset line", cpu_reset.level()).flag("password security", security_);
  constexpr const char* links[] = {"idle", "from keyboard", "from mouse", "to keyboard", "to mouse"};
  d.text("cable", links[static_cast<unsigned>(link_)]).time("cable done", link_event_.when());
  keyboard_.describe(d.part("keyboard"));
  mouse_.describe(d.part("mouse"));
}

void I8042::archive(Archive& a) {
  a.section("i8042", 1);
  a(keyboard_, mouse_, ram_, output_full_, output_from_mouse_, input_full_, input_is_command_, polling_, polling_high_,
    output_, input_, expecting_, answers_, output_port_, break_prefix_, password_, loading_, security_,
    password_position_, link_, queued_, queued_byte_, link_byte_);
  a(irq1, irq12, a20, cpu_reset, input_event_, answer_event_, link_event_, pulse_event_);
  if (a.loading() &&
      (link_ > Link::to_mouse || queued_ > Link::to_mouse || (security_ && password_position_ >= password_.size())))
    throw Error("snapshot holds a damaged keyboard controller; take a new one", ExitCode::missing_file);
}

}  // namespace planar
