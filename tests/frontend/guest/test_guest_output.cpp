// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest/guest_image.hpp"
#include "frontend/guest/guest_output.hpp"
#include "frontend/guest/measured.hpp"
#include "frontend/guest_benchmarks/netio_result.hpp"
#include "frontend/options/options.hpp"
#include "tests/catch.hpp"

using namespace planar;

namespace {
GuestOutput heard(const std::string& text) {
  GuestOutput g;
  for (const char c : text) g.byte(static_cast<std::uint8_t>(c), 1_s, {});
  return g;
}
}  // namespace

TEST_CASE("rows are the guest's counts, in netio's own unit") {
  const auto g = heard(
      "hello\r\n@planar-guest 1 netio 1.14\r\n@netio start\r\n@row bytes=1024 blocks=3652 ticks=10245 "
      "kb_per_s=365.0\r\n"
      "@row bytes=32767 blocks=177 ticks=10240 kb_per_s=566.3\r\n@load percent=98.1 busy_ticks=1 all_ticks=2\r\n@done "
      "0\r\n");
  REQUIRE(netio_rows(g).size() == 2);
  CHECK(netio_rows(g)[0].kb_per_s() == Approx(3652.0 * 1024 / 1024 / (10245.0 / 1024)));
  CHECK(netio_rows(g)[1].kb_per_s() == Approx(566.39).epsilon(0.001));
  CHECK(g.value("@load", "percent") == "98.1");
  CHECK(g.done() == 0);
  CHECK_FALSE(g.failure());
  CHECK(g.find("@netio start"));
  CHECK_FALSE(g.find("@netio end"));
}

TEST_CASE("what a record reports ended when the guest says, however late the record is") {
  GuestOutput g;
  const auto say = [&](const std::string& line, Time at) {
    for (const char c : line + "\n") g.byte(static_cast<std::uint8_t>(c), at, {});
    return measured(g, g.lines().back(), 1_s).to;
  };
  const std::string row = "@row bytes=1024 blocks=1 ticks=1024 ended_s=";
  say("@netio start version=1.14", 5_s + 3_ms);
  CHECK(say(row + "1 ended_us=250", 6_s + 9_ms) == 6_s + 3_ms + 250_us);
  CHECK(say(row + "2 ended_us=0", 7_s + 1_ms) == 7_s + 1_ms);  // the start's line was the late one
  CHECK(say(row + "3 ended_us=0", 8_s + 9_ms) == 8_s + 1_ms);
  for (const char* wrong : {"", "4 ended_us=1000000", "18446744073709551615 ended_us=0", "4", "x ended_us=1"})
    CHECK(say(row + wrong, 9_s) == 9_s);
  say("@netio start version=1.14", 10_s);  // counts from here
  CHECK(say(row + "1 ended_us=0", 11_s + 4_ms) == 11_s);
  CHECK(measured(g, g.lines().back(), 300_ms).from == 11_s - 300_ms);
  CHECK(measured(g, g.lines().back(), 3600_s).from == 0_s);
}

TEST_CASE("a line is reported when it ends, a prompt when the cursor waits after it") {
  const auto g = heard("Welcome\nlogin: ");
  CHECK(g.says("come", 1_s));
  CHECK_FALSE(g.says("login:", 1_s + 99_ms));
  CHECK(g.says("login:", 1_s + 100_ms));
  CHECK_FALSE(g.says("password:", 2_s));
}

TEST_CASE("malformed guest output is skipped") {
  const auto g = heard("@row bytes=x blocks=1 ticks=2\n@row\n@done\n@rowbytes=1 blocks=2 ticks=3\n" +
                       std::string(100000, 'a') + "\n");
  CHECK(netio_rows(g).empty());
  CHECK(g.done() == 1);
  CHECK(g.lines().back().text.size() == 4096);
}

TEST_CASE("a failure is reported with its reason") {
  const auto g = heard("@fail no adapter found\r\n@done 1\r\n");
  CHECK(g.failure() == "no adapter found");
  CHECK(g.done() == 1);
}

TEST_CASE("settings replace those of the image's settings sector and keep the rest") {
  std::vector<std::uint8_t> image(2048, 0x90);
  const std::string text = "planar-settings 1\ndo=netio\nseconds=10\nip=192.168.10.2\n";
  std::fill(image.begin() + 512, image.begin() + 1024, 0);
  std::copy(text.begin(), text.end(), image.begin() + 512);
  const auto copy = with_settings(image, {{"seconds", "0.25"}, {"sizes", "1024"}});
  const std::string sector(copy.begin() + 512, copy.begin() + 1024);
  CHECK(sector.find("seconds=0.25\n") != std::string::npos);
  CHECK(sector.find("seconds=10\n") == std::string::npos);
  CHECK(sector.find("ip=192.168.10.2\n") != std::string::npos);
  CHECK(std::equal(copy.begin(), copy.begin() + 512, image.begin()));
  CHECK(std::equal(copy.begin() + 1024, copy.end(), image.begin() + 1024));
  CHECK_THROWS_AS(with_settings(image, {{"sizes", std::string(600, '1')}}), Error);
  image[512] = 'X';
  CHECK_THROWS_AS(with_settings(image, {}), Error);
}

TEST_CASE("--card is [SLOT=]NAME[:option=value,...]") {
  const auto card = parse_card_option("3=ne2:irq=3,mac=00:00:d8:01:02:03");
  CHECK(card.slot == 3);
  CHECK(card.name == "ne2");
  REQUIRE(card.options.size() == 2);
  CHECK(card.options[1] == std::pair<std::string, std::string>{"mac", "00:00:d8:01:02:03"});
  CHECK_FALSE(parse_card_option("ne2").slot);
  for (const char* wrong : {"", "9=ne2", "x=ne2", "3=", "ne2:irq", "ne2:=3", "0=ne2"})
    CHECK_THROWS_AS(parse_card_option(wrong), Error);
}

TEST_CASE("the JSON object has the members of planar.netio/2 in order") {
  NetioResult r;
  r.rows = {{1024, 3652, 10245}};
  const auto j = r.json();
  std::vector<std::string> keys;
  for (const auto& [key, value] : j.items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"schema",
                                         "machine",
                                         "card",
                                         "slot",
                                         "hypothetical",
                                         "net",
                                         "repeatable",
                                         "seed",
                                         "placement",
                                         "netio_version",
                                         "guest_image_sha256",
                                         "planar",
                                         "configuration",
                                         "rows",
                                         "cpu_load_percent",
                                         "true_busy_percent",
                                         "virtual_seconds",
                                         "instructions",
                                         "cycles",
                                         "frames",
                                         "state_hash",
                                         "host"});
  CHECK(j["rows"][0]["packet_bytes"] == 1024);
  CHECK(j["rows"][0]["kb_per_s"] == 365.02);
}
