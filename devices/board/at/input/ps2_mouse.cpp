// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/input/ps2_mouse.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace planar {

namespace {
constexpr Time self_test_time = 300_ms;           // inferred
constexpr std::int32_t movement_limit = 1 << 20;  // keeps the counters from overflowing if the host never reads
}  // namespace

Ps2Mouse::Ps2Mouse(Scheduler& scheduler, const std::string& name)
    : sample_(scheduler, name + ".sample", Priority::device, Callback::to<&Ps2Mouse::sample>(this)) {}

void Ps2Mouse::defaults() {
  enabled_ = remote_ = wrap_ = double_scale_ = false;
  rate_ = 100;
  resolution_ = 2;
  x_ = y_ = 0;
  sample_.cancel();
}

void Ps2Mouse::reset(Time now) {
  defaults();
  expecting_ = 0;
  answers_.clear();
  answer(self_test_passed, now, self_test_time);
  answer(0x00, now, self_test_time);
}

std::uint8_t Ps2Mouse::fetch(Time) { return answers_.empty() ? 0 : answers_.pop(); }

Time Ps2Mouse::sample_period() const { return Time{(1_s).ps / rate_}; }

// --- Movement ---

void Ps2Mouse::moved(int right, int up, Time now) {
  right = std::clamp(right, -0x8000, 0x7FFF);
  up = std::clamp(up, -0x8000, 0x7FFF);
  x_ = std::clamp(x_ + 2 * right, -movement_limit, movement_limit);
  y_ = std::clamp(y_ + 2 * up, -movement_limit, movement_limit);
  something_happened(now);
}

void Ps2Mouse::buttons(std::uint8_t pressed, Time now) {
  pressed_ = pressed & 7;
  something_happened(now);
}

void Ps2Mouse::something_happened(Time now) {
  if (enabled_ && !remote_ && !wrap_ && changed() && !sample_.pending()) sample_.at(std::max(now, next_sample_));
}

void Ps2Mouse::sample(Time now) {
  if (!enabled_ || remote_ || wrap_) return;
  next_sample_ = now + sample_period();
  if (changed() && answers_.empty()) {
    packet(now);
    tell_host(now);
  }
  if (changed()) sample_.at(next_sample_);
}

/// Takes at most one packet's worth of counts at the present resolution.
std::int32_t Ps2Mouse::take(std::int32_t& movement) const {
  const std::int32_t counts = std::clamp(movement / unit(), -255, 255);
  movement -= counts * unit();
  if (!double_scale_ || remote_) return counts;
  constexpr std::int32_t scaled[] = {0, 1, 1, 3, 6, 9};  // 2:1 scaling of small movements
  const std::int32_t magnitude = counts < 0 ? -counts : counts;
  const std::int32_t result = std::min(magnitude < 6 ? scaled[magnitude] : 2 * magnitude, 255);
  return counts < 0 ? -result : result;
}

void Ps2Mouse::packet(Time ready) {
  const std::int32_t x = take(x_), y = take(y_);
  reported_ = pressed_;
  last_packet_ = {static_cast<std::uint8_t>(0x08 | pressed_ | (x < 0 ? 0x10 : 0) | (y < 0 ? 0x20 : 0)),
                  static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y)};
  for (const std::uint8_t byte : last_packet_) answers_.push(byte, ready);
}

// --- Commands ---

void Ps2Mouse::receive(std::uint8_t byte, Time now) {
  answers_.clear();
  if (wrap_ && byte != 0xEC && byte != 0xFF)
    answer(byte, now);
  else if (expecting_ != 0)
    argument(byte, now);
  else
    command(byte, now);
}

void Ps2Mouse::argument(std::uint8_t byte, Time now) {
  const std::uint8_t what = expecting_;
  expecting_ = 0;
  if (what == 0xE8) {
    if (byte > 3) {
      answer(resend, now);
      return;
    }
    resolution_ = byte;
  } else {
    constexpr std::uint8_t rates[] = {10, 20, 40, 60, 80, 100, 200};
    if (std::find(std::begin(rates), std::end(rates), byte) == std::end(rates)) {
      answer(resend, now);
      return;
    }
    rate_ = byte;
  }
  x_ = y_ = 0;
  acknowledge(now);
}

// Every command but RESEND discards the movement counted so far (A. Chapweske, The PS/2 Mouse Interface, 2001;
// secondary), READ DATA what it reports.
void Ps2Mouse::command(std::uint8_t byte, Time now) {
  if (byte != 0xEB && byte != 0xFE) x_ = y_ = 0;
  switch (byte) {
    case 0xE6: double_scale_ = false; break;
    case 0xE7: double_scale_ = true; break;
    case 0xE8:
    case 0xF3: expecting_ = byte; break;
    case 0xE9:
      acknowledge(now);
      answer(static_cast<std::uint8_t>((remote_ ? 0x40 : 0) | (enabled_ ? 0x20 : 0) | (double_scale_ ? 0x10 : 0) |
                                       (pressed_ & 1) << 2 | (pressed_ & 4) >> 1 | (pressed_ & 2) >> 1),
             now);
      answer(resolution_, now);
      answer(rate_, now);
      return;
    case 0xEA: remote_ = false; break;
    case 0xEB:
      acknowledge(now);
      packet(now + answer_time);
      return;
    case 0xEC: wrap_ = false; break;
    case 0xEE: wrap_ = true; break;
    case 0xF0: remote_ = true; break;
    case 0xF2:
      acknowledge(now);
      answer(0x00, now);
      return;
    case 0xF4: enabled_ = true; break;
    case 0xF5: enabled_ = false; break;
    case 0xF6: defaults(); break;
    case 0xFE:
      for (const std::uint8_t b : last_packet_) answer(b, now);
      return;
    case 0xFF:
      acknowledge(now);
      defaults();
      answer(self_test_passed, now, self_test_time);
      answer(0x00, now, self_test_time);
      return;
    default: answer(resend, now); return;
  }
  acknowledge(now);
  something_happened(now);
}

void Ps2Mouse::describe(Description& d) const {
  d.text("mode", wrap_ ? "wrap" : remote_ ? "remote" : "stream").flag("reporting", enabled_);
  d.number("reports/s", rate_).number("counts/mm", 1u << resolution_).flag("scaling 2:1", double_scale_);
  d.reg("buttons", pressed_, 4).text("not yet reported, 1/8 mm", fmt::format("{}, {}", x_, y_));
  d.number("bytes to send", answers_.size());
  if (expecting_) d.reg("command waits for data", expecting_, 8);
}

void Ps2Mouse::archive(Archive& a) {
  a.section("ps2_mouse", 1);
  a(answers_, enabled_, remote_, wrap_, double_scale_, rate_, resolution_, pressed_, reported_, expecting_, x_, y_,
    last_packet_, next_sample_, sample_);
  const auto far = [](std::int32_t movement) { return movement < -movement_limit || movement > movement_limit; };
  if (a.loading() && (rate_ == 0 || resolution_ > 3 || far(x_) || far(y_)))
    throw Error("snapshot holds a damaged mouse; take a new one", ExitCode::missing_file);
}

}  // namespace planar
