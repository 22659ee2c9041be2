// SPDX-License-Identifier: GPL-2.0-or-later
// The window's parts that do not need a window: speed control and measurement, placing of the picture, descriptions of
// frames, adapters' buffers as bars, the search in memory.
#include "tests/catch.hpp"

#if PLANAR_HAVE_WINDOW
#include "frontend/window/content/screen.hpp"
#include "frontend/window/content/window_settings.hpp"
#include "frontend/window/desktop.hpp"
#include "frontend/window/pace.hpp"
#include "frontend/window/panes/buffer_bars.hpp"
#include "frontend/window/panes/frame_text.hpp"
#include "frontend/window/panes/memory_search.hpp"

using namespace planar;
using std::chrono::milliseconds;

TEST_CASE("the window's speed is the virtual time passed, even at full speed") {
  Pace pace;
  const Pace::Clock::time_point start{};
  const auto host = [&](int ms) { return start + milliseconds(ms); };
  CHECK_FALSE(pace.speed(0_s, host(0)));
  CHECK(*pace.speed(1_s, host(1000)) == Approx(100));
  pace.set_throttle(0);
  CHECK(*pace.speed(401_s, host(2000)) == Approx(40000));  // 400 times
  CHECK(*pace.speed(401_s, host(2100)) == Approx(40000));  // not measured again yet
  CHECK(*pace.speed(401_s, host(3000)) == Approx(0).margin(0.1));
  CHECK_FALSE(pace.speed(10_s, host(4000)));  // back in time: a new measurement
  CHECK(*pace.speed(10_s + 500_ms, host(5000)) == Approx(50));
}

TEST_CASE("the window waits while virtual time is ahead of the selected speed") {
  Pace pace;
  const Pace::Clock::time_point start{};
  const auto host = [&](int ms) { return start + milliseconds(ms); };
  CHECK(pace.ahead(5_s, host(0)).count() == 0);  // the measurement begins here
  CHECK(pace.ahead(5_s + 100_ms, host(40)) == milliseconds(60));
  CHECK(pace.ahead(5_s + 100_ms, host(140)).count() == 0);
  CHECK(pace.late(5_s + 100_ms, host(140)));
  CHECK_FALSE(pace.late(5_s + 100_ms, host(110)));
  pace.set_throttle(50);
  CHECK(pace.ahead(6_s, host(1000)).count() == 0);
  CHECK(pace.ahead(6_s + 100_ms, host(1000)) == milliseconds(200));
  pace.set_throttle(0);
  CHECK(pace.ahead(60_s, host(1000)).count() == 0);
  // No attempt is made to catch up when the host has slept for a second.
  pace.set_throttle(100);
  CHECK(pace.ahead(60_s, host(1000)).count() == 0);
  CHECK(pace.ahead(60_s + 20_ms, host(2000)).count() == 0);
  CHECK(pace.ahead(60_s + 40_ms, host(2000)) == milliseconds(20));
}

TEST_CASE("the machine's picture is 4:3 with lines of equal height") {
  const Rect window{0, 20, 1088, 808};
  CHECK(fit_picture(window, 720, 400, Scaling::whole) == Rect{10, 24, 1067, 800});
  CHECK(fit_picture(window, 640, 480, Scaling::whole) == Rect{224, 184, 640, 480});
  CHECK(fit_picture({0, 0, 1280, 960}, 640, 480, Scaling::whole) == Rect{0, 0, 1280, 960});
  CHECK(fit_picture(window, 640, 480, Scaling::fill) == Rect{5, 20, 1077, 808});
  CHECK(fit_picture(window, 320, 200, Scaling::square) == Rect{64, 124, 960, 600});
  // 720 columns do not fit into 533: as large as possible instead.
  CHECK(fit_picture({0, 0, 800, 600}, 720, 400, Scaling::whole) == Rect{0, 0, 800, 600});
  CHECK(fit_picture({0, 0, 100, 60}, 720, 400, Scaling::square) == Rect{10, 0, 80, 60});
}

TEST_CASE("frames are described in words; a truncated one is not read beyond its end") {
  const std::vector<std::uint8_t> syn{
      0x02, 0x50, 0x4C, 0x41, 0x4E, 0x01, 0x00, 0x00, 0xD8, 0x01, 0x02, 0x01, 0x08, 0x00,  // Ethernet
      0x45, 0x00, 0x00, 0x2C, 0x00, 0x01, 0x00, 0x00, 0x40, 0x06, 0x00, 0x00, 192,  168,  10,   2,    192,
      168,  10,   1,    0x09, 0xC6, 0x49, 0x4F, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00, 0x60, 0x02,
      0x7D, 0x78, 0,    0,    0,    0,    0x02, 0x04, 0x05, 0xB4, 0,    0,    0,    0,    0,    0};
  const FrameText t = frame_text(net::LinkType::ethernet, syn);
  CHECK(t.from == "192.168.10.2");
  CHECK(t.to == "192.168.10.1");
  CHECK(t.protocol == "TCP");
  CHECK(t.info == "2502 > 18767 SYN seq 5 ack 0 win 32120 len 0");
  REQUIRE(t.lines.size() == 3);
  CHECK(t.lines[0] == "Ethernet 00:00:D8:01:02:01 > 02:50:4C:41:4E:01 type 0800");
  const std::vector<std::uint8_t> active{0x10, 0x05, 0xC0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x10, 0, 0x5A, 0, 0,
                                         1,    0,    8,    0, 5,    0,    0,    0,    0,    0, 0,    0, 0};
  CHECK(frame_text(net::LinkType::token_ring, active).info == "active monitor present (05)");
  for (const auto link : {net::LinkType::ethernet, net::LinkType::token_ring})
    for (std::size_t length = 0; length <= syn.size(); ++length) {
      const std::vector<std::uint8_t> cut(syn.begin(), syn.begin() + static_cast<std::ptrdiff_t>(length));
      CHECK_FALSE(frame_text(link, cut).info.empty());
    }
}

TEST_CASE("an adapter's receive ring is drawn from the first unread page to the page being written") {
  Description chip("DP8390");
  Description& ring = chip.part("receive ring");
  ring.reg("PSTART", 0x46, 8).reg("PSTOP", 0x80, 8).reg("BNRY", 0x7E, 8).reg("CURR", 0x48, 8);
  chip.part("transmitter").reg("TPSR", 0x40, 8).reg("TBCR", 1514, 16).flag("sending", true);
  const auto bars = buffer_bars(chip);
  REQUIRE(bars.size() == 1);
  CHECK(bars[0].first == 0x40);
  CHECK(bars[0].end == 0x80);
  REQUIRE(bars[0].fills.size() == 3);  // across the end of the ring, and the frame being sent
  CHECK(bars[0].fills[0].from == 0x7F);
  CHECK(bars[0].fills[1].to == 0x48);
  CHECK(bars[0].fills[2].to == 0x46);
  Description reset("DP8390");
  reset.part("receive ring").reg("PSTART", 0, 8).reg("PSTOP", 0, 8).reg("BNRY", 0, 8).reg("CURR", 0, 8);
  CHECK(buffer_bars(reset).empty());
}

TEST_CASE("the window's settings survive writing and reading, and invalid ones are dropped") {
  WindowSettings s;
  s.width = 1000;
  s.height = 700;
  s.scale = 1.5;
  s.scaling = Scaling::square;
  s.sound = false;
  s.panes = "cpu=right,wire=float";
  s.shares[2] = 0.4F;
  s.floating = "[Window][Wire]\nPos=60,60\n";
  for (unsigned n = 0; n < 12; ++n) s.remember("/images/" + std::to_string(n) + ".img");
  s.remember("/images/5.img");
  s.remember("no\nline");
  CHECK(s.recent.size() == WindowSettings::most_recent);
  CHECK(s.recent[0] == "/images/5.img");
  CHECK(s.recent[1] == "/images/11.img");
  const WindowSettings again = WindowSettings::parse(s.text());
  CHECK(again.text() == s.text());
  CHECK(again.width == 1000);
  CHECK(again.scale == 1.5);
  CHECK(again.scaling == Scaling::square);
  CHECK_FALSE(again.sound);
  CHECK(again.shares == s.shares);
  CHECK(again.recent == s.recent);
  CHECK(again.floating == s.floating);
  const WindowSettings usual = WindowSettings::parse(
      "[planar][window]\nwidth=-5\nheight=99999999999999\nscale=nan\nleft=7\npicture=round\nfuture=1\n=\n[");
  CHECK(usual.width == 0);
  CHECK(usual.height == 0);
  CHECK(usual.scale == 0);
  CHECK(usual.shares == WindowSettings{}.shares);
  CHECK(load_window_settings("/nonexistent/window.ini").text() == WindowSettings{}.text());
}

TEST_CASE("text is twice as large on a display with double resolution") {
  CHECK(scale_of(0) == 1);  // a display without this information
  CHECK(scale_of(72) == 1);
  CHECK(scale_of(96) == 1);
  CHECK(scale_of(109) == 1);
  CHECK(scale_of(144) == 1.5);
  CHECK(scale_of(192) == 2);
  CHECK(scale_of(2000) == 4);
}

TEST_CASE("memory can be searched for bytes and for text") {
  CHECK(*parse_pattern("DE ad bE") == std::vector<std::uint8_t>{0xDE, 0xAD, 0xBE});
  CHECK(*parse_pattern("\"PS/2\"") == std::vector<std::uint8_t>{'P', 'S', '/', '2'});
  CHECK_FALSE(parse_pattern("DEA"));
  CHECK_FALSE(parse_pattern("hello"));
  std::vector<std::uint8_t> ram(0x10000);
  ram[0x1234] = ram[0x8000] = 0xAA;
  ram[0x1235] = ram[0x8001] = 0x55;
  AddressSpace memory;
  memory.map_ram(0, ram);
  const auto mark = *parse_pattern("AA55");
  CHECK(*find_pattern(memory, mark, 0, 0x10000, 0_s) == 0x1234);
  CHECK(*find_pattern(memory, mark, 0x1235, 0x10000, 0_s) == 0x8000);
  CHECK_FALSE(find_pattern(memory, mark, 0x8001, 0x10000, 0_s));
}
#endif
