// SPDX-License-Identifier: GPL-2.0-or-later
// The DMA controllers of an AT as a BIOS and Linux program them, with a toy device and with the diskette controller.
#include "devices/board/at/dma/i8237.hpp"

#include <algorithm>
#include <vector>

#include "core/common/error.hpp"
#include "devices/board/at/dma/diskette_channel.hpp"
#include "tests/archived.hpp"
#include "tests/catch.hpp"
#include "tests/devices/board/bench.hpp"

using namespace planar;
using planar::tests::PlanarBench;

namespace {

struct DmaDevice final : I8237Client {
  std::uint16_t dma_read(Time now) override {
    times.push_back(now);
    return next++;
  }
  void dma_write(std::uint16_t value, Time now) override {
    times.push_back(now);
    taken.push_back(value);
  }
  void dma_terminal_count(Time) override { ++ends; }
  std::uint16_t next = 0x4140;
  std::vector<std::uint16_t> taken;
  std::vector<Time> times;
  unsigned ends = 0;
};

struct AtDma : PlanarBench {
  AddressSpace memory;
  std::vector<std::uint8_t> ram = std::vector<std::uint8_t>(0x40000, 0xEE);
  I8237Pair dma{scheduler, memory, trace};
  DmaDevice device;

  AtDma() {
    memory.map_ram(0, ram);
    dma.claim_ports(io);
  }
  /// A BIOS at start: both controllers cleared, the cascade channel enabled.
  void bios() {
    out(0x0D, 0);
    out(0xDA, 0);
    out(0xD6, 0xC0);
    out(0xD4, 0x00);
  }
  /// Linux's set-up: mask, clear the byte pointer, mode, address, page, count, unmask.
  void setup(unsigned n, std::uint8_t mode, std::uint32_t address, unsigned bytes) {
    static constexpr std::uint16_t page[] = {0x87, 0x83, 0x81, 0x82, 0, 0x8B, 0x89, 0x8A};
    const bool wide = n >= 4;
    const auto port = [&](unsigned reg) { return static_cast<std::uint16_t>(wide ? 0xC0 + 2 * reg : reg); };
    const unsigned in_controller = n & 3;
    out(port(0xA), static_cast<std::uint8_t>(4 | in_controller));
    out(port(0xC), 0);
    out(port(0xB), static_cast<std::uint8_t>(mode | in_controller));
    const std::uint32_t word = wide ? address >> 1 : address;
    out(port(2 * in_controller), static_cast<std::uint8_t>(word));
    out(port(2 * in_controller), static_cast<std::uint8_t>(word >> 8));
    out(page[n], static_cast<std::uint8_t>(address >> 16 & (wide ? 0xFE : 0xFF)));
    const unsigned count = (wide ? bytes / 2 : bytes) - 1;
    out(port(2 * in_controller + 1), static_cast<std::uint8_t>(count));
    out(port(2 * in_controller + 1), static_cast<std::uint8_t>(count >> 8));
    out(port(0xA), static_cast<std::uint8_t>(in_controller));
  }
  void archive(Archive& a) {
    scheduler.archive(a);
    a(dma);
  }
};

}  // namespace

TEST_CASE("8237 pair: bytes are moved to memory one per cycle up to the terminal count", "[planar][i8237]") {
  AtDma t;
  t.dma.connect(1, t.device);
  t.bios();
  t.setup(1, 0x44, 0x2FFFE, 4);
  t.dma.request(1, true, t.now);
  t.step(20_us);
  REQUIRE(t.device.times.size() == 4);
  CHECK(t.device.times[1] - t.device.times[0] == 960_ns);
  CHECK(t.device.ends == 1);
  CHECK(t.ram[0x2FFFE] == 0x40);
  CHECK(t.ram[0x2FFFF] == 0x41);
  CHECK(t.ram[0x20000] == 0x42);  // the address wraps within its page
  CHECK(t.ram[0x20001] == 0x43);
  CHECK(t.dma.masked(1));
  CHECK((t.in(0x08) & 0x02) != 0);
  CHECK((t.in(0x08) & 0x02) == 0);  // reading has cleared it
  CHECK(t.in(0x0F) == 0x0F);
  t.out(0x0C, 0);
  CHECK(t.in(0x03) == 0xFF);
  CHECK(t.in(0x03) == 0xFF);
}

TEST_CASE("8237 pair: the first controller does not transfer until the cascade channel is unmasked",
          "[planar][i8237]") {
  AtDma t;
  t.dma.connect(1, t.device);
  t.setup(1, 0x44, 0x1000, 2);
  t.dma.request(1, true, t.now);
  t.step(20_us);
  CHECK(t.device.times.empty());
  t.out(0xD4, 0x00);
  t.step(20_us);
  CHECK(t.device.times.size() == 2);
}

TEST_CASE("8237 pair: words are read from memory", "[planar][i8237]") {
  AtDma t;
  t.dma.connect(5, t.device);
  t.bios();
  for (unsigned n = 0; n < 6; ++n) t.ram[0x30100 + n] = static_cast<std::uint8_t>(n);
  t.setup(5, 0x48, 0x30100, 6);
  CHECK(t.dma.address(5) == 0x30100);
  t.dma.request(5, true, t.now);
  t.step(20_us);
  CHECK(t.device.taken == std::vector<std::uint16_t>{0x0100, 0x0302, 0x0504});
}

TEST_CASE("8237 pair: verify moves nothing, autoinitialise restarts, decrement counts down", "[planar][i8237]") {
  AtDma t;
  t.dma.connect(3, t.device);
  t.bios();
  SECTION("verify") {
    t.setup(3, 0x40, 0x1000, 3);
    t.dma.request(3, true, t.now);
    t.step(20_us);
    CHECK(t.device.times.size() == 3);
    CHECK(t.ram[0x1000] == 0xEE);
  }
  SECTION("autoinitialise") {
    t.setup(3, 0x54, 0x1000, 3);
    t.dma.request(3, true, t.now);
    t.step(8_us);
    t.dma.request(3, false, t.now);
    CHECK(t.device.times.size() > 4);
    CHECK(t.device.ends >= 1);
    CHECK_FALSE(t.dma.masked(3));
    CHECK(t.ram[0x1003] == 0xEE);
  }
  SECTION("decrement") {
    t.setup(3, 0x64, 0x1002, 3);
    t.dma.request(3, true, t.now);
    t.step(20_us);
    CHECK(t.ram[0x1002] == 0x40);
    CHECK(t.ram[0x1000] == 0x42);
  }
}

TEST_CASE("8237 pair: priorities are fixed, or rotate", "[planar][i8237]") {
  AtDma t;
  DmaDevice other;
  t.dma.connect(1, t.device);
  t.dma.connect(3, other);
  t.bios();
  const bool rotating = GENERATE(false, true);
  if (rotating) t.out(0x08, 0x10);
  t.setup(1, 0x44, 0x1000, 8);
  t.setup(3, 0x44, 0x2000, 8);
  t.dma.request(1, true, t.now);
  t.dma.request(3, true, t.now);
  t.step(5_us);
  CHECK(t.device.times.size() >= 2);
  CHECK(other.times.empty() != rotating);
  t.step(20_us);
  CHECK(t.device.ends == 1);
  CHECK(other.ends == 1);
}

TEST_CASE("8237 pair: block mode continues without DREQ, and a software request needs no device", "[planar][i8237]") {
  AtDma t;
  t.dma.connect(1, t.device);
  t.bios();
  t.setup(1, 0x84, 0x1000, 8);
  t.dma.request(1, true, t.now);
  t.step(3_us);
  t.dma.request(1, false, t.now);
  t.step(20_us);
  CHECK(t.device.ends == 1);
  t.setup(0, 0x84, 0x2000, 4);
  t.out(0x0A, 0x04);
  t.out(0x09, 0x04);
  t.step(20_us);
  CHECK(t.ram[0x2003] == 0xFF);
  CHECK(t.ram[0x2004] == 0xEE);
  CHECK((t.in(0x08) & 0x11) == 0x01);
}

TEST_CASE("8237 pair: disable bit, spare page registers, port 80h is not decoded", "[planar][i8237]") {
  AtDma t;
  t.dma.connect(1, t.device);
  t.bios();
  t.out(0x08, 0x04);
  t.setup(1, 0x44, 0x1000, 2);
  t.dma.request(1, true, t.now);
  t.step(20_us);
  CHECK(t.device.times.empty());
  t.out(0x08, 0x00);
  t.step(20_us);
  CHECK(t.device.times.size() == 2);
  for (const std::uint16_t port : {0x84, 0x88, 0x8C, 0x8F}) {
    t.out(port, 0x5A);
    CHECK(t.in(port) == 0x5A);
  }
  CHECK(t.io.find(0x80) == nullptr);
  CHECK(t.in(0xC1) == 0xFF);
}

TEST_CASE("8237 pair: a transfer continues after a snapshot, and a damaged one is refused", "[planar][i8237]") {
  AtDma t, u;
  t.dma.connect(1, t.device);
  u.dma.connect(1, u.device);
  t.bios();
  t.setup(1, 0x44, 0x1000, 8);
  t.dma.request(1, true, t.now);
  t.step(3_us);
  const auto moved = t.device.times.size();
  REQUIRE(moved > 0);
  const auto state = test::saved_state(t);
  test::restore_state(u, state);
  CHECK(test::saved_state(u) == state);
  u.now = t.now;
  u.step(20_us);
  CHECK(u.device.times.size() == 8 - moved);
  auto broken = state;
  broken.pop_back();
  CHECK_THROWS_AS(test::restore_state(u, broken), Error);
}

TEST_CASE("8237 pair: the diskette controller reads a sector as for a PC's BIOS", "[planar][i8237]") {
  AtDma t;
  I82077 fdc{t.scheduler, t.trace};
  DisketteChannel wires{fdc, t.dma};
  fdc.claim_ports(t.io);
  fdc.install(0, 500);
  fdc.reset(t.now);
  std::vector<std::uint8_t> image(1'474'560);
  for (std::size_t n = 0; n < image.size(); ++n) image[n] = static_cast<std::uint8_t>(n / 512 + n * 7);
  fdc.insert(0, FloppyImage(image, "test.img", false), t.now);
  const auto command = [&](std::initializer_list<unsigned> bytes) {
    for (const unsigned byte : bytes) {
      REQUIRE(t.wait([&] { return (t.in(0x3F4) & 0xC0) == 0x80; }, 10_ms));
      t.out(0x3F5, static_cast<std::uint8_t>(byte));
    }
  };
  const auto result = [&] {
    std::vector<unsigned> bytes;
    t.wait([&] { return (t.in(0x3F4) & 0xC0) == 0xC0; }, 1_ms);
    while ((t.in(0x3F4) & 0xD0) == 0xD0) bytes.push_back(t.in(0x3F5));
    return bytes;
  };
  t.bios();
  t.out(0x3F2, 0x00);
  t.step(20_us);
  t.out(0x3F2, 0x0C);
  REQUIRE(t.wait([&] { return fdc.irq6.level(); }, 10_ms));
  for (unsigned drive = 0; drive < 4; ++drive) {
    command({0x08});
    result();
  }
  t.out(0x3F7, 0);
  command({0x03, 0xD1, 0x02});
  t.out(0x3F2, 0x1C);
  t.step(500_ms);
  command({0x07, 0x00});
  REQUIRE(t.wait([&] { return fdc.irq6.level(); }, 3_s));
  command({0x08});
  result();
  t.setup(2, 0x44, 0x7C00, 512);
  command({0xE6, 0, 0, 0, 1, 2, 18, 0x1B, 0xFF});
  REQUIRE(t.wait([&] { return fdc.irq6.level(); }, 2_s));
  CHECK(result()[0] == 0x00);
  CHECK(std::equal(image.begin(), image.begin() + 512, t.ram.begin() + 0x7C00));
  CHECK(t.ram[0x7E00] == 0xEE);
  // Then it writes the next one.
  for (unsigned n = 0; n < 512; ++n) t.ram[0x9000 + n] = static_cast<std::uint8_t>(n ^ 0x5A);
  t.setup(2, 0x48, 0x9000, 512);
  command({0xC5, 0, 0, 0, 2, 2, 18, 0x1B, 0xFF});
  REQUIRE(t.wait([&] { return fdc.irq6.level(); }, 2_s));
  CHECK(result()[0] == 0x00);
  t.setup(2, 0x44, 0xA000, 512);
  command({0xE6, 0, 0, 0, 2, 2, 18, 0x1B, 0xFF});
  REQUIRE(t.wait([&] { return fdc.irq6.level(); }, 2_s));
  CHECK(result()[0] == 0x00);
  CHECK(std::equal(t.ram.begin() + 0x9000, t.ram.begin() + 0x9200, t.ram.begin() + 0xA000));
}
