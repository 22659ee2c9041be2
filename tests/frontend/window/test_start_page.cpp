// SPDX-License-Identifier: GPL-2.0-or-later
// The start page: its selection is a command line of `planar run`; on a display, Enter runs it.
#include "tests/catch.hpp"

#if PLANAR_HAVE_WINDOW
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "frontend/window/start_page.hpp"
#include "tests/frontend/program.hpp"
#include "tests/frontend/window/window_rig.hpp"

using namespace planar;

TEST_CASE("the start page's selection is a command line") {
  StartChoice choice;
  CHECK(choice.command("run") == "planar run model95");
  choice.machine = "my machine's.toml";
  choice.card = "3c529";
  choice.diskette = "dos.img,mode=memory";
  choice.diskette_b = "empty";
  choice.disk = "a b.img";
  choice.cdrom = "x.iso";
  choice.net = "slirp";
  CHECK(choice.command("config") ==
        "planar config 'my machine'\\''s.toml' --card 3c529 --floppy dos.img,mode=memory --floppy-b empty --disk 'a "
        "b.img' "
        "--cdrom x.iso --net slirp");
  CHECK(choice.arguments().size() == 13);
}

TEST_CASE("planar without arguments shows the start page on a display, and Enter runs the selection") {
  window_rig::Display display;
  if (!display.works()) SKIP("Xvfb and xdotool are not installed");
  program::Said said{};
  std::thread runner([&] { said = program::run_planar(""); });
  // A key that arrives before the window has the keyboard focus is lost: it is pressed again until it is seen.
  const auto press_until = [&](const std::string& key, const std::function<bool()>& done) {
    for (unsigned n = 0; n < 150; ++n) {
      if (done()) return true;
      display.person("search --name '^planar' windowfocus key " + key);
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
    }
    return false;
  };
  const auto shown = [&](const std::string& title) { return display.person("search --name '" + title + "'"); };
  CHECK(press_until("Return", [&] { return shown("^planar model95 - "); }));
  bool closed = false;
  CHECK(press_until("ctrl+alt+q", [&] { return closed = !shown("^planar"); }));
  runner.join();
  INFO(said.err);
  CHECK(said.status == 0);
  CHECK(std::filesystem::exists(std::string(std::getenv("XDG_CONFIG_HOME")) + "/planar/window.ini"));
}
#endif
