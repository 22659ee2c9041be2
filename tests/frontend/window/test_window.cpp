// SPDX-License-Identifier: GPL-2.0-or-later
// The screen as a picture file, and the window with its keyboard and mouse, without a display.
#include <cstdlib>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using Catch::Matchers::Contains;
using program::run_planar;
using program::Scratch;

TEST_CASE("--screen png: saves the screen as an image") {
  Scratch scratch;
  const auto file = scratch.file("screen.png");
  const auto run = run_planar("run model95 --quiet --until '2 s' --screen text --screen png:" + file);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out, Contains("firmware"));
  const auto png = program::read_file(file);
  REQUIRE(png.size() > 33);
  CHECK(png.substr(0, 8) == "\x89PNG\r\n\x1A\n");
  CHECK(png.substr(12, 12) == std::string("IHDR\0\0\x02\xD0\0\0\x01\x90", 12));  // 720 by 400
  CHECK(png.substr(24, 2) == "\x08\x02");                                        // 8 bits, RGB
  const auto refused = run_planar("run model95 --quiet --until '10 ms' --screen png:" + scratch.file("no/where.png"));
  CHECK(refused.status == 3);
  CHECK_THAT(refused.err, Contains("no/where.png"));
  CHECK(run_planar("run model95 --quiet --until '10 ms' --screen gif:x").status == 2);
}

#if PLANAR_HAVE_WINDOW
#define SDL_MAIN_HANDLED
#include <SDL.h>

#include "frontend/window/window.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "tests/frontend/window/window_rig.hpp"

TEST_CASE("--window: watching a run does not affect it") {
  const std::string run = "run model77 --quiet --until '600 ms' --json -";
  setenv("SDL_VIDEODRIVER", "dummy", 1);
  const auto seen = run_planar(run + " --window");
  REQUIRE(seen.status == 0);
  CHECK(seen.json()["repeatable"] == true);
  CHECK(seen.json()["state_hash"] == run_planar(run).json()["state_hash"]);
  setenv("SDL_VIDEODRIVER", "no such driver", 1);
  const auto refused = run_planar(run + " --window");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("--window") && Contains("--screen png"));
  for (const char* name : {"SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"}) unsetenv(name);
  CHECK(run_planar(run + " --window").status == 2);
}

TEST_CASE("--window: every pane on a busy network does not affect the run") {
  setenv("SDL_VIDEODRIVER", "dummy", 1);
  Scratch scratch;
  const auto snapshot = scratch.file("netio.snap");
  REQUIRE(run_planar("run " PLANAR_SOURCE_DIR "/docs/labs/window.toml --quiet --until '7.7 s' --snapshot-at '7.65 s' " +
                     snapshot)
              .status == 0);
  const std::string run = "run --restore " + snapshot + " --quiet --until '7.8 s' --json -";
  const auto seen =
      run_planar(run + " --window --panes cpu,memory,slots=left,planar=left-below,adapter,bus,wire=float,log");
  REQUIRE(seen.status == 0);
  CHECK(seen.json()["repeatable"] == true);
  CHECK(seen.json()["state_hash"] == run_planar(run).json()["state_hash"]);
  const auto refused = run_planar(run + " --window --panes cpu,tube");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("'tube'") && Contains("memory"));
  CHECK(run_planar(run + " --window --panes cpu=top").status == 2);
  CHECK(run_planar(run + " --panes cpu").status == 2);
  CHECK(run_planar(run + " --do pause").status == 2);
}

TEST_CASE("--window: every pane on a busy PC does not affect the run") {
  setenv("SDL_VIDEODRIVER", "dummy", 1);
  Scratch scratch;
  const auto lab = scratch.write("pc.toml",
                                 "machine = \"pc-p166\"\n[slot.1]\ncard = \"3c905b\"\n"
                                 "[guest]\ndo = \"netio\"\n");
  const auto snapshot = scratch.file("netio.snap");
  REQUIRE(run_planar("run " + lab + " --quiet --until '9.72 s' --snapshot-at '9.7 s' " + snapshot).status == 0);
  const std::string run = "run --restore " + snapshot + " --quiet --until '9.8 s' --json -";
  const auto seen = run_planar(run + " --window --panes slots=left,planar=left-below,adapter,bus,wire=float");
  REQUIRE(seen.status == 0);
  CHECK(seen.json()["repeatable"] == true);
  CHECK(seen.json()["state_hash"] == run_planar(run).json()["state_hash"]);
}

TEST_CASE("--window: keys and mouse reach the machine") {
  using namespace planar;
  setenv("SDL_VIDEODRIVER", "dummy", 1);
  Lab lab(load_machine("model95"));
  Machine& machine = lab.machine();
  const auto now = [&] { return lab.scheduler().now(); };
  lab.scheduler().run_until(2_s);
  window_rig::NotingActions actions(lab);
  Window window(lab, actions);
  window.update(now());  // the first picture determines where the screen is
  CHECK(window.next(now()) - now() == machine.video().frame_period());
  REQUIRE(window.update(now()));
  CHECK_FALSE(window.used());

  const auto push = [](SDL_Event event) { REQUIRE(SDL_PushEvent(&event) == 1); };
  const auto key = [&](SDL_Scancode code, bool down, Uint16 modifiers = 0) {
    SDL_Event event{};
    event.type = down ? SDL_KEYDOWN : SDL_KEYUP;
    event.key.keysym.scancode = code;
    event.key.keysym.mod = modifiers;
    push(event);
    REQUIRE(window.update(now()));
    lab.scheduler().run_until(now() + 10_ms);
  };
  const auto typed = [&](unsigned position) {  // the BIOS's key ring
    return static_cast<char>(machine.peek_memory(0x41E + 2 * position));
  };
  key(SDL_SCANCODE_A, true);
  key(SDL_SCANCODE_A, false);
  key(SDL_SCANCODE_LSHIFT, true);
  key(SDL_SCANCODE_5, true);
  key(SDL_SCANCODE_5, false);
  key(SDL_SCANCODE_LSHIFT, false);
  CHECK(typed(0) == 'a');
  CHECK(typed(1) == '%');
  CHECK(window.used());

  // The mouse is active from the click that captures it until Ctrl-Alt-G.
  auto& mouse = machine.keyboard_controller().mouse();
  mouse.receive(0xF0, now());
  const auto movement = [&] {
    mouse.receive(0xEB, now());
    std::vector<unsigned> bytes;
    while (mouse.ready() != Time::never()) bytes.push_back(mouse.fetch(now()));
    return bytes;
  };
  const auto move = [&](int x, int y) {
    SDL_Event event{};
    event.type = SDL_MOUSEMOTION;
    event.motion.xrel = x;
    event.motion.yrel = y;
    push(event);
    REQUIRE(window.update(now()));
  };
  const auto button = [&](Uint8 which, bool down) {
    SDL_Event event{};
    event.type = down ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP;
    event.button.button = which;
    event.button.x = event.button.y = 400;
    push(event);
    REQUIRE(window.update(now()));
  };
  movement();
  move(7, 3);
  CHECK(movement() == std::vector<unsigned>{0xFA, 0x08, 0, 0});
  button(SDL_BUTTON_LEFT, true);
  button(SDL_BUTTON_LEFT, false);
  movement();
  move(7, 3);
  button(SDL_BUTTON_RIGHT, true);
  CHECK(movement() == std::vector<unsigned>{0xFA, 0x2A, 7, 0xFD});  // 3 down the screen
  key(SDL_SCANCODE_LCTRL, true);
  key(SDL_SCANCODE_LALT, true, KMOD_CTRL);
  key(SDL_SCANCODE_G, true, KMOD_LCTRL | KMOD_LALT);
  move(9, 9);
  CHECK(movement() == std::vector<unsigned>{0xFA, 0x08, 0, 0});
  CHECK((machine.peek_memory(0x417) & 0x0C) == 0);  // no key is left pressed

  SDL_Event quit{};
  quit.type = SDL_QUIT;
  push(quit);
  CHECK_FALSE(window.update(now()));
}
#endif
