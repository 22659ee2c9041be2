// SPDX-License-Identifier: GPL-2.0-or-later
// The station as netperf's client: with a second station's netserver, and with a hand-made guest.
#include <algorithm>

#include "core/common/error.hpp"
#include "tests/devices/stations/talk.hpp"

using namespace planar;
using namespace planar::test;
using Phase = net::NetperfClient::Phase;
using Catch::Matchers::WithinAbs;

namespace {

net::NetperfClientConfig wanted(net::NetperfTestType type, Time length = 1_s) {
  return {.type = type, .server = server_ip, .length = length};
}

/// A client and a netserver at the two ends of a cable.
struct Pair {
  explicit Pair(EthernetConfig medium = {.bits_per_second = 100'000'000, .full_duplex = true})
      : segment(medium),
        server(scheduler, trace, segment, 1),
        client(scheduler, trace, segment, 2,
               {.name = "client", .mac = {0x02, 0x50, 0x4C, 0x41, 0x4E, 0x02}, .address = guest_ip, .services = {}}) {}

  const net::NetperfClient& netperf() const { return client.services().netperf_client(); }
  void run(Time t) { scheduler.run_until(scheduler.now() + t); }
  Bytes save() {
    Archive a = Archive::saver();
    segment.archive(a);
    server.archive(a);
    client.archive(a);
    return a.stream();
  }
  void load(const Bytes& bytes) {
    Archive a = Archive::loader(bytes);
    segment.archive(a);
    server.archive(a);
    client.archive(a);
  }

  Scheduler scheduler;
  Trace trace;
  EthernetSegment segment;
  Peer server, client;
};

}  // namespace

TEST_CASE("the station's TCP_STREAM fills the wire and reports the server's byte count over its time",
          "[netperf_client]") {
  Pair p;
  p.client.start_netperf(wanted(net::NetperfTestType::tcp_stream), p.scheduler.now());
  p.run(900_ms);
  CHECK(p.netperf().run().phase == Phase::running);
  CHECK(p.netperf().mbit_per_s() == 0);
  p.run(400_ms);
  const auto& run = p.netperf().run();
  REQUIRE(run.phase == Phase::done);
  CHECK(run.received == run.sent_bytes);
  CHECK(p.netperf().elapsed() >= 1_s);
  CHECK(p.netperf().elapsed() < 1_s + 20_ms);
  // 1448 bytes of data in 1538 byte times; the ACKs have the other pair
  CHECK_THAT(p.netperf().mbit_per_s(), WithinAbs(94.1, 0.6));
  CHECK(p.client.tcp().counters().retransmitted == 0);
  p.run(1_s);
  CHECK(p.client.tcp().connections() == 0);
  CHECK(p.server.tcp().connections() == 0);
}

TEST_CASE("the station's UDP_STREAM fills the wire, and the results arrive two seconds later", "[netperf_client]") {
  Pair p;
  p.client.start_netperf(wanted(net::NetperfTestType::udp_stream), p.scheduler.now());
  p.run(2_s);
  CHECK(p.netperf().run().phase == Phase::ending);
  p.run(2_s);
  const auto& run = p.netperf().run();
  REQUIRE(run.phase == Phase::done);
  CHECK(p.netperf().elapsed() == 1_s);
  CHECK(run.received == run.messages);
  CHECK(run.under_way == 0);
  // five frames of 1538 byte times and one of 858 for 8192 bytes; a few messages were queued when the time had expired
  CHECK_THAT(p.netperf().mbit_per_s(), WithinAbs(95.84, 0.5));
}

TEST_CASE("messages of UDP_STREAM of one byte to many fragments are counted once each", "[netperf_client]") {
  Pair p;
  auto config = wanted(net::NetperfTestType::udp_stream, 300_ms);
  config.message_bytes = GENERATE(1u, 1472u, 1473u, 32768u);
  p.client.start_netperf(config, p.scheduler.now());
  p.run(4_s);
  const auto& run = p.netperf().run();
  REQUIRE(run.phase == Phase::done);
  CHECK(run.received == run.messages);
  CHECK(run.messages > 50);
}

TEST_CASE("a refused client reconnects a second later, with Linux 2.2's SYN", "[netperf_client]") {
  Talk t;
  t.arp();
  auto config = wanted(net::NetperfTestType::tcp_stream);
  config.server = guest_ip;
  t.peer.start_netperf(config, t.now);
  t.step(1_ms);
  const auto syn = t.one();
  REQUIRE(syn);
  CHECK(syn->flags == SYN);
  CHECK(syn->window == 32120);
  CHECK(Bytes(syn->options.begin(), syn->options.begin() + 6) == Bytes{2, 4, 0x05, 0xB4, 4, 2});
  CHECK(syn->options.size() == 20);
  t.port = net::netperf_port;
  t.to_port = net::netperf_client_control;
  t.seq = 0;
  t.stamps = false;
  SECTION("a reset with a wrong number is ignored") {
    t.ack = syn->seq + 7;
    t.send_tcp(RST | ACK, 0);
    t.step(2_s);
    CHECK(t.received().empty());
  }
  SECTION("a reset that acknowledges the SYN is accepted") {
    t.ack = syn->seq + 1;
    t.send_tcp(RST | ACK, 0);
    t.step(900_ms);
    CHECK(t.received().empty());
    t.step(200_ms);
    const auto again = t.one();
    REQUIRE(again);
    CHECK(again->flags == SYN);
    CHECK(again->seq != syn->seq);
  }
  SECTION("without an answer the SYN is retransmitted") {
    t.step(3100_ms);
    const auto again = t.one();
    REQUIRE(again);
    CHECK(again->seq == syn->seq);
  }
}

TEST_CASE("connections to the client's own ports are reset", "[netperf_client]") {
  Talk t;
  t.peer.start_netperf({.server = ipv4(192, 168, 10, 9)}, t.now);
  t.arp();
  t.to_port = net::netperf_client_data;
  t.send_tcp(SYN, 0, t.syn_option());
  t.step(1_ms);
  const auto answer = t.one();
  REQUIRE(answer);
  CHECK((answer->flags & RST) != 0);
}

TEST_CASE("the client sends its fragments last one first", "[netperf_client]") {
  Talk t({.bits_per_second = 100'000'000, .full_duplex = true});
  t.arp();
  auto config = wanted(net::NetperfTestType::udp_stream);
  config.server = guest_ip;
  t.peer.start_netperf(config, t.now);
  t.step(1_ms);
  const auto syn = t.one();
  REQUIRE(syn);
  t.port = net::netperf_port;
  t.to_port = net::netperf_client_control;
  t.seq = 5000;
  t.stamps = false;
  t.ack = syn->seq + 1;
  t.send_tcp(SYN | ACK, 0, t.syn_option());
  t.step(1_ms);
  const auto sent = t.received();
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].flags == ACK);
  REQUIRE(sent[1].length == net::netperf_record_bytes);
  CHECK(get32(sent[1].data, 0) == 16);
  CHECK(get32(sent[1].data, 12) == 8192);
  CHECK(get32(sent[1].data, 36) == 1);
  Bytes response(net::netperf_record_bytes);
  response[3] = 17;
  set16(response, 4 * 6 + 2, 12866);
  t.ack += net::netperf_record_bytes;
  const std::size_t before = t.guest.arrivals.size();
  t.send_data(PSH | ACK, response);
  t.step(5_ms);
  std::vector<unsigned> offsets;
  for (std::size_t n = before; n < t.guest.arrivals.size() && offsets.size() < 12; ++n)
    if (const ByteView f = t.guest.arrivals[n].bytes; get16(f, 12) == 0x0800 && f[23] == 17)
      offsets.push_back((get16(f, 20) & 0x1FFFu) * 8);
  CHECK(offsets == std::vector<unsigned>{7400, 5920, 4440, 2960, 1480, 0, 7400, 5920, 4440, 2960, 1480, 0});
}

TEST_CASE("a snapshot in the middle of the client's test does not change the result", "[netperf_client]") {
  const auto type = GENERATE(net::NetperfTestType::tcp_stream, net::NetperfTestType::udp_stream);
  Pair p;
  p.client.start_netperf(wanted(type), p.scheduler.now());
  p.run(500_ms);
  const Bytes saved = p.save();
  p.run(4_s);
  REQUIRE(p.netperf().run().phase == Phase::done);
  Pair q;
  q.run(500_ms);
  q.load(saved);
  CHECK(q.save() == saved);
  q.run(4_s);
  REQUIRE(q.netperf().run().phase == Phase::done);
  CHECK(q.netperf().run().received == p.netperf().run().received);
  CHECK(q.netperf().elapsed() == p.netperf().elapsed());
}

TEST_CASE("a damaged snapshot of a client is refused", "[netperf_client]") {
  net::NetperfClient client;
  client.start({.length = 1_s}, 0_s);
  Archive a = Archive::saver();
  client.archive_used(a);
  client.start({.length = 0_s}, 0_s);
  Archive b = Archive::saver();
  client.archive_used(b);
  Archive good = Archive::loader(a.stream()), bad = Archive::loader(b.stream());
  client.archive_used(good);
  CHECK(client.config()->length == 1_s);
  CHECK_THROWS_AS(client.archive_used(bad), Error);
}

TEST_CASE("a snapshot of a client with too many runs is refused", "[netperf_client]") {
  auto config = wanted(net::NetperfTestType::tcp_stream, 100_ms);
  config.repetition = {.most = 3, .least = 2, .level = 95, .width = 10};
  Pair p;
  p.client.start_netperf(config, p.scheduler.now());
  p.run(150_ms);
  REQUIRE(p.netperf().outcomes().size() == 1);
  Archive a = Archive::saver();
  const_cast<net::NetperfClient&>(p.netperf()).archive_used(a);
  Bytes damaged = a.stream();
  net::NetperfClient client;
  Archive good = Archive::loader(damaged);
  client.archive_used(good);
  CHECK(client.outcomes().size() == 1);
  // most and least repetitions, one after the other: then only a single run is allowed
  const Bytes repetition{3, 0, 0, 0, 2, 0, 0, 0, 95};
  const auto at = std::search(damaged.begin(), damaged.end(), repetition.begin(), repetition.end());
  REQUIRE(at != damaged.end());
  at[0] = at[4] = 1;
  Archive bad = Archive::loader(damaged);
  CHECK_THROWS_AS(client.archive_used(bad), Error);
}

TEST_CASE("a snapshot with a client's connection but no client is refused", "[netperf_client]") {
  Pair p, q;
  p.client.start_netperf(wanted(net::NetperfTestType::tcp_stream), p.scheduler.now());
  p.run(10_ms);
  REQUIRE(p.client.tcp().connections() == 2);
  Archive a = Archive::saver();
  const_cast<net::TcpServer&>(p.client.tcp()).archive(a);
  Archive b = Archive::loader(a.stream());
  CHECK_THROWS_AS(const_cast<net::TcpServer&>(q.client.tcp()).archive(b), Error);
}

TEST_CASE("a repeated test uses its control connection again, with the buffer sizes that it has read back",
          "[netperf_client]") {
  const auto type = GENERATE(net::NetperfTestType::tcp_stream, net::NetperfTestType::udp_stream);
  Pair p;
  auto config = wanted(type, 300_ms);
  config.buffers = {.local_send = 16384, .remote_receive = 8192};
  config.repetition = {.most = 4, .least = 2, .level = 95, .width = 10};
  p.client.start_netperf(config, p.scheduler.now());
  p.run(12_s);
  REQUIRE(p.netperf().run().phase == Phase::done);
  const auto& runs = p.netperf().outcomes();
  REQUIRE(runs.size() >= 2);
  CHECK(runs.size() <= 3);
  const bool datagrams = type == net::NetperfTestType::udp_stream;
  for (std::size_t n = 0; n < runs.size(); ++n) {
    INFO(n);
    CHECK(runs[n].elapsed >= 300_ms);
    CHECK(runs[n].received == runs[n].sent);
    CHECK(runs[n].buffers.local_send == std::vector<std::uint32_t>{32768, 65536, 131070}[n]);
    CHECK(runs[n].buffers.remote_receive == std::vector<std::uint32_t>{16384, 32768, 65536}[n]);
    CHECK(runs[n].buffers.local_receive == (n ? 131070 : 65535));
    CHECK(runs[n].buffers.remote_send == (n && !datagrams ? 131070 : 65535));  // UDP_STREAM has no field for it
  }
  std::vector<double> results;
  for (const auto& run : runs) results.push_back(p.netperf().mbit_per_s(run));
  CHECK_THAT(p.netperf().width(), WithinAbs(net::netperf_width(results, 95), 1e-12));
  CHECK(runs.size() == (p.netperf().width() * 1e6 <= 10 ? 2 : 3));
  p.run(1_s);
  CHECK(p.server.tcp().connections() == 0);
}

TEST_CASE("netperf's interval is 2 t s / (mean sqrt(n - 1)), and its runs end as -i requires", "[netperf_client]") {
  const std::vector<double> three{90, 100, 110};  // s = sqrt(200 / 3), n below the root
  CHECK_THAT(net::netperf_width(three, 99), WithinAbs(2 * 9.925 * 8.16497 / (100 * 1.41421), 1e-5));
  CHECK_THAT(net::netperf_width(three, 95), WithinAbs(2 * 4.303 * 8.16497 / (100 * 1.41421), 1e-5));
  CHECK(net::netperf_width(std::vector<double>{90}, 99) == 0);
  CHECK(net::netperf_width(std::vector<double>(30, 90.0), 99) == 0);
  Pair p;
  auto config = wanted(net::NetperfTestType::tcp_stream, 100_ms);
  config.repetition = {.most = 10, .least = 5, .level = 99, .width = 1'000'000};
  p.client.start_netperf(config, p.scheduler.now());
  p.run(3_s);
  REQUIRE(p.netperf().run().phase == Phase::done);
  CHECK(p.netperf().outcomes().size() == 5);  // the width is met at the second
}

TEST_CASE("a snapshot between the runs of a repeated test does not change the results", "[netperf_client]") {
  auto config = wanted(net::NetperfTestType::tcp_stream, 200_ms);
  config.repetition = {.most = 4, .least = 3};
  Pair p;
  p.client.start_netperf(config, p.scheduler.now());
  p.run(300_ms);
  REQUIRE(p.netperf().outcomes().size() == 1);
  const Bytes saved = p.save();
  p.run(2_s);
  REQUIRE(p.netperf().run().phase == Phase::done);
  Pair q;
  q.run(300_ms);
  q.load(saved);
  CHECK(q.save() == saved);
  q.run(2_s);
  REQUIRE(q.netperf().outcomes().size() == 3);
  for (std::size_t n = 0; n < 3; ++n) {
    CHECK(q.netperf().outcomes()[n].received == p.netperf().outcomes()[n].received);
    CHECK(q.netperf().outcomes()[n].elapsed == p.netperf().outcomes()[n].elapsed);
  }
}
