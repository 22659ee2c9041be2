// SPDX-License-Identifier: GPL-2.0-or-later
// PCI cards whose driver has placed descriptors and buffers where there is no memory, in ROM, or in the card's own
// registers. No memory: a master abort, and the chip's reaction to it. ROM: reads succeed and writes are ignored. Own
// registers: their values are taken as descriptors or frames, and writes go to the registers. The outcome is the same
// if a snapshot is saved and loaded on the way.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "core/common/little_endian.hpp"
#include "tests/devices/ethernet/pci_bench.hpp"

namespace planar::test {

inline constexpr std::uint32_t nowhere = 0xE0000000, rom_at = 0xF0000000, fragment_at = 0x9000, frame_at = 0x20000;

/// 4 KB of ROM with these doublewords; elsewhere, bytes that differ from their neighbours.
inline Bytes rom_of(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& words) {
  Bytes rom(0x1000);
  for (std::uint32_t n = 0; n < rom.size(); ++n) rom[n] = static_cast<std::uint8_t>(n * 7 + n / 256);
  for (const auto& [at, value] : words) store_little(&rom[at], value);
  return rom;
}

inline bool master_abort(PciBench& b) {
  return b.rig.config(PciBench::device, pci::STATUS, 2) & pci::RECEIVED_MASTER_ABORT;
}

/// Two cards with the same ROM. What a test began on the first one continues in both after `when`, and ends in the same
/// state.
template <class Bench>
struct Pair {
  template <class... Arguments>
  explicit Pair(Bytes contents, Arguments... arguments) : rom(contents), b(arguments...), second(arguments...) {
    b.rig.memory.map_rom(rom_at, rom);
    second.rig.memory.map_rom(rom_at, rom);
  }
  void go_on(Time when, Time end) {
    b.rig.step(when);
    Archive saved = Archive::saver();
    b.archive(saved);
    Archive loaded = Archive::loader(saved.stream());
    second.archive(loaded);
    loaded.expect_end();
    const std::size_t before = b.other.arrivals.size();
    const auto plain = finish(b, end), loaded_one = finish(second, end);
    CHECK((plain == loaded_one));
    CHECK(second.other.arrivals.size() == b.other.arrivals.size() - before);
  }
  static std::vector<std::uint8_t> finish(Bench& b, Time end) {
    b.rig.step(end);
    Archive a = Archive::saver();
    b.archive(a);
    return a.stream();
  }

  Bytes rom;
  Bench b, second;
};

inline Time snapshot_after() { return 300_ns * std::int64_t{GENERATE(0, 1, 2, 4, 7, 12, 20, 40)}; }

/// The frame that has arrived at the other station, without FCS.
inline Bytes heard(const PciBench& b) {
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(b.other.arrivals[0].ok);
  return without_fcs(b.other.arrivals[0].bytes);
}
inline Bytes little_endian(std::initializer_list<std::uint32_t> words) {
  Bytes bytes;
  for (const std::uint32_t w : words)
    for (unsigned n = 0; n < 4; ++n) bytes.push_back(static_cast<std::uint8_t>(w >> (8 * n)));
  return bytes;
}
inline Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
inline Bytes part(const Bytes& of, std::size_t from, std::size_t bytes) {
  return {of.begin() + static_cast<std::ptrdiff_t>(from), of.begin() + static_cast<std::ptrdiff_t>(from + bytes)};
}

}  // namespace planar::test
