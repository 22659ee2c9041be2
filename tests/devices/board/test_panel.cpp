// SPDX-License-Identifier: GPL-2.0-or-later
// Parts that only store or display something: panel, checkpoints, parallel port, memory.
#include "core/common/error.hpp"
#include "devices/board/at/ports/parallel_port.hpp"
#include "devices/board/at/system/memory_controller.hpp"
#include "devices/board/at/system/post_ports.hpp"
#include "devices/board/ps2/panel.hpp"
#include "tests/catch.hpp"
#include "tests/devices/board/bench.hpp"

using namespace planar;
using planar::tests::PlanarBench;
using planar::tests::Probe;

TEST_CASE("panel: port 10Fh is the leftmost of eight characters", "[planar][panel]") {
  PlanarBench b;
  InformationPanel panel(b.trace);
  panel.claim_ports(b.io);
  CHECK(panel.text() == "        ");
  const std::string text = "PLANAR95";
  for (unsigned i = 0; i < 8; ++i) b.out(static_cast<std::uint16_t>(0x10F - i), static_cast<std::uint8_t>(text[i]));
  CHECK(panel.text() == text);
  b.out(0x108, '6');  // Linux displays the disk count at the right end
  CHECK(panel.text() == "PLANAR96");
  b.out(0x10F, 0x01);
  CHECK(panel.text() == " LANAR96");
}

TEST_CASE("POST ports: checkpoints are stored and traced; port 80h is a latch", "[planar][panel]") {
  PlanarBench b;
  std::vector<std::string> lines;
  b.trace.enable("firmware");
  b.trace.set_sink([&](std::string_view line) { lines.emplace_back(line); });
  PostPorts post(b.trace);
  post.claim_ports(b.io, true);
  b.out(0x681, 0x01);
  b.out(0x680, 0x65);
  CHECK(post.checkpoint() == 0x0165);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("checkpoint 0165") != std::string::npos);
  for (unsigned i = 0; i < 100; ++i) b.out(0x680, static_cast<std::uint8_t>(i));
  REQUIRE(post.history().size() == 64);
  CHECK(post.history().back() == 99);
  b.out(0x80, 0x5A);
  CHECK(b.in(0x80) == 0x5A);
  CHECK(b.io.find(0x81) == nullptr);  // page registers belong to the DMA controller
}

TEST_CASE("parallel port: strobe, busy, acknowledge, interrupt until the status is read", "[planar][parallel]") {
  PlanarBench b;
  ParallelPort port(b.scheduler, "lpt1");
  port.claim_ports(b.io, 0x3BC);
  Probe irq;
  port.irq.connect(irq);
  CHECK(b.in(0x3BD) == 0x7F);  // nothing attached
  std::string printed;
  port.on_output([&](std::uint8_t byte, Time) { printed += static_cast<char>(byte); });
  CHECK(b.in(0x3BD) == 0xDF);
  b.out(0x3BE, 0x1C);
  b.out(0x3BC, 'P');
  b.out(0x3BE, 0x1D);
  CHECK((b.in(0x3BD) & 0x80) == 0);
  b.out(0x3BE, 0x1C);
  b.step(4_us);
  CHECK(irq.level);
  CHECK((b.in(0x3BD) & 0x04) == 0);
  CHECK_FALSE(irq.level);
  CHECK((b.in(0x3BD) & 0x04) != 0);
  b.step(10_us);
  CHECK((b.in(0x3BD) & 0xC0) == 0xC0);
  CHECK(printed == "P");
}

TEST_CASE("parallel port: the direction bit works only in extended mode", "[planar][parallel]") {
  PlanarBench b;
  ParallelPort port(b.scheduler, "lpt1");
  port.claim_ports(b.io, 0x378);
  port.drive(0x3C);
  b.out(0x378, 0x55);
  b.out(0x37A, 0x20);
  CHECK(b.in(0x378) == 0x55);
  port.set_extended(true);
  CHECK(b.in(0x378) == 0x3C);
  b.out(0x37A, 0x00);
  CHECK(b.in(0x378) == 0x55);
  CHECK((b.in(0x37A) & 0x20) == 0);
}

TEST_CASE("memory: RAM, hole, ROM and its alias", "[planar][memory]") {
  AddressSpace space;
  MemoryController memory(space, 8 * 1024, 32);
  std::vector<std::uint8_t> rom(128 * 1024);
  for (std::size_t i = 0; i < rom.size(); ++i) rom[i] = static_cast<std::uint8_t>(i * 5 + i / 256);
  memory.load_rom(rom, "test.rom");
  const std::uint8_t bytes[] = {1, 2, 3};
  space.master_write(0x9FFFD, bytes, Time{});
  CHECK(space.peek(0x9FFFF, 0_s) == 3);
  space.master_write(0xC8000, bytes, Time{});
  CHECK(space.peek(0xC8000, 0_s) == 0xFF);
  space.master_write(0xFFFF0, bytes, Time{});
  CHECK(space.peek(0xFFFF0, 0_s) == rom[0x1FFF0]);
  CHECK(space.peek(0xFFFFFFF0, 0_s) == rom[0x1FFF0]);
  space.master_write(0x7FFFFD, bytes, Time{});
  CHECK(space.peek(0x7FFFFF, 0_s) == 3);
  space.master_write(0x800000, bytes, Time{});
  CHECK(space.peek(0x800000, 0_s) == 0xFF);
  CHECK(memory.extended_kb() == 7 * 1024);
}

TEST_CASE("memory: a 24-bit processor cannot access the memory under the ROM alias", "[planar][memory]") {
  AddressSpace space;
  MemoryController memory(space, 16 * 1024, 24);
  std::vector<std::uint8_t> rom(64 * 1024, 0xEA);
  memory.load_rom(rom, "test.rom");
  CHECK(space.peek(0xFFFFF0, 0_s) == 0xEA);
  CHECK(space.peek(0xE0000, 0_s) == 0xEA);  // a smaller image repeats
  CHECK(memory.extended_kb() == 15 * 1024 - 128);
  CHECK_THROWS_AS(MemoryController(space, 17 * 1024, 24), Error);
  CHECK_THROWS_AS(MemoryController(space, 1500, 32), Error);
  CHECK_THROWS_AS(memory.load_rom(std::vector<std::uint8_t>(1000), "short.rom"), Error);
}

TEST_CASE("memory: a snapshot is accepted only with the same size", "[planar][memory]") {
  AddressSpace space, other_space, small_space;
  MemoryController memory(space, 4096, 32), other(other_space, 4096, 32), small(small_space, 2048, 32);
  memory.ram()[0x12345] = 0x67;
  other.ram()[0x2000] = 0x99;
  REQUIRE(tests::survives_snapshot(memory, other));
  CHECK(other_space.peek(0x12345, 0_s) == 0x67);
  CHECK(other_space.peek(0x2000, 0_s) == 0x00);
  Archive saved = Archive::saver();
  memory.archive(saved);
  Archive loader = Archive::loader(saved.stream());
  CHECK_THROWS_AS(small.archive(loader), Error);
}
