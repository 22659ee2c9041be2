// SPDX-License-Identifier: GPL-2.0-or-later
// An instruction across two pages in a loop: its current bytes are executed, wherever its pages are mapped.
#include "machine.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {
constexpr std::uint32_t loop_at = 0x60FFB, across = 0x60FFE, second_page = 0x61000;
// MOV CR3,ECX, which flushes the TLB; MOV EAX,12345678h; JMP FAR back
const std::initializer_list<unsigned> loop_code = {0x0F, 0x22, 0xD9, 0xB8, 0x78, 0x56,  0x34, 0x12,
                                                   0xEA, 0xFB, 0x0F, 0x06, 0x00, spare, 0x00};
constexpr unsigned instructions = 3;

void end_code_segment_at(Board& b, std::uint32_t limit) { b.descriptor(gdt_at + spare, 0, limit, 0x9B, 0x4); }

/// After two passes through the loop.
void enter_loop(Board& b) {
  end_code_segment_at(b, 0xFFFFF);
  b.paged({0xE9, 0xF6, 0x0F, 0x05, 0x00});  // JMP there
  b.change([](Registers& r) { r.gpr[ECX] = page_directory_at; });
  b.put(loop_at, loop_code);
  b.step(1 + 2 * instructions);
  REQUIRE(b.reg(EAX) == 0x12345678u);
  REQUIRE(b.cpu.registers().eip == loop_at);
}
}  // namespace

TEST_CASE("A bus master's write into either half of an instruction across two pages takes effect in the next pass",
          "[cpu][smc]") {
  Board b;
  enter_loop(b);
  const std::uint8_t ebx = 0xBB, one = 1;
  b.space.master_write(second_page + 2, {&one, 1}, Time{});
  b.step(instructions);
  CHECK(b.reg(EAX) == 0x01345678u);
  b.space.master_write(across, {&ebx, 1}, Time{});
  b.step(instructions);
  CHECK(b.reg(EBX) == 0x01345678u);
}

TEST_CASE("An instruction across two pages can become a shorter one that needs only one page", "[cpu][smc]") {
  Board b;
  enter_loop(b);
  b.pte(second_page, 0);
  b.put(across, {0x40, 0x90});  // INC EAX; NOP
  b.step(2);
  CHECK(b.reg(EAX) == 0x12345679u);
}

TEST_CASE("An instruction across two pages is fetched through the current translation", "[cpu][paging]") {
  Board b;
  enter_loop(b);
  b.put(0x80000, {0x44, 0x33, 0x22, 0xEA, 0xFB, 0x0F, 0x06, 0x00, spare, 0x00});
  b.pte(second_page, 0x80000 | 7);
  b.step(instructions);
  CHECK(b.reg(EAX) == 0x22334478u);
  b.pte(second_page, 0);
  b.step(instructions);
  CHECK(b.vector() == 14);
  CHECK(b.cpu.registers().cr2 == second_page);
  CHECK(b.stack(1) == across);
}

TEST_CASE("An instruction across two pages faults when the code segment ends within it", "[cpu][protection]") {
  Board b;
  enter_loop(b);
  end_code_segment_at(b, second_page + 1);
  b.step(instructions + 2);
  CHECK(b.vector() == 13);
}
