// SPDX-License-Identifier: GPL-2.0-or-later
// The window on a display, with real keys and clicks, and pictures of it.
#include "tests/catch.hpp"

#if PLANAR_HAVE_WINDOW
#include <algorithm>
#include <cstdlib>
#include <functional>

#include "frontend/window/window.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "tests/frontend/program.hpp"
#include "tests/frontend/window/window_rig.hpp"

using namespace planar;

namespace {

/// A window of a machine that has booted, and a user.
struct Desk {
  window_rig::Display& display;
  Lab lab{load_machine("model95")};
  window_rig::NotingActions actions{lab};
  std::unique_ptr<Window> window;

  explicit Desk(window_rig::Display& d, const WindowOptions& options = {}) : display(d) {
    lab.scheduler().run_until(2_s);
    open(options);
  }
  void open(const WindowOptions& options) {
    window = std::make_unique<Window>(lab, actions, options);
    until([n = 0]() mutable { return ++n > 20; });
    display.person("search --sync --name '^planar' windowfocus");
  }
  Time now() { return lab.scheduler().now(); }
  /// Serves the window, whose machine stands still, for five seconds at most.
  bool until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (std::chrono::steady_clock::now() < end) {
      if (!window->update(now())) return false;
      if (done()) return true;
    }
    return false;
  }
  void serve(unsigned pictures = 12) {
    for (unsigned n = 0; n < pictures; ++n) {
      window->update(now());
      std::this_thread::sleep_for(std::chrono::milliseconds(15));
    }
  }
  Picture look() {
    serve();
    actions.picture.reset();
    display.person("key ctrl+alt+w");
    REQUIRE(until([&] { return actions.picture.has_value(); }));
    return *actions.picture;
  }
};

/// The share of dots that differ in a part of two pictures of the same size.
double difference(const Picture& a, const Picture& b, unsigned left, unsigned top, unsigned width, unsigned height) {
  REQUIRE((a.width == b.width && a.height == b.height && left + width <= a.width && top + height <= a.height));
  unsigned other = 0;
  for (unsigned y = top; y < top + height; ++y)
    for (unsigned x = left; x < left + width; ++x) other += a.at(x, y) != b.at(x, y);
  return static_cast<double>(other) / (width * height);
}

}  // namespace

TEST_CASE("--window: menu, keys and panes respond to the user") {
  window_rig::Display display;
  if (!display.works()) SKIP("Xvfb and xdotool are not installed");
  Desk desk(display);
  auto& actions = desk.actions;
  actions.held_now = true;
  const Picture plain = desk.look();
  CHECK(plain.width == 1088);
  CHECK(plain.height == 848);
  // The machine's picture: 1067 by 800 in the middle, with the firmware's greeting, black around it.
  CHECK(plain.at(4, 400) == 0);
  CHECK(plain.at(1083, 400) == 0);
  CHECK(difference(plain, desk.look(), 0, 0, 1088, 820) == 0);  // the same picture again

  SECTION("a click opens the menu, another selects an item") {
    desk.display.person("search --name '^planar' mousemove --window %1 30 9 click 1");
    desk.serve();
    CHECK(difference(plain, desk.look(), 0, 20, 200, 100) > 0.5);
    desk.display.person("search --name '^planar' mousemove --window %1 40 30 click 1");  // Pause
    CHECK(desk.until([&] { return !actions.held_now; }));
    actions.held_now = true;
    CHECK(difference(plain, desk.look(), 0, 20, 200, 100) < 0.02);  // closed again
  }
  SECTION("an open menu takes the keyboard, and Escape closes it") {
    desk.display.person("search --name '^planar' mousemove --window %1 30 9 click 1");
    desk.serve();
    CHECK(difference(plain, desk.look(), 0, 20, 200, 100) > 0.5);
    desk.display.person("key a");
    desk.serve();
    desk.display.person("key Escape");
    desk.serve();
    CHECK(difference(plain, desk.look(), 0, 20, 200, 100) < 0.02);
    CHECK_FALSE(desk.window->used());  // neither key has reached the machine
    desk.display.person("key a");
    CHECK(desk.until([&] { return desk.window->used(); }));
  }
  SECTION("the screen's text can be copied, and pasted text is typed until stopped") {
    desk.display.person("key ctrl+alt+x");
    desk.serve();
    desk.display.person("key ctrl+alt+v");
    CHECK(desk.until([&] { return actions.types; }));
    REQUIRE(actions.notes.size() == 1);
    std::string screen;
    for (const auto& line : desk.lab.machine().video().text_lines()) screen += line + "\n";
    CHECK(actions.notes[0].starts_with("type "));
    CHECK(screen.starts_with(actions.notes[0].substr(5)));
    CHECK(actions.notes[0].size() > 100);
    desk.display.person("key ctrl+alt+v");
    CHECK(desk.until([&] { return !actions.types; }));
    desk.display.person("key ctrl+alt+k");
    CHECK(desk.until([&] { return actions.records; }));
    desk.display.person("key ctrl+alt+j");
    CHECK(desk.until([&] { return actions.notes.back() == "eject"; }));
  }
  SECTION("the window's own keys") {
    desk.display.person("key ctrl+alt+p");
    CHECK(desk.until([&] { return !actions.held_now; }));
    desk.display.person("key ctrl+alt+n");
    CHECK(desk.until([&] { return actions.steps == 1 && actions.held_now; }));
    desk.display.person("key ctrl+alt+t");
    CHECK(desk.until([&] { return actions.notes == std::vector<std::string>{"screen"}; }));
    desk.display.person("key ctrl+alt+e");
    CHECK(desk.until([&] { return actions.captures; }));
    desk.display.person("key ctrl+alt+s");
    CHECK(desk.until([&] { return !actions.last.empty(); }));
    CHECK_FALSE(desk.window->used());  // no user took part in the run
    desk.display.person("key ctrl+alt+r");
    CHECK(desk.until([&] { return actions.notes.back() == "load window-1.snap"; }));
    CHECK(desk.window->used());
  }
  SECTION("a pane beside the picture, and its help") {
    desk.display.person("key ctrl+alt+1");
    desk.serve();
    const Picture cpu = desk.look();
    CHECK(difference(plain, cpu, 720, 40, 360, 400) > 0.2);
    desk.display.person("key ctrl+alt+6");
    desk.serve();
    CHECK(difference(cpu, desk.look(), 0, 600, 1088, 200) > 0.2);
    const Picture both = desk.look();
    desk.display.person("search --name '^planar' mousemove --window %1 752 32");
    desk.look();  // drawn at least once, also on a slow host: ImGui 1.90 has a tab pressed when the pointer is on it
                  // already
    desk.display.person("mousedown 1");
    desk.look();
    desk.display.person("search --name '^planar' mousemove --window %1 400 120 mousemove --window %1 60 120");
    desk.look();
    desk.display.person("mouseup 1");
    const Picture moved = desk.look();  // from the right to the left
    CHECK(difference(both, moved, 0, 40, 260, 300) > 0.2);
    CHECK(difference(both, moved, 800, 40, 280, 300) > 0.2);
    desk.display.person("key ctrl+alt+1 key ctrl+alt+6");
    desk.serve();
    CHECK(difference(plain, desk.look(), 0, 0, 1088, 820) < 0.01);
    desk.display.person("key ctrl+alt+h");
    desk.serve();
    CHECK(difference(plain, desk.look(), 300, 250, 400, 300) > 0.5);
    CHECK_FALSE(desk.window->used());
  }
  SECTION("full screen shows only the machine's picture") {
    desk.display.person("key F11");
    desk.serve(30);
    const Picture whole = desk.look();
    CHECK(whole.width == static_cast<unsigned>(display.width));
    CHECK(whole.height == static_cast<unsigned>(display.height));
    CHECK(whole.at(30, 9) == 0);  // no menu
    desk.display.person("key alt+Return");
    desk.serve(30);
    CHECK(desk.look().width == 1088);
  }
  SECTION("the diskette is selected in a dialog, and other keys go to the machine") {
    desk.display.person("key ctrl+alt+d");
    desk.serve();
    desk.display.person("type --delay 30 /no/such.img");
    desk.serve(30);
    desk.display.person("key Return");
    CHECK(desk.until([&] { return actions.notes == std::vector<std::string>{"diskette /no/such.img"}; }));
    desk.serve();
    desk.display.person("key a");
    desk.serve();
    desk.lab.scheduler().run_until(desk.now() + 100_ms);
    CHECK(desk.lab.machine().peek_memory(0x41E) == 'a');  // the BIOS's key ring
  }
}

TEST_CASE("--window: never exceeds the display, and its text scales with the display's resolution") {
  SECTION("768 lines") {
    window_rig::Display display(1024, 768);
    if (!display.works()) SKIP("Xvfb and xdotool are not installed");
    Desk desk(display, {"cpu,memory,slots=left", 0, {}});
    const Picture small = desk.look();
    CHECK(small.width == 1024);
    CHECK(small.height == 768);
  }
  SECTION("192 dpi") {
    window_rig::Display display(2400, 1800, 192);
    if (!display.works()) SKIP("Xvfb and xdotool are not installed");
    Desk desk(display);
    CHECK(desk.look().width == 2 * 1088);
    CHECK(desk.look().height == 2 * 848);
    desk.window.reset();
    desk.open({{}, 1, {}});  // --scale 1
    CHECK(desk.look().width == 1088);
  }
}

TEST_CASE("--window: size, scale and layout are restored from the previous run") {
  window_rig::Display display;
  if (!display.works()) SKIP("Xvfb and xdotool are not installed");
  const program::Scratch scratch;
  const auto kept = scratch.file("some/where/window.ini");
  Desk desk(display, {{}, 0, kept});
  desk.actions.held_now = true;
  desk.display.person("key ctrl+alt+1");
  desk.serve();
  desk.display.person("search --name '^planar' windowsize %1 1000 700");
  CHECK(desk.until([&] { return desk.look().width == 1000; }));
  const Picture before = desk.look();
  desk.window.reset();
  desk.open({{}, 0, kept});
  const Picture again = desk.look();
  CHECK(again.width == 1000);
  CHECK(again.height == 700);
  CHECK(difference(before, again, 700, 40, 280, 600) == 0);  // the pane
  desk.display.person("key ctrl+alt+1");                     // it was open
  desk.serve();
  CHECK(difference(before, desk.look(), 700, 40, 280, 600) > 0.2);
  desk.display.person("key ctrl+alt+1");
  desk.serve();
  desk.window.reset();
  desk.open({"wire", 0, kept});  // --panes is for one run
  desk.serve();
  desk.window.reset();
  desk.open({{}, 0, kept});
  CHECK(difference(before, desk.look(), 700, 40, 280, 600) == 0);
}
#endif
