// SPDX-License-Identifier: GPL-2.0-or-later
// netserver's side of netperf's protocol, with the records that netperf 2.1 sends.
#include "devices/stations/peer/netserver.hpp"

#include <bit>

#include "tests/catch.hpp"

using namespace planar;
using namespace planar::net;

namespace {

using Words = std::array<std::uint32_t, 64>;

/// A client of one service: what it sends on a connection, and all that it receives at that time.
struct NetserverClient {
  NetserverService& service;
  std::unique_ptr<ServiceConnection> connection;
  explicit NetserverClient(NetserverService& s, std::uint16_t port) : service(s), connection(s.accept(port)) {}

  void send(const Bytes& bytes, Time now, std::size_t piece = 100) {
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      connection->receive(ByteView(bytes).subspan(at, std::min(piece, bytes.size() - at)), now);
  }
  Bytes take(Time now) {
    Bytes all;
    while (const auto n = connection->to_send(77, now)) {
      all.resize(all.size() + n);
      connection->take(std::span(all).last(n));
    }
    return all;
  }
  void ask(const Words& words, Time now) {
    Bytes b;
    for (const auto word : words) put32(b, word);
    send(b, now);
  }
  Words answer(Time now) {
    const Bytes b = take(now);
    REQUIRE(b.size() == netperf_record_bytes);
    Words words{};
    for (std::size_t n = 0; n < words.size(); ++n) words[n] = get32(b, 4 * n);
    return words;
  }
};

Words stream_request(std::uint32_t seconds = 10) {
  Words w{};
  w[0] = 10;
  w[5] = 8;
  w[10] = seconds;
  return w;
}
Words rr_request(std::uint32_t request, std::uint32_t response, std::uint32_t seconds, std::uint32_t type = 13) {
  Words w{};
  w[0] = type;
  w[8] = request;
  w[9] = response;
  w[13] = seconds;
  return w;
}
Words udp_stream_request(std::uint32_t size, std::uint32_t seconds) {
  Words w{};
  w[0] = 16;
  w[3] = size;
  w[4] = 8;
  w[9] = seconds;
  return w;
}
double number_at(const Words& w, std::size_t word) {
  return std::bit_cast<double>(std::uint64_t{w[word]} << 32 | w[word + 1]);
}

}  // namespace

TEST_CASE("a stream: the response gives the port, the result the bytes received until the client ends") {
  NetserverService service;
  NetserverClient control(service, netperf_port);
  control.ask({2}, 0_s);  // DEBUG_OFF, with which netperf begins
  CHECK(control.answer(0_s)[0] == 3);

  control.ask(stream_request(), 0_s);
  const auto response = control.answer(0_s);
  CHECK(response[0] == 11);
  CHECK(response[1] == 0);
  REQUIRE(response[8] > netperf_port);
  CHECK(control.take(1_s).empty());

  NetserverClient data(service, static_cast<std::uint16_t>(response[8]));
  data.send(Bytes(5'000'000, 1), 1_s, 1448);
  CHECK(data.take(1_s).empty());
  CHECK(control.take(2_s).empty());
  data.connection->ended(3_s);
  const auto results = control.answer(3_s);
  CHECK(results[1] == 0);
  CHECK(number_at(results, 2) == 5'000'000);
  CHECK(results[4] == (5'000'000 + 1447) / 1448);
  CHECK(std::bit_cast<float>(results[5]) == 2.0f);

  control.ask(stream_request(), 4_s);  // the same control connection serves the next one
  CHECK(control.answer(4_s)[0] == 11);
}

TEST_CASE("requests and responses: each complete request is answered, and the server ends by its own clock") {
  NetserverService service;
  NetserverClient control(service, netperf_port);
  control.ask(rr_request(100, 40, 3), 0_s);
  const auto response = control.answer(0_s);
  CHECK(response[0] == 14);
  NetserverClient data(service, static_cast<std::uint16_t>(response[7]));
  data.send(Bytes(99, 1), 1_s);
  CHECK(data.take(1_s).empty());
  data.send(Bytes(1, 1), 1_s);
  CHECK(data.take(1_s).size() == 40);
  data.send(Bytes(250, 1), 2_s);
  CHECK(data.take(2_s).size() == 80);
  CHECK(control.connection->due() == 6_s);  // 3 s and 2 s after the first request
  CHECK(control.take(5999_ms).empty());
  const auto results = control.answer(6_s);
  CHECK(results[4] == 3);
  CHECK(results[2] == 3 * 140);
  CHECK(std::bit_cast<float>(results[5]) == 3.0f);
}

TEST_CASE("unknown tests, invalid sizes and too many tests are refused") {
  NetserverService service;
  NetserverClient control(service, netperf_port);
  for (const std::uint32_t type : {0u, 22u, 70u, 0xFFFFFFFFu}) {
    control.ask({type}, 0_s);
    CHECK(control.answer(0_s)[1] == 998);
  }
  for (const auto& request :
       {rr_request(0, 1, 1), rr_request(1, 0, 1), rr_request(1, 0xFFFFFFFF, 1), rr_request(1, 1, 0),
        rr_request(65508, 1, 1, 19), rr_request(1, 65508, 1, 19), rr_request(1, 1, 0, 34), udp_stream_request(0, 1),
        udp_stream_request(65508, 1), udp_stream_request(1, 0), udp_stream_request(1, 0xFFFFFFF6)}) {
    control.ask(request, 0_s);
    CHECK(control.answer(0_s)[1] == 22);
  }
  std::vector<NetserverClient> many;
  for (std::size_t n = 0; n < NetserverService::slots; ++n) {
    many.emplace_back(service, netperf_port);
    many.back().ask(stream_request(), 0_s);
    CHECK(many.back().answer(0_s)[1] == 0);
  }
  control.ask(stream_request(), 0_s);
  CHECK(control.answer(0_s)[1] == 105);
  many.front().connection->ended(1_s);  // a client that disconnects makes room
  control.ask(stream_request(), 2_s);
  CHECK(control.answer(2_s)[1] == 0);
}

TEST_CASE("an unexpected data connection is discarded, a lost one ends the test") {
  NetserverService service;
  NetserverClient stray(service, netperf_port + 1);
  stray.send(Bytes(1000, 1), 0_s);
  CHECK(stray.take(0_s).empty());
  stray.connection->ended(0_s);

  NetserverClient control(service, netperf_port);
  control.ask(stream_request(), 0_s);
  const auto port = control.answer(0_s)[8];
  NetserverClient data(service, static_cast<std::uint16_t>(port));
  data.connection->ended(1_s);
  CHECK(number_at(control.answer(1_s), 2) == 0);
}

TEST_CASE("a client that disconnects during its test does not affect the next one") {
  NetserverService service;
  const auto ask = [&](NetserverClient& control, Time now) {
    control.ask(stream_request(), now);
    return static_cast<std::uint16_t>(control.answer(now)[8]);
  };
  NetserverClient control(service, netperf_port);
  const auto port = ask(control, 0_s);
  NetserverClient data(service, port);
  data.send(Bytes(1000, 1), 1_s);
  control.connection->ended(2_s);

  NetserverClient next(service, netperf_port);
  const auto next_port = ask(next, 3_s);
  CHECK(next_port != port);
  NetserverClient next_data(service, next_port);
  next_data.send(Bytes(500, 1), 4_s);
  data.send(Bytes(1000, 1), 5_s);
  data.connection->ended(6_s);
  CHECK(next.take(6_s).empty());
  next_data.connection->ended(7_s);
  CHECK(number_at(next.answer(7_s), 2) == 500);
  CHECK(ask(next, 8_s) == port);  // free again
}

TEST_CASE("a datagram stream counts messages until two seconds after the test length") {
  NetserverService service;
  NetserverClient control(service, netperf_port);
  control.ask(udp_stream_request(1000, 3), 1_s);
  const auto response = control.answer(1_s);
  CHECK(response[0] == 17);
  CHECK(response[1] == 0);
  CHECK(response[2] == 65535);
  CHECK(response[3] == 65535);
  const auto port = static_cast<std::uint16_t>(response[6]);
  REQUIRE(port > netperf_port);
  CHECK(service.bound(port));
  CHECK_FALSE(service.bound(static_cast<std::uint16_t>(port + 1)));
  for (int n = 0; n < 5; ++n) CHECK_FALSE(service.datagram({}, port, Bytes(1000, 1), 2_s));
  CHECK_FALSE(service.datagram({}, port, Bytes(1400, 1), 2_s));  // cut to its size
  CHECK(control.connection->due() == 6_s);
  CHECK(control.take(5999_ms).empty());
  const auto results = control.answer(6_s);
  CHECK(results[0] == 18);
  CHECK(results[1] == 0);
  CHECK(results[2] == 6);
  CHECK(results[3] == 6000);
  CHECK(std::bit_cast<float>(results[4]) == 3.0f);
  CHECK_FALSE(service.bound(port));  // late datagrams are refused

  control.ask(udp_stream_request(1000, 3), 7_s);
  const auto again = static_cast<std::uint16_t>(control.answer(7_s)[6]);
  service.datagram({}, again, Bytes(1000, 1), 8_s);
  service.datagram({}, again, Bytes(10, 1), 9_s);  // a shorter one ends it
  const auto ended = control.answer(9_s);
  CHECK(ended[2] == 1);
  CHECK(ended[3] == 1010);
  CHECK(std::bit_cast<float>(ended[4]) == 2.0f);
}

TEST_CASE("a datagram that the receive buffer does not hold is dropped") {
  NetserverService service;
  NetserverClient control(service, netperf_port);
  auto request = udp_stream_request(2000, 3);
  request[2] = 1000;
  control.ask(request, 1_s);
  const auto response = control.answer(1_s);
  REQUIRE(response[2] == 2000);  // Linux doubles it
  const auto port = static_cast<std::uint16_t>(response[6]);
  service.datagram({}, port, Bytes(2000, 1), 2_s);  // with buffer and descriptor 2192 bytes
  CHECK(control.answer(6_s)[2] == 0);
}

TEST_CASE("datagram requests are answered each; one of another size ends the test with an error") {
  NetserverService service;
  NetserverClient control(service, netperf_port);
  control.ask(rr_request(10, 30, 1, 19), 0_s);
  const auto response = control.answer(0_s);
  CHECK(response[0] == 20);
  const auto port = static_cast<std::uint16_t>(response[7]);
  REQUIRE(service.bound(port));
  for (int n = 0; n < 3; ++n) {
    const auto answer = service.datagram({}, port, Bytes(10, 1), 500_ms);
    REQUIRE(answer);
    CHECK(answer->size() == 30);
  }
  const auto results = control.answer(3_s);
  CHECK(results[0] == 21);
  CHECK(results[4] == 3);
  CHECK(results[2] == 120);
  CHECK(std::bit_cast<float>(results[5]) == 1.0f);

  control.ask(rr_request(10, 30, 1, 19), 4_s);
  const auto next = static_cast<std::uint16_t>(control.answer(4_s)[7]);
  CHECK_FALSE(service.datagram({}, next, Bytes(9, 1), 5_s));
  CHECK_FALSE(service.bound(next));
  CHECK(control.answer(5_s)[1] == 22);
  control.ask(udp_stream_request(1, 1), 6_s);
  CHECK(control.answer(6_s)[1] == 0);

  control.connection->ended(7_s);  // if a client disconnects, its port is free at once
  CHECK_FALSE(service.bound(next));
}

TEST_CASE("a connection per request: the server closes after its response, and the test continues") {
  NetserverService service;
  NetserverClient control(service, netperf_port);
  control.ask(rr_request(100, 40, 2, 34), 0_s);
  const auto response = control.answer(0_s);
  CHECK(response[0] == 35);
  const auto port = static_cast<std::uint16_t>(response[7]);
  for (int n = 0; n < 3; ++n) {
    NetserverClient data(service, port);
    data.send(Bytes(60, 1), 1_s);
    CHECK_FALSE(data.connection->leaving());
    data.send(Bytes(60, 1), 1_s);  // 20 bytes too many are not read
    CHECK_FALSE(data.connection->leaving());
    CHECK(data.take(1_s).size() == 40);
    CHECK(data.connection->leaving());
    data.connection->ended(1_s);
  }
  CHECK(control.take(3999_ms).empty());
  const auto results = control.answer(4_s);
  CHECK(results[0] == 36);
  CHECK(results[4] == 3);
  CHECK(std::bit_cast<float>(results[5]) == 2.0f);
}
