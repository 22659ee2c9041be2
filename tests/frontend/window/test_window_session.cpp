// SPDX-License-Identifier: GPL-2.0-or-later
// What the window's user does to a run: watches, pauses, steps, rewinds, captures, resets, changes diskette and CD.
#include "tests/catch.hpp"

#if PLANAR_HAVE_WINDOW
#define SDL_MAIN_HANDLED
#include <SDL.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "devices/adapter/storage_adapter.hpp"
#include "devices/storage/drive/drive.hpp"
#include "frontend/scenario/scenario_steps.hpp"
#include "frontend/session/session.hpp"
#include "machines/config/machine_files.hpp"
#include "tests/frontend/program.hpp"

using namespace planar;
using namespace program;
using Catch::Matchers::Contains;

namespace {

void press(SDL_Scancode code) {
  SDL_Event event{};
  event.type = SDL_KEYDOWN;
  event.key.keysym.scancode = code;
  event.key.keysym.mod = KMOD_LCTRL | KMOD_LALT;
  SDL_PushEvent(&event);
}

/// A key of the machine.
void tap(SDL_Scancode code, bool down) {
  SDL_Event event{};
  event.type = down ? SDL_KEYDOWN : SDL_KEYUP;
  event.key.keysym.scancode = code;
  SDL_PushEvent(&event);
}

void move(int x, int y) {
  SDL_Event event{};
  event.type = SDL_MOUSEMOTION;
  event.motion.xrel = x;
  event.motion.yrel = y;
  SDL_PushEvent(&event);
}

void click(bool down) {
  SDL_Event event{};
  event.type = down ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP;
  event.button.button = SDL_BUTTON_RIGHT;
  SDL_PushEvent(&event);
}

void drop(const std::string& file) {
  SDL_Event event{};
  event.type = SDL_DROPFILE;
  event.drop.file = SDL_strdup(file.c_str());
  SDL_PushEvent(&event);
}

/// Something that happens at a virtual time, in this order.
struct Act {
  Time at{};
  std::function<void()> what;
};

struct Watched {
  Scratch scratch;
  std::unique_ptr<Session> session;
  std::string panes;
  std::vector<Time> looks;
  std::optional<std::string> record;

  void open(const std::function<void(Config&)>& more = {}) {
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    Config config = load_machine("model77");
    config.set("memory.size", "4 MB", "test");
    if (more) more(config);
    OutputOptions output;
    output.quiet = output.window = true;
    output.panes = panes;
    output.result = scratch.file("result");
    output.record = record;
    session = std::make_unique<Session>(LabConfig(std::move(config)), std::vector<Media>{}, output, StateOptions{});
    press(SDL_SCANCODE_F);  // full speed
  }
  void run(Time end, std::vector<Act> acts) {
    std::size_t next = 0;
    session->run(
        end,
        [&] {
          looks.push_back(session->now());
          while (next < acts.size() && session->now() >= acts[next].at) acts[next++].what();
          return false;
        },
        [] { return std::string(); });
    CHECK(next == acts.size());
  }
};

/// The hash of the same machine without a window.
std::string alone(Time end) {
  Config config = load_machine("model77");
  config.set("memory.size", "4 MB", "test");
  Lab lab(LabConfig(std::move(config)));
  lab.scheduler().run_until(end);
  return lab.state_hash();
}

}  // namespace

TEST_CASE("watching, pausing, stepping and capturing do not change a run's results") {
  Watched w;
  w.panes = "cpu,memory,slots=left,planar=left-below,adapter=float,bus,wire,log=right-below";
  w.open();
  std::thread person;
  w.run(700_ms, {{200_ms,
                  [&] {
                    press(SDL_SCANCODE_E);
                    press(SDL_SCANCODE_P);
                    person = std::thread([] {
                      for (const auto key : {SDL_SCANCODE_N, SDL_SCANCODE_N, SDL_SCANCODE_T, SDL_SCANCODE_P}) {
                        std::this_thread::sleep_for(std::chrono::milliseconds(100));
                        press(key);
                      }
                    });
                  }},
                 {500_ms, [] { press(SDL_SCANCODE_E); }}});
  person.join();
  CHECK(w.session->repeatable());
  CHECK(w.session->state_hash() == alone(700_ms));
  CHECK(read_file(w.scratch.file("result/screen-1.png")).substr(1, 3) == "PNG");
  CHECK(read_file(w.scratch.file("result/window-1.pcapng")).substr(0, 4) == "\x0A\x0D\x0D\x0A");
}

TEST_CASE("the user rewinds to a snapshot, and everything continues from there") {
  Watched w;
  w.open();
  w.run(700_ms, {{200_ms, [] { press(SDL_SCANCODE_S); }}, {600_ms, [] { press(SDL_SCANCODE_R); }}});
  CHECK(std::count(w.looks.begin(), w.looks.end(), w.looks.at(3)) == 2);  // 400 ms, twice
  CHECK_FALSE(w.session->repeatable());
  CHECK(w.session->state_hash() == alone(700_ms));
  CHECK_FALSE(read_file(w.scratch.file("result/window-1.snap")).empty());
}

TEST_CASE("a recorded session that is played back ends in the same state") {
  Watched w;
  const auto diskette = w.scratch.write("a \"new\" one.img", std::string(1474560, '\0'));
  const auto disc = w.scratch.write("disc.iso", std::string(64 * 2048, '1'));
  w.record = w.scratch.file("session.steps");
  const auto machine = [&](Config& config) {
    config.set("cdrom.3.file", disc, "test");
    config.set("floppy.b.file", diskette, "test");
    config.set("floppy.b.mode", "memory", "test");
  };
  w.open(machine);
  SDL_SetClipboardText("Hi, \xC3\xA4 5!\r\n");
  w.run(4_s, {{1800_ms, [] { tap(SDL_SCANCODE_LSHIFT, true); }},
              {1900_ms,
               [] {
                 tap(SDL_SCANCODE_APOSTROPHE, true);
                 tap(SDL_SCANCODE_KP_ENTER, true);
               }},
              {2_s,
               [] {
                 for (const auto key : {SDL_SCANCODE_LSHIFT, SDL_SCANCODE_APOSTROPHE, SDL_SCANCODE_KP_ENTER})
                   tap(key, false);
                 press(SDL_SCANCODE_G);  // the machine has the mouse
               }},
              {2100_ms,
               [] {
                 move(7, -3);
                 click(true);
                 move(1, 200);
               }},
              {2200_ms, [] { click(false); }},
              {2300_ms, [&] { drop(diskette); }},
              {2400_ms, [] { press(SDL_SCANCODE_V); }},
              {3500_ms, [&] {
                 press(SDL_SCANCODE_J);  // eject
                 press(SDL_SCANCODE_U);  // from B
                 press(SDL_SCANCODE_O);  // the CD
                 drop(disc);
                 press(SDL_SCANCODE_BACKSPACE);  // reset
               }}});
  CHECK_FALSE(w.session->repeatable());
  const std::string recorded = w.session->state_hash();
  const Time recorded_end = w.session->now();
  w.session.reset();
  const std::string steps = read_file(*w.record);
  INFO(steps);
  for (const char* step : {"key shift down", "key ' down", "key kpenter up", "mouse move 7 3", "mouse buttons right",
                           "mouse buttons none", "type \"Hi,  5!\\n\"", "a \\\"new\\\" one.img", "eject diskette\n",
                           "eject diskette b\n", "eject cd\n", "insert cd \"", "reset"})
    CHECK_THAT(steps, Contains(step));
  Config config = load_machine("model77");
  config.set("memory.size", "4 MB", "test");
  machine(config);
  OutputOptions output;
  output.quiet = true;
  Session again(LabConfig(std::move(config)), {}, output, {}, parse_steps(steps, *w.record, 600_s));
  const auto end = again.run(
      Time::never(), [] { return false; }, [] { return std::string(); });
  CHECK(end == RunEnd::scenario);
  CHECK_FALSE(again.scenario().failure());
  CHECK(again.now() == recorded_end);
  CHECK(again.repeatable());
  CHECK(again.state_hash() == recorded);
  CHECK(run_planar("run model77 --quiet --until '1 s' --record " + w.scratch.file("none.steps")).status == 2);
}

TEST_CASE("an ejected diskette is in no snapshot, and a user who cannot rewind is told what to type") {
  Watched w;
  const auto diskette = w.scratch.write("dos.img", std::string(1474560, '\0'));
  w.open([&](Config& config) { config.set("floppy.a.file", diskette, "test"); });
  CHECK_THROWS_WITH(
      w.session->lab().check_rewind(),
      Contains("dos.img.overlay, and cannot be undone; start with --floppy " + diskette + ",mode=memory"));
  w.run(400_ms, {{200_ms, [] { press(SDL_SCANCODE_J); }}});
  CHECK_FALSE(w.session->lab().machine().diskette().drive(0).image);
  CHECK_NOTHROW(w.session->lab().check_rewind());
  CHECK(w.session->lab().configuration().find("dos.img") == std::string::npos);
  CHECK_FALSE(w.session->repeatable());
}

TEST_CASE("a reset restarts the machine") {
  Watched w;
  w.open();
  std::vector<std::string> before, after;
  w.run(4_s, {{1800_ms,
               [&] {
                 before = w.session->screen();
                 press(SDL_SCANCODE_BACKSPACE);
               }},
              {2000_ms, [&] { after = w.session->screen(); }}});
  CHECK(before != after);
  CHECK(w.session->screen() == before);
  CHECK_FALSE(w.session->repeatable());
}

TEST_CASE("dropped files go into drive A and the CD-ROM drive") {
  Watched w;
  const auto diskette = w.scratch.write("new.img", std::string(1474560, '\0'));
  const auto first = w.scratch.write("first.iso", std::string(64 * 2048, '1'));
  const auto second = w.scratch.write("second.iso", std::string(32 * 2048, '2'));
  w.open([&](Config& config) { config.set("cdrom.3.file", first, "test"); });
  Machine& machine = w.session->lab().machine();
  CHECK_FALSE(machine.diskette().drive(0).image);
  w.run(400_ms, {{200_ms, [&] {
                    drop(diskette);
                    drop(second);
                    drop(w.scratch.file("none.img"));  // refused: the previous one stays
                  }}});
  REQUIRE(machine.diskette().drive(0).image);
  CHECK(machine.diskette().drive(0).image->disk().name() == diskette);
  const auto* drive = machine.storage()->drive(3);
  REQUIRE(drive);
  CHECK(drive->image().name() == second);
  CHECK(drive->image().sectors() == 32 * 4);
  CHECK_FALSE(w.session->repeatable());
  CHECK(w.session->lab().configuration().find("second.iso") != std::string::npos);  // as in snapshots
}
#endif
