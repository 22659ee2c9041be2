// SPDX-License-Identifier: GPL-2.0-or-later
// The 256 bytes of a PCI function's configuration space, with two masks: the bits that a write can set, and the bits
// that writing 1 clears. A register that is in neither mask is read-only; an undeclared register reads 0, as the
// specification requires (PCI 2.1, 6.1).
#pragma once

#include <array>
#include <cstdint>

#include "core/state/archive.hpp"

namespace planar::pci {

/// Registers of the header that every function has (PCI 2.1, 6.2).
enum Header : std::uint8_t {
  VENDOR_ID = 0x00,
  DEVICE_ID = 0x02,
  COMMAND = 0x04,
  STATUS = 0x06,
  REVISION_ID = 0x08,
  CLASS_CODE = 0x09,  // three bytes: interface, subclass, class
  CACHE_LINE_SIZE = 0x0C,
  LATENCY_TIMER = 0x0D,
  HEADER_TYPE = 0x0E,
  BIST = 0x0F,
  BAR0 = 0x10,
  SUBSYSTEM_VENDOR_ID = 0x2C,
  SUBSYSTEM_ID = 0x2E,
  EXPANSION_ROM = 0x30,
  CAPABILITIES = 0x34,  // PCI 2.2, 6.7: start of the capabilities list, if STATUS says that there is one
  INTERRUPT_LINE = 0x3C,
  INTERRUPT_PIN = 0x3D,
  MIN_GNT = 0x3E,
  MAX_LAT = 0x3F,
};

/// Bits of COMMAND.
enum Command : std::uint16_t {
  IO_SPACE = 0x0001,
  MEMORY_SPACE = 0x0002,
  BUS_MASTER = 0x0004,
  MEMORY_WRITE_INVALIDATE = 0x0010,
  PARITY_RESPONSE = 0x0040,
  SERR_ENABLE = 0x0100,
};

/// Bits of STATUS; the six error bits are cleared by writing 1.
enum Status : std::uint16_t {
  CAPABILITIES_LIST = 0x0010,
  CAPABLE_66MHZ = 0x0020,
  FAST_BACK_TO_BACK = 0x0080,
  MASTER_PARITY_ERROR = 0x0100,
  DEVSEL_MEDIUM = 0x0200,
  SIGNALED_TARGET_ABORT = 0x0800,
  RECEIVED_TARGET_ABORT = 0x1000,
  RECEIVED_MASTER_ABORT = 0x2000,
  SIGNALED_SYSTEM_ERROR = 0x4000,
  DETECTED_PARITY_ERROR = 0x8000,
};

class ConfigSpace {
 public:
  static constexpr unsigned size = 256;

  /// `bytes` is 1 to 4; bytes beyond the end do not exist.
  std::uint32_t read(unsigned reg, unsigned bytes) const;
  /// A write from the bus: masks apply. Returns whether anything has changed.
  bool write(unsigned reg, unsigned bytes, std::uint32_t value);

  /// Sets a value regardless of the masks; set_default() also sets the value that reset() restores.
  void set(unsigned reg, unsigned bytes, std::uint32_t value);
  void set_default(unsigned reg, unsigned bytes, std::uint32_t value);
  /// The bits that a write can set and clear.
  void set_writable(unsigned reg, unsigned bytes, std::uint32_t mask);
  /// The bits that writing 1 clears.
  void set_clearable(unsigned reg, unsigned bytes, std::uint32_t mask);
  std::uint32_t writable(unsigned reg, unsigned bytes) const;

  /// RST#: the defaults.
  void reset() { value_ = default_; }

  /// The values only; the masks are fixed by the function.
  void archive(Archive& a) { a(value_); }

 private:
  using Bytes = std::array<std::uint8_t, size>;
  static std::uint32_t get(const Bytes& from, unsigned reg, unsigned bytes);
  static void put(Bytes& to, unsigned reg, unsigned bytes, std::uint32_t value);

  Bytes value_{}, default_{}, writable_{}, clearable_{};
};

}  // namespace planar::pci
