// SPDX-License-Identifier: GPL-2.0-or-later
// The POS registers of a PS/2 planar: its own functions, and its VGA
// (docs/hardware/pos-and-adf.md#planar-pos-registers).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "bus/mca/slot.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"

namespace planar {

/// Functions enabled by planar POS 2.
struct PlanarFunctions {
  bool diskette = false;
  bool serial = false;
  std::uint16_t serial_base = 0x2F8;  ///< 3F8h with IRQ 4, or 2F8h with IRQ 3
  unsigned serial_irq = 3;
  bool parallel = false;
  std::uint16_t parallel_base = 0x3BC;  ///< 3BCh, 378h or 278h
  /// Whether extended (bidirectional) mode of the parallel port is allowed: bit 7 = 0. Sources disagree about the
  /// polarity.
  bool parallel_extended = true;
  friend bool operator==(const PlanarFunctions&, const PlanarFunctions&) = default;
};

/// Planar POS: planar ID; POS 2 as on all PS/2; POS 3 to 5 as registers without a function (their use on these planars
/// is not public; our firmware gives them a private meaning); POS 6 and 7 absent.
class PlanarPos final : public bus::SetupTarget {
 public:
  using Changed = std::function<void(const PlanarFunctions&, Time)>;

  explicit PlanarPos(std::uint16_t planar_id) : id_(planar_id) {}
  /// Called when a write changes what is enabled, and by reset().
  void on_change(Changed changed) { changed_ = std::move(changed); }

  void pos_write(unsigned reg, std::uint8_t value, Time now) override;
  std::uint8_t pos_peek(unsigned reg) const override;

  /// The functions selected by POS 2: bit 0 = 0 disables diskette, serial and parallel together.
  PlanarFunctions functions() const;
  /// The functions in words.
  void describe(Description& d) const;
  /// Power-on: everything off until POST writes POS 2.
  void reset(Time now);
  /// After loading, the owner enables its devices according to functions(); the callback is not called.
  void archive(Archive& a);

 private:
  std::uint16_t id_;
  Changed changed_;
  std::array<std::uint8_t, 4> pos_{};  // POS 2 to 5
};

/// Setup of the planar VGA: only POS 2 exists; bit 0 = 1 wakes it.
class VideoPos final : public bus::SetupTarget {
 public:
  using Changed = std::function<void(bool awake, Time)>;
  void on_change(Changed changed) { changed_ = std::move(changed); }
  bool awake() const { return awake_; }

  void pos_write(unsigned reg, std::uint8_t value, Time now) override;
  std::uint8_t pos_peek(unsigned reg) const override;
  void reset(Time now);
  void archive(Archive& a);

 private:
  Changed changed_;
  bool awake_ = false;
};

}  // namespace planar
