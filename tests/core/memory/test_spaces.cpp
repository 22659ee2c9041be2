// SPDX-License-Identifier: GPL-2.0-or-later
#include <vector>

#include "core/memory/address_space.hpp"
#include "core/memory/io_space.hpp"
#include "tests/catch.hpp"

using namespace planar;

namespace {
enum class Kind : std::uint8_t { usual, waits };  // of some bus

struct Latch final : Slave {
  std::uint32_t read(std::uint32_t offset, unsigned, Time) override {
    ++reads;
    return values[offset % 16];
  }
  void write(std::uint32_t offset, unsigned, std::uint32_t value, Time) override {
    values[offset % 16] = static_cast<std::uint8_t>(value);
  }
  std::uint32_t peek(std::uint32_t offset, unsigned, Time) const override { return values[offset % 16]; }
  std::array<std::uint8_t, 16> values{};
  int reads = 0;
};

struct Listener final : MemoryListener {
  void mapping_changed() override { ++mappings; }
  void code_written(std::uint32_t address, std::uint32_t) override { code.push_back(address); }
  void master_wrote(std::uint32_t address, std::uint32_t bytes) override { written.push_back({address, bytes}); }
  void master_reads(std::uint32_t address, std::uint32_t bytes) override { read.push_back({address, bytes}); }
  int mappings = 0;
  std::vector<std::uint32_t> code;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> written, read;
};
}  // namespace

TEST_CASE("ports are decoded with all sixteen address bits and released with the claim") {
  IoSpace io;
  Latch latch;
  latch.values[3] = 0x5A;
  {
    auto claim = io.claim(0x1000, 0x100F, latch, {});
    REQUIRE(io.find(0x1003)->slave == &latch);
    REQUIRE(io.find(0x0003) == nullptr);
    REQUIRE(io.peek(0x1003, 0_s) == 0x5A);
    REQUIRE(latch.reads == 0);
  }
  REQUIRE(io.find(0x1003) == nullptr);
  REQUIRE(io.peek(0x1003, 0_s) == 0xFF);
}

TEST_CASE("of overlapping claims the one with the highest start address answers, in whatever order they were made") {
  Latch a, b, c;
  for (const bool small_first : {false, true}) {
    INFO(small_first);
    IoSpace io;
    AddressSpace memory;
    IoClaim large, small, same;
    MemoryClaim large_window, small_window, same_window;
    const auto claim_small = [&] {
      small = io.claim(0x310, 0x313, b, {});
      small_window = memory.claim(0xC8000, 0x1000, b, {});
    };
    if (small_first) claim_small();
    large = io.claim(0x300, 0x31F, a, {});
    large_window = memory.claim(0xC0000, 0x10000, a, {});
    if (!small_first) claim_small();
    CHECK(io.find(0x310)->slave == &b);
    CHECK(io.find(0x314)->slave == &a);
    CHECK(memory.find(0xC8FFF)->slave == &b);
    CHECK(memory.find(0xC9000)->slave == &a);
    // Of two that begin at the same address, the shorter one answers.
    same = io.claim(0x310, 0x31F, c, {});
    same_window = memory.claim(0xC8000, 0x8000, c, {});
    CHECK(io.find(0x310)->slave == &b);
    CHECK(io.find(0x314)->slave == &c);
    CHECK(memory.find(0xC8000)->slave == &b);
    CHECK(memory.find(0xC9000)->slave == &c);
    small.release();
    small_window.release();
    CHECK(io.find(0x310)->slave == &c);
    same.release();
    same_window.release();
    CHECK(io.find(0x310)->slave == &a);
    CHECK(memory.find(0xC8000)->slave == &a);
  }
}

TEST_CASE("a claim hides the RAM beneath it until it is released") {
  AddressSpace space;
  std::vector<std::uint8_t> ram(0x100000, 0x11);
  Listener listener;
  space.map_ram(0, ram);
  space.set_listener(&listener);
  Latch latch;
  latch.values[0x1FFF % latch.values.size()] = 0x77;
  {
    auto claim = space.claim(0xC8000, 0x2000, latch, {16, Kind::waits, 100_ns});
    REQUIRE(space.page(0xC8000).kind == PageKind::device);
    REQUIRE(space.peek(0xC9FFF, 0_s) == 0x77);
    REQUIRE(space.page(0xCA000).kind == PageKind::ram);
  }
  REQUIRE(space.page(0xC8000).kind == PageKind::ram);
  REQUIRE(space.peek(0xC8000, 0_s) == 0x11);
  REQUIRE(listener.mappings == 2);
}

TEST_CASE("sub-page ranges leave the rest of the page to the underlying memory") {
  AddressSpace space;
  std::vector<std::uint8_t> ram(0x10000, 0x22);
  space.map_ram(0, ram);
  Latch latch;
  auto claim = space.claim(0x4010, 16, latch, {});
  latch.values[1] = 0x99;
  std::array<std::uint8_t, 4> data{};
  space.master_read(0x400F, data, 0_ns);
  REQUIRE(data[0] == 0x22);
  REQUIRE(data[2] == 0x99);
}

TEST_CASE("a master's write reaches RAM, cache tags and decoded code; ROM keeps its contents; reads are reported") {
  AddressSpace space;
  std::vector<std::uint8_t> ram(0x10000), rom(0x1000, 0xEE);
  Listener listener;
  space.map_ram(0, ram);
  space.map_rom(0xFF000, rom);
  space.set_listener(&listener);
  space.page(0x1000).code_granules = 1u << 2;  // 1100h..117Fh contains decoded code
  const std::vector<std::uint8_t> data(0x20, 0x42);
  space.master_write(0x10F0, data, 0_ns);
  REQUIRE(ram[0x110F] == 0x42);
  REQUIRE(listener.code == std::vector<std::uint32_t>{0x10F0});
  REQUIRE(listener.written == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0x10F0, 0x20}});
  space.master_write(0xFF000, data, 0_ns);
  REQUIRE(rom[0] == 0xEE);
  space.master_write(0x80000000, data, 0_ns);  // not decoded
  std::array<std::uint8_t, 2> read{};
  space.master_read(0x80000000, read, 0_ns);
  REQUIRE(read[0] == 0xFF);
  REQUIRE(listener.read.empty());
  space.master_read(0x1FFF, read, 0_ns);
  space.master_read(0xFF010, read, 0_ns);
  using Accesses = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  REQUIRE(listener.read == Accesses{{0x1FFF, 1}, {0x2000, 1}, {0xFF010, 2}});
}

TEST_CASE("a peek asks the slave without a read; a master's write reaches it") {
  AddressSpace space;
  Latch registers;
  registers.values[4] = 0x3C;
  auto claim = space.claim(0xD0000, 0x10, registers, {});
  CHECK(space.peek(0xD0004, 0_s) == 0x3C);
  CHECK(registers.reads == 0);
  const std::array<std::uint8_t, 1> value{0xAB};
  space.master_write(0xD0004, value, 0_ns);
  CHECK(registers.values[4] == 0xAB);
}

TEST_CASE("a poke reaches RAM and decoded code, but not cache tags or slaves") {
  AddressSpace space;
  std::vector<std::uint8_t> ram(0x10000, 0x11), rom(0x1000, 0xEE);
  Listener listener;
  Latch latch;
  space.map_ram(0, ram);
  space.map_rom(0x10000, rom);
  auto claim = space.claim(0x4010, 16, latch, {});
  space.set_listener(&listener);
  space.page(0x2000).code_granules = 1;  // 2000h..207Fh holds decoded code
  for (std::uint32_t at = 0x1FFE; at < 0x2002; ++at) CHECK(space.poke(at, 0x42));
  CHECK(ram[0x1FFE] == 0x42);
  CHECK(ram[0x2001] == 0x42);
  CHECK(listener.code == std::vector<std::uint32_t>{0x2000, 0x2001});
  CHECK(listener.written.empty());
  for (const std::uint32_t refused : {0x10000u, 0x4010u, 0x4020u, 0x80000000u}) {
    INFO(refused);
    CHECK_FALSE(space.poke(refused, 0x42));
  }
  CHECK(rom[0] == 0xEE);
  CHECK(latch.values[0] == 0);
}
