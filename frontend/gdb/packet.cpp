// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/gdb/packet.hpp"

#include <utility>

namespace planar::gdb {

namespace {

constexpr char escape = '}';
constexpr std::uint8_t escape_mask = 0x20, interrupt_byte = 0x03;

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Resolves escapes; nothing if the last one is truncated.
std::optional<std::string> unescaped(std::string_view data) {
  std::string out;
  for (std::size_t n = 0; n < data.size(); ++n) {
    if (data[n] != escape) {
      out += data[n];
      continue;
    }
    if (++n == data.size()) return {};
    out += static_cast<char>(static_cast<std::uint8_t>(data[n]) ^ escape_mask);
  }
  return out;
}

}  // namespace

void PacketReader::feed(std::string_view bytes) {
  for (const char c : bytes) byte(static_cast<std::uint8_t>(c));
}

std::optional<Received> PacketReader::next() {
  if (received_.empty()) return {};
  Received first = std::move(received_.front());
  received_.pop_front();
  return first;
}

void PacketReader::byte(std::uint8_t value) {
  const char c = static_cast<char>(value);
  switch (state_) {
    case State::outside:
      if (c == '-') note(Received::Kind::refused);
      if (value == interrupt_byte) note(Received::Kind::interrupt);
      if (c != '$') return;
      break;
    case State::data:
      if (c == '#') {
        state_ = State::check_high;
        return;
      }
      if (c != '$') {
        sum_ = static_cast<std::uint8_t>(sum_ + value);
        if (data_.size() < longest_packet)
          data_ += c;
        else
          too_long_ = true;
        return;
      }
      break;  // the end of the previous packet is lost
    case State::check_high:
    case State::check_low:
      if (digit(c) < 0) {
        note(Received::Kind::damaged);
        state_ = State::outside;
        if (c == '$') break;  // the next packet begins where the checksum should be
        return;
      }
      check_ = static_cast<std::uint8_t>(check_ << 4 | digit(c));
      if (state_ == State::check_low) return complete(check_);
      state_ = State::check_low;
      return;
  }
  state_ = State::data;
  data_.clear();
  sum_ = check_ = 0;
  too_long_ = false;
}

void PacketReader::complete(std::uint8_t check) {
  state_ = State::outside;
  auto data = unescaped(data_);
  if (check != sum_ || too_long_ || !data)
    note(Received::Kind::damaged);
  else
    received_.push_back({Received::Kind::packet, std::move(*data)});
}

void PacketReader::note(Received::Kind kind) {
  if (received_.empty() || received_.back().kind != kind) received_.push_back({kind, {}});
}

std::string frame(std::string_view data) {
  std::string out = "$";
  std::uint8_t sum = 0;
  const auto put = [&](char c) {
    out += c;
    sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(c));
  };
  for (const char c : data) {
    if (c == '#' || c == '$' || c == escape || c == '*') {
      put(escape);
      put(static_cast<char>(static_cast<std::uint8_t>(c) ^ escape_mask));
    } else {
      put(c);
    }
  }
  const std::uint8_t check[] = {sum};
  return out + "#" + to_hex(check);
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t b : bytes) {
    out += digits[b >> 4];
    out += digits[b & 15];
  }
  return out;
}

std::string to_hex(std::string_view text) {
  return to_hex(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

std::optional<std::string> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return {};
  std::string out;
  for (std::size_t n = 0; n < digits.size(); n += 2) {
    const int high = digit(digits[n]), low = digit(digits[n + 1]);
    if (high < 0 || low < 0) return {};
    out += static_cast<char>(high << 4 | low);
  }
  return out;
}

std::optional<std::uint64_t> parse_hex(std::string_view digits) {
  if (digits.empty() || digits.size() > 16) return {};
  std::uint64_t value = 0;
  for (const char c : digits) {
    const int d = digit(c);
    if (d < 0) return {};
    value = value << 4 | static_cast<unsigned>(d);
  }
  return value;
}

std::string_view Fields::until(char separator) {
  const auto at = rest_.find(separator);
  const auto piece = rest_.substr(0, at);
  rest_ = at == std::string_view::npos ? std::string_view{} : rest_.substr(at + 1);
  return piece;
}

}  // namespace planar::gdb
