// SPDX-License-Identifier: GPL-2.0-or-later
// The firmware on a PC with PCI: power-on self-test, set-up of the buses, and the services that a PC has in addition to
// those of a PS/2.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "machines/config/machine_files.hpp"
#include "tests/catch.hpp"
#include "tests/machines/descriptions.hpp"
#include "tests/machines/firmware/post_bench.hpp"

using namespace planar;
using namespace planar::test;
using Catch::Matchers::Contains;

namespace {

/// A PC with a PCI network adapter in each of its first `cards` slots, of two models.
Config pc_config(unsigned cards, const std::string& machine = "pc-p166") {
  Config c = load_machine(machine);
  for (unsigned slot = 1; slot <= cards; ++slot)
    c.set(fmt::format("slot.{}.card", slot), slot % 2 ? "eepro100" : "lne100tx", "the test");
  return c;
}

/// A card's resources as assigned by the firmware, in the order of its base address registers, and its interrupt line.
struct Given {
  std::vector<bus::CardResource> ranges;
  std::uint32_t line = 0;
};
Given given(PostBench& bench, unsigned slot) {
  Given result;
  const auto slots = bench.machine().board().slots();
  for (const auto& r : slots.at(slot - 1).resources)
    if (r.kind == bus::CardResource::Kind::level)
      result.line = r.first;
    else
      result.ranges.push_back(r);
  return result;
}

std::uint16_t elcr(PostBench& bench) {
  return static_cast<std::uint16_t>(bench.machine().peek_port(0x4D0) | bench.machine().peek_port(0x4D1) << 8);
}

/// Changes a CMOS byte as a program does, through ports 70h and 71h.
void change_cmos(PostBench& bench, std::uint8_t index, int by) {
  IoSpace& io = bench.machine().board().io();
  const auto at = [&](std::uint16_t port) { return io.find(port); };
  at(0x70)->slave->write(0x70u - at(0x70)->first, 1, index, bench.now());
  const auto value = static_cast<std::uint8_t>(bench.machine().peek_port(0x71) + by);
  at(0x71)->slave->write(0x71u - at(0x71)->first, 1, value, bench.now());
}

}  // namespace

TEST_CASE("PC: POST boots a diskette without errors in less than three seconds", "[pc-post]") {
  PostBench bench(pc_config(1), "sample-bios.img");
  REQUIRE(bench.post());
  CHECK(bench.now() < 3'000_ms);
  REQUIRE((bench.machine().board().checkpoint() & 0xFF) == started);
  REQUIRE(bench.halt());
  INFO(bench.screen());
  CHECK(no_configuration_error(bench.screen()));
  CHECK_THAT(bench.com1(), Contains("sample-bios: ok\r\n"));
  CHECK_THAT(bench.com1(), Contains("no Micro Channel ok"));
}

TEST_CASE("PC: a protected mode program with its own interrupt handlers, and one with demand paging, run",
          "[pc-post]") {
  for (const std::string sample : {"sample-pmode", "sample-paging"}) {
    INFO(sample);
    PostBench bench(pc_config(0), sample + ".img");
    REQUIRE(bench.post());
    REQUIRE(bench.halt());
    CHECK_THAT(bench.screen(), Contains(sample + ": ok"));
  }
}

TEST_CASE("PC: PCI BIOS in real and protected mode, routing table, memory map, no Micro Channel", "[pc-post]") {
  PostBench bench(pc_config(4), "sample-pci.img");
  REQUIRE(bench.post());
  REQUIRE(bench.halt());
  INFO(bench.screen());
  CHECK_THAT(bench.screen(), Contains("sample-pci: ok"));
  // Devices 9 to 12 and their lines; the sample has compared each with its route and with ELCR.
  CHECK_THAT(bench.screen(), Contains("adapters, lines 0009 0009 000A 000A 000B 000B 000C 0005 ok"));
  CHECK_THAT(bench.screen(), Contains("memory KB 0000FC00 ok"));
}

TEST_CASE("PC: the routing table and interrupt lines follow the board's device numbers", "[pc-post]") {
  Config c = pc_config(0);
  c.add_text("[pci]\nbridge_device = 1\nslot_devices = [20, 11, 9, 17, 13]\n[slots]\nwidths = [32, 32, 32, 32, 32]\n",
             "the test");
  for (unsigned slot = 1; slot <= 5; ++slot) c.set(fmt::format("slot.{}.card", slot), "eepro100", "the test");
  PostBench bench(std::move(c), "sample-pci.img");
  REQUIRE(bench.post());
  constexpr std::uint32_t lines[] = {9, 10, 11, 5, 9};  // the pins rotate with the slots
  for (unsigned slot = 1; slot <= 5; ++slot) CHECK(given(bench, slot).line == lines[slot - 1]);
  REQUIRE(bench.halt());
  INFO(bench.screen());
  CHECK_THAT(bench.screen(), Contains("routing table, slots 0005 ok"));
  CHECK_THAT(bench.screen(), Contains("adapters, lines 0009 000B 000B 000A 000D 0009 0011 0005 0014 0009 ok"));
}

TEST_CASE("PC: every adapter gets its own ranges and line, and only these lines are level-triggered", "[pc-post]") {
  PostBench bench(pc_config(4), "");
  REQUIRE(bench.post());
  constexpr std::uint32_t lines[] = {9, 10, 11, 5};
  std::vector<bus::CardResource> all;
  for (unsigned slot = 1; slot <= 4; ++slot) {
    const Given g = given(bench, slot);
    CHECK(g.line == lines[slot - 1]);
    CHECK(g.ranges.size() >= 2);  // ports and memory, both decoded
    for (const auto& r : g.ranges) {
      const bool io = r.kind == bus::CardResource::Kind::io;
      CHECK(r.first % (r.last - r.first + 1) == 0);
      CHECK(r.first >= (io ? 0x6000u : 0xF0000000u));
      CHECK(r.last < (io ? 0x10000u : 0xFEB00000u));
      for (const auto& other : all)
        if (other.kind == r.kind) CHECK((r.last < other.first || other.last < r.first));
      all.push_back(r);
    }
  }
  CHECK(elcr(bench) == (1u << 5 | 1u << 9 | 1u << 10 | 1u << 11));
  CHECK_THAT(bench.screen(), Contains("PCI device 9: 8086:1229, interrupt 9"));
}

TEST_CASE("PC: lines without an adapter remain edge-triggered", "[pc-post]") {
  PostBench bench(pc_config(1), "");
  REQUIRE(bench.post());
  CHECK(elcr(bench) == 1u << 9);
}

TEST_CASE("PC: a disabled card is not found", "[pc-post]") {
  Config c = pc_config(2);
  c.set("slot.1.enabled", "false", "the test");
  PostBench bench(std::move(c), "");
  REQUIRE(bench.post());
  CHECK(bench.machine().board().card(1) == nullptr);
  CHECK(given(bench, 2).line == 10);
  CHECK_THAT(bench.screen(), !Contains("PCI device 9"));
  CHECK_THAT(bench.screen(), Contains("PCI device 10"));
}

TEST_CASE("PC: without a diskette POST prompts for one, and Ctrl-Alt-Del also resets PCI", "[pc-post]") {
  PostBench bench(pc_config(2), "");
  REQUIRE(bench.post());
  CHECK_THAT(bench.screen(), Contains("No bootable diskette: drive A cannot be read."));
  const Given before = given(bench, 1);
  bench.insert("sample-pci.img");
  for (const std::uint16_t code : {0x1D, 0x38, 0x53}) bench.key(code, true);
  CHECK(given(bench, 1).ranges.empty());
  REQUIRE(bench.halt());
  INFO(bench.screen());
  CHECK_THAT(bench.screen(), Contains("sample-pci: ok"));
  const Given after = given(bench, 1);
  CHECK(after.line == before.line);
  REQUIRE(after.ranges.size() == before.ranges.size());
  for (std::size_t n = 0; n < after.ranges.size(); ++n) CHECK(after.ranges[n].first == before.ranges[n].first);
}

TEST_CASE("PC: the century is at CMOS 32h, where INT 1Ah reads it", "[pc-post]") {
  PostBench bench(pc_config(0), "");
  change_cmos(bench, 0x32, 0);
  CHECK(bench.machine().peek_port(0x71) == 0x19);
}

TEST_CASE("PC: 162 and 164: the AT's checksum, and the memory sizes that it covers", "[pc-post]") {
  PostBench bench(pc_config(0), "");
  SECTION("a byte covered by the checksum") {
    change_cmos(bench, 0x12, 0x10);
    REQUIRE(bench.post());
    CHECK_THAT(bench.screen(), Contains("162 Configuration memory (CMOS) checksum"));
  }
  SECTION("a memory size with a correct checksum") {
    change_cmos(bench, 0x18, -4);  // FC00h KB become F800h
    change_cmos(bench, 0x2F, -4);
    REQUIRE(bench.post());
    CHECK_THAT(bench.screen(), Contains("164 Memory size differs from the record"));
  }
  SECTION("the detected memory size is not covered") {
    change_cmos(bench, 0x31, 0x40);
    REQUIRE(bench.post());
    CHECK(no_configuration_error(bench.screen()));
  }
}

TEST_CASE("PC: the firmware configures both buses of a ServerSet LE, and its services report them", "[pc-post]") {
  PostBench bench(pc_config(3, "pc-p3-800"), "sample-pci.img");
  REQUIRE(bench.post());
  CHECK_THAT(bench.screen(), Contains("PCI device 1: 8086:1229, interrupt 9"));
  REQUIRE(bench.halt());
  INFO(bench.screen());
  CHECK_THAT(bench.screen(), Contains("sample-pci: ok"));
  CHECK_THAT(bench.screen(), Contains("last bus 0210 0001 ok"));
  CHECK_THAT(bench.screen(), Contains("routing table, slots 0006 ok"));
  // Bus 0 is first: slot 3 is device 4 there, slots 1 and 2 are devices 1 and 2 of bus 1.
  CHECK_THAT(bench.screen(), Contains("adapters, lines 0004 000B 0021 0009 0022 000A ok"));
  CHECK(elcr(bench) == (1u << 9 | 1u << 10 | 1u << 11));
  std::vector<bus::CardResource> all;
  for (unsigned slot = 1; slot <= 3; ++slot)
    for (const auto& r : given(bench, slot).ranges) {
      for (const auto& other : all)
        if (other.kind == r.kind) CHECK((r.last < other.first || other.last < r.first));
      all.push_back(r);
    }
  CHECK(all.size() >= 6);
  const auto slots = bench.machine().board().slots();
  CHECK(slots[0].bus->name() == "pci1");
  CHECK(slots[2].bus->name() == "pci");
  CHECK(slots[0].width == 64);
}

TEST_CASE("PC: on a P6 the firmware writes the memory type ranges", "[pc-post]") {
  Config c = pc_config(0, "pc-p3-600");
  c.set("memory.size", "9 MB", "the test");
  PostBench bench(std::move(c), "");
  REQUIRE(bench.post());
  CHECK(no_configuration_error(bench.screen()));
  const Description cpu = bench.machine().describe("cpu");
  const auto value = [&](const char* name) {
    const Field* f = find_field(cpu, "MTRR", name);
    REQUIRE(f);
    return f->value;
  };
  CHECK(value("default type") == 0xC00);
  CHECK(value("base 0") == 0x000000006);
  CHECK(value("mask 0") == 0xFFF800800);  // 8 MB
  CHECK(value("base 1") == 0x000800006);
  CHECK(value("mask 1") == 0xFFFF00800);  // 1 MB
  CHECK(value("mask 2") == 0);
  CHECK(value("fixed 0") == 0x0606060606060606);
  CHECK(value("fixed 1") == 0x0606060606060606);
  CHECK(value("fixed 2") == 0);                    // A0000h to BFFFFh
  CHECK(value("fixed 7") == 0x0505050505050505);   // E0000h
  CHECK(value("fixed 10") == 0x0505050505050505);  // F8000h
}
