// SPDX-License-Identifier: GPL-2.0-or-later
// Incremental SHA-256; sha256_hex() in core/state/archive.hpp does the same for one buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

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

}  // namespace planar
