// SPDX-License-Identifier: GPL-2.0-or-later
// Damaged snapshots of a processor: each is refused, or it runs on within its memory and its time.
#include "machine.hpp"
#include "tests/archived.hpp"
#include "tests/damage.hpp"

using namespace planar;
using namespace planar::cpu_test;
using planar::test::restore_state;
using planar::test::saved_state;

TEST_CASE("A damaged translation in a snapshot cannot map beyond memory", "[cpu][paging][snapshot]") {
  const auto model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  Board b(model);
  b.paged({0xA1, 0xFC, 0xFF, 0x1F, 0x00, 0xA1, 0xFC, 0xFF, 0x1F, 0x00});  // MOV EAX,[1FFFFCh] twice
  b.put32(0x1FFFFC, 0x12345678);                                          // the end of memory
  b.step();
  auto state = saved_state(b.cpu);
  const std::uint8_t entry[] = {0x00, 0xF0, 0x1F, 0x00, 0x00, 0xF0, 0x1F, 0x00};  // linear page and frame
  const auto at = std::search(state.begin(), state.end(), std::begin(entry), std::end(entry));
  REQUIRE(at != state.end());
  at[4] = at[5] = 0xFF;
  restore_state(b.cpu, state);
  b.step();
  CHECK(b.reg(EAX) == 0x12345678);
}

TEST_CASE("Timing state with any one byte damaged is refused, or the processor runs on in plausible time",
          "[cpu][timing][snapshot]") {
  const auto model = GENERATE(Model::i386sx, Model::i486sx, Model::pentium, Model::p6);
  Board b(model), other(model);
  // ADD EAX,[20000h]; MOV [20044h],AL; PUSH EAX; CALL +0; POP ECX; POP ECX; ADD [20044h],EAX; JMP to the first
  b.paged({0x03, 0x05, 0x00, 0x00, 0x02, 0x00, 0xA2, 0x44, 0x00, 0x02, 0x00, 0x50, 0xE8, 0x00,
           0x00, 0x00, 0x00, 0x59, 0x59, 0x01, 0x05, 0x44, 0x00, 0x02, 0x00, 0xEB, 0xE5});
  b.step(100);
  other.ram = b.ram;
  const Time reached = b.cpu.time();
  constexpr std::uint64_t most_clocks = 1'000'000'000;
  CHECK(planar::test::refused_of_damaged(saved_state(b.cpu), "cpu.timing", [&](const auto& state) {
          restore_state(other.cpu, state);
          if (other.cpu.time() > reached + 1_s || other.cpu.clocks() > most_clocks) return;  // its machine refuses that
          other.cpu.run(other.cpu.time() + 20_us);
          CHECK(other.cpu.time() < reached + 2_s);
        }) > 0);
}

TEST_CASE("A P6 accepts a sound snapshot after it has refused a damaged one", "[cpu][timing][snapshot]") {
  Board b(Model::p6);
  b.flat({0x01, 0x05, 0x44, 0x00, 0x02, 0x00, 0xEB, 0xF8});  // ADD [20044h],EAX; JMP to it
  b.step(100);
  const auto sound = saved_state(b.cpu);
  const auto parts = planar::test::parts_of(sound);
  const auto timing = std::find_if(parts.begin(), parts.end(), [](const auto& p) { return p.name == "cpu.timing"; });
  REQUIRE(timing != parts.end());
  unsigned refused = 0;
  for (std::size_t at = timing->begin; at < timing->begin + 640; at += 4) {  // the front end and the window
    auto state = sound;
    std::fill_n(state.begin() + static_cast<std::ptrdiff_t>(at), 4, std::uint8_t{0xFF});
    try {
      restore_state(b.cpu, state);
    } catch (const Error&) { ++refused; }
    restore_state(b.cpu, sound);
    CHECK(saved_state(b.cpu) == sound);
  }
  CHECK(refused > 0);
}

TEST_CASE("a P6 looks up its code page although a damaged snapshot claims an unfinished string instruction",
          "[cpu][snapshot]") {
  Board b(Model::p6);
  b.paged({0x90});
  auto state = saved_state(b.cpu);
  constexpr std::size_t string_bytes = 43;  // the last part of the state; its first byte tells whether there is one
  state[state.size() - string_bytes] = 1;
  restore_state(b.cpu, state);
  b.step();
  CHECK(b.cpu.registers().eip == code_at + 1);
}
