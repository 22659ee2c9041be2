// SPDX-License-Identifier: GPL-2.0-or-later
// INT 15h C2h: a program's handler is called for mouse packets through IRQ 12 on every machine; the keyboard's LEDs
// follow the lock keys handled by the firmware.
#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "tests/catch.hpp"
#include "tests/machines/assembler.hpp"

using namespace planar;
using planar::test::Assembler;

TEST_CASE("a mouse handler receives movements and buttons") {
  const char* model = GENERATE("model56sx", "model77", "model95");
  INFO(model);
  Assembler a(0x7C00);
  a({0x31, 0xC0, 0x8E, 0xC0, 0x8E, 0xD8});        // DS = ES = 0
  a({0xC6, 0x06, 0x03, 0x30, 0x00});              // no calls yet
  a({0xB8, 0x05, 0xC2, 0xB7, 0x03, 0xCD, 0x15});  // packets of three bytes
  a.jump(0x72, "failed");
  a.pointer({0xBB}, "handler")({0xB8, 0x07, 0xC2, 0xCD, 0x15});
  a.jump(0x72, "failed");
  a({0xB8, 0x00, 0xC2, 0xB7, 0x01, 0xCD, 0x15});  // enable
  a.jump(0x72, "failed");
  a({0xB0, 0x5A, 0xBA, 0x80, 0x06, 0xEE});  // checkpoint 5Ah
  a.label("rest")({0xFB, 0xF4}).jump(0xEB, "rest");
  a.label("failed")({0xFA, 0xF4});
  a.label("handler")({0x55, 0x89, 0xE5, 0x50});         // push bp; mov bp, sp; push ax
  a({0x8A, 0x46, 0x0C, 0x2E, 0xA2, 0x00, 0x30});        // status
  a({0x8A, 0x46, 0x0A, 0x2E, 0xA2, 0x01, 0x30});        // x
  a({0x8A, 0x46, 0x08, 0x2E, 0xA2, 0x02, 0x30});        // y
  a({0x2E, 0xFE, 0x06, 0x03, 0x30, 0x58, 0x5D, 0xCB});  // count; back

  Lab lab(load_machine(model));
  lab.insert_diskette(test::boot_diskette(a), "mouse test");
  Machine& machine = lab.machine();
  const auto now = [&] { return lab.scheduler().now(); };
  while ((machine.board().checkpoint() & 0xFF) != 0x5A && now() < 8_s && !machine.halted_for_good())
    lab.scheduler().run_until(now() + 10_ms);
  REQUIRE((machine.board().checkpoint() & 0xFF) == 0x5A);

  const auto received = [&] {
    lab.scheduler().run_until(now() + 30_ms);
    std::vector<unsigned> bytes;
    for (std::uint32_t i = 0; i < 4; ++i) bytes.push_back(machine.peek_memory(0x3000 + i));
    return bytes;
  };
  auto& mouse = machine.keyboard_controller().mouse();
  CHECK(received()[3] == 0);
  mouse.moved(5, -3, now());
  CHECK(received() == std::vector<unsigned>{0x28, 5, 0xFD, 1});
  mouse.buttons(0x01, now());
  CHECK(received() == std::vector<unsigned>{0x09, 0, 0, 2});
  mouse.moved(-100, 100, now());
  mouse.buttons(0x03, now());
  const auto last = received();
  CHECK(last[0] == 0x1B);
  CHECK(last[1] == 0x9C);
  CHECK(last[2] == 100);

  auto& keyboard = machine.keyboard_controller().keyboard();
  const auto lights_after = [&](std::uint16_t code) {
    keyboard.key(code, true, now());
    lab.scheduler().run_until(now() + 30_ms);
    keyboard.key(code, false, now());
    lab.scheduler().run_until(now() + 60_ms);
    return keyboard.leds();
  };
  const unsigned before = keyboard.leds();
  CHECK(lights_after(0x3A) == (before ^ 4));  // caps lock
  CHECK(lights_after(0x46) == (before ^ 5));  // scroll lock
  CHECK(lights_after(0x45) == (before ^ 7));  // num lock
  CHECK(lights_after(0x3A) == (before ^ 3));
}
