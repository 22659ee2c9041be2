// SPDX-License-Identifier: GPL-2.0-or-later
// The server station as a sender: netio from version 1.16 on.
#include "tests/devices/stations/talk.hpp"

using namespace planar;
using namespace planar::test;

namespace {

Bytes control(std::uint32_t command, std::uint32_t size) {
  Bytes b;
  put32(b, command);
  put32(b, size);
  return b;
}

/// A client that has requested blocks of `size`, and reassembles the stream.
struct Client {
  explicit Client(std::uint32_t block = 1024, Time duration = 100_ms, bool sack = false)
      : t({.full_duplex = true}, {.services = {.netio_duration = duration}}), size(block) {
    t.connect(sack);
    t.send_data(PSH | ACK, control(2, size));
  }
  /// Takes the received segments; those out of order are dropped, as in the guest's stack. True if any arrived.
  bool take() {
    const auto list = t.received();
    for (const auto& s : list) {
      if (s.seq != t.ack) {
        ++out_of_order;
        continue;
      }
      t.ack += static_cast<std::uint32_t>(s.length);
      put(stream, s.data);
    }
    return !list.empty();
  }
  /// Acknowledges every millisecond until nothing has arrived for half a second.
  void run() {
    for (int quiet = 0; quiet < 500; ++quiet) {
      t.step(1_ms);
      if (!take()) continue;
      quiet = 0;
      t.send_tcp(ACK, 0);
    }
  }
  Talk t;
  std::uint32_t size;
  Bytes stream;
  unsigned out_of_order = 0;
};

void check_blocks(const Bytes& stream, std::uint32_t size) {
  REQUIRE(stream.size() > size);
  REQUIRE(stream.size() % size == 0);
  for (std::size_t at = 0; at + size < stream.size(); at += size) REQUIRE(stream[at] == 0);
  CHECK(stream[stream.size() - size] == 1);
}

}  // namespace

TEST_CASE("the peer sends blocks for its duration and ends with an end marker", "[peer][tcp]") {
  Client c;
  c.run();
  check_blocks(c.stream, 1024);
  CHECK(c.out_of_order == 0);
  CHECK(c.t.peer.tcp().counters().bytes_out == c.stream.size());
  CHECK(c.t.peer.tcp().counters().retransmitted == 0);
  // The connection continues: the client's turn, then QUIT, after which the server closes.
  Bytes block(2048, 0);
  c.t.send_data(PSH | ACK, control(1, 1024));
  c.t.step(1_ms);
  block[1024] = 1;
  c.t.send_data(PSH | ACK, Bytes(block.begin(), block.begin() + 1024));
  c.t.step(1_ms);
  c.t.send_data(PSH | ACK, Bytes(block.begin() + 1024, block.end()));
  c.t.step(1_ms);
  c.t.send_data(PSH | ACK, control(2, 4096));
  c.stream.clear();
  c.run();
  check_blocks(c.stream, 4096);
  c.t.send_data(PSH | ACK, control(0, 0));
  c.t.step(20_ms);
  const auto end = c.t.received();
  REQUIRE(!end.empty());
  CHECK((end.back().flags & FIN) != 0);
  c.t.ack = end.back().seq + 1;
  c.t.send_tcp(FIN | ACK, 0);
  c.t.step(20_ms);
  CHECK(c.t.peer.tcp().connections() == 0);
}

TEST_CASE("the peer starts with two segments and opens its window on acknowledgements", "[peer][tcp]") {
  Client c;
  c.t.step(20_ms);
  auto first = c.t.received();
  std::erase_if(first, [](const auto& s) { return s.length == 0; });
  REQUIRE(first.size() == 2);
  CHECK(first[0].length == 1448);
  CHECK(first[1].seq == first[0].seq + 1448);
  c.t.ack = first[1].seq + 1448;
  c.t.send_tcp(ACK, 0);
  c.t.step(20_ms);
  CHECK(c.t.received().size() == 3);
}

TEST_CASE("a lost segment is retransmitted after three duplicates, a lost flight after the time-out", "[peer][tcp]") {
  Client c(1024, 200_ms);
  for (int i = 0; i < 5; ++i) {
    c.t.step(20_ms);
    c.take();
    c.t.send_tcp(ACK, 0);
  }
  c.t.step(20_ms);
  const auto lost = c.t.received();  // never processed
  REQUIRE(lost.size() >= 5);
  for (int i = 0; i < 3; ++i) {
    c.t.send_tcp(ACK, 0);
    c.t.step(3_ms);
  }
  const auto again = c.t.received();
  REQUIRE(!again.empty());
  CHECK(again[0].seq == lost[0].seq);
  CHECK(again[0].data == lost[0].data);
  c.t.step(2_s);  // everything is lost; the timer starts again
  const auto timed = c.t.received();
  REQUIRE(!timed.empty());
  CHECK(timed[0].seq == lost[0].seq);
  c.run();
  check_blocks(c.stream, 1024);
  CHECK(c.t.peer.tcp().counters().retransmitted > 0);
}

TEST_CASE("segments leave space for the blocks of a SACK option, including retransmissions", "[peer][tcp]") {
  Client c(1024, 400_ms, true);
  for (int i = 0; i < 4; ++i) {
    c.t.step(20_ms);
    c.take();
    c.t.send_tcp(ACK, 0);
  }
  c.t.step(20_ms);
  const auto lost = c.t.received();  // full segments, without SACK blocks
  REQUIRE(lost.size() >= 4);
  CHECK(lost[0].length == 1448);
  // Two holes in the data sent by the test: from now on each answer carries SACK blocks.
  const std::uint32_t seq = c.t.seq;
  for (unsigned hole = 1; hole <= 2; ++hole) {
    c.t.seq = seq + 200 * hole;
    c.t.send_data(ACK, Bytes(100, 0));
    c.t.step(1_ms);
    const auto answers = c.t.received();
    REQUIRE(!answers.empty());
    CHECK(answers.back().options.size() == 12 + 4 + 8 * hole);
  }
  c.t.seq = seq;
  for (int i = 0; i < 3; ++i) {
    c.t.send_tcp(ACK, 0);
    c.t.step(3_ms);
  }
  const auto again = c.t.received();
  REQUIRE(!again.empty());
  CHECK(again[0].seq == lost[0].seq);
  CHECK(again[0].length == 1448 - 4 - 16);
  CHECK(again[0].options.size() == 12 + 4 + 16);
  c.run();  // the stream is complete and in order, and no datagram is longer than the MTU
  check_blocks(c.stream, 1024);
}

TEST_CASE("a closed window is probed, a small one is used", "[peer][tcp]") {
  Client c;
  c.t.step(20_ms);
  c.take();
  c.t.window = 0;
  c.t.send_tcp(ACK, 0);
  c.t.step(3_s);
  const auto probes = c.t.received();
  REQUIRE(!probes.empty());
  for (const auto& p : probes) CHECK(p.length == 0);
  c.t.window = 500;
  c.t.send_tcp(ACK, 0);
  c.t.step(20_ms);
  const auto part = c.t.received();
  REQUIRE(part.size() == 1);
  CHECK(part[0].length == 500);
  c.t.ack += 500;
  put(c.stream, part[0].data);
  c.t.window = 32120;
  c.t.send_tcp(ACK, 0);
  c.run();
  check_blocks(c.stream, 1024);
}
