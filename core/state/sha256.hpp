// SPDX-License-Identifier: GPL-2.0-or-later
// SHA-256 of what comes in pieces; sha256_hex() in core/state/archive.hpp is the same for one piece.
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
  /// 64 lower-case hex digits of all so far; starts again.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace planar
