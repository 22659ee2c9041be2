// SPDX-License-Identifier: GPL-2.0-or-later
// The latch of IRQ 0 under a system that has it at vector 20h and never clears it: a PS/2 with Linux 0.96a.
// docs/hardware/micro-channel.md#an-irq-0-that-nobody-clears
#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "tests/catch.hpp"
#include "tests/machines/assembler.hpp"

using namespace planar;
using planar::test::Assembler;

namespace {

/// Counts timer interrupts, keys and iterations of its main loop. Its timer handler sends an EOI; with `masks`, it does
/// so like Linux 0.96a, with IRQ 0 masked and interrupts enabled meanwhile. Its keyboard handler pulses port 61h bit 7,
/// as needed by an AT.
struct System {
  System(const char* model, bool masks) : lab(load_machine(model)) {
    Assembler a(0x7C00);
    a({0xFA, 0x31, 0xC0, 0x8E, 0xD8, 0x8E, 0xD0, 0xBC, 0x00, 0x7C});
    a.pointer({0xC7, 0x06, 0x80, 0x00}, "timer")({0xA3, 0x82, 0x00});
    a.pointer({0xC7, 0x06, 0x84, 0x00}, "keys")({0xA3, 0x86, 0x00});
    for (const auto& [port, value] :
         {std::pair{0x20u, 0x11u}, {0x21u, 0x20u}, {0x21u, 0x04u}, {0x21u, 0x01u}, {0x21u, 0xFCu}})
      a({0xB0, value, 0xE6, port});
    a({0x66, 0x31, 0xC0, 0x66, 0xA3, 0x00, 0x30, 0x66, 0xA3, 0x04, 0x30, 0x66, 0xA3, 0x08, 0x30});
    a({0xB0, 0x5A, 0xBA, 0x80, 0x06, 0xEE, 0xFB});  // checkpoint 5Ah; interrupts enabled
    a.label("main")({0x66, 0xFF, 0x06, 0x08, 0x30}).jump(0xEB, "main");
    a.label("timer")({0x50});
    if (masks) a({0xE4, 0x21, 0x0C, 0x01, 0xE6, 0x21});
    a({0xB0, 0x20, 0xE6, 0x20});
    if (masks) a({0xFB});
    a({0x66, 0xFF, 0x06, 0x00, 0x30});
    if (masks) a({0xFA, 0xE4, 0x21, 0x24, 0xFE, 0xE6, 0x21});
    a({0x58, 0xCF});
    a.label("keys")({0x50, 0xE4, 0x60, 0xE4, 0x61, 0x0C, 0x80, 0xE6, 0x61, 0x24, 0x7F, 0xE6, 0x61});
    a({0xB0, 0x20, 0xE6, 0x20, 0x66, 0xFF, 0x06, 0x04, 0x30, 0x58, 0xCF});
    lab.insert_diskette(test::boot_diskette(a), "timer latch");
    while ((lab.machine().board().checkpoint() & 0xFF) != 0x5A && now() < 8_s) step(10_ms);
    REQUIRE((lab.machine().board().checkpoint() & 0xFF) == 0x5A);
    step(100_ms);
  }
  Time now() { return lab.scheduler().now(); }
  void step(Time time) { lab.scheduler().run_until(now() + time); }
  void type(unsigned keys) {
    auto& keyboard = lab.machine().keyboard_controller().keyboard();
    while (keys-- > 0) {
      keyboard.key(0x1E, true, now());
      step(40_ms);
      keyboard.key(0x1E, false, now());
      step(40_ms);
    }
  }
  std::uint32_t count(std::uint32_t at) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{lab.machine().peek_memory(at + i)} << 8 * i;
    return value;
  }
  std::uint32_t ticks() { return count(0x3000); }
  std::uint32_t keys() { return count(0x3004); }
  std::uint32_t turns() { return count(0x3008); }

  Lab lab;
};

}  // namespace

TEST_CASE("an uncleared IRQ 0 repeats; keys interrupt a handler that masks it, and let the system continue") {
  const char* model = GENERATE("model56sx", "model77", "model95");
  INFO(model);
  System linux096(model, true);
  const auto ticks = linux096.ticks(), turns = linux096.turns();
  linux096.step(500_ms);
  CHECK(linux096.ticks() - ticks > 5'000);  // the main program is not reached
  CHECK(linux096.turns() == turns);
  CHECK(linux096.keys() == 0);
  linux096.type(5);
  CHECK(linux096.keys() == 10);
  CHECK(linux096.turns() - turns > 1'000);
  linux096.step(100_ms);
  const auto later = linux096.turns();
  linux096.step(500_ms);
  CHECK(linux096.turns() == later);
}

TEST_CASE("an uncleared IRQ 0 blocks the keyboard if its handler only sends the EOI") {
  System linux012("model56sx", false);
  const auto turns = linux012.turns();
  linux012.type(5);
  CHECK(linux012.keys() == 0);
  CHECK(linux012.turns() == turns);
  CHECK(linux012.ticks() > 5'000);
}
