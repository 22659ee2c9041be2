// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/peer/netio_protocol.hpp"
#include "tests/catch.hpp"

using namespace planar;
using namespace planar::net;

namespace {

Bytes record(std::uint32_t command, std::uint32_t size) {
  Bytes b;
  put32(b, command);
  put32(b, size);
  return b;
}

/// Everything that the server sends at one time, at most `limit` bytes.
Bytes sent(NetioSession& s, Time now, std::size_t piece = 700, std::size_t limit = 100'000) {
  Bytes all;
  while (all.size() < limit) {
    const auto n = s.to_send(piece, now);
    if (!n) break;
    all.resize(all.size() + n);
    s.take(std::span(all).last(n));
  }
  return all;
}

}  // namespace

TEST_CASE("data without a control record belong to the first generation, whatever they contain") {
  for (const Bytes& begin : {Bytes(8, 0), Bytes(8, 0x5A), record(1, 0), record(2, 0xFFFFFFFF), record(3, 5)}) {
    NetioSession s;
    s.receive(begin, {});
    s.receive(Bytes(1000, 1), {});
    CHECK(s.generation() == NetioSession::Generation::first);
    CHECK(s.received() == 1008);
    CHECK(s.to_send(100, {}) == 0);
    CHECK_FALSE(s.leaving());
  }
}

TEST_CASE("second generation: blocks in, blocks out, quit, in pieces of any size") {
  for (const std::size_t piece : {1, 3, 1000, 100'000}) {
    NetioSession s(2_s);
    Bytes in = record(1, 1024);
    for (int block = 0; block < 3; ++block) {
      in.push_back(block == 2);
      in.resize(in.size() + 1023, 0xFF);  // only the first byte of a block matters
    }
    put(in, record(2, 2048));
    for (std::size_t at = 0; at < in.size(); at += piece)
      s.receive(ByteView(in).subspan(at, std::min(piece, in.size() - at)), 1_s);
    CHECK(s.generation() == NetioSession::Generation::second);
    CHECK(s.received() == 3 * 1024);
    Bytes out = sent(s, 1_s, piece, 10 * 2048);
    put(out, sent(s, 3_s, piece));
    REQUIRE(out.size() % 2048 == 0);
    REQUIRE(out.size() >= 10 * 2048);
    for (std::size_t at = 0; at < out.size(); at += 2048) CHECK(out[at] == (at + 2048 == out.size() ? 1 : 0));
    CHECK(s.sent() == out.size());
    CHECK(s.to_send(1, 4_s) == 0);
    s.receive(record(0, 0), 4_s);
    CHECK(s.leaving());
  }
}

TEST_CASE("a client that violates the protocol loses only its own connection") {
  NetioSession s(1_s);
  s.receive(record(2, 1024), {});
  s.receive(record(2, 4096), {});  // early: it waits for the last block
  CHECK(s.to_send(1, {}) == 1);
  s.receive(Bytes(9, 7), {});  // nobody sends so much in advance
  CHECK(s.leaving());
  CHECK(s.to_send(1, {}) == 0);
  NetioSession t;
  t.receive(record(1, 1), {});
  t.receive(Bytes{1}, {});
  t.receive(record(77, 1), {});
  CHECK(t.leaving());
}
