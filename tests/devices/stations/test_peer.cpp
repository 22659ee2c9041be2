// SPDX-License-Identifier: GPL-2.0-or-later
// The netio server station, tested with hand-made segments.
#include "tests/devices/stations/talk.hpp"

using namespace planar;
using namespace planar::test;

TEST_CASE("the peer answers ARP and ping after its turnaround", "[peer]") {
  Talk t;
  t.arp();
  REQUIRE(t.guest.arrivals.size() == 1);
  const auto& reply = t.guest.arrivals[0].bytes;
  CHECK(get16(reply, 20) == 2);
  CHECK(get32(reply, 28) == server_ip);
  // From the end of the request: propagation in both directions, turnaround, and its own 72 bytes on the wire.
  CHECK(t.guest.arrivals[0].when - t.guest.ends[0] == 2 * ethernet_propagation + peer_turnaround + 57'600_ns);

  Bytes ping{8, 0, 0, 0, 0, 1, 0, 1};
  for (int i = 0; i < 101; ++i) ping.push_back(static_cast<std::uint8_t>(i));
  set16(ping, 2, checksum_fold(checksum_add(ping)));
  t.send_ip(1, ping);
  t.step(1_ms);
  REQUIRE(t.guest.arrivals.size() == 2);
  const auto& pong = t.guest.arrivals[1].bytes;
  CHECK(pong[34] == 0);
  CHECK(std::equal(ping.begin() + 8, ping.end(), pong.begin() + 42));
}

TEST_CASE("the peer keeps its turnaround at 100 Mbit/s, and its frames take a tenth of the time", "[peer]") {
  const auto answer = [](std::uint64_t rate) {
    Talk t({.bits_per_second = rate});
    t.arp();
    REQUIRE(t.guest.arrivals.size() == 1);
    CHECK(t.guest.arrivals[0].ok);
    return t.guest.arrivals[0].when - t.guest.ends[0];
  };
  const Time around = ethernet_propagation * 2 + peer_turnaround;
  CHECK(answer(10'000'000) == around + 800_ns * (8 + 64));
  CHECK(answer(100'000'000) == around + 80_ns * (8 + 64));
}

TEST_CASE("the peer resolves an unknown station's address first", "[peer]") {
  Talk t;
  t.send_tcp(SYN, 0, t.syn_option());
  t.step(1_ms);
  REQUIRE(t.guest.arrivals.size() == 1);
  CHECK(get16(t.guest.arrivals[0].bytes, 12) == 0x0806);
  t.arp();
  const auto s = t.received();
  REQUIRE(s.size() == 1);
  CHECK(s[0].flags == (SYN | ACK));
}

TEST_CASE("the SYN/ACK offers the options of a Linux 2.2 server", "[peer][tcp]") {
  Talk t;
  t.connect();
  CHECK(Bytes(t.synack.options.begin(), t.synack.options.begin() + 8) == Bytes{2, 4, 0x05, 0xB4, 1, 1, 8, 10});
  CHECK(get32(t.synack.options, 12) == 5000);
  CHECK(t.synack.options.size() == 16);

  Talk sack;
  sack.connect(true);
  CHECK(sack.synack.options[4] == 4);

  Talk plain;
  plain.stamps = false;
  plain.connect();
  CHECK(plain.synack.options == Bytes{2, 4, 0x05, 0xB4});
}

TEST_CASE("the peer's segment size follows its MTU and the client's option", "[peer][tcp]") {
  const auto offered = [](std::uint32_t mtu, std::uint32_t theirs) {
    PeerConfig config;
    config.mtu = mtu;
    Talk t({}, config);
    t.arp();
    Bytes option{2, 4};
    put16(option, theirs);
    t.send_tcp(SYN, 0, option);
    t.step(1_ms);
    const auto synack = t.one();
    REQUIRE(synack);
    return std::pair<unsigned, unsigned>{get16(synack->options, 2), synack->window};
  };
  CHECK(offered(1500, 1460) == std::pair{1460u, 32120u});
  CHECK(offered(1500, 4424) == std::pair{1460u, 32120u});
  CHECK(offered(4464, 1460) == std::pair{1460u, 32120u});
  CHECK(offered(4464, 4424) == std::pair{4424u, 7 * 4424u});
  CHECK(offered(576, 1460) == std::pair{536u, 61 * 536u});
}

TEST_CASE("the window is half of the receive buffer, in whole segments", "[peer][tcp]") {
  const auto offered = [](std::uint32_t buffer) {
    PeerConfig config;
    config.receive_buffer = buffer;
    Talk t({}, config);
    t.arp();
    Bytes option{2, 4};
    put16(option, 1460);
    t.send_tcp(SYN, 0, option);
    t.step(1_ms);
    const auto s = t.one();
    REQUIRE(s);
    return s->window;
  };
  CHECK(offered(65535) == 22 * 1460);
  CHECK(offered(32767) == 11 * 1460);
  CHECK(offered(8192) == 2 * 1460);
}

TEST_CASE("bulk data: the first segment is acknowledged at once, then every second full one", "[peer][tcp]") {
  Talk t;
  t.connect();
  t.send_tcp(ACK, 1448);
  t.step(1_ms);
  auto s = t.one();
  REQUIRE(s);  // quick-ack
  CHECK(s->ack == t.seq);
  CHECK(s->window == 31856);
  // The estimate starts at 1460: two segments of 1448 are not yet two full ones; it then falls to 1448.
  t.align();
  t.send_tcp(ACK, 1448);
  CHECK_FALSE(t.one());
  t.send_tcp(ACK, 1448);
  t.step(300_us);
  s = t.one();
  REQUIRE(s);
  CHECK(s->ack == t.seq);
  CHECK(s->when - t.guest.ends.back() ==
        2 * ethernet_propagation + peer_turnaround + 62'400_ns);  // 78 bytes with preamble and FCS
  unsigned acks = 0;
  for (int i = 0; i < 6; ++i) {
    t.send_tcp(ACK, 1448);
    t.step(300_us);
    const auto a = t.one();
    if (a) {
      ++acks;
      CHECK(a->ack == t.seq);
      CHECK(i % 2 == 1);
    }
    if (i % 4 == 3) t.align();
  }
  CHECK(acks >= 2);
  CHECK(t.peer.tcp().counters().bytes == 9 * 1448);
}

TEST_CASE("a single segment is acknowledged at the next tick", "[peer][tcp]") {
  Talk t;
  t.connect();
  t.send_tcp(ACK, 1448);
  t.step(1_ms);
  REQUIRE(t.one());
  t.align();
  t.send_tcp(ACK, 1448);
  const Time tick = Time{(t.now.ps / (10_ms).ps + 1) * (10_ms).ps};
  t.step(tick - t.now);
  CHECK_FALSE(t.one());
  t.step(200_us);
  const auto s = t.one();
  REQUIRE(s);
  CHECK(s->ack == t.seq);
  CHECK(s->when - tick < 100_us);
  CHECK(t.peer.tcp().counters().acks_delayed == 1);
}

TEST_CASE("a delayed acknowledgement follows the station's own tick, whatever its phase", "[peer][tcp]") {
  PeerConfig config;
  config.tick_phase = 3'700_us;
  Talk t({}, config);
  t.connect();
  t.send_tcp(ACK, 1448);
  t.step(1_ms);
  REQUIRE(t.one());
  t.align();  // 0.1 ms after a multiple of 10 ms: its tick is 3.6 ms away
  t.send_tcp(ACK, 1448);
  const Time tick = Time{t.now.ps / (10_ms).ps * (10_ms).ps} + config.tick_phase;
  REQUIRE(tick > t.now);
  t.step(tick - t.now);
  CHECK_FALSE(t.one());
  t.step(200_us);
  const auto s = t.one();
  REQUIRE(s);
  CHECK(s->when > tick);
  CHECK(s->when - tick < 100_us);
}

TEST_CASE("segments of 1024 bytes lower the estimate: every second one is acknowledged", "[peer][tcp]") {
  Talk t;
  t.connect();
  t.send_tcp(PSH | ACK, 1024);
  t.step(500_us);
  REQUIRE(t.one());
  t.align();
  unsigned acks = 0;
  for (int i = 0; i < 4; ++i) {
    t.send_tcp(PSH | ACK, 1024);
    t.step(200_us);
    if (t.one()) ++acks;
  }
  CHECK(acks == 2);
}

TEST_CASE("a Windows-like server acknowledges every second segment of any size, and a single one after 200 ms",
          "[peer][tcp]") {
  PeerConfig config;
  config.acknowledge = AckRule::every_second_segment;
  Talk t({}, config);
  t.connect();
  t.align();
  // The two parts of a 2 KB block: Linux 2.2's estimate stays at 1448, and after the second part two of that have not
  // been reached. The connection's first segment is treated like any other.
  for (int i = 0; i < 4; ++i) {
    t.send_tcp(PSH | ACK, i % 2 ? 600 : 1448);
    t.step(300_us);
    CHECK(t.one().has_value() == (i % 2 == 1));
  }
  t.align();
  t.send_tcp(PSH | ACK, 1448);
  t.step(190_ms);
  CHECK_FALSE(t.one());
  t.step(11_ms);
  CHECK(t.one());
}

TEST_CASE("the window stays at 22 segments, and the echoed timestamp is the newest in order", "[peer][tcp]") {
  Talk t;
  t.connect();
  for (int i = 0; i < 40; ++i) {
    t.send_tcp(ACK, 1448);
    t.step(3_ms);
    for (const auto& s : t.received()) {
      CHECK(s.window == 31856);
      CHECK(s.echo() >= 5000);
      CHECK(s.echo() <= 5000 + static_cast<std::uint32_t>(t.now / 10_ms));
      CHECK(s.stamp() - get32(t.synack.options, 8) <= static_cast<std::uint32_t>(t.now / 10_ms));
    }
  }
}

TEST_CASE("duplicate and out-of-order segments are acknowledged at once", "[peer][tcp]") {
  Talk t;
  t.connect(true);
  t.send_tcp(ACK, 1448);
  t.step(500_us);
  REQUIRE(t.one());
  const std::uint32_t expected = t.seq;
  t.align();

  t.seq = expected - 1448;
  t.send_tcp(ACK, 1448);
  t.step(500_us);
  auto s = t.one();
  REQUIRE(s);
  CHECK(s->ack == expected);

  // A hole: segments 2 and 3 arrive, 1 is missing.
  t.seq = expected + 1448;
  t.send_tcp(ACK, 1448);
  t.step(500_us);
  s = t.one();
  REQUIRE(s);
  CHECK(s->ack == expected);
  REQUIRE(s->options.size() == 24);
  CHECK(get32(s->options, 16) == expected + 1448);
  CHECK(get32(s->options, 20) == expected + 2896);
  t.send_tcp(ACK, 1448);
  t.step(500_us);
  s = t.one();
  REQUIRE(s);
  CHECK(get32(s->options, 20) == expected + 4344);
  // The hole is filled: everything is acknowledged at once.
  t.seq = expected;
  t.send_tcp(ACK, 1448);
  t.step(500_us);
  s = t.one();
  REQUIRE(s);
  CHECK(s->ack == expected + 4344);
  CHECK(s->options.size() == 12);
  CHECK(t.peer.tcp().counters().bytes == 4 * 1448);
  CHECK(t.peer.tcp().counters().out_of_order == 2);
}

TEST_CASE("FIN is acknowledged, answered with a FIN, and the next connection is served", "[peer][tcp]") {
  Talk t;
  for (int connection = 0; connection < 3; ++connection) {
    t.connect();
    t.send_tcp(PSH | ACK, 700);
    t.step(500_us);
    REQUIRE(t.one());
    t.send_tcp(FIN | ACK, 0);
    t.step(1_ms);
    const auto list = t.received();
    REQUIRE(list.size() == 2);
    CHECK(list[0].flags == ACK);
    CHECK(list[0].ack == t.seq);
    CHECK(list[1].flags == (FIN | ACK));
    t.ack = list[1].seq + 1;
    t.send_tcp(ACK, 0);
    t.step(1_ms);
    CHECK(t.peer.tcp().connections() == 0);
    t.port++;
    t.seq += 100'000;
  }
  CHECK(t.peer.tcp().counters().connections == 3);
  CHECK(t.peer.tcp().counters().bytes == 2100);
}

TEST_CASE("a lost last ACK: the server's FIN is retransmitted after its time-out", "[peer][tcp]") {
  Talk t;
  t.connect();
  t.send_tcp(FIN | ACK, 0);
  t.step(1_ms);
  const auto list = t.received();
  REQUIRE(list.size() == 2);
  t.step(2_s);
  CHECK(t.received().empty());
  t.step(2_s);
  const auto again = t.one();
  REQUIRE(again);
  CHECK(again->flags == (FIN | ACK));
  CHECK(again->seq == list[1].seq);
}

TEST_CASE("a lost SYN/ACK is retransmitted, after a time-out and after a repeated SYN", "[peer][tcp]") {
  Talk t;
  t.arp();
  const std::uint32_t isn = t.seq;
  t.send_tcp(SYN, 0, t.syn_option());
  t.step(3'100_ms);
  CHECK(t.received().size() == 2);
  t.seq = isn;
  t.send_tcp(SYN, 0, t.syn_option());
  t.step(1_ms);
  CHECK(t.received().size() == 1);
  t.step(200_s);
  CHECK(t.peer.tcp().connections() == 0);  // abandoned
}

TEST_CASE("segments to other ports and unknown connections are reset, resets are not", "[peer][tcp]") {
  Talk t;
  t.arp();
  t.to_port = 80;
  t.send_tcp(SYN, 0, t.syn_option());
  t.step(1_ms);
  auto s = t.one();
  REQUIRE(s);
  CHECK(s->flags == (RST | ACK));
  CHECK(s->ack == t.seq);
  t.to_port = netio_port;
  t.ack = 12345;
  t.send_tcp(ACK, 100);
  t.step(1_ms);
  s = t.one();
  REQUIRE(s);
  CHECK(s->flags == RST);
  CHECK(s->seq == 12345);
  t.send_tcp(RST, 0);
  t.step(1_ms);
  CHECK_FALSE(t.one());
}

TEST_CASE("a reset ends a connection", "[peer][tcp]") {
  Talk t;
  t.connect();
  t.send_tcp(RST | ACK, 0);
  t.step(1_ms);
  CHECK(t.peer.tcp().connections() == 0);
}

TEST_CASE("segments with wrong checksums are dropped without an answer", "[peer]") {
  Talk t;
  t.arp();
  t.tcp_damage = 1;
  t.send_tcp(SYN, 0, t.syn_option());
  t.step(1_ms);
  t.tcp_damage = 0;
  t.ip_damage = 1;
  t.send_tcp(SYN, 0, t.syn_option());
  t.step(1_ms);
  CHECK(t.received().empty());
  CHECK(t.peer.counters().malformed == 2);
}

TEST_CASE("an old duplicate with an older timestamp is refused (PAWS)", "[peer][tcp]") {
  Talk t;
  t.connect();
  t.step(1_s);
  t.send_tcp(ACK, 1448);
  t.step(500_us);
  const auto first = t.one();
  REQUIRE(first);
  Bytes old{1, 1, 8, 10};
  put32(old, 4000);
  put32(old, 0);
  t.send_tcp(ACK, 1448, old);
  t.step(500_us);
  const auto s = t.one();
  REQUIRE(s);
  CHECK(s->ack == first->ack);
}

TEST_CASE("a second connection waits for the first, and its window closes", "[peer][tcp]") {
  Talk t;
  t.connect();
  const std::uint32_t first_seq = t.seq, first_ack = t.ack;
  t.port = 2000;
  t.seq = 900'000;
  t.connect();
  for (int i = 0; i < 22; ++i) {
    t.send_tcp(ACK, 1448);
    t.step(2_ms);
  }
  t.step(1_s);
  const auto list = t.received();
  REQUIRE_FALSE(list.empty());
  CHECK(list.back().window == 13032);  // half of what 22 buffers leave free, in whole segments
  CHECK(t.peer.tcp().counters().bytes == 0);
  // The first one ends: the second is read, and the window opens with an update.
  t.port = 1024;
  std::swap(t.seq, const_cast<std::uint32_t&>(first_seq));
  std::swap(t.ack, const_cast<std::uint32_t&>(first_ack));
  t.send_tcp(FIN | ACK, 0);
  t.step(1_ms);
  CHECK(t.peer.tcp().counters().bytes == 22 * 1448);
  bool opened = false;
  for (const auto& s : t.received()) opened |= s.window == 31856 && s.ack == first_seq;
  CHECK(opened);
}

TEST_CASE("random packets do no harm to the peer", "[peer][fuzz]") {
  Talk t;
  t.connect();
  Random random(7);
  for (int i = 0; i < 3000; ++i) {
    Bytes f(t.peer.config().mac.begin(), t.peer.config().mac.end());
    put(f, guest_mac);
    put16(f, random.below(2) ? 0x0800 : 0x0806);
    f.resize(60 + random.below(200));
    for (std::size_t k = 14; k < f.size(); ++k) f[k] = static_cast<std::uint8_t>(random.next());
    if (random.below(2)) {  // a valid header, random contents
      f[14] = 0x45;
      set16(f, 16, static_cast<std::uint32_t>(f.size() - 14));
      set16(f, 20, 0);
      f[23] = random.below(3) ? 6 : 1;
      put32(f, 0);
      f.resize(f.size() - 4);
      for (int k = 0; k < 4; ++k)
        f[30 + static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(server_ip >> (24 - 8 * k));
      set16(f, 24, 0);
      set16(f, 24, checksum_fold(checksum_add(ByteView(f).subspan(14, 20))));
      if (f[23] == 6 && random.below(2)) {
        set16(f, 34, t.port);
        set16(f, 36, netio_port);
        set16(f, 50, 0);
        const auto tcp = ByteView(f).subspan(34);
        set16(f, 50, checksum_fold(checksum_add(tcp, checksum_pseudo(get32(f, 26), server_ip, 6, tcp.size()))));
      }
    }
    t.send_frame(f);
    t.step(200_us);
  }
  t.step(1_s);
  CHECK(t.peer.counters().frames_received >= 3000);
}

TEST_CASE("a snapshot of a conversation does not affect the run", "[peer][snapshot]") {
  const auto prepare = [](Talk& t) {
    t.connect();
    for (int i = 0; i < 5; ++i) t.send_tcp(ACK, 1448);
    t.step(70_us);  // an ACK is being made
  };
  const auto archive = [](Talk& t, Archive& a) {
    t.scheduler.archive(a);
    t.segment.archive(a);
    t.peer.archive(a);
    t.guest.port.archive(a);
  };
  const auto finish = [&](Talk& t) {
    for (int i = 0; i < 5; ++i) t.send_tcp(ACK, 1448);
    t.step(100_ms);
    Archive a = Archive::saver();
    archive(t, a);
    return sha256_hex(a.stream());
  };
  Talk whole, first, second;
  prepare(whole);
  prepare(first);
  Archive saved = Archive::saver();
  archive(first, saved);
  Archive loaded = Archive::loader(saved.stream());
  archive(second, loaded);
  loaded.expect_end();
  second.now = first.now;
  second.seq = first.seq;
  second.ack = first.ack;
  second.echo = first.echo;
  second.guest.outcomes = first.guest.outcomes;
  CHECK(finish(whole) == finish(second));
}
