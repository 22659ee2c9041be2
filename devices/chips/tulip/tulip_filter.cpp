// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/tulip/tulip_filter.hpp"

#include <algorithm>

#include "core/common/error.hpp"
#include "core/common/little_endian.hpp"

namespace planar::ethernet {

void TulipFilter::load(Kind kind, std::span<const std::uint8_t> setup) {
  kind_ = kind;
  loaded_ = true;
  const std::size_t words = std::min(setup.size() / 4, table_.size());
  for (std::size_t n = 0; n < words; ++n) table_[n] = load_little<std::uint16_t>(&setup[4 * n]);
}

bool TulipFilter::listed(const net::MacAddress& to, unsigned word) const {
  for (unsigned n = 0; n < words_per_address; ++n)
    if (table_[word + n] != load_little<std::uint16_t>(&to[2 * n])) return false;
  return true;
}

bool TulipFilter::hashed(const net::MacAddress& to) const {
  const std::uint32_t bit = ~crc32(to) & 0x7F;
  return table_[bit / 16] >> (bit % 16) & 1;
}

bool TulipFilter::passes(const net::MacAddress& to) const {
  if (!loaded_) return false;
  const bool group = to[0] & 1;
  switch (kind_) {
    case Kind::hash_only: return hashed(to);
    case Kind::hash_and_perfect: return group ? hashed(to) : listed(to, own_word);
    case Kind::perfect:
    case Kind::inverse: break;
  }
  bool found = false;
  for (unsigned n = 0; n < entries && !found; ++n) found = listed(to, n * words_per_address);
  return found != (kind_ == Kind::inverse);
}

void TulipFilter::describe(Description& d) const {
  constexpr const char* names[] = {"perfect", "hash and perfect", "inverse", "hash only"};
  d.text("filter", loaded_ ? names[static_cast<unsigned>(kind_)] : "none");
}

void TulipFilter::archive(Archive& a) {
  a(kind_, loaded_, table_);
  if (a.loading() && kind_ > Kind::hash_only)
    throw Error("snapshot holds a damaged address filter; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
