// SPDX-License-Identifier: GPL-2.0-or-later
#include "adf/solver/planar_claims.hpp"

#include <algorithm>

namespace planar::adf {
namespace {

class Builder {
 public:
  void io(const char* owner, std::uint32_t first, std::uint32_t last) {
    claims.push_back({owner, {ResourceKind::io, first, last}, false});
  }
  void memory(const char* owner, std::uint32_t first, std::uint32_t last) {
    claims.push_back({owner, {ResourceKind::memory, first, last}, false});
  }
  void irq(const char* owner, std::uint32_t level, bool shareable = false) {
    claims.push_back({owner, {ResourceKind::interrupt, level, level}, shareable});
  }
  void serial(unsigned port) {
    if (port == 1) {
      io("serial port 1", 0x3F8, 0x3FF);
      irq("serial port 1", 4, true);
    } else if (port == 2) {
      io("serial port 2", 0x2F8, 0x2FF);
      irq("serial port 2", 3, true);
    }
  }
  std::vector<PlanarClaim> claims;
};

}  // namespace

std::vector<PlanarClaim> planar_claims(const PlanarParts& parts) {
  Builder b;
  b.io("system ports", 0x000, 0x0FF);
  b.io("POS registers", 0x100, 0x107);
  b.irq("timer", 0);
  b.irq("keyboard", 1);
  b.irq("clock", 8);
  b.irq("mouse", 12);
  b.irq("coprocessor", 13);
  b.memory("firmware", 0xE0000, 0xFFFFF);
  b.serial(parts.serial);
  b.serial(parts.second_serial);
  if (parts.parallel != 0) {
    b.io("parallel port", parts.parallel, parts.parallel + 3u);
    b.irq("parallel port", 7, true);
  }
  if (parts.diskette) {
    b.io("diskette controller", 0x3F0, 0x3F7);
    b.irq("diskette controller", 6);
    b.claims.push_back({"diskette controller", {ResourceKind::arbitration, 2, 2}, false});
  }
  if (parts.video) {
    b.io("video", 0x3B0, 0x3BB);
    b.io("video", 0x3C0, 0x3DF);
    b.memory("video", 0xA0000, 0xBFFFF);
  }
  if (parts.memory_kb > 0) {
    const std::uint64_t base = std::min<std::uint64_t>(parts.memory_kb, 640) * 1024;
    b.memory("system memory", 0, static_cast<std::uint32_t>(base - 1));
    if (parts.memory_kb > 1024) {
      const std::uint64_t end = std::min<std::uint64_t>(std::uint64_t{parts.memory_kb} * 1024, 0x1'0000'0000);
      b.memory("system memory", 0x100000, static_cast<std::uint32_t>(end - 1));
    }
  }
  return b.claims;
}

}  // namespace planar::adf
