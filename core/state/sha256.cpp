// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/state/sha256.hpp"

#include <fmt/format.h>
#include <nettle/sha2.h>

#include <array>

#include "core/state/archive.hpp"

namespace planar {

struct Sha256::State {
  sha256_ctx context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) { sha256_init(&state_->context); }
Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::uint8_t> data) { sha256_update(&state_->context, data.size(), data.data()); }

std::string Sha256::hex() {
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_digest(&state_->context, digest.size(), digest.data());
  std::string hex;
  for (auto byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

std::string sha256_hex(std::span<const std::uint8_t> data) {
  Sha256 sum;
  sum.update(data);
  return sum.hex();
}

std::string sha256_hex(std::string_view text) {
  return sha256_hex(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

}  // namespace planar
