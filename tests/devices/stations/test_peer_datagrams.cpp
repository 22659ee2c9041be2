// SPDX-License-Identifier: GPL-2.0-or-later
// Datagrams of several frames between a guest and the reference station, and a service that closes first.
#include "devices/stations/peer/echo_discard.hpp"
#include "devices/stations/peer/netserver.hpp"
#include "tests/devices/stations/talk.hpp"

using namespace planar;
using namespace planar::test;

namespace {

Bytes numbered(std::size_t bytes) {
  Bytes data(bytes);
  for (std::size_t n = 0; n < bytes; ++n) data[n] = static_cast<std::uint8_t>(n * 7 + n / 256);
  return data;
}

Bytes udp(std::uint16_t to, const Bytes& data) {
  Bytes p;
  put16(p, 3000);
  put16(p, to);
  put16(p, static_cast<std::uint32_t>(8 + data.size()));
  put16(p, 0);
  put(p, data);
  set16(p, 6, checksum_fold(checksum_add(p, checksum_pseudo(guest_ip, server_ip, 17, p.size()))));
  return p;
}

/// Bytes [from, to) of a datagram.
void send_part(Talk& t, const Bytes& whole, std::size_t from, std::size_t to, unsigned id = 1) {
  const unsigned more = to < whole.size() ? 0x2000 : 0;
  t.send_ip(17,
            Bytes(whole.begin() + static_cast<std::ptrdiff_t>(from), whole.begin() + static_cast<std::ptrdiff_t>(to)),
            static_cast<unsigned>(from / 8) | more, id);
}

/// The data of the UDP datagram that has arrived in the frames since `first`, in any order.
Bytes joined(const Talk& t, std::size_t first) {
  Bytes all(65536);
  std::size_t length = 0;
  for (std::size_t n = first; n < t.guest.arrivals.size(); ++n) {
    const ByteView f = t.guest.arrivals[n].bytes;
    if (get16(f, 12) != 0x0800 || f[23] != 17) continue;
    const std::size_t at = (get16(f, 20) & 0x1FFFu) * 8, bytes = get16(f, 16) - 20u;
    std::copy_n(f.begin() + 34, bytes, all.begin() + static_cast<std::ptrdiff_t>(at));
    length = std::max(length, at + bytes);
  }
  all.resize(length);
  return all;
}

}  // namespace

TEST_CASE("a datagram of six fragments, sent last one first, is echoed in six", "[peer][udp]") {
  Talk t;
  t.arp();
  const Bytes data = numbered(8192), whole = udp(net::echo_port, data);
  const std::size_t before = t.guest.arrivals.size();
  for (std::size_t from = 7400;; from -= 1480) {
    send_part(t, whole, from, std::min<std::size_t>(from + 1480, whole.size()));
    if (from == 0) break;
    CHECK(t.guest.arrivals.size() == before);
  }
  t.step(20_ms);
  CHECK(t.guest.arrivals.size() == before + 6);
  CHECK(get16(t.guest.arrivals[before].bytes, 20) == 0x2000);  // the first one first
  const Bytes answer = joined(t, before);
  REQUIRE(answer.size() == 8200);
  CHECK(Bytes(answer.begin() + 8, answer.end()) == data);
  CHECK(checksum_fold(checksum_add(answer, checksum_pseudo(server_ip, guest_ip, 17, answer.size()))) == 0);
  CHECK(t.peer.counters().malformed == 0);
}

TEST_CASE("a datagram with a gap, an overlap or a duplicate fragment is dropped", "[peer][udp]") {
  Talk t;
  t.arp();
  const Bytes whole = udp(net::echo_port, numbered(4000));
  const std::size_t before = t.guest.arrivals.size();
  send_part(t, whole, 0, 1480, 1);  // a gap
  send_part(t, whole, 2960, whole.size(), 1);
  send_part(t, whole, 0, 1480, 2);  // an overlap
  send_part(t, whole, 1472, 2960, 2);
  send_part(t, whole, 2960, whole.size(), 2);
  send_part(t, whole, 0, 1480, 3);  // twice
  send_part(t, whole, 0, 1480, 3);
  t.send_ip(17, Bytes(1001, 1), 0x2001, 4);  // not in units of 8 bytes
  t.send_ip(17, Bytes(1400, 1), 0x1FFF, 5);  // beyond 64 KB
  t.step(20_ms);
  CHECK(t.guest.arrivals.size() == before);
  send_part(t, whole, 1480, 2960, 1);  // the gap is filled
  t.step(20_ms);
  CHECK(t.guest.arrivals.size() == before + 3);
}

TEST_CASE("a snapshot contains the fragments in progress", "[peer][udp][snapshot]") {
  const auto archive_of = [](Talk& t) {
    Archive a = Archive::saver();
    t.peer.archive(a);
    return a.stream();
  };
  Talk t, plain;
  t.arp();
  plain.arp();
  CHECK(archive_of(t) == archive_of(plain));
  const Bytes whole = udp(net::echo_port, numbered(4000));
  send_part(t, whole, 1480, 2960);
  send_part(t, whole, 0, 1480);
  t.step(5_ms);
  const auto kept = archive_of(t);
  CHECK(kept.size() > archive_of(plain).size() + 2960);
  Archive loader = Archive::loader(kept);
  t.peer.archive(loader);
  loader.expect_end();
  CHECK(archive_of(t) == kept);
  const std::size_t before = t.guest.arrivals.size();
  send_part(t, whole, 2960, whole.size());
  t.step(20_ms);
  CHECK(joined(t, before).size() == whole.size());
}

TEST_CASE("a datagram to a port without a test is answered port unreachable", "[peer][udp]") {
  Talk t;
  t.arp();
  t.send_ip(17, udp(net::netperf_port + 1, Bytes(10, 1)));
  t.step(5_ms);
  const ByteView answer = t.guest.arrivals.back().bytes;
  CHECK(answer[23] == 1);
  CHECK(answer[34] == 3);
  CHECK(answer[35] == 3);
}

TEST_CASE("TCP_CRR: the station sends its FIN after its response, and the client's FIN ends the connection",
          "[peer][tcp]") {
  Talk t;
  t.to_port = net::netperf_port;
  t.connect();
  Bytes request;
  for (unsigned word = 0; word < 64; ++word)
    put32(request, word == 0 ? 34 : word == 8 ? 5 : word == 9 ? 7 : word == 13 ? 1 : 0);
  t.send_data(PSH | ACK, request);
  t.step(1_ms);
  Bytes answer;
  for (const auto& s : t.received()) put(answer, s.data);
  REQUIRE(answer.size() == 256);
  CHECK(get32(answer, 0) == 35);

  t.port = 4001;
  t.to_port = static_cast<std::uint16_t>(get32(answer, 28));
  t.connect();
  t.send_data(PSH | ACK, Bytes(5, 1));
  t.step(1_ms);
  const auto list = t.received();
  REQUIRE(list.size() == 3);  // the first data are acknowledged at once
  CHECK(list[1].length == 7);
  CHECK(list[2].flags == (FIN | ACK));
  CHECK(list[2].seq == list[1].seq + 7);
  t.step(5_s);  // no answer: both are sent again
  CHECK(t.received().size() >= 2);
  t.ack = list[2].seq + 1;
  t.send_tcp(FIN | ACK, 0);
  t.step(1_ms);
  const auto last = t.one();
  REQUIRE(last);
  CHECK(last->flags == ACK);
  CHECK(last->ack == t.seq);
  CHECK(t.peer.tcp().connections() == 1);  // the control connection
}
