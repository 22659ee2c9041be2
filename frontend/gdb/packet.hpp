// SPDX-License-Identifier: GPL-2.0-or-later
// The framing of GDB's remote serial protocol (GDB manual, appendix E): $DATA#CHECKSUM, acknowledgements, the byte 03h
// that interrupts. Whatever bytes arrive, only complete packets with the right checksum get through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace planar::gdb {

/// The longest packet data accepted, in bytes.
inline constexpr std::size_t longest_packet = 0x4000;

struct Received {
  enum class Kind : std::uint8_t { packet, damaged, refused, interrupt };
  Kind kind = Kind::packet;
  std::string data;  ///< of a packet, escapes resolved
};

/// The queue is bounded by the bytes fed since it was last empty. Acknowledgements are dropped, since nothing waits for
/// them, and of several consecutive refusals one is kept, so that the last packet is sent again once.
class PacketReader {
 public:
  void feed(std::string_view bytes);
  /// The next thing received, in order; nothing until more bytes arrive.
  std::optional<Received> next();

 private:
  enum class State : std::uint8_t { outside, data, check_high, check_low };
  void byte(std::uint8_t value);
  void complete(std::uint8_t check);
  void note(Received::Kind kind);

  State state_ = State::outside;
  std::string data_;
  std::uint8_t sum_ = 0, check_ = 0;
  bool too_long_ = false;
  std::deque<Received> received_;
};

/// `data` as a packet.
std::string frame(std::string_view data);

/// Two lower-case digits per byte.
std::string to_hex(std::span<const std::uint8_t> bytes);
std::string to_hex(std::string_view text);
/// The bytes of an even number of digits; nothing for anything else.
std::optional<std::string> from_hex(std::string_view digits);
/// A hexadecimal number of up to 16 digits.
std::optional<std::uint64_t> parse_hex(std::string_view digits);

/// Splits a packet's text at separators, piece by piece.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}
  /// Up to the next `separator`, which is dropped, or the whole rest.
  std::string_view until(char separator);
  /// The same as a hexadecimal number; nothing if it is not one.
  std::optional<std::uint64_t> number(char separator) { return parse_hex(until(separator)); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace planar::gdb
