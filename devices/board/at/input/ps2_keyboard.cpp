// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/input/ps2_keyboard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/common/error.hpp"

namespace planar {

namespace {

constexpr Time self_test_time = 500_ms;    // inferred; the specification allows 500 to 750 ms
constexpr Time typematic_unit = 4'170_us;  // IBM: period = (8 + A) * 2^B * 4.17 ms
constexpr std::size_t buffer_size = 16;
constexpr std::uint8_t overrun_set1 = 0xFF, overrun_other = 0x00;

// Set 3 behaviour of a key.
constexpr std::uint8_t make_only = 0, make_break = 1, typematic = 2, all = 3;

/// One key: its make codes in the three sets (E0h prefix in the high byte) and its default
/// behaviour in set 3.
struct Key {
  std::uint16_t set1;
  std::uint16_t set2;
  std::uint8_t set3;
  std::uint8_t type;
};

constexpr std::uint16_t left_shift = 0x2A, right_shift = 0x36, left_control = 0x1D, right_control = 0xE01D,
                        left_alt = 0x38, right_alt = 0xE038, grey_slash = 0xE035, print_screen = 0xE037, pause = 0xE11D,
                        enter = 0xE01C;

// clang-format off
constexpr Key keys[] = {
    {0x01, 0x76, 0x08, make_only},  // Esc
    // F1-F12
    {0x3B, 0x05, 0x07, make_only}, {0x3C, 0x06, 0x0F, make_only}, {0x3D, 0x04, 0x17, make_only},
    {0x3E, 0x0C, 0x1F, make_only}, {0x3F, 0x03, 0x27, make_only}, {0x40, 0x0B, 0x2F, make_only},
    {0x41, 0x83, 0x37, make_only}, {0x42, 0x0A, 0x3F, make_only}, {0x43, 0x01, 0x47, make_only},
    {0x44, 0x09, 0x4F, make_only}, {0x57, 0x78, 0x56, make_only}, {0x58, 0x07, 0x5E, make_only},
    {0x46, 0x7E, 0x5F, make_only},  // Scroll Lock
    // ` 1 2
    {0x29, 0x0E, 0x0E, typematic}, {0x02, 0x16, 0x16, typematic}, {0x03, 0x1E, 0x1E, typematic},
    // 3 4 5
    {0x04, 0x26, 0x26, typematic}, {0x05, 0x25, 0x25, typematic}, {0x06, 0x2E, 0x2E, typematic},
    // 6 7 8
    {0x07, 0x36, 0x36, typematic}, {0x08, 0x3D, 0x3D, typematic}, {0x09, 0x3E, 0x3E, typematic},
    // 9 0 -
    {0x0A, 0x46, 0x46, typematic}, {0x0B, 0x45, 0x45, typematic}, {0x0C, 0x4E, 0x4E, typematic},
    // = Bksp Tab
    {0x0D, 0x55, 0x55, typematic}, {0x0E, 0x66, 0x66, typematic}, {0x0F, 0x0D, 0x0D, typematic},
    // Q W E
    {0x10, 0x15, 0x15, typematic}, {0x11, 0x1D, 0x1D, typematic}, {0x12, 0x24, 0x24, typematic},
    // R T Y
    {0x13, 0x2D, 0x2D, typematic}, {0x14, 0x2C, 0x2C, typematic}, {0x15, 0x35, 0x35, typematic},
    // U I O
    {0x16, 0x3C, 0x3C, typematic}, {0x17, 0x43, 0x43, typematic}, {0x18, 0x44, 0x44, typematic},
    // P [ ]
    {0x19, 0x4D, 0x4D, typematic}, {0x1A, 0x54, 0x54, typematic}, {0x1B, 0x5B, 0x5B, typematic},
    {0x2B, 0x5D, 0x5C, typematic}, {0x3A, 0x58, 0x14, make_break},  // \ Caps
    // A S D
    {0x1E, 0x1C, 0x1C, typematic}, {0x1F, 0x1B, 0x1B, typematic}, {0x20, 0x23, 0x23, typematic},
    // F G H
    {0x21, 0x2B, 0x2B, typematic}, {0x22, 0x34, 0x34, typematic}, {0x23, 0x33, 0x33, typematic},
    // J K L
    {0x24, 0x3B, 0x3B, typematic}, {0x25, 0x42, 0x42, typematic}, {0x26, 0x4B, 0x4B, typematic},
    // ; ' Enter
    {0x27, 0x4C, 0x4C, typematic}, {0x28, 0x52, 0x52, typematic}, {0x1C, 0x5A, 0x5A, typematic},
    {left_shift, 0x12, 0x12, make_break}, {0x56, 0x61, 0x13, typematic},  // 102nd key
    // Z X C
    {0x2C, 0x1A, 0x1A, typematic}, {0x2D, 0x22, 0x22, typematic}, {0x2E, 0x21, 0x21, typematic},
    // V B N
    {0x2F, 0x2A, 0x2A, typematic}, {0x30, 0x32, 0x32, typematic}, {0x31, 0x31, 0x31, typematic},
    // M , .
    {0x32, 0x3A, 0x3A, typematic}, {0x33, 0x41, 0x41, typematic}, {0x34, 0x49, 0x49, typematic},
    {0x35, 0x4A, 0x4A, typematic}, {right_shift, 0x59, 0x59, make_break},  // /
    {left_control, 0x14, 0x11, make_break}, {left_alt, 0x11, 0x19, make_break},
    {0x39, 0x29, 0x29, typematic},  // space
    {right_alt, 0xE011, 0x39, make_only}, {right_control, 0xE014, 0x58, make_only},
    {0xE052, 0xE070, 0x67, make_only}, {0xE053, 0xE071, 0x64, typematic},  // Ins Del
    {0xE04B, 0xE06B, 0x61, typematic}, {0xE047, 0xE06C, 0x6E, make_only},  // Left Home
    {0xE04F, 0xE069, 0x65, make_only}, {0xE048, 0xE075, 0x63, typematic},  // End Up
    {0xE050, 0xE072, 0x60, typematic}, {0xE049, 0xE07D, 0x6F, make_only},  // Down PgUp
    {0xE051, 0xE07A, 0x6D, make_only}, {0xE04D, 0xE074, 0x6A, typematic},  // PgDn Right
    // Num 7 4
    {0x45, 0x77, 0x76, make_only}, {0x47, 0x6C, 0x6C, make_only}, {0x4B, 0x6B, 0x6B, make_only},
    {0x4F, 0x69, 0x69, make_only}, {grey_slash, 0xE04A, 0x77, make_only},  // 1 /
    // 8 5 2
    {0x48, 0x75, 0x75, make_only}, {0x4C, 0x73, 0x73, make_only}, {0x50, 0x72, 0x72, make_only},
    // 0 * 9
    {0x52, 0x70, 0x70, make_only}, {0x37, 0x7C, 0x7E, make_only}, {0x49, 0x7D, 0x7D, make_only},
    // 6 3 .
    {0x4D, 0x74, 0x74, make_only}, {0x51, 0x7A, 0x7A, make_only}, {0x53, 0x71, 0x71, make_only},
    // - + Enter
    {0x4A, 0x7B, 0x84, make_only}, {0x4E, 0x79, 0x7C, typematic}, {enter, 0xE05A, 0x79, make_only},
    {print_screen, 0xE07C, 0x57, make_only}, {pause, 0xE114, 0x62, make_only},
};
// clang-format on
constexpr unsigned key_count = std::size(keys);

int row_of(std::uint16_t code) {
  for (unsigned row = 0; row < key_count; ++row)
    if (keys[row].set1 == code) return static_cast<int>(row);
  return -1;
}

/// Insert, delete, the cursor keys and their neighbours: to old software they must appear unshifted.
bool navigation(std::uint16_t code) {
  return code >> 8 == 0xE0 && code != grey_slash && code != print_screen && code != enter && code != right_control &&
         code != right_alt;
}

}  // namespace

Ps2Keyboard::Ps2Keyboard(Scheduler& scheduler, const std::string& name)
    : types_(key_count),
      down_(key_count),
      repeat_(scheduler, name + ".typematic", Priority::device, Callback::to<&Ps2Keyboard::repeat>(this)) {
  defaults();
}

void Ps2Keyboard::defaults() {
  set_ = 2;
  rate_ = 0x2B;
  expecting_ = 0;
  strokes_.clear();
  repeating_ = -1;
  repeat_.cancel();
  for (unsigned row = 0; row < key_count; ++row) types_[row] = keys[row].type;
}

void Ps2Keyboard::reset(Time now) {
  defaults();
  answers_.clear();
  scanning_ = true;
  leds_ = 0;
  answer(self_test_passed, now, self_test_time);
}

// --- The host's side ---

Time Ps2Keyboard::ready() const {
  if (!answers_.empty()) return answers_.ready();
  return strokes_.empty() || expecting_ != 0 ? Time::never() : Time{};
}

std::uint8_t Ps2Keyboard::fetch(Time) {
  if (!answers_.empty()) {
    last_sent_ = answers_.pop();
  } else if (!strokes_.empty()) {
    last_sent_ = strokes_.front();
    strokes_.pop_front();
  }
  return last_sent_;
}

void Ps2Keyboard::receive(std::uint8_t byte, Time now) {
  if (byte == resend)
    answer(last_sent_, now);
  else if (expecting_ != 0 && byte < 0xED)
    argument(byte, now);
  else
    command(byte, now);
}

void Ps2Keyboard::command(std::uint8_t byte, Time now) {
  expecting_ = 0;
  switch (byte) {
    case 0xF0:  // scan code set: discards buffered keys and stops repeating
      strokes_.clear();
      repeating_ = -1;
      repeat_.cancel();
      [[fallthrough]];
    case 0xED:  // LEDs
    case 0xF3:  // typematic
    case 0xFB:
    case 0xFC:
    case 0xFD:  // set 3 behaviour of individual keys
      expecting_ = byte;
      acknowledge(now);
      break;
    case 0xEE: answer(0xEE, now); break;
    case 0xF2:
      acknowledge(now);
      answer(0xAB, now);
      answer(0x83, now);
      break;
    case 0xF4:
      strokes_.clear();
      scanning_ = true;
      acknowledge(now);
      break;
    case 0xF5:
    case 0xF6:
      defaults();
      scanning_ = byte == 0xF6;
      acknowledge(now);
      break;
    case 0xF7:
    case 0xF8:
    case 0xF9:
    case 0xFA: {
      constexpr std::uint8_t types[] = {typematic, make_break, make_only, all};
      std::fill(types_.begin(), types_.end(), types[byte - 0xF7]);
      acknowledge(now);
      break;
    }
    case 0xFF:
      answers_.clear();
      acknowledge(now);
      defaults();
      scanning_ = true;
      leds_ = 0;
      answer(self_test_passed, now, self_test_time);
      break;
    default: answer(resend, now); break;
  }
}

void Ps2Keyboard::argument(std::uint8_t byte, Time now) {
  switch (expecting_) {
    case 0xED: leds_ = byte & 7; break;
    case 0xF3: rate_ = byte & 0x7F; break;
    case 0xF0:
      if (byte > 3) {
        answer(resend, now);
        return;
      }
      acknowledge(now);
      if (byte == 0)
        answer(set_, now);
      else
        set_ = byte;
      strokes_.clear();
      expecting_ = 0;
      return;
    default: {  // FBh to FDh: keys follow until the next command
      constexpr std::uint8_t types[] = {typematic, make_break, make_only};
      for (unsigned row = 0; row < key_count; ++row)
        if (keys[row].set3 == byte) types_[row] = types[expecting_ - 0xFB];
      acknowledge(now);
      return;
    }
  }
  expecting_ = 0;
  acknowledge(now);
}

// --- The user's side ---

bool Ps2Keyboard::held(std::uint16_t code) const {
  const int row = row_of(code);
  return row >= 0 && down_[static_cast<unsigned>(row)];
}

void Ps2Keyboard::key(std::uint16_t code, bool down, Time now) {
  const int found = row_of(code);
  if (found < 0) return;
  const auto row = static_cast<unsigned>(found);
  if ((down_[row] != 0) == down) return;
  if (!down) down_[row] = 0;
  stroke(row, down, now);
  if (down) down_[row] = 1;

  const bool repeats = code != pause && (set_ != 3 || types_[row] & typematic);
  if (down && repeats) {
    repeating_ = found;
    repeat_.at(now + 250_ms * (1 + (rate_ >> 5 & 3)));
  } else if (repeating_ == found) {
    repeating_ = -1;
    repeat_.cancel();
  }
}

void Ps2Keyboard::repeat(Time now) {
  if (repeating_ < 0) return;
  stroke(static_cast<unsigned>(repeating_), true, now);
  repeat_.at(now + typematic_unit * ((8 + (rate_ & 7)) << (rate_ >> 3 & 3)));
}

/// Queues the codes of one event. Codes that do not fit are lost; the last byte of the buffer then indicates the
/// overrun.
void Ps2Keyboard::stroke(unsigned row, bool down, Time now) {
  if (!scanning_) return;
  std::vector<std::uint8_t> codes;
  if (set_ == 3)
    append_set3(codes, row, down);
  else
    append_key(codes, row, down);
  for (const std::uint8_t code : codes) {
    if (strokes_.size() < buffer_size)
      strokes_.push_back(code);
    else
      strokes_.back() = set_ == 1 ? overrun_set1 : overrun_other;
  }
  tell_host(now);
}

void Ps2Keyboard::append_code(std::vector<std::uint8_t>& out, std::uint16_t set1, std::uint16_t set2, bool down) const {
  const std::uint16_t code = set_ == 1 ? set1 : set2;
  if (code >> 8) out.push_back(static_cast<std::uint8_t>(code >> 8));
  if (!down && set_ != 1) out.push_back(0xF0);
  out.push_back(static_cast<std::uint8_t>(code | (!down && set_ == 1 ? 0x80 : 0)));
}

/// The shift codes around a grey key that make it appear as the unshifted cursor key of an 84-key keyboard: `before`
/// the make code, or after the break code.
void Ps2Keyboard::append_fake_shifts(std::vector<std::uint8_t>& out, bool before, bool with_num_lock) const {
  const bool left = held(left_shift), right = held(right_shift);
  if (with_num_lock && leds_ & 2) {
    if (!left && !right) append_code(out, 0xE02A, 0xE012, before);
    return;
  }
  if (left) append_code(out, 0xE02A, 0xE012, !before);
  if (right) append_code(out, 0xE036, 0xE059, !before);
}

void Ps2Keyboard::append_key(std::vector<std::uint8_t>& out, unsigned row, bool down) const {
  const Key& k = keys[row];
  if (k.set1 == pause) {
    if (!down) return;
    if (held(left_control) || held(right_control)) {  // break
      append_code(out, 0xE046, 0xE07E, true);
      append_code(out, 0xE046, 0xE07E, false);
    } else if (set_ == 1) {
      out.insert(out.end(), {0xE1, 0x1D, 0x45, 0xE1, 0x9D, 0xC5});
    } else {
      out.insert(out.end(), {0xE1, 0x14, 0x77, 0xE1, 0xF0, 0x14, 0xF0, 0x77});
    }
    return;
  }
  if (k.set1 == print_screen) {
    if (held(left_alt) || held(right_alt)) {  // system request
      append_code(out, 0x54, 0x84, down);
      return;
    }
    const bool shifted = held(left_shift) || held(right_shift) || held(left_control) || held(right_control);
    if (down && !shifted) append_code(out, 0xE02A, 0xE012, true);
    append_code(out, k.set1, k.set2, down);
    if (!down && !shifted) append_code(out, 0xE02A, 0xE012, false);
    return;
  }
  const bool surrounded = navigation(k.set1) || k.set1 == grey_slash;
  if (down && surrounded) append_fake_shifts(out, true, k.set1 != grey_slash);
  append_code(out, k.set1, k.set2, down);
  if (!down && surrounded) append_fake_shifts(out, false, k.set1 != grey_slash);
}

void Ps2Keyboard::append_set3(std::vector<std::uint8_t>& out, unsigned row, bool down) const {
  if (!down && !(types_[row] & make_break)) return;
  if (!down) out.push_back(0xF0);
  out.push_back(keys[row].set3);
}

void Ps2Keyboard::describe(Description& d) const {
  d.flag("scanning", scanning_).number("scan code set", set_).reg("LEDs", leds_, 4).reg("typematic", rate_, 8);
  d.number("answers to send", answers_.size()).number("codes to send", strokes_.size()).reg("last sent", last_sent_, 8);
  if (expecting_) d.reg("command waits for data", expecting_, 8);
  std::string pressed;
  for (unsigned row = 0; row < key_count; ++row)
    if (down_[row]) pressed += fmt::format("{}{:02X}", pressed.empty() ? "" : " ", keys[row].set1);
  d.text("keys down (set 1)", pressed);
}

void Ps2Keyboard::archive(Archive& a) {
  a.section("ps2_keyboard", 1);
  a(answers_, strokes_, scanning_, leds_, set_, rate_, expecting_, last_sent_, types_, down_, repeating_, repeat_);
  constexpr std::array<std::uint8_t, 7> with_argument{0, 0xED, 0xF0, 0xF3, 0xFB, 0xFC, 0xFD};
  const bool expects = std::find(with_argument.begin(), with_argument.end(), expecting_) != with_argument.end();
  if (a.loading() && (types_.size() != key_count || down_.size() != key_count || set_ < 1 || set_ > 3 || !expects ||
                      repeating_ < -1 || repeating_ >= static_cast<std::int32_t>(key_count)))
    throw Error("snapshot holds a damaged keyboard; take a new one", ExitCode::missing_file);
}

}  // namespace planar
