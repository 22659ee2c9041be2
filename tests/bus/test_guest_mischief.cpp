// SPDX-License-Identifier: GPL-2.0-or-later
// Random guest accesses to the planar's bus registers: time continues and nothing is accessed out of bounds (checked by
// the sanitizer build); the same accesses give the same result twice.
#include "core/common/random.hpp"
#include "devices/board/ps2/planar_pos.hpp"
#include "tests/bus/rig.hpp"

using namespace planar;
using namespace planar::test;

namespace {

struct Chatty final : DmaClient {
  Chatty(Rig& rig, unsigned n) : line(rig.dma, *this, "chatty " + std::to_string(n)) {}
  std::uint16_t dma_read(unsigned, Time) override { return ++items; }
  void dma_write(unsigned, std::uint16_t, Time) override { ++items; }
  void dma_terminal_count(Time now) override { line.withdraw(now); }
  std::uint16_t items = 0;
  DmaLine line;
};

std::string run(std::uint64_t seed, bool& went_on) {
  Rig rig(BusTiming{}, {seed & 1 ? 16u : 32u, 32});
  Chatty a(rig, 0), b(rig, 1), c(rig, 2);
  Chatty* clients[] = {&a, &b, &c};
  PlanarPos planar(0xFFEE);
  VideoPos video;
  rig.pos.set_planar(&planar);
  rig.pos.set_video(&video);
  Random random(seed);
  std::uint64_t sum = 0;
  const unsigned sizes[] = {1, 2, 4};
  for (int i = 0; i < 30'000; ++i) {
    const Time before = rig.now;
    const unsigned bytes = sizes[random.below(3)];
    auto port = static_cast<std::uint16_t>(random.below(0x110));
    if (random.below(4) == 0) port = random.below(2) == 0 ? 0x18 : 0x1A;
    switch (random.below(8)) {
      case 0: sum = sum * 31 + rig.in(port, bytes); break;
      case 1: sum = sum * 31 + rig.load(static_cast<std::uint32_t>(random.below(0x200000)), bytes); break;
      case 2: rig.step(Time{static_cast<std::int64_t>(random.below(20'000'000))}); break;
      case 3: {
        Chatty& client = *clients[random.below(3)];
        if (random.below(3) == 0)
          client.line.withdraw(rig.now);
        else
          client.line.request(static_cast<unsigned>(random.below(16)), rig.now, random.below(2) == 0);
        break;
      }
      default: rig.out(port, static_cast<std::uint32_t>(random.below(0x10000)), bytes); break;
    }
    if (rig.now < before || rig.now - before > 100_ms) went_on = false;
  }
  auto saver = Archive::saver();
  rig.archive(saver);
  return sha256_hex(saver.stream()) + std::to_string(sum) + std::to_string(rig.now.ps) + sha256_hex(rig.ram);
}

}  // namespace

TEST_CASE("random accesses to the bus registers do not stop time and do not depend on the host") {
  for (std::uint64_t seed : {1, 2, 3, 4}) {
    bool went_on = true;
    const std::string first = run(seed, went_on);
    REQUIRE(went_on);
    REQUIRE(first == run(seed, went_on));
  }
}
