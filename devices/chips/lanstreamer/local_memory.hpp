// SPDX-License-Identifier: GPL-2.0-or-later
// A LANStreamer's local memory: the mailboxes and tables that host and microprocessor share, big-endian, and buffers
// for MAC frames. Only the layout inside a block is known from the driver; the places of the blocks are planar's own,
// and the driver is told them at run time.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/state/archive.hpp"

namespace planar::tokenring {

/// A MAC frame in local buffers: the first of `count` adjacent ones.
struct MacBuffer {
  std::uint16_t first = 0, count = 0, header = 0, length = 0;
  void archive(Archive& a) { a(first, count, header, length); }
};

class LocalMemory {
 public:
  static constexpr std::uint16_t size = 0x2000;
  // clang-format off
  static constexpr std::uint16_t universal_address = 0x20, level = 0x28, srb = 0x40, asb = 0x80, trb = 0xA0, writable_end = 0xC0,
                                 arb = 0xC0, addresses = 0x100, parameters = 0x120, buffers = 0x200;
  // clang-format on
  /// Of the parameter table: the upstream neighbour's address, LAN status.
  static constexpr std::uint16_t neighbour = parameters + 4, lan_status = parameters + 38;
  static constexpr unsigned buffer_count = 16, buffer_bytes = 264, buffer_data = 256;

  bool writable(std::uint16_t at) const { return at >= srb && at < writable_end; }
  std::uint8_t operator[](std::uint16_t at) const { return bytes_[at % size]; }
  std::uint8_t& operator[](std::uint16_t at) { return bytes_[at % size]; }
  std::uint16_t word(std::uint16_t at) const;
  std::uint32_t double_word(std::uint16_t at) const;
  void put(std::uint16_t at, std::uint16_t word);
  void put(std::uint16_t at, std::span<const std::uint8_t> bytes);
  void clear(std::uint16_t at, unsigned bytes);
  void clear() { bytes_ = {}; }

  static std::uint16_t buffer(unsigned index) { return static_cast<std::uint16_t>(buffers + index * buffer_bytes); }
  /// Writes a frame into buffers `first` and the following, as a chain. `status` is its FS.
  MacBuffer store(std::span<const std::uint8_t> frame, std::uint16_t header, std::uint8_t status, unsigned first);
  static constexpr unsigned buffers_for(std::size_t bytes) {
    return static_cast<unsigned>((bytes + buffer_data - 1) / buffer_data);
  }

  /// Of a snapshot.
  static constexpr bool sound(const MacBuffer& f) {
    const unsigned index = f.first < buffers ? buffer_count : (f.first - buffers) / buffer_bytes;
    return f.count <= buffer_count && index + f.count <= buffer_count;
  }

  void archive(Archive& a) { a(bytes_); }

 private:
  std::array<std::uint8_t, size> bytes_{};
};

}  // namespace planar::tokenring
