// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/scenario/typist.hpp"

#include <algorithm>
#include <cctype>

#include "core/common/error.hpp"
#include "frontend/scenario/keys.hpp"
#include "machines/machine/machine.hpp"

namespace planar {

namespace {

constexpr Time key_down = 40_ms, key_up = 40_ms;
constexpr Time chord_gap = 10_ms;   // between the keys of a chord, and around shift
constexpr Time look_again = 20_ms;  // retry interval if the keyboard or the buffer is full
constexpr unsigned most_buffered = 10;
constexpr std::uint16_t left_shift = 0x2A;  // its key code

/// The number of keys in the firmware's buffer; 0 if it is not in use.
unsigned firmware_keys(Machine& machine) {
  constexpr std::uint32_t protection = 1, virtual_86 = 1u << 17;
  const cpu::Registers r = machine.cpu().registers();
  if (r.cr0 & protection && !(r.eflags & virtual_86)) return 0;
  const auto word = [&](std::uint32_t at) {
    return static_cast<unsigned>(machine.peek_memory(at) | machine.peek_memory(at + 1) << 8);
  };
  const unsigned head = word(0x41A), tail = word(0x41C);
  const auto inside = [](unsigned pointer) { return pointer >= 0x1E && pointer < 0x3E && pointer % 2 == 0; };
  if (!inside(head) || !inside(tail)) return 0;
  return (tail + 0x20 - head) % 0x20 / 2;
}

}  // namespace

void Typist::queue(Action action, Time now) {
  if (actions_.empty()) next_ = std::max(next_, now);
  actions_.push_back(action);
}

void Typist::type(std::string_view text, Time now) {
  for (const char character : text) {
    const auto key = key_for(character);
    if (!key) continue;
    const bool letter = std::isalpha(static_cast<unsigned char>(character)) != 0;
    queue({key->code, true, letter, key->shift, key_down}, now);
    queue({key->code, false, letter, key->shift, key_up}, now);
  }
}

void Typist::press(const std::vector<std::uint16_t>& keys, Time hold, Time now) {
  for (std::size_t n = 0; n < keys.size(); ++n)
    queue({keys[n], true, false, false, n + 1 == keys.size() ? hold : chord_gap}, now);
  for (std::size_t n = keys.size(); n-- > 0;) queue({keys[n], false, false, false, n ? chord_gap : key_up}, now);
}

void Typist::stop(Time now) {
  actions_.clear();
  for (auto key = down_.rbegin(); key != down_.rend(); ++key) queue({*key, false, false, false, chord_gap}, now);
}

void Typist::advance(Machine& machine, Time now) {
  auto& keyboard = machine.keyboard_controller().keyboard();
  while (!actions_.empty() && next_ <= now) {
    const Action action = actions_.front();
    if (action.down && (keyboard.unsent() || firmware_keys(machine) > most_buffered)) {
      next_ = now + look_again;
      return;
    }
    constexpr std::uint8_t caps_led = 4;
    const bool shifted = std::find(down_.begin(), down_.end(), left_shift) != down_.end();
    const bool wanted = action.shift != (action.letter && keyboard.leds() & caps_led);
    if (action.down && wanted && !shifted) {
      // Shift is pressed before the key and released after it.
      actions_.push_front({left_shift, true, false, false, chord_gap});
      actions_.insert(actions_.begin() + 3, {left_shift, false, false, false, key_up});
      actions_[2].after = chord_gap;
      continue;
    }
    keyboard.key(action.code, action.down, now);
    if (action.down)
      down_.push_back(action.code);
    else
      std::erase(down_, action.code);
    actions_.pop_front();
    next_ = now + action.after;
  }
}

void Typist::archive(Archive& a) {
  a.section("typist", 1);
  a(actions_, down_, next_);
  if (a.loading() && !sound())
    throw Error("snapshot holds a damaged queue of keys; take a new one", ExitCode::missing_file);
}

// Checks an archived queue: a key that may need shift must be followed by its own release.
bool Typist::sound() const {
  for (std::size_t n = 0; n < actions_.size(); ++n) {
    const Action& action = actions_[n];
    const bool may_shift = action.down && (action.shift || action.letter);
    if (action.after < Time{} || action.after == Time::never() || (may_shift && n + 1 == actions_.size())) return false;
  }
  return true;
}

}  // namespace planar
