// SPDX-License-Identifier: GPL-2.0-or-later
// A device's description of itself: its registers and state as named fields, for traces, the inspector, the debugger
// and evidence files. Describing only peeks: it changes nothing in the machine and costs no virtual time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/time/time.hpp"

namespace planar {

struct Field {
  enum class Kind : std::uint8_t { reg, number, flag, time, text };
  std::string name;          ///< the data sheet's name: "ISR", "CURR"
  Kind kind = Kind::number;  ///< reg: shown in hexadecimal with `bits` / 4 digits
  std::uint64_t value = 0;   ///< for every kind except text; a time is in picoseconds
  unsigned bits = 0;         ///< for a reg: 1 to 64
  std::string text;          ///< for a text
  bool moving = false;       ///< an activity or a level, which timelines draw
};

/// A group of fields: a device has its own fields and may have parts ("receive ring", "counter 0").
class Description {
 public:
  explicit Description(std::string name = {}) : name_(std::move(name)) {}

  Description& reg(std::string_view name, std::uint64_t value, unsigned bits) {
    fields_.push_back({std::string(name), Field::Kind::reg, value, bits, {}});
    return *this;
  }
  Description& number(std::string_view name, std::uint64_t value) {
    fields_.push_back({std::string(name), Field::Kind::number, value, 0, {}});
    return *this;
  }
  Description& flag(std::string_view name, bool value) {
    fields_.push_back({std::string(name), Field::Kind::flag, value, 1, {}});
    return *this;
  }
  /// A point or span of virtual time; Time::never() is "never".
  Description& time(std::string_view name, Time value) {
    fields_.push_back({std::string(name), Field::Kind::time, static_cast<std::uint64_t>(value.ps), 0, {}});
    return *this;
  }
  Description& text(std::string_view name, std::string value) {
    fields_.push_back({std::string(name), Field::Kind::text, 0, 0, std::move(value)});
    return *this;
  }
  /// What the device, or a part of it, is doing: a few words that a timeline shows as a span; "idle" or "none" is not
  /// drawn.
  Description& activity(std::string_view name, std::string value) {
    text(name, std::move(value));
    fields_.back().moving = true;
    return *this;
  }
  /// How full something is, or how much work remains, as drawn by a timeline: bytes in a FIFO, frames in a queue.
  Description& level(std::string_view name, std::uint64_t value) {
    number(name, value);
    fields_.back().moving = true;
    return *this;
  }
  /// A part of the device; the reference is valid until the next part is added.
  Description& part(std::string_view name) { return parts_.emplace_back(std::string(name)); }

  const std::string& name() const { return name_; }
  const std::vector<Field>& fields() const { return fields_; }
  const std::vector<Description>& parts() const { return parts_; }
  /// Its own field or part with that name; null if there is none.
  const Field* find_field(std::string_view name) const {
    const auto at = std::find_if(fields_.begin(), fields_.end(), [&](const Field& f) { return f.name == name; });
    return at == fields_.end() ? nullptr : &*at;
  }
  const Description* find_part(std::string_view name) const {
    const auto at = std::find_if(parts_.begin(), parts_.end(), [&](const Description& p) { return p.name_ == name; });
    return at == parts_.end() ? nullptr : &*at;
  }

 private:
  std::string name_;
  std::vector<Field> fields_;
  std::vector<Description> parts_;
};

/// A register stored as up to eight bytes, most significant byte first.
constexpr std::uint64_t big_endian(std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  for (const std::uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}

}  // namespace planar
