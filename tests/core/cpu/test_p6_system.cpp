// SPDX-License-Identifier: GPL-2.0-or-later
// The P6 as an operating system sees it: CPUID, CR4, global and large pages, model-specific registers, MTRRs. Intel
// Architecture Software Developer's Manual volume 3; application note AP-485.
#include "core/cpu/fpu/fpu.hpp"
#include "core/cpu/x86/memory_type.hpp"
#include "tests/archived.hpp"
#include "tests/core/cpu/machine.hpp"

using namespace planar;
using namespace planar::cpu_test;
using cpu::MemoryType;

namespace {

std::array<std::uint32_t, 4> cpuid(Board& b, std::uint32_t leaf) {
  b.flat({0x0F, 0xA2});
  b.change([&](Registers& r) { r.gpr[EAX] = leaf; });
  b.step();
  return {b.reg(EAX), b.reg(EBX), b.reg(ECX), b.reg(EDX)};
}

/// WRMSR in ring 0; returns the vector it raised, or -1.
int wrmsr(Board& b, std::uint32_t number, std::uint64_t v) {
  b.flat({0x0F, 0x30});
  b.change([&](Registers& r) {
    r.gpr[ECX] = number;
    r.gpr[EAX] = static_cast<std::uint32_t>(v);
    r.gpr[EDX] = static_cast<std::uint32_t>(v >> 32);
  });
  return b.step().vector();
}
std::optional<std::uint64_t> rdmsr(Board& b, std::uint32_t number) {
  b.flat({0x0F, 0x32});
  b.change([&](Registers& r) { r.gpr[ECX] = number; });
  if (b.step().vector() >= 0) return std::nullopt;
  return std::uint64_t{b.reg(EDX)} << 32 | b.reg(EAX);
}
/// MOV CR4,EAX.
int set_cr4(Board& b, std::uint32_t v) {
  b.flat({0x0F, 0x22, 0xE0});
  b.change([&](Registers& r) { r.gpr[EAX] = v; });
  return b.step().vector();
}

}  // namespace

TEST_CASE("CPUID of a P6 reports the features that are modelled", "[cpu][p6]") {
  struct Row {
    std::uint32_t signature, l2_bytes;
    unsigned l2_ways;
    std::uint32_t brand, l2_descriptor;
  };
  const Row rows[] = {{0x652, 512 << 10, 4, 0, 0x43}, {0x673, 512 << 10, 4, 0, 0x43}, {0x683, 0, 0, 2, 0x40}};
  for (const Row& row : rows) {
    auto config = Board::config(Model::p6);
    config.signature = row.signature;
    config.timing.l2.bytes = row.l2_bytes;
    if (row.l2_ways) config.timing.l2.ways = static_cast<std::uint8_t>(row.l2_ways);
    Board b(config);
    CHECK(cpuid(b, 0) == std::array<std::uint32_t, 4>{2, 0x756E6547, 0x6C65746E, 0x49656E69});
    const auto one = cpuid(b, 1);
    CHECK(one[0] == row.signature);
    CHECK(one[1] == row.brand);
    // FPU DE PSE TSC MSR CX8 SEP MTRR PGE CMOV MMX FXSR; no VME, PAE, MCE, APIC, MCA, PAT, PSE-36, PN
    CHECK(one[3] == 0x0180B93D);
    const std::array<std::uint32_t, 4> two{0x03020101, 0, 0, 0x0C040800 | row.l2_descriptor};
    CHECK(cpuid(b, 2) == two);
    CHECK(cpuid(b, 3) == two);  // beyond the last leaf: the last one
    CHECK(cpuid(b, 0x80000000) == two);
  }
}

TEST_CASE("CR4 of a P6 has TSD, DE, PSE, PGE, PCE and OSFXSR", "[cpu][p6]") {
  Board b(Model::p6);
  for (unsigned bit = 0; bit < 32; ++bit) {
    INFO("bit " << bit);
    const bool exists = bit == 2 || bit == 3 || bit == 4 || (bit >= 7 && bit <= 9);
    CHECK(set_cr4(b, 1u << bit) == (exists ? -1 : 13));
    if (exists) CHECK(b.cpu.registers().cr4 == 1u << bit);
  }
}

TEST_CASE("A global translation survives a load of CR3, but not INVLPG or a change of CR4", "[cpu][p6][paging]") {
  enum class Flush { cr3, invlpg, pge, pse };
  const auto [how, pge, global, kept] = GENERATE(table<Flush, bool, bool, bool>({{Flush::cr3, true, true, true},
                                                                                 {Flush::cr3, true, false, false},
                                                                                 {Flush::cr3, false, true, false},
                                                                                 {Flush::invlpg, true, true, false},
                                                                                 {Flush::pge, true, true, false},
                                                                                 {Flush::pse, true, true, false}}));
  Board b(Model::p6);
  // MOV EAX,[60000h]; the flush; MOV EAX,[60000h]
  b.paged({0xA1, 0, 0, 6, 0});
  switch (how) {
    case Flush::cr3: b.put(code_at + 5, {0x0F, 0x22, 0xDB, 0x90, 0x90, 0x90, 0x90}); break;  // MOV CR3,EBX
    case Flush::invlpg: b.put(code_at + 5, {0x0F, 0x01, 0x3D, 0, 0, 6, 0}); break;
    default: b.put(code_at + 5, {0x0F, 0x22, 0xE1, 0x90, 0x90, 0x90, 0x90}); break;  // MOV CR4,ECX
  }
  b.put(code_at + 12, {0xA1, 0, 0, 6, 0});
  const std::uint32_t target = 0x60000, cr4 = pge ? 0x80 : 0, new_cr4 = how == Flush::pge ? 0 : cr4 | 0x10;
  b.change([&](Registers& r) {
    r.cr4 = cr4;
    r.gpr[EBX] = r.cr3;
    r.gpr[ECX] = new_cr4;
  });
  b.pte(target, target | 7 | (global ? 0x100 : 0));
  b.put32(target, 0x11111111);
  b.put32(0x70000, 0x22222222);
  b.step();
  b.pte(target, 0x70000 | 7);
  b.step(how == Flush::invlpg ? 2 : 6);
  REQUIRE(b.cpu.registers().eip == code_at + 17);
  CHECK(b.reg(EAX) == (kept ? 0x11111111u : 0x22222222u));
}

TEST_CASE("Code in 4 MB pages has separate TLB entries", "[cpu][p6][paging]") {
  Board b(Model::p6);
  b.paged({0xFF, 0x25, 0, 0, 2, 0});  // JMP [20000h]; three more follow, through the next doublewords
  for (unsigned i = 1; i < 4; ++i) b.put(code_at + i * 0x100, {0xFF, 0x25, i * 4, 0, 2, 0});
  // 800000h, C00000h and 1000000h map the first 4 MB again.
  for (const unsigned entry : {2u, 3u, 4u}) b.put32(page_directory_at + entry * 4, 0x87);
  const std::uint32_t first = 0x800000 + code_at + 0x100, second = 0xC00000 + code_at + 0x200,
                      third = 0x1000000 + code_at + 0x300;
  b.change([](Registers& r) { r.cr4 = 0x10; });
  b.put32(data_at, first);
  b.put32(data_at + 4, second);
  b.put32(data_at + 8, first);
  b.put32(data_at + 12, first);
  b.step(3);
  for (const unsigned entry : {2u, 3u}) {
    CHECK((b.get32(page_directory_at + entry * 4) & 0x20) != 0);
    b.put32(page_directory_at + entry * 4, 0);
  }
  b.step(1);
  CHECK(b.cpu.registers().eip == second);  // both are in the TLB
  b.put32(data_at + 8, third);
  b.step(2);
  CHECK(b.cpu.registers().eip == first);
  CHECK(b.step(1).vector() == 14);  // the third has replaced the first one
  CHECK(b.cpu.registers().cr2 == first);
}

TEST_CASE("Model-specific registers of a P6: reserved bits and unknown numbers are #GP(0)", "[cpu][p6]") {
  Board b(Model::p6);
  struct Row {
    std::uint32_t number;
    std::uint64_t written, kept;
  };
  const Row rows[] = {{0x174, 0x8, 0x8},
                      {0x175, 0xC0001000, 0xC0001000},
                      {0x176, 0xC0100000, 0xC0100000},
                      {0x1B, 0xFEE00900, 0xFEE00100},  // the APIC cannot be enabled
                      {0x2A, 0x4000000, 0x4000000},
                      {0x8B, 0xFFFFFFFF00000005, 5},
                      {0xC1, 0x80000000, 0xFF80000000},
                      {0x186, 0x430079, 0x430079},
                      {0x1D9, 0x7F, 0x7F},
                      {0x119, 0x200000, 0x200000},
                      {0x200, 0x80000006, 0x80000006},
                      {0x201, 0xFF0000800, 0xFF0000800},
                      {0x250, 0x0606060606060606, 0x0606060606060606},
                      {0x26F, 0x0505050505050505, 0x0505050505050505},
                      {0x2FF, 0xC06, 0xC06},
                      {0x00, 0x1234, 0x1234}};
  for (const Row& row : rows) {
    INFO("register " << row.number);
    CHECK(wrmsr(b, row.number, row.written) == -1);
    CHECK(rdmsr(b, row.number) == row.kept);
  }
  CHECK(rdmsr(b, 0xFE) == 0x508u);
  CHECK(rdmsr(b, 0x17) == 0u);
  CHECK(rdmsr(b, 0x1DB) == 0u);
  CHECK(wrmsr(b, 0x79, 0x12345678) == -1);
  const std::pair<std::uint32_t, std::uint64_t> refused[] = {{0x0E, 0},  // the Pentium's TR12
                                                             {0x17, 0},           {0x1B, 1},     {0xFE, 0x508},
                                                             {0x1DB, 0},          {0x1D9, 0x80}, {0x186, 0x200000},
                                                             {0x187, 1ull << 32}, {0x200, 2},    {0x200, 0x1000000006},
                                                             {0x200, 0x106},      {0x201, 0x1},  {0x210, 0},
                                                             {0x250, 0x02},       {0x258, 7},    {0x251, 0},
                                                             {0x2FF, 0x1006},     {0x2FF, 3},    {0x179, 0},
                                                             {0x400, 0},          {0x277, 0},    {0xC3, 0},
                                                             {0xFFFFFFFF, 0}};
  for (const auto& [number, v] : refused) {
    INFO("register " << number << " value " << v);
    CHECK(wrmsr(b, number, v) == 13);
    CHECK(b.stack(0) == 0);
  }
  for (const std::uint32_t number : {0x0Eu, 0x79u, 0x179u, 0x17Au, 0x400u, 0x277u, 0x210u})
    CHECK_FALSE(rdmsr(b, number));
  b.flat({0x0F, 0x32}, 3);
  CHECK(b.step().vector() == 13);
}

TEST_CASE("WRMSR to the time-stamp counter clears its upper half on a P6", "[cpu][p6]") {
  Board b(Model::p6);
  CHECK(wrmsr(b, 0x10, 0x1234567800000000) == -1);
  CHECK(*rdmsr(b, 0x10) < 1000);
}

TEST_CASE("MTRRs give each address a type", "[cpu][p6]") {
  cpu::MemoryTypeRanges m;
  CHECK(m.type(0) == MemoryType::uncacheable);  // after reset the MTRRs are disabled
  CHECK_FALSE(m.on());
  CHECK(m.any(MemoryType::uncacheable));
  REQUIRE(m.write(0x2FF, 0xC00));               // enabled, with the fixed ranges; the default type is uncacheable
  REQUIRE(m.write(0x250, 0x0606060606060605));  // 0 to 7FFFFh
  REQUIRE(m.write(0x259, 0x0000000000000001));  // A0000h to BFFFFh by 16 KB
  REQUIRE(m.write(0x268, 0x0000000000000500));  // C0000h to C7FFFh by 4 KB
  REQUIRE(m.write(0x26F, 0x0400000000000000));  // F8000h to FFFFFh
  CHECK(m.type(0xFFFF) == MemoryType::write_protected);
  CHECK(m.type(0x10000) == MemoryType::write_back);
  CHECK(m.type(0x7FFFF) == MemoryType::write_back);
  CHECK(m.type(0x80000) == MemoryType::uncacheable);
  CHECK(m.type(0xA3FFF) == MemoryType::write_combining);
  CHECK(m.type(0xA4000) == MemoryType::uncacheable);
  CHECK(m.type(0xC0FFF) == MemoryType::uncacheable);
  CHECK(m.type(0xC1000) == MemoryType::write_protected);
  CHECK(m.type(0xFEFFF) == MemoryType::uncacheable);
  CHECK(m.type(0xFFFFF) == MemoryType::write_through);
  CHECK(m.any(MemoryType::write_combining));
  // 0 to 256 MB write-back, of which 64 to 128 MB write-through and 16 to 32 MB uncacheable; 16 MB from E0000000h
  // write-combining.
  const std::uint64_t pairs[][2] = {{0x6, 0xFF0000800},
                                    {0x4000004, 0xFFC000800},
                                    {0x1000000, 0xFFF000800},
                                    {0xE0000001, 0xFFF000800},
                                    {0x6, 0xFF0000000}};  // not valid
  for (unsigned i = 0; i < 5; ++i) {
    REQUIRE(m.write(0x200 + 2 * i, pairs[i][0]));
    REQUIRE(m.write(0x201 + 2 * i, pairs[i][1]));
  }
  CHECK(m.type(0x100000) == MemoryType::write_back);
  CHECK(m.type(0xFFFFFFF) == MemoryType::write_back);
  CHECK(m.type(0x10000000) == MemoryType::uncacheable);
  CHECK(m.type(0x7FFFFFF) == MemoryType::write_through);
  CHECK(m.type(0x1000000) == MemoryType::uncacheable);
  CHECK(m.type(0xE0FFFFFF) == MemoryType::write_combining);
  CHECK(m.type(0xE1000000) == MemoryType::uncacheable);
  REQUIRE(m.write(0x2FF, 0x806));  // without the fixed ranges; the default type is write-back
  CHECK(m.type(0xA0000) == MemoryType::write_back);
  CHECK(m.type(0xFFFFFFFF) == MemoryType::write_back);
  CHECK(m.any(MemoryType::write_combining));
  REQUIRE(m.write(0x207, 0));
  CHECK_FALSE(m.any(MemoryType::write_combining));  // the fixed ranges do not count
  REQUIRE(m.write(0x2FF, 0x406));
  CHECK(m.type(0) == MemoryType::uncacheable);
}

TEST_CASE("A snapshot keeps a P6's registers, MMX and global translations", "[cpu][p6]") {
  Board a(Model::p6);
  for (const auto& [number, v] : {std::pair{0x174u, 0x8u},
                                  {0x175u, 0x1000u},
                                  {0x176u, 0x2000u},
                                  {0x2FFu, 0xC06u},
                                  {0x201u, 0x80000800u},
                                  {0x269u, 0x05050505u},
                                  {0xC1u, 77u}})
    REQUIRE(wrmsr(a, number, v) == -1);
  a.paged({0x0F, 0x6E, 0xE8, 0xA1, 0, 0, 6, 0, 0x0F, 0x22, 0xDB, 0xA1, 0, 0, 6, 0});  // MOVD MM5,EAX; MOV; MOV CR3,EBX
  a.change([](Registers& r) {
    r.cr4 = 0x80;
    r.gpr[EAX] = 0x5EED;
    r.gpr[EBX] = r.cr3;
  });
  a.pte(0x60000, 0x60107);
  a.put32(0x60000, 0x11111111);
  a.put32(0x70000, 0x22222222);
  a.step(2);
  a.pte(0x60000, 0x70007);

  Board b(Model::p6);
  b.ram = a.ram;
  test::restore_state(b.cpu, test::saved_state(a.cpu));
  CHECK(a.hash() == b.hash());
  b.step(2);
  CHECK(b.reg(EAX) == 0x11111111);  // the global page's translation was restored, too
  CHECK(b.cpu.fpu().registers[5].mantissa == 0x5EED);
  CHECK(rdmsr(b, 0x175) == 0x1000u);
  CHECK(rdmsr(b, 0x201) == 0x80000800u);
  b.cpu.reset(b.cpu.time());
  b.step();
  CHECK(rdmsr(b, 0x2FF) == 0u);
}

TEST_CASE("A snapshot before the first instruction of a P6's interrupt handler does not affect the run", "[cpu][p6]") {
  const bool external = GENERATE(false, true);
  const auto state_after = [=](bool snapshot) {
    Board b(Model::p6);
    b.paged({external ? 0x90u : 0x0Fu, 0x0B});  // NOP with an interrupt after it; UD2
    b.pins.vector = 6;
    b.change([](Registers& r) {
      r.cr0 &= ~0x60000000u;
      r.eflags |= 0x200;
    });
    if (external) b.step().cpu.set_intr(true);
    b.step();
    if (snapshot) test::restore_state(b.cpu, test::saved_state(b.cpu));
    CHECK(b.step().vector() == 6);  // the page walk for the handler sets the accessed bit there
    CHECK((b.pte(handlers_at) & 0x20) != 0);
    return b.hash();
  };
  CHECK(state_after(true) == state_after(false));
}
