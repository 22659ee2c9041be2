// SPDX-License-Identifier: GPL-2.0-or-later
// Malicious guests, as programs in a machine: adapter windows that move over memory, ROM and one another, endless
// triple faults, code under a window. The machine's time advances, the same program ends in the same state, and a
// snapshot in the middle changes nothing.
#include <algorithm>

#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "tests/catch.hpp"
#include "tests/machines/assembler.hpp"

using namespace planar;
using planar::test::Assembler;

namespace {

using Code = std::vector<std::uint8_t>;

/// A 32 KB firmware consisting of `program`, assembled for F000:8000.
Code firmware(Assembler& program) {
  Code rom = program.code();
  REQUIRE(rom.size() < 0x7000);
  rom.resize(0x8000, 0xFF);
  const Code jump{0xEA, 0x00, 0x80, 0x00, 0xF0};
  std::copy(jump.begin(), jump.end(), rom.begin() + 0x7FF0);
  return rom;
}

std::unique_ptr<Lab> lab_with(const std::string& model, const std::vector<std::string>& cards, const Code& rom) {
  Config config = load_machine(model);
  for (std::size_t n = 0; n < cards.size(); ++n)
    config.set("slot." + std::to_string(n + 1) + ".card", cards[n], "test");
  config.set("memory.size", "4 MB", "test");
  auto lab = std::make_unique<Lab>(std::move(config));
  lab->machine().load_firmware(rom, "hostile.rom");
  return lab;
}

std::vector<std::uint8_t> saved(Lab& lab) {
  Archive a = Archive::saver();
  lab.archive(a);
  return a.stream();
}

/// Runs the program to `end` twice, the second time with a snapshot at `middle` that is resumed in another lab.
void check_runs(const std::string& model, const std::vector<std::string>& cards, const Code& rom, Time end,
                unsigned snapshots = 3) {
  INFO(model);
  const auto whole = lab_with(model, cards, rom);
  whole->scheduler().run_until(end);
  CHECK(whole->scheduler().now() >= end);
  CHECK(whole->machine().cpu().time() < end + 10_ms);
  const auto hash = whole->state_hash();
  for (unsigned n = 1; n <= snapshots; ++n) {
    INFO("snapshot " << n);
    auto first = lab_with(model, cards, rom);
    first->scheduler().run_until(Time{end.ps * n / (snapshots + 1)});
    const auto state = saved(*first);
    auto second = lab_with(model, cards, rom);
    Archive a = Archive::loader(state);
    second->archive(a);
    a.expect_end();
    second->scheduler().run_until(end);
    CHECK(second->state_hash() == hash);
  }
}

/// BX becomes the next of a sequence of 16-bit numbers: BX = BX * 25173 + 13849. Changes AX and DX.
void next_number(Assembler& a) { a({0x89, 0xD8, 0xBA, 0x55, 0x62, 0xF7, 0xE2, 0x05, 0x19, 0x36, 0x89, 0xC3}); }

/// Writes numbers into POS registers 2 to 5 of slots 1 to 4, and after each of them reads and writes at various places.
Code wandering_windows(bool over_memory) {
  Assembler a(0x8000);
  a({0xFA, 0xFC, 0xBB, 0x34, 0x12});  // CLI; CLD; BX = 1234h
  a({0x31, 0xC0, 0x8E, 0xD0, 0xBC, 0x00, 0x70});
  a.label("again");
  next_number(a);
  a({0x88, 0xF8, 0x24, 0x03, 0x0C, 0x08, 0xE6, 0x96});  // AL = BH & 3 | 8: OUT 96h
  a({0x88, 0xFA, 0xC0, 0xEA, 0x02, 0x83, 0xE2, 0x03});  // DL = BH >> 2; DX &= 3
  a({0x81, 0xC2, 0x02, 0x01, 0x88, 0xD8, 0xEE});        // DX += 102h; AL = BL; OUT DX,AL
  a({0x30, 0xC0, 0xE6, 0x96});                          // setup off
  next_number(a);
  if (over_memory)
    a({0x8E, 0xC3});  // ES = BX: anywhere
  else
    a({0x89, 0xD8, 0x80, 0xE4, 0x1F, 0x80, 0xCC, 0xC0, 0x8E, 0xC0});  // ES = C000h to DFFFh
  next_number(a);
  a({0x89, 0xDF, 0x26, 0x8B, 0x05, 0x26, 0x89, 0x1D});  // DI = BX; AX = [ES:DI]; [ES:DI] = BX
  a({0x26, 0x8A, 0x45, 0x01});                          // AL = [ES:DI + 1]
  next_number(a);
  a({0x89, 0xDA, 0x80, 0xE6, 0x7F, 0x80, 0xCE, 0x02, 0xEC});  // DX = BX & 7FFFh | 200h; IN AL,DX
  a({0xE9});
  const auto back = static_cast<unsigned>(a.address("again") - (0x8000 + a.code().size() + 2));
  a({back & 0xFF, back >> 8 & 0xFF});
  return firmware(a);
}

}  // namespace

TEST_CASE("windows that POS moves over one another lose nothing in a snapshot", "[hostile]") {
  const auto rom = wandering_windows(false);
  check_runs("model56sx", {"ne2", "3c523", "smc8013"}, rom, 60_ms);
  check_runs("model95", {"tr16-4a-1994", "lan-a", "3c527", "ethernet-a"}, rom, 60_ms);
  check_runs("model77", {"lanstreamer", "etherexpress", "sknet", "tr4-a"}, rom, 60_ms);
}

TEST_CASE("windows that move over memory and ROM, with writes anywhere, do not end the emulation", "[hostile]") {
  const auto rom = wandering_windows(true);
  check_runs("model77", {"madge-mc32", "smc8013", "3c523", "tr16-4a-1990"}, rom, 60_ms, 1);
  check_runs("model95", {"etherstreamer", "autolanstreamer", "oc2335", "de210"}, rom, 60_ms, 1);
}

TEST_CASE("endless triple faults are endless resets", "[hostile]") {
  for (const std::string model : {"model56sx", "model77", "model95"}) {
    Assembler a(0x8000);
    a({0xFA, 0x31, 0xC0, 0x8E, 0xD8, 0xFF, 0x06, 0x00, 0x05});  // CLI; DS = 0; INC word [0500h]
    a({0x0F, 0x01, 0x1E, 0x10, 0x05, 0xCC, 0xF4});              // LIDT [0510h], which is zero; INT 3; HLT
    const auto rom = firmware(a);
    const auto lab = lab_with(model, {}, rom);
    lab->scheduler().run_until(50_ms);
    const unsigned times = lab->machine().peek_memory(0x500) | lab->machine().peek_memory(0x501) << 8;
    INFO(model << ": " << times << " resets");
    CHECK(times > 20);
    CHECK(lab->scheduler().now() >= 50_ms);
    check_runs(model, {"ne2"}, rom, 20_ms, 1);
  }
}

TEST_CASE("a program whose code is covered by a window runs on", "[hostile]") {
  // Copies itself to D000:0000, where there is no memory or a card's; maps an SMC8013's shared memory there, and jumps.
  Assembler a(0x8000);
  a({0xFA, 0xFC, 0xB8, 0x00, 0xF0, 0x8E, 0xD8, 0xBE, 0x00, 0x90});  // DS:SI = F000:9000
  a({0xB0, 0x08, 0xE6, 0x96, 0xBA, 0x05, 0x01, 0xB0, 0x00, 0xEE});  // slot 1
  a({0xBA, 0x04, 0x01, 0xB0, 0x00, 0xEE, 0xBA, 0x03, 0x01, 0xB0, 0x0D, 0xEE});
  a({0xBA, 0x02, 0x01, 0xB0, 0xFF, 0xEE, 0x30, 0xC0, 0xE6, 0x96});
  a({0xB8, 0x00, 0xD0, 0x8E, 0xC0, 0x31, 0xFF, 0xB9, 0x00, 0x08, 0xF3, 0xA5});
  a({0xEA, 0x00, 0x00, 0x00, 0xD0});
  for (const std::string card : {"smc8013", "3c523", "tr4-a", "lan-a", "3c527"}) {
    INFO(card);
    check_runs("model95", {card}, firmware(a), 20_ms, 1);
  }
}
