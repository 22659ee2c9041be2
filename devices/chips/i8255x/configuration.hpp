// SPDX-License-Identifier: GPL-2.0-or-later
// The configuration block of an 8255x: 22 bytes, kept as they are written, and what the model reads from them. Names
// after the Open Source Software Developer Manual (6.4.2.3) and FreeBSD if_fxpreg.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace planar::ethernet {

struct I8255xConfiguration {
  static constexpr unsigned size = 22;
  /// After a reset (manual, default column of the byte maps).
  static constexpr std::array<std::uint8_t, size> defaults{22, 0x08, 0, 0,    0,    0, 0x32, 0x03, 1,    0,    0x2E,
                                                           0,  0x60, 0, 0xF2, 0xC8, 0, 0x40, 0xF2, 0x80, 0x3F, 0x05};
  std::array<std::uint8_t, size> bytes = defaults;

  /// A configure command's bytes; the first gives how many are valid.
  void load(std::span<const std::uint8_t> given) {
    std::copy_n(given.begin(), std::min<std::size_t>(given.size(), size), bytes.begin());
  }

  // Byte 1: bytes in the receive FIFO, in doublewords, at which the chip requests the bus.
  unsigned receive_fifo_limit() const { return std::max(bytes[1] & 15u, 1u) * 4; }
  // Bytes 4 and 5: the longest burst of a DMA unit while both want the bus, if byte 5 bit 7 is set; whole doublewords.
  unsigned receive_dma_limit() const { return dma_limit(bytes[4]); }
  unsigned transmit_dma_limit() const { return dma_limit(bytes[5]); }
  // Byte 6. The 82559 has its TCO counters in place of the 82557's interrupt for frames not sent.
  bool tco_statistics() const { return bytes[6] & 0x04; }
  bool idle_interrupt_only() const { return bytes[6] & 0x08; }  // CI instead of CNA
  bool extended_tcb() const { return !(bytes[6] & 0x10); }
  bool extended_statistics() const { return !(bytes[6] & 0x20); }
  bool keep_overruns() const { return bytes[6] & 0x40; }
  bool save_bad_frames() const { return bytes[6] & 0x80; }
  // Byte 7.
  bool discard_short() const { return bytes[7] & 0x01; }
  unsigned underrun_retries() const { return bytes[7] >> 1 & 3u; }
  bool two_frames_only() const { return bytes[7] & 0x40; }
  bool dynamic_tbd() const { return bytes[7] & 0x80; }
  // Byte 9, on the 82559: two bytes after each frame, the sum over it.
  bool receive_checksum() const { return bytes[9] & 0x01; }
  // Byte 10.
  bool no_source_insertion() const { return bytes[10] & 0x08; }
  bool loopback() const { return bytes[10] & 0xC0; }
  // Byte 15.
  bool promiscuous() const { return bytes[15] & 0x01; }
  bool no_broadcasts() const { return bytes[15] & 0x02; }
  // Byte 18.
  bool padding() const { return bytes[18] & 0x02; }
  bool transfer_fcs() const { return bytes[18] & 0x04; }
  bool long_frames() const { return bytes[18] & 0x08; }
  // Bytes 20 and 21.
  bool multiple_addresses() const { return bytes[20] & 0x40; }
  bool all_multicasts() const { return bytes[21] & 0x08; }

  bool operator==(const I8255xConfiguration&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(bytes);
  }

 private:
  unsigned dma_limit(std::uint8_t count) const { return bytes[5] & 0x80 ? std::max(count & 0x7Cu, 4u) : UINT32_MAX; }
};

}  // namespace planar::ethernet
