// SPDX-License-Identifier: GPL-2.0-or-later
// Shapes of caches and buses that are known when planar is compiled: the timing models' memory events are instantiated
// for each of them, and once more for any other shape, which is then read from the configuration. Both give the same
// clocks (tests/core/cpu/timing/test_timing_memory.cpp).
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu/timing/common/config.hpp"

namespace planar::cpu {

/// What the host keeps that depends on a cache's contents and so must be told of its changes.
enum class Watcher : std::uint8_t {
  any,  ///< whatever there is
  none,
  l0  ///< the L0 line cache
};

/// Shape of a cache; 0: as configured.
struct CacheShape {
  unsigned ways = 0, line = 0, sets = 0;
  Watcher watcher = Watcher::any;
  bool clean = false;  ///< none of its lines is ever dirty

  constexpr bool matches(std::uint32_t bytes, unsigned of_ways, unsigned of_line) const {
    return bytes == ways * line * sets && (bytes == 0 || (of_ways == ways && of_line == line));
  }
};
inline constexpr CacheShape any_shape{};

/// Shape of a first-level cache and of what lies between it and memory.
struct Geometry {
  bool known = false;  ///< false: all as configured
  CacheShape data;     ///< unified if `code` has 0 ways
  CacheShape code;
  bool write_back = false;
  CacheShape l2;  ///< 0 ways: none
  unsigned clock_num = 1, clock_den = 1;
  unsigned write_buffers = 0;
  bool snooped = false;  ///< masters may share the memory line by line
  unsigned row = 0;      ///< bytes of a DRAM row, if only one is open at a time; 0: as configured

  constexpr bool split() const { return code.ways != 0; }
  bool matches(const TimingConfig& c) const {
    return data.matches(c.l1.bytes, c.l1.ways, c.l1.line) &&
           code.matches(c.l1.split ? c.l1.bytes : 0, c.l1.ways, c.l1.line) && c.l1.write_back == write_back &&
           l2.matches(c.l2.bytes, c.l2.ways, c.l2.line) && c.core_per_bus_num == clock_num &&
           c.core_per_bus_den == clock_den && c.write_buffers == write_buffers && (snooped || !c.shared_by_line) &&
           (row == 0 || (c.dram.page_bytes == row && c.dram.banks == 1));
  }
};
inline constexpr Geometry any_geometry{};
/// A 486 that writes through to DRAM, on a bus with its own clock.
inline constexpr Geometry plain_486{.known = true,
                                    .data = {.ways = 4, .line = 16, .sets = 128, .watcher = Watcher::l0, .clean = true},
                                    .code = {},
                                    .l2 = {},
                                    .write_buffers = 4,
                                    .row = 4096};
/// A Pentium at three core clocks per two bus clocks, with a second-level cache on the bus.
inline constexpr Geometry pentium_with_l2{
    .known = true,
    .data = {.ways = 2, .line = 32, .sets = 128, .watcher = Watcher::l0},
    .code = {.ways = 2, .line = 32, .sets = 128, .watcher = Watcher::none, .clean = true},
    .write_back = true,
    .l2 = {.ways = 2, .line = 32, .sets = 4096, .watcher = Watcher::none},
    .clock_num = 3,
    .clock_den = 2,
    .write_buffers = 2};
/// A Pentium OverDrive on a 486's board: five core clocks per two bus clocks, no second level.
inline constexpr Geometry pentium_overdrive{
    .known = true,
    .data = {.ways = 4, .line = 32, .sets = 128, .watcher = Watcher::l0},
    .code = {.ways = 4, .line = 32, .sets = 128, .watcher = Watcher::none, .clean = true},
    .write_back = true,
    .l2 = {},
    .clock_num = 5,
    .clock_den = 2,
    .write_buffers = 2,
    .row = 4096};
/// A Pentium at five core clocks per two bus clocks, with a direct-mapped second level: a period PC.
inline constexpr Geometry pentium_direct_l2{
    .known = true,
    .data = {.ways = 2, .line = 32, .sets = 128, .watcher = Watcher::l0},
    .code = {.ways = 2, .line = 32, .sets = 128, .watcher = Watcher::none, .clean = true},
    .write_back = true,
    .l2 = {.ways = 1, .line = 32, .sets = 8192, .watcher = Watcher::none},
    .clock_num = 5,
    .clock_den = 2,
    .write_buffers = 2,
    .snooped = true,
    .row = 4096};

/// What the memory events are instantiated for, most used first; a row without a known geometry accepts any.
struct GeometryRow {
  Model model;
  Geometry geometry;
};
inline constexpr std::array<GeometryRow, 6> geometries{{
    {Model::pentium, pentium_with_l2},
    {Model::i486sx, plain_486},
    {Model::pentium, pentium_overdrive},
    {Model::pentium, pentium_direct_l2},
    {Model::i486sx, any_geometry},
    {Model::pentium, any_geometry},
}};
/// The row of a machine's processor, looked up once, when the machine is made; the number of rows if it has no such
/// cache.
inline unsigned geometry_of(const TimingConfig& config) {
  for (unsigned row = 0; row < geometries.size(); ++row) {
    const auto& [model, geometry] = geometries[row];
    if (model == config.model && (!geometry.known || geometry.matches(config))) return row;
  }
  return geometries.size();
}
/// Whether the compiler knows the geometry of that processor.
inline bool has_known_geometry(const TimingConfig& config) {
  const unsigned row = geometry_of(config);
  return row < geometries.size() && geometries[row].geometry.known;
}

}  // namespace planar::cpu
