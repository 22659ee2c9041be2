// SPDX-License-Identifier: GPL-2.0-or-later
// Paging: faults, protection, accessed and dirty bits, TLB.
#include "machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {
constexpr std::uint32_t target = 0x60000;  // the page under test
}

TEST_CASE("Page faults report the kind of access, and CR2 holds the address", "[cpu][paging]") {
  Board b;
  const auto access = [&](std::initializer_list<unsigned> code, unsigned ring, std::uint32_t entry) {
    b.paged(code, ring);
    b.pte(target, entry);
    b.step(2);
    return b.vector();
  };
  const std::initializer_list<unsigned> load = {0xA1, 0x10, 0x00, 0x06, 0x00}, store = {0xA3, 0x10, 0x00, 0x06, 0x00};
  CHECK(access(load, 0, 0) == 14);
  CHECK(b.stack(0) == 0);
  CHECK(b.cpu.registers().cr2 == target + 0x10);
  CHECK(b.stack(1) == code_at);
  CHECK(access(store, 0, 0) == 14);
  CHECK(b.stack(0) == 2);
  CHECK(access(load, 3, 0) == 14);
  CHECK(b.stack(0) == 4);
  CHECK(access(load, 3, target | 3) == 14);  // supervisor page
  CHECK(b.stack(0) == 5);
  CHECK(access(store, 3, target | 5) == 14);  // read-only page
  CHECK(b.stack(0) == 7);
  CHECK(access(load, 3, target | 5) == -1);
}

TEST_CASE("A supervisor may write read-only pages unless CR0.WP exists and is set", "[cpu][paging]") {
  const auto model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  Board b(model);
  b.paged({0x0F, 0x20, 0xC0, 0x0D, 0x00, 0x00, 0x01, 0x00, 0x0F, 0x22, 0xC0, 0xA3, 0x00, 0x00, 0x06, 0x00});
  b.pte(target, target | 5);
  b.step(4);  // MOV EAX,CR0; OR EAX,10000h; MOV CR0,EAX; MOV [60000h],EAX
  CHECK((b.vector() == 14) == (model != Model::i386sx));
}

TEST_CASE("Accessed and dirty bits are set", "[cpu][paging]") {
  Board b;
  b.paged({0xA1, 0, 0, 6, 0, 0xA3, 0, 0, 6, 0});
  b.step();
  CHECK((b.pte(target) & 0x60) == 0x20);
  b.step();
  CHECK((b.pte(target) & 0x60) == 0x60);
  CHECK((b.get32(page_directory_at) & 0x20) != 0);
}

TEST_CASE("A translation is kept until it is flushed", "[cpu][paging]") {
  Board b;
  // MOV EAX,[60000h] twice, INVLPG [60000h], MOV EAX,[60000h]
  b.paged({0xA1, 0, 0, 6, 0, 0xA1, 0, 0, 6, 0, 0x0F, 0x01, 0x3D, 0, 0, 6, 0, 0xA1, 0, 0, 6, 0});
  b.put32(0x60000, 0x11111111);
  b.put32(0x70000, 0x22222222);
  b.step();
  b.pte(target, 0x70000 | 7);
  b.step();
  CHECK(b.reg(EAX) == 0x11111111u);
  b.step(2);
  CHECK(b.reg(EAX) == 0x22222222u);
}

TEST_CASE("A store across two pages that faults writes neither", "[cpu][paging]") {
  Board b;
  b.paged({0xA3, 0xFE, 0x0F, 0x06, 0x00});  // MOV [60FFEh],EAX
  b.pte(target + 0x1000, 0);
  b.change([](Registers& r) { r.gpr[EAX] = 0xFFFFFFFF; });
  CHECK(b.step(2).vector() == 14);
  CHECK(b.cpu.registers().cr2 == target + 0x1000);
  CHECK(b.get16(target + 0xFFE) == 0);
}

TEST_CASE("An unaligned access can cross into a page that is not adjacent in memory", "[cpu][paging]") {
  Board b;
  b.paged({0xA3, 0xFE, 0x0F, 0x06, 0x00, 0x8B, 0x1D, 0xFE, 0x0F, 0x06, 0x00});
  b.pte(target + 0x1000, 0x80000 | 7);
  b.change([](Registers& r) { r.gpr[EAX] = 0x44332211; });
  b.step(2);
  CHECK(b.get16(target + 0xFFE) == 0x2211);
  CHECK(b.get16(0x80000) == 0x4433);
  CHECK(b.reg(EBX) == 0x44332211u);
}

TEST_CASE("A fetch from an absent page faults at the instruction", "[cpu][paging]") {
  Board b;
  b.paged({0xE9, 0xFB, 0xFF, 0x04, 0x00});  // JMP 60000h
  b.pte(target, 0);
  CHECK(b.step(3).vector() == 14);
  CHECK(b.cpu.registers().cr2 == target);
  CHECK(b.stack(1) == target);
}

TEST_CASE("The Pentium maps 4 MB with one page directory entry", "[cpu][paging]") {
  Board b(Model::pentium);
  // MOV EAX,10h; MOV CR4,EAX; MOV EAX,[800010h]
  b.paged({0xB8, 0x10, 0, 0, 0, 0x0F, 0x22, 0xE0, 0xA1, 0x10, 0, 0x80, 0});
  b.put32(page_directory_at + 8, 0x87);  // 800000h -> 0
  b.put32(0x10, 0x5EED5EED);
  b.step(3);
  CHECK(b.reg(EAX) == 0x5EED5EEDu);
  CHECK((b.get32(page_directory_at + 8) & 0x20) != 0);
}

TEST_CASE("A page fault during REP leaves the registers at the faulting iteration", "[cpu][paging]") {
  Board b;
  b.paged({0xF3, 0xAA});
  b.change([](Registers& r) {
    r.gpr[EDI] = target + 0xFFD;
    r.gpr[ECX] = 10;
    r.gpr[EAX] = 0x55;
  });
  b.pte(target + 0x1000, 0);
  b.run();
  CHECK(b.vector() == 14);
  CHECK(b.reg(EDI) == target + 0x1000);
  CHECK(b.reg(ECX) == 7);
  CHECK(b.stack(1) == code_at);
}

TEST_CASE("A peek at linear memory walks the page tables without changing them", "[cpu][paging]") {
  Board b;
  b.paged({0x90});
  b.put8(0x70005, 0xAB);
  b.pte(target, 0x70000 | 7);
  CHECK(b.cpu.translate(target + 5) == std::optional<std::uint32_t>(0x70005));
  CHECK(b.cpu.peek_linear(target + 5) == std::optional<std::uint8_t>(0xAB));
  CHECK(b.pte(target) == (0x70000 | 7));
  b.pte(target, 0);
  CHECK_FALSE(b.cpu.peek_linear(target + 5));
}
