// SPDX-License-Identifier: GPL-2.0-or-later
// SHA-256 of data supplied in pieces, and of text; sha256_hex() for bytes is in core/state/archive.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace planar {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void update(std::span<const std::uint8_t> data);
  /// The hash of all data so far as 64 lower-case hex digits; resets the state.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// SHA-256 of the bytes of `text` as 64 lower-case hex digits.
std::string sha256_hex(std::string_view text);

}  // namespace planar
