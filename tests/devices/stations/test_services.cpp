// SPDX-License-Identifier: GPL-2.0-or-later
// The station's services other than netio: several connections at once, echo and discard over TCP and UDP.
#include "devices/stations/peer/echo_discard.hpp"
#include "tests/devices/stations/talk.hpp"

using namespace planar;
using namespace planar::test;

namespace {

/// The state of one connection's client while another one's is active.
struct Saved {
  std::uint16_t port, to_port;
  std::uint32_t seq, ack, echo;
};
Saved save(const Talk& t) { return {t.port, t.to_port, t.seq, t.ack, t.echo}; }
void restore(Talk& t, const Saved& s) {
  t.port = s.port;
  t.to_port = s.to_port;
  t.seq = s.seq;
  t.ack = s.ack;
  t.echo = s.echo;
}

void open(Talk& t, std::uint16_t port, std::uint16_t to_port) {
  t.port = port;
  t.to_port = to_port;
  t.connect();
}

Bytes pattern(std::size_t size, std::uint8_t first) {
  Bytes b(size);
  for (std::size_t i = 0; i < size; ++i) b[i] = static_cast<std::uint8_t>(first + i * 7);
  return b;
}

/// The data received on `t`'s connection, in order.
Bytes take(Talk& t) {
  Bytes data;
  for (const auto& s : t.received()) {
    if (s.seq != t.ack) continue;
    put(data, s.data);
    t.ack += static_cast<std::uint32_t>(s.length);
  }
  return data;
}

Bytes datagram(std::uint16_t from, std::uint16_t to, const Bytes& data, unsigned damage = 0) {
  Bytes p;
  put16(p, from);
  put16(p, to);
  put16(p, static_cast<std::uint32_t>(8 + data.size()));
  put16(p, 0);
  put(p, data);
  set16(p, 6, checksum_fold(checksum_add(p, checksum_pseudo(guest_ip, server_ip, 17, p.size()))) ^ damage);
  return p;
}

}  // namespace

TEST_CASE("two simultaneous echo connections each get their own bytes back", "[peer][services]") {
  Talk t;
  open(t, 1024, echo_port);
  Saved first = save(t);
  t.seq = 700'000;
  open(t, 1025, echo_port);
  Saved second = save(t);

  restore(t, first);
  t.send_data(PSH | ACK, pattern(1000, 1));
  t.step(2_ms);
  CHECK(take(t) == pattern(1000, 1));
  t.send_tcp(ACK, 0);
  t.step(1_ms);
  first = save(t);
  restore(t, second);
  t.send_data(PSH | ACK, pattern(1300, 9));
  t.step(2_ms);
  CHECK(take(t) == pattern(1300, 9));
  t.send_tcp(ACK, 0);
  CHECK(t.peer.tcp().connections() == 2);

  // The same client port with another service is another connection.
  restore(t, first);
  t.seq = 50'000;
  open(t, 1024, discard_port);
  CHECK(t.peer.tcp().connections() == 3);
  t.send_data(PSH | ACK, pattern(1448, 0));
  t.step(2_ms);
  CHECK(take(t).empty());
  CHECK(t.peer.tcp().counters().bytes == 1000 + 1300 + 1448);
}

TEST_CASE("echo sends its pending data before it closes", "[peer][services]") {
  Talk t({.full_duplex = true});
  t.window = 0;  // the client does not read yet
  open(t, 1024, echo_port);
  t.send_data(PSH | ACK, pattern(600, 3));
  t.send_tcp(FIN | ACK, 0);
  t.step(5_ms);
  CHECK(take(t).empty());
  CHECK(t.peer.tcp().connections() == 1);
  t.ack = t.synack.seq + 1;
  t.window = 32120;
  t.send_tcp(ACK, 0);
  t.step(2_ms);
  CHECK(take(t) == pattern(600, 3));
  t.send_tcp(ACK, 0);
  t.step(2_ms);
  const auto end = t.received();
  REQUIRE(end.size() == 1);
  CHECK((end[0].flags & FIN) != 0);
  t.ack = end[0].seq + 1;
  t.send_tcp(ACK, 0);
  t.step(2_ms);
  CHECK(t.peer.tcp().connections() == 0);
}

TEST_CASE("echo stops reading from a client that does not read the answers", "[peer][services]") {
  Talk t({.full_duplex = true});
  open(t, 1024, echo_port);
  const std::uint32_t taken = t.ack;  // from here on nothing is acknowledged
  t.window = 1448;
  for (int i = 0; i < 150; ++i) {
    t.send_data(ACK, pattern(1448, 0));
    t.step(2_ms);
  }
  CHECK(t.ack == taken);
  const auto read = t.peer.tcp().counters().bytes;
  CHECK(read >= 65535);
  CHECK(read < 65535 + 4 * 1448);
  CHECK(t.received().back().window < 1448);
}

TEST_CASE("a datagram to echo is answered, one to discard is not, one to a closed port is unreachable",
          "[peer][services]") {
  Talk t;
  t.arp();
  const auto arrivals = [&] { return t.guest.arrivals.size(); };
  const Bytes data = pattern(300, 5);
  t.send_ip(17, datagram(3000, echo_port, data));
  t.step(2_ms);
  REQUIRE(arrivals() == 2);
  const ByteView answer = t.guest.arrivals[1].bytes;
  CHECK(answer[23] == 17);
  CHECK(get16(answer, 34) == echo_port);
  CHECK(get16(answer, 36) == 3000);
  const auto udp = answer.subspan(34, 308);
  CHECK(checksum_fold(checksum_add(udp, checksum_pseudo(server_ip, guest_ip, 17, udp.size()))) == 0);
  CHECK(Bytes(udp.begin() + 8, udp.end()) == data);

  t.send_ip(17, datagram(3000, discard_port, data));
  t.send_ip(17, datagram(3000, echo_port, data, 1));  // wrong checksum
  t.step(2_ms);
  CHECK(arrivals() == 2);
  CHECK(t.peer.counters().malformed == 1);
  t.send_ip(17, datagram(3000, 5000, data));
  t.step(2_ms);
  REQUIRE(arrivals() == 3);
  CHECK(t.guest.arrivals[2].bytes[23] == 1);
  CHECK(t.guest.arrivals[2].bytes[34] == 3);
}

TEST_CASE("every service has its own name and ports", "[peer][services]") {
  const Services services;
  for (const auto& service : services.all()) {
    INFO(service->name());
    CHECK_FALSE(service->name().empty());
    REQUIRE_FALSE(service->ports().empty());
    for (const ServicePort& p : service->ports()) {
      CHECK(services.find(p.transport, p.number) == service.get());
      if (p.transport == Transport::tcp) CHECK(service->accept(p.number));
    }
  }
}

TEST_CASE("a snapshot with an open echo connection does not affect the run", "[peer][services][snapshot]") {
  const auto archive = [](Talk& t, Archive& a) {
    t.scheduler.archive(a);
    t.segment.archive(a);
    t.peer.archive(a);
    t.guest.port.archive(a);
  };
  Talk first, second;
  first.window = 100;
  open(first, 1024, echo_port);
  first.send_data(PSH | ACK, pattern(1400, 1));
  first.step(2_ms);
  Archive saved = Archive::saver();
  archive(first, saved);
  Archive loaded = Archive::loader(saved.stream());
  archive(second, loaded);
  loaded.expect_end();
  second.now = first.now;
  restore(second, save(first));
  const auto begun = take(first);
  second.ack = first.ack;
  const Bytes all = pattern(1400, 1);
  CHECK(begun == Bytes(all.begin(), all.begin() + 100));
  Bytes rest;
  for (Talk* t : {&first, &second}) {
    t->window = 32120;
    t->send_tcp(ACK, 0);
    t->step(2_ms);
    const auto data = take(*t);
    CHECK(data.size() == 1300);
    if (t == &second) CHECK(data == rest);
    rest = data;
  }
}
