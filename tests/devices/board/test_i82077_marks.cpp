// SPDX-License-Identifier: GPL-2.0-or-later
// READ DELETED DATA on sectors with normal data marks, the only ones of a raw image (82077AA data sheet, table 5-7).
#include "tests/devices/board/i82077_bench.hpp"

using namespace planar;
using namespace planar::tests;

TEST_CASE("82077: READ DELETED DATA reads a sector with a normal mark and ends there", "[planar][i82077]") {
  Diskette d;
  d.start();
  d.seek(1);
  CHECK(d.transfer(0x4C, 1, 0, 3, 18, 1024) == Bytes{0x00, 0x00, 0x40, 1, 0, 3, 2});  // R is not incremented
  CHECK(d.dma_times.size() == 512);
  CHECK(d.memory[0] == pattern((1 * 36 + 2) * 512));
}

TEST_CASE("82077: with SK, READ DELETED DATA skips sectors with a normal mark", "[planar][i82077]") {
  Diskette d;
  d.start();
  d.seek(1);
  CHECK(d.transfer(0x6C, 1, 0, 3, 5, 512) == Bytes{0x40, 0x80, 0x40, 2, 0, 1, 2});
  CHECK(d.dma_times.empty());
}
