// SPDX-License-Identifier: GPL-2.0-or-later
// One-line reproducers as printed by planar-lockstep: former mismatches and a few other useful forms. Rows are kept
// after their mismatch is fixed.
#include "core/common/error.hpp"
#include "tests/catch.hpp"
#include "tests/lockstep/harness/masks.hpp"
#include "tests/lockstep/harness/row.hpp"

using namespace planar::lockstep;

TEST_CASE("Reproducer rows agree with Unicorn") {
  static constexpr const char* rows[] = {
      "486 real | 0F 98 C0 | eax=1234 fl=8D7 |",
      "486 real | 66 F7 F2 | edx=3 eax=7272B3A0 fl=887 |",
      "386 pm16 | 66 0F A5 D8 | eax=80000001 ebx=F0F0F0F0 ecx=5 |",
      "386 pm32r3 | CA 24 00 | esp=6C6D5 |",  // a stack that only ring 0 may read
      "486 pm32 | 66 D1 87 00 00 02 00 | fl=1 | 20000=0180",
      "486 pm32r3 | 03 74 23 EB | ebx=FFFFFFCC | ",
      "486 pm32r3 | 0F BE C3 | ebx=80 fl=46 |",
      "486 v86 | 9C | fl=23097 |",
      "pentium pm32 | 0F C7 0D 00 00 02 00 | eax=1 ebx=2 ecx=3 edx=0 | 20000=01",
      "pentium pm32 | 61 | esp=6FFEF edi=246DE |",                // a fault before the last of the registers
      "pentium pm32 | D1 4B D2 | esp=3016 |",                     // the frame overlaps its own page table entry
      "p6 pm32r3 | 0F 44 03 | ebx=70000 |",                       // CMOVE from an absent page, with ZF clear
      "p6 pm32 | 0F 60 C9 | tw=FFFF f1=3FFF.8123456789ABCDEF |",  // PUNPCKLBW MM1,MM1
      "p6 real | 0F 71 D5 10 | tw=0 f5=3FFF.FFFFFFFFFFFFFFFF |",  // PSRLW MM5,16
      "p6 v86 | 0F 77 | sw=1800 |",
      "p6 pm32 | 0F 77 | tw=0 f0=FFFF.1 |",  // EMMS
      "p6 pm32 | 0F AE 03 | ebx=20000 tw=F00F sw=3800 f1=3FFF.8000000000000001 |",
      "p6 pm32 | 0F AE 0B | ebx=20000 |"
      " 20000=7F03010085000000 20020=0000000000000080FF3F 20030=0100000000000000FFFF",
      "p6 pm32r3 | 0F AE 03 | ebx=20008 |",             // an image that is not aligned
      "p6 pm32r3 | 0F AE 03 | ebx=6FE00 |",             // into a supervisor page
      "p6 pm32 | 0F 35 | ecx=41000 edx=10040 fl=46 |",  // SYSEXIT
      "p6 pm32r3 | 0F 35 | ecx=41000 edx=10040 |",
      "p6 real | 0F 34 | |",
      "p6 pm32 | 0F 30 | ecx=175 eax=12345678 |",
      "p6 pm32 | 0F 32 | ecx=176 |",
      "p6 pm32r3 | 0F 32 | ecx=176 |",
      "pentium pm32 | 01 03 | ebx=420000 cr4=10 |",    // a 4 MB page,
      "pentium pm32r3 | 01 03 | ebx=820000 cr4=10 |",  // read-only,
      "p6 pm32r3 | 8B 03 | ebx=C20000 cr4=90 |",       // a supervisor page,
      "p6 pm32r3 | 01 03 | ebx=1020000 cr4=90 |",      // global,
      "p6 pm32r3 | 01 03 | ebx=1420000 cr4=10 |",      // never used,
      "p6 pm32 | 8B 03 | ebx=1820000 cr4=10 |",        // absent,
      "p6 pm32 | 8B 03 | ebx=420000 |",                // and a page table without CR4.PSE
      "p6 pm32 | 0F 22 E0 | eax=90 |",
      "p6 pm32 | 0F 01 38 | eax=1020000 cr4=90 |",  // INVLPG
      "pentium pm32 | D8 C1 | cw=33F sw=1800 tw=0 f3=3FFF.8000000000000000 f4=4000.C000000000000000 |",
  };
  for (const char* row : rows) {
    INFO(row);
    const auto found = run_row(row);
    CHECK(!found);
    if (found) WARN(found->describe());
  }
}

TEST_CASE("Code at which Unicorn aborts is recognised at any byte offset") {
  const auto aborts = [](std::vector<std::uint8_t> code) { return aborts_unicorn(code); };
  CHECK(aborts({0xF0, 0x0F, 0xBA, 0xE9, 0x00}));
  CHECK(aborts({0x81, 0xF8, 0xED, 0xF0, 0x66, 0x0F, 0xBA, 0xE9, 0x00}));  // inside a CMP and the bytes after it
  CHECK(aborts({0xF0, 0x66, 0x0F, 0xBB, 0xE8}));
  CHECK_FALSE(aborts({0xF0, 0x0F, 0xBB, 0x03}));        // memory
  CHECK_FALSE(aborts({0xF0, 0x0F, 0xBA, 0xC1, 0x00}));  // /0 is not a bit instruction
  CHECK_FALSE(aborts({0x66, 0x0F, 0xBB, 0xE8}));
  CHECK_FALSE(aborts({0xF0, 0x0F, 0xBB}));
}

TEST_CASE("A malformed row gives an explanation") {
  CHECK_THROWS_WITH(run_row("586 pm32 | 90 | |"), Catch::Contains("begins with a model and a mode"));
  CHECK_THROWS_WITH(run_row("486 pm32 | 90 | zz=1 |"), Catch::Contains("unknown register zz"));
}
