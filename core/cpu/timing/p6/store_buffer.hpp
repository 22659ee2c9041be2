// SPDX-License-Identifier: GPL-2.0-or-later
// The P6's store buffer: twelve stores, executed or not, until the first level has taken each, in order. A load that
// one of them covers gets its data from there; one that they cover in part waits for the cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/cpu/timing/p6/packed_pipeline.hpp"
#include "core/cpu/timing/p6/period.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

class StoreBuffer {
 public:
  static constexpr unsigned entries = 12;
  /// Clocks from the data of a store to those of a load that gets them by forwarding; and, where that is not possible,
  /// from when the first level takes the store: in all about 5 and 7 to 8 (docs/hardware/p6.md).
  static constexpr unsigned forwarding = 5, blocked = 4;

  struct Store {
    std::uint32_t address = 0, bytes = 0;
    std::uint64_t data = 0, taken = 0;
    bool operator==(const Store&) const = default;
  };

  /// When the next store can be renamed.
  std::uint64_t room() const { return stores_[next_].taken; }
  void add(std::uint32_t address, unsigned bytes, std::uint64_t data, std::uint64_t taken) {
    stores_[next_] = {address, bytes, data, taken};
    note_place(address, bytes, taken);
    next_ = next_ + 1 == entries ? 0 : next_ + 1u;
    last_ = taken;
  }
  /// When the first level takes the last store.
  std::uint64_t last() const { return last_; }
  /// True: no store affects a load of `bytes` that begins at `t`. False: unknown.
  bool surely_clear(std::uint64_t t, std::uint32_t address, unsigned bytes) const {
    return t >= last_ || t >= taken_last(address, bytes);
  }
  /// The same for a load within a doubleword.
  bool surely_clear(std::uint64_t t, std::uint32_t address) const {
    return t >= last_ || t >= place_[address / 4 % places];
  }
  /// When a load of `bytes` that begins at `t` has its data, if a store determines that; 0 if not.
  std::uint64_t load(std::uint64_t t, std::uint32_t address, unsigned bytes) const {
    if (surely_clear(t, address, bytes)) return 0;
    for (unsigned n = 0, i = next_; n < entries; ++n) {
      i = i == 0 ? entries - 1 : i - 1;
      const Store& s = stores_[i];
      if (s.taken <= t) return 0;  // and so are those before it
      if (address >= s.address + s.bytes || s.address >= address + bytes) continue;
      return s.address == address && bytes <= s.bytes ? std::max(t, s.data) + forwarding : s.taken + blocked;
    }
    return 0;
  }
  /// The entry that the next store displaces.
  const Store& oldest() const { return stores_[next_]; }
  /// Removes the last store, which displaced `displaced`; the first level took the store before it at `last`.
  void take_back(const Store& displaced, std::uint64_t last) {
    next_ = next_ == 0 ? entries - 1 : next_ - 1;
    stores_[next_] = displaced;
    last_ = last;
    note_places();
  }
  /// Whether it is as it was `before`, shifted in time; and its state `times` passes later (PipelineP6).
  bool recurs(const StoreBuffer& before, const Period& period) const;
  void advance(const StoreBuffer& before, const Period& period, std::uint64_t times);

  /// The parts that the pipeline waits for: room, and the last store.
  static constexpr unsigned packed_words = entries + 1;
  void pack(Packer& p, std::uint64_t renamed) const {
    for (unsigned n = 0; n < entries; ++n) p.time(std::max(renamed, stores_[(next_ + n) % entries].taken));
    p.time_about(std::max(renamed - std::min<std::uint64_t>(renamed, 2), last_));
  }

  void archive(Archive& a) {
    for (Store& s : stores_) a(s.address, s.bytes, s.data, s.taken);
    a(next_, last_);
    if (a.loading()) note_places();
  }
  bool sound(std::uint64_t limit) const {
    return next_ < entries && last_ <= limit && std::all_of(stores_.begin(), stores_.end(), [=](const Store& s) {
             return s.data <= limit && s.taken <= limit;
           });
  }

 private:
  static constexpr unsigned places = 64;
  /// Doublewords after the first one.
  static unsigned more_doublewords(std::uint32_t address, unsigned bytes) {
    return std::min(((address & 3) + bytes - 1) >> 2, places - 1);
  }
  /// No store taken later than this covers any of the bytes.
  std::uint64_t taken_last(std::uint32_t address, unsigned bytes) const {
    std::uint64_t last = place_[address / 4 % places];
    for (unsigned n = more_doublewords(address, bytes); n != 0; --n)
      last = std::max(last, place_[(address / 4 + n) % places]);
    return last;
  }
  void note_place(std::uint32_t address, unsigned bytes, std::uint64_t taken) {
    place_[address / 4 % places] = taken;
    for (unsigned n = more_doublewords(address, bytes); n != 0; --n) place_[(address / 4 + n) % places] = taken;
  }
  void note_places() {
    place_.fill(0);
    for (unsigned n = 0; n < entries; ++n)
      if (const Store& s = stores_[(next_ % entries + n) % entries]; s.bytes != 0)
        note_place(s.address, s.bytes, s.taken);
  }

  std::array<Store, entries> stores_{};
  // When the last store to a doubleword is taken, by the low bits of its address: not state, a shortcut.
  std::array<std::uint64_t, places> place_{};
  std::uint32_t next_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace planar::cpu
