// SPDX-License-Identifier: GPL-2.0-or-later
// What the host sees of all chip sets of IBM's Streamer family: the names and offsets of the registers, the interrupt
// registers with their aliases, descriptor words (docs/hardware/streamer.md#the-relatives-registers).
//
// A register with aliases: _SUM sets the bits that are written 1, _RUM keeps only those; all read the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/state/archive.hpp"

namespace planar::streamer {

/// Offsets in the window of 256 bytes, and the bits there. A chip set has those that its own header lists.
struct RegisterMap {
  enum Register : unsigned {
    // clang-format off
    LISR = 0x10, LISR_SUM = 0x12, LISR_RUM = 0x14, SISR = 0x16, SISR_SUM = 0x18, SISR_RUM = 0x1A, GPR = 0x4A,
    BMCTL_SUM = 0x50, BMCTL_RUM = 0x52, SISR_MASK = 0x54, SISR_MASK_SUM = 0x56, SISR_MASK_RUM = 0x58, MISR_RUM = 0x5A,
    MISR_MASK = 0x5C, MISR_MASK_RUM = 0x5E, BCTL = 0x60, LAPA = 0x62, LAPE = 0x64, LAPD = 0x66, LAPDINC = 0x68,
    LAPWWO = 0x6A, LAPWWC = 0x6C, LAPCTL = 0x6E, RXLBDA = 0x90, RXBDA = 0x94, RXSTAT = 0x98, RXDBA = 0x9C,
    TX1LFDA = 0xA0, TX1FDA = 0xA4, TX1STAT = 0xA8, TX1DBA = 0xAC, TX2LFDA = 0xB0, TX2FDA = 0xB4, TX2STAT = 0xB8,
    TX2DBA = 0xBC, window_bytes = 0x100,
    // clang-format on
  };
  /// From the host to the adapter's microprocessor.
  enum Lisr : std::uint16_t {
    LIE = 0x8000,
    SRB_CMD = 0x0020,
    ASB_REPLY = 0x0010,
    ASB_FREE_REQ = 0x0004,
    ARB_FREE = 0x0002,
    TRB_FRAME = 0x0001
  };
  /// From the adapter to the host.
  enum Sisr : std::uint16_t {
    MI = 0x8000,
    LAP_ACC_ERR = 0x0200,
    ADAPTER_CHECK = 0x0040,
    SRB_REPLY = 0x0020,
    ASB_FREE = 0x0010,
    ARB_CMD = 0x0008,
    TRB_REPLY = 0x0004
  };
  enum Gpr : std::uint16_t { MBPS_16 = 0x0008, AUTOSENSE = 0x0004 };
  enum Bmctl : std::uint16_t { TX1_DIS = 0x4000, TX2_DIS = 0x0400, RX_DIS = 0x0040, RX_ENAB = 0x0020 };
  /// Causes of the bus master.
  enum Misr : std::uint16_t {
    TX2_IDLE = 0x8000,
    TX2_HALT = 0x2000,
    TX2_EOF = 0x1000,
    TX1_IDLE = 0x0800,
    TX1_HALT = 0x0200,
    TX1_EOF = 0x0100,
    RX_NOBUF = 0x0020,
    RX_EOB = 0x0010,
    RX_EOF = 0x0001
  };
  enum Bctl : std::uint16_t { SOFTRESET = 0x8000 };
  /// In a receive descriptor. The driver knows RX_PROCESSED, RX_LAST and that 7E830000h are errors; which is which is
  /// planar's declaration.
  enum RxStatus : std::uint32_t {
    RX_PROCESSED = 0x01000000,
    RX_CUT = 0x02000000,  ///< the rest of the frame found no buffer
    RX_LONG = 0x04000000,
    RX_CRC = 0x10000000,
    RX_ALIGN = 0x20000000,
    RX_OVER = 0x40000000,  ///< a byte found the FIFO full
    RX_LAST = 0x80000000,
    rx_errors = RX_CUT | RX_LONG | RX_CRC | RX_ALIGN | RX_OVER
  };
};

/// LISR, SISR, MISR and their masks.
class SystemRegisters {
 public:
  /// `adapter` are the bits of SISR that the chip set has, MI aside.
  explicit SystemRegisters(std::uint16_t adapter) : adapter_(adapter) {}

  std::uint16_t lisr = 0;
  /// SISR as it reads: MI while a cause is set in MISR that its mask lets through.
  std::uint16_t sisr() const;
  bool interrupt() const;

  /// Causes that are raised.
  void raise_sisr(std::uint16_t causes) { sisr_ |= causes; }
  void raise_misr(std::uint16_t causes) { misr_ |= causes; }
  void reset();

  /// Nothing if `offset` is none of these registers.
  std::optional<std::uint16_t> peek(std::uint32_t offset) const;
  /// False if `offset` is none of these registers.
  bool write(std::uint32_t offset, std::uint16_t value);

  void archive(Archive& a) { a(lisr, sisr_, sisr_mask_, misr_, misr_mask_); }

 private:
  std::uint16_t adapter_;
  std::uint16_t sisr_ = 0, sisr_mask_ = 0, misr_ = 0, misr_mask_ = 0;
};

/// Words of a descriptor, little-endian (of the Micro Channel cards: unknown, and declared so).
std::uint32_t get32(std::span<const std::uint8_t> descriptor, std::size_t at);
void put32(std::span<std::uint8_t> descriptor, std::size_t at, std::uint32_t value);

inline constexpr std::uint32_t transmit_descriptor_bytes = 32;

/// Half of a 32-bit register.
constexpr std::uint16_t lower(std::uint32_t value) { return static_cast<std::uint16_t>(value); }
constexpr std::uint16_t upper(std::uint32_t value) { return static_cast<std::uint16_t>(value >> 16); }

}  // namespace planar::streamer
