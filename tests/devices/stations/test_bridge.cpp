// SPDX-License-Identifier: GPL-2.0-or-later
// The transparent bridge: learning, filtering, flooding, ageing, delays, and its snapshot.
#include "devices/stations/bridge/bridge.hpp"
#include "tests/devices/medium/toy_medium.hpp"

using namespace planar;
using namespace planar::test;

namespace {

const MacAddress alice{0x02, 0, 0, 0, 0, 0xA1}, anna{0x02, 0, 0, 0, 0, 0xA2}, bob{0x02, 0, 0, 0, 0, 0xB0};

Bytes frame_of(std::size_t bytes, const MacAddress& to, const MacAddress& from) {
  Bytes f(to.begin(), to.end());
  f.insert(f.end(), from.begin(), from.end());
  f.insert(f.end(), {0x88, 0xB5});
  while (f.size() < bytes) f.push_back(static_cast<std::uint8_t>(f.size() * 3 + from[5]));
  return f;
}

/// Two segments and a third one, a bridge between them, and a station on each.
struct Bridged {
  explicit Bridged(const BridgeFigures& timing = {}, std::uint64_t fast = 10'000'000)
      : left({}, "left"),
        right({.bits_per_second = fast}, "right"),
        third({}, "third"),
        media{&left, &right, &third},
        bridge(scheduler, trace, "bridge", media, 0x180, timing),
        a(scheduler, left, "a", 1),
        b(scheduler, right, "b", 2),
        c(scheduler, third, "c", 3) {}
  void send(Ear& from, const Bytes& frame) {
    from.link->send(frame, scheduler.now());
    scheduler.run_until(scheduler.now() + 10_ms);
  }
  void archive(Archive& archive) {
    scheduler.archive(archive);
    for (Medium* medium : media) medium->archive(archive);
    bridge.archive(archive);
    for (Ear* ear : {&a, &b, &c}) {
      ear->link->archive_waiting(archive);
      ear->link->archive(archive);
    }
  }
  std::string hash() {
    Archive saver = Archive::saver();
    archive(saver);
    return sha256_hex(saver.stream());
  }

  Scheduler scheduler;
  Trace trace;
  EthernetSegment left, right, third;
  std::vector<Medium*> media;
  Bridge bridge;
  Ear a, b, c;
};

}  // namespace

TEST_CASE("a frame to an unknown station is sent to every other side, the answer to one", "[bridge]") {
  Bridged n;
  const Bytes question = frame_of(300, bob, alice), answer = frame_of(500, alice, bob);
  n.send(n.a, question);
  REQUIRE(n.b.heard.size() == 1);
  CHECK(n.b.heard[0] == question);
  REQUIRE(n.c.heard.size() == 1);
  CHECK(n.bridge.counters().flooded == 1);
  n.send(n.b, answer);
  REQUIRE(n.a.heard.size() == 1);
  CHECK(n.a.heard[0] == answer);
  CHECK(n.c.heard.size() == 1);  // not flooded: alice has been heard on the left
  CHECK(n.bridge.counters().forwarded == 1);
  n.send(n.a, question);
  CHECK(n.b.heard.size() == 2);
  CHECK(n.c.heard.size() == 1);
  CHECK(n.bridge.counters().received == 3);
}

TEST_CASE("frames between stations of one side are not forwarded; group frames are, except the bridges' own",
          "[bridge]") {
  Bridged n;
  Ear anne(n.scheduler, n.left, "anne", 4);
  n.send(anne, frame_of(60, broadcast_mac, anna));
  CHECK(n.b.heard.size() == 1);
  CHECK(n.c.heard.size() == 1);
  n.send(n.a, frame_of(100, anna, alice));
  CHECK(anne.heard.size() == 1);
  CHECK(n.b.heard.size() == 1);
  CHECK(n.bridge.counters().filtered == 1);
  n.send(n.a, frame_of(60, {0x01, 0x80, 0xC2, 0, 0, 0x0F}, alice));
  CHECK(n.b.heard.size() == 1);
  n.send(n.a, frame_of(60, {0x01, 0x80, 0xC2, 0, 0, 0x10}, alice));
  CHECK(n.b.heard.size() == 2);
  CHECK(n.bridge.counters().filtered == 2);
}

TEST_CASE("store and forward: a frame is sent the declared delay after its end, at the other side's rate", "[bridge]") {
  Bridged n({.delay = 100_us}, 100'000'000);
  Log left, right;
  n.left.add_observer(left);
  n.right.add_observer(right);
  n.send(n.a, frame_of(1000, bob, alice));
  REQUIRE(right.entries.size() == 1);
  CHECK(right.entries[0].start == left.entries[0].end + 500_ns + 100_us);  // the last bit arrives 500 ns later
  CHECK(right.entries[0].end - right.entries[0].start == 80_ns * (8 + 1004));
}

TEST_CASE("damaged frames are not forwarded", "[bridge]") {
  Bridged n;
  Recorder sender(n.scheduler, &n.left, "sender", 5);
  sender.port.transmit(damaged(make_frame(200)), n.scheduler.now());
  n.scheduler.run_until(10_ms);
  CHECK(n.b.heard.empty());
  CHECK(n.bridge.counters().damaged == 1);
  CHECK(n.bridge.counters().received == 0);
}

TEST_CASE("an address is removed after the ageing time, and follows its station", "[bridge]") {
  Bridged n({.ageing = 10_s});
  n.send(n.a, frame_of(60, broadcast_mac, alice));
  n.scheduler.run_until(9_s);
  n.send(n.b, frame_of(60, alice, bob));
  CHECK(n.c.heard.size() == 1);  // the broadcast
  n.scheduler.run_until(11_s);
  n.send(n.b, frame_of(60, alice, bob));
  CHECK(n.c.heard.size() == 2);
  n.send(n.c, frame_of(60, broadcast_mac, alice));  // she has moved
  const std::size_t before = n.a.heard.size();
  n.send(n.b, frame_of(60, alice, bob));
  CHECK(n.c.heard.size() == 3);
  CHECK(n.a.heard.size() == before);
}

TEST_CASE("the address table stops learning when full, until old addresses are removed", "[bridge]") {
  Bridged n({.ageing = 20_s});
  const auto station = [](unsigned number) {
    return MacAddress{0x02, 0, 0, 1, static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number)};
  };
  for (unsigned k = 0; k < bridge_addresses; ++k) n.send(n.a, frame_of(60, broadcast_mac, station(k)));
  n.send(n.a, frame_of(60, broadcast_mac, alice));
  const auto flooded = n.bridge.counters().flooded;
  n.send(n.b, frame_of(60, alice, bob));
  CHECK(n.bridge.counters().flooded == flooded + 1);
  n.send(n.b, frame_of(60, station(511), bob));
  CHECK(n.bridge.counters().forwarded == 1);
  n.scheduler.run_until(40_s);
  n.send(n.a, frame_of(60, broadcast_mac, alice));
  n.send(n.b, frame_of(60, alice, bob));
  CHECK(n.bridge.counters().forwarded == 2);
}

TEST_CASE("a slow side drops the frames that it cannot buffer", "[bridge]") {
  Bridged n;
  n.send(n.b, frame_of(60, broadcast_mac, bob));
  RelentlessSender jammer(n.scheduler, n.right, bob);
  jammer.port.transmit(make_frame(1514, bob), n.scheduler.now());
  for (unsigned k = 0; k < bridge_queue + 20; ++k) n.a.link->send(frame_of(60, anna, alice), n.scheduler.now());
  n.scheduler.run_until(40_ms);
  CHECK(n.bridge.counters().dropped > 0);
  CHECK(n.bridge.counters().received > bridge_queue);
  CHECK(n.c.heard.size() > bridge_queue);  // the other side has received all of them
}

TEST_CASE("the bridge translates between unrelated media", "[bridge]") {
  Scheduler scheduler;
  Trace trace;
  EthernetSegment segment({}, "lan");
  ToyLine line("line");
  const std::vector<Medium*> media{&segment, &line};
  Bridge bridge(scheduler, trace, "bridge", media, 0x180);
  Ear a(scheduler, segment, "a", 1), b(scheduler, line, "b", 2);
  const Bytes question = frame_of(300, bob, alice), answer = frame_of(20, alice, bob);
  a.link->send(question, Time{});
  scheduler.run_until(10_ms);
  REQUIRE(b.heard.size() == 1);
  CHECK(b.heard[0] == question);
  b.link->send(answer, scheduler.now());
  scheduler.run_until(20_ms);
  REQUIRE(a.heard.size() == 1);
  CHECK(a.heard[0].size() == 60);
  CHECK(std::equal(answer.begin(), answer.end(), a.heard[0].begin()));
  const Description d = bridge.describe();
  REQUIRE(d.parts().size() == 1);
  REQUIRE(d.parts()[0].fields().size() == 2);
  CHECK(d.parts()[0].fields()[0].name == format_mac(alice));
  CHECK(d.parts()[0].fields()[0].text == "lan");
  CHECK(d.parts()[0].fields()[1].text == "line");
}

TEST_CASE("a bridge's run is reproducible, and continues from a snapshot with frames in it", "[bridge]") {
  const auto traffic = [](Bridged& n) {
    for (unsigned k = 0; k < 30; ++k) {
      n.a.link->send(frame_of(60 + k * 40, k % 3 ? bob : broadcast_mac, alice), n.scheduler.now());
      n.b.link->send(frame_of(1200 - k * 30, alice, bob), n.scheduler.now());
    }
  };
  Bridged first, second, third;
  traffic(first);
  traffic(second);
  first.scheduler.run_until(12_ms);
  second.scheduler.run_until(12_ms);
  CHECK(first.hash() == second.hash());
  Archive saver = Archive::saver();
  first.archive(saver);
  Archive loader = Archive::loader(saver.stream());
  third.archive(loader);
  loader.expect_end();
  first.scheduler.run_until(1_s);
  third.scheduler.run_until(1_s);
  CHECK(first.bridge.counters().received == 60);
  CHECK(first.hash() == third.hash());
}
