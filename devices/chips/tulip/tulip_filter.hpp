// SPDX-License-Identifier: GPL-2.0-or-later
// The address filter of the 21140 family, as a setup frame loads it.
//
// A setup frame is 192 bytes of host memory, 48 doublewords of which the low half counts; TDES1 says which kind it is:
//
//   FT1 FT0   kind               doublewords
//    0   0    perfect            16 addresses of three each, unused entries repeat another one
//    0   1    hash and perfect   0 to 7 the table of 128 bits for group addresses, 39 to 41 the station's address
//    1   0    inverse            as perfect: what is listed does not pass
//    1   1    hash only          0 to 7 the table for all addresses
//
// The first byte of an address is the low byte of its first doubleword. The bit of an address in the table is the low
// seven bits of its CRC remainder, least significant bit first: 127 is the broadcast address. A broadcast passes like a
// group address: it must be listed or have its bit set. (The 21140 has nine bits and 512; of the PNIC-II, FreeBSD and
// NetBSD say 128. Linux 2.2.16 hashes with nine for more than 14 groups, and then hears no broadcasts.)
// Sources: FreeBSD if_dc.c (DC_128BIT_HASH), NetBSD tulip.c (TULIP_PNICII_HASHSIZE), Linux 2.2.16 tulip.c
// (set_rx_mode); Digital 21140A hardware reference (recalled).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "devices/medium/ethernet/ethernet_frame.hpp"

namespace planar::ethernet {

class TulipFilter {
 public:
  static constexpr std::uint32_t setup_bytes = 192;
  enum class Kind : std::uint8_t { perfect, hash_and_perfect, inverse, hash_only };

  /// Loads a setup frame; entries beyond its end keep their values.
  void load(Kind kind, std::span<const std::uint8_t> setup);
  /// Whether the loaded filter passes `to`.
  bool passes(const net::MacAddress& to) const;
  /// As after power-up: nothing passes.
  void clear() { *this = {}; }

  Kind kind() const { return kind_; }
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  static constexpr unsigned entries = 16, words_per_address = 3, own_word = 39;
  bool listed(const net::MacAddress& to, unsigned word) const;
  bool hashed(const net::MacAddress& to) const;

  Kind kind_ = Kind::perfect;
  bool loaded_ = false;
  std::array<std::uint16_t, setup_bytes / 4> table_{};
};

}  // namespace planar::ethernet
