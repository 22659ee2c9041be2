// SPDX-License-Identifier: GPL-2.0-or-later
// Where the passes of a loop have stored, each place once (interpreter/loop_run.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace planar::cpu {

class StoreLog {
 public:
  static constexpr unsigned most = 512;
  struct Place {
    std::uint32_t address = 0, bytes = 0;
    bool operator==(const Place&) const = default;
  };

  void clear() {
    while (count_ != 0) slots_[slot_of(places_[--count_])] = 0;
    full_ = false;
  }
  void add(std::uint32_t address, unsigned bytes) {
    const Place place{address, bytes};
    std::uint16_t& slot = slots_[slot_of(place)];
    if (slot != 0) return;
    if (count_ == most) {
      full_ = true;
      return;
    }
    places_[count_++] = place;
    slot = static_cast<std::uint16_t>(count_);
  }
  /// The number of a place; `most` if it is not there.
  unsigned number_of(const Place& place) const {
    const unsigned slot = slots_[slot_of(place)];
    return slot == 0 ? most : slot - 1;
  }
  const Place* begin() const { return places_.data(); }
  const Place* end() const { return places_.data() + count_; }
  /// Whether there was one more than fits.
  bool full() const { return full_; }

 private:
  /// Where the number of a place is, or would be.
  std::size_t slot_of(const Place& place) const {
    std::size_t n = (place.address * 0x9E3779B1u >> 16) % slots_.size();
    while (slots_[n] != 0 && places_[slots_[n] - 1u] != place) n = (n + 1) % slots_.size();
    return n;
  }

  std::array<Place, most> places_{};
  std::array<std::uint16_t, 2 * most> slots_{};  // by hash: the number, from 1 on; 0: none
  unsigned count_ = 0;
  bool full_ = false;
};

}  // namespace planar::cpu
