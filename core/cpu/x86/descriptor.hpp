// SPDX-License-Identifier: GPL-2.0-or-later
// Segments: a register with its cached descriptor, and a descriptor as stored in memory (386 PRM chapter 5).
#pragma once

#include <cstdint>

namespace planar::cpu {

/// A segment register with its descriptor cache. `low` and the spans are derived: an access of n bytes at `offset` is
/// allowed when (offset - low) + n - 1 does not exceed the span of its kind (-1: never).
struct alignas(64) Segment {
  std::uint16_t selector = 0;
  std::uint8_t access = 0x93;  ///< P, DPL, S, type: byte 5 of the descriptor
  bool big = false;            ///< D/B
  std::uint32_t base = 0;
  std::uint32_t limit = 0xFFFF;  ///< in bytes, granularity applied
  std::uint32_t low = 0;
  std::int64_t read_span = 0xFFFF;
  std::int64_t write_span = 0xFFFF;
  static constexpr std::int64_t endless = std::int64_t{1}
                                          << 40;  ///< span of a 4 GB segment: an access at its end wraps

  /// The context in which this segment's offsets are looked up in the L0 line cache (Engine::fill_l0), or none. Not
  /// copied.
  struct AddressContext {
    static constexpr std::uint64_t none = std::uint64_t{1} << 63;
    std::uint64_t value = none;
    AddressContext() = default;
    AddressContext(const AddressContext&) {}
    AddressContext& operator=(const AddressContext&) {
      value = none;
      return *this;
    }
  };
  AddressContext reads, writes;

  bool present() const { return access & 0x80; }
  unsigned dpl() const { return access >> 5 & 3; }
  bool conforming() const { return (access & 0x1C) == 0x1C; }
  /// Recomputes low and spans from the fields above.
  void derive();
};

/// The part of a selector that goes into a fault's error code: all but its RPL.
constexpr std::uint16_t error_of(std::uint16_t selector) { return selector & 0xFFFC; }
constexpr bool is_null(std::uint16_t selector) { return error_of(selector) == 0; }

/// A descriptor as stored in memory.
struct Descriptor {
  std::uint32_t lo = 0, hi = 0;
  std::uint8_t access() const { return static_cast<std::uint8_t>(hi >> 8); }
  unsigned type() const { return hi >> 8 & 0x0F; }
  bool system() const { return !(hi & 0x1000); }
  bool present() const { return hi & 0x8000; }
  unsigned dpl() const { return hi >> 13 & 3; }
  bool code() const { return (hi & 0x1800) == 0x1800; }
  bool conforming() const { return (hi & 0x1C00) == 0x1C00; }
  bool readable() const { return !system() && (!(hi & 0x0800) || (hi & 0x0200)); }
  bool writable_data() const { return (hi & 0x1A00) == 0x1200; }
  bool available_tss() const { return (hi & 0x1700) == 0x0100; }  ///< 286 or 386
  std::uint32_t base() const { return lo >> 16 | (hi & 0xFF) << 16 | (hi & 0xFF000000u); }
  std::uint32_t limit() const {
    const std::uint32_t l = (lo & 0xFFFF) | (hi & 0xF0000);
    return hi & 0x800000 ? l << 12 | 0xFFF : l;
  }
  bool big() const { return hi & 0x400000; }
  // Gates.
  std::uint16_t gate_selector() const { return static_cast<std::uint16_t>(lo >> 16); }
  std::uint32_t gate_offset() const { return (lo & 0xFFFF) | (hi & 0xFFFF0000u); }
  bool is32() const { return hi & 0x0800; }  ///< 386 gates and TSSs have type bit 3 set
};

}  // namespace planar::cpu
