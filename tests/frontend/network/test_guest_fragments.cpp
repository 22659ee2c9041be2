// SPDX-License-Identifier: GPL-2.0-or-later
// Fragments to the guest: this test is the other end of its wire and sends echo requests in fragments: complete,
// duplicated, overlapping, with gaps, and with contradictory ends. Complete ones are answered, once; the others do no
// harm.
#include <algorithm>
#include <array>
#include <numeric>

#include "tests/catch.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"
#include "tests/frontend/network/loopback.hpp"

using namespace program;

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::array<std::uint8_t, 6> own_mac{0x02, 0, 0, 0, 0, 0x77};
constexpr std::uint32_t own_ip = 0xC0A80A01, guest_ip = 0xC0A80A02;
constexpr std::uint8_t icmp = 1, udp = 17;
constexpr std::size_t ethernet = 14, ip_header = 20, echo_header = 8;

void put(Bytes& b, std::uint32_t value, unsigned bytes) {
  while (bytes--) b.push_back(static_cast<std::uint8_t>(value >> 8 * bytes));
}
std::uint32_t get(const Bytes& b, std::size_t at, unsigned bytes) {
  std::uint32_t value = 0;
  while (bytes--) value = value << 8 | b.at(at++);
  return value;
}
std::uint32_t internet_sum(const Bytes& b, std::size_t from, std::size_t to) {
  std::uint32_t sum = 0;
  for (std::size_t n = from; n < to; ++n) sum += std::uint32_t{b[n]} << ((n - from) % 2 ? 0 : 8);
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return ~sum & 0xFFFF;
}

/// The guest's netserver, which is waiting, at the other end of a wire.
class Wire {
 public:
  explicit Wire(const Scratch& scratch)
      : guest_(scratch, "netperf --serve 1 --net-time unthrottled --card smc8013 --net socket:127.0.0.1:" +
                            std::to_string(listener_.port())),
        socket_(listener_.accept()) {
    REQUIRE(socket_);
    Bytes ask;
    put(ask, 0x00010800, 4);
    put(ask, 0x06040001, 4);
    ask.insert(ask.end(), own_mac.begin(), own_mac.end());
    put(ask, own_ip, 4);
    put(ask, 0, 6);
    put(ask, guest_ip, 4);
    guest_mac_.fill(0xFF);
    // There is no answer before the guest has booted.
    for (int tries = 0; tries < 600 && guest_mac_[0] == 0xFF; ++tries) {
      frame(0x0806, ask);
      if (const auto answer = take(0x0806, 500))
        std::copy_n(answer->begin() + ethernet + 8, guest_mac_.size(), guest_mac_.begin());
    }
    REQUIRE(guest_mac_[0] != 0xFF);
  }

  void frame(std::uint16_t type, const Bytes& payload) {
    Bytes b;
    put(b, static_cast<std::uint32_t>(std::max<std::size_t>(ethernet + payload.size(), 60)), 4);
    b.insert(b.end(), guest_mac_.begin(), guest_mac_.end());
    b.insert(b.end(), own_mac.begin(), own_mac.end());
    put(b, type, 2);
    b.insert(b.end(), payload.begin(), payload.end());
    b.resize(std::max<std::size_t>(b.size(), 64), 0);
    REQUIRE(send(socket_, b));
  }

  /// Bytes [from, to) of the datagram `data` as a fragment of `id`; `more`: others follow.
  void fragment(const Bytes& data, std::size_t from, std::size_t to, std::uint16_t id, bool more,
                std::uint8_t protocol = icmp) {
    Bytes b;
    put(b, 0x4500, 2);
    put(b, static_cast<std::uint32_t>(ip_header + to - from), 2);
    put(b, id, 2);
    put(b, static_cast<std::uint32_t>((more ? 0x2000 : 0) | from / 8), 2);
    put(b, 0x40000000u | std::uint32_t{protocol} << 16, 4);
    put(b, own_ip, 4);
    put(b, guest_ip, 4);
    const auto sum = internet_sum(b, 0, ip_header);
    b[10] = static_cast<std::uint8_t>(sum >> 8);
    b[11] = static_cast<std::uint8_t>(sum);
    b.insert(b.end(), data.begin() + static_cast<std::ptrdiff_t>(from), data.begin() + static_cast<std::ptrdiff_t>(to));
    frame(0x0800, b);
  }

  /// The next frame of the type, without its length.
  std::optional<Bytes> take(std::uint16_t type, int milliseconds) {
    for (;;) {
      pollfd p{socket_.get(), POLLIN, 0};
      if (::poll(&p, 1, milliseconds) <= 0) return std::nullopt;
      const auto length = receive(socket_, 4);
      if (length.size() < 4) return std::nullopt;
      Bytes b = receive(socket_, get(length, 0, 4));
      if (b.size() > ethernet && get(b, 12, 2) == type) return b;
    }
  }

  /// The next IP datagram, joined from its fragments in the order in which they are sent: the last one first.
  std::optional<Bytes> datagram() {
    Bytes whole;
    for (;;) {
      const auto f = take(0x0800, patience);
      if (!f) return std::nullopt;
      const std::size_t offset = (get(*f, ethernet + 6, 2) & 0x1FFF) * 8u;
      const std::size_t bytes = get(*f, ethernet + 2, 2) - ip_header;
      whole.resize(std::max(whole.size(), offset + bytes));
      std::copy_n(f->begin() + ethernet + ip_header, bytes, whole.begin() + static_cast<std::ptrdiff_t>(offset));
      if (offset == 0) return whole;
    }
  }

 private:
  Listener listener_;
  Beside guest_;
  Descriptor socket_;
  std::array<std::uint8_t, 6> guest_mac_{};
};

/// An echo request with `bytes` of data, from `first` on.
Bytes echo(std::size_t bytes, std::uint8_t first) {
  Bytes b;
  put(b, 0x08000000, 4);
  put(b, first, 4);
  b.resize(echo_header + bytes);
  std::iota(b.begin() + echo_header, b.end(), first);
  const auto sum = internet_sum(b, 0, b.size());
  b[2] = static_cast<std::uint8_t>(sum >> 8);
  b[3] = static_cast<std::uint8_t>(sum);
  return b;
}

/// A UDP datagram with `bytes` of data, from `first` on, to an unused port.
Bytes to_nobody(std::size_t bytes, std::uint8_t first) {
  const auto length = static_cast<std::uint32_t>(echo_header + bytes);
  Bytes b;  // what the checksum covers: addresses, protocol, length, and the datagram
  put(b, own_ip, 4);
  put(b, guest_ip, 4);
  put(b, udp, 2);
  put(b, length, 2);
  put(b, 4000u << 16 | 9, 4);
  put(b, length << 16, 4);
  b.resize(b.size() + bytes);
  std::iota(b.end() - static_cast<std::ptrdiff_t>(bytes), b.end(), first);
  const auto sum = internet_sum(b, 0, b.size());
  b[18] = static_cast<std::uint8_t>(sum >> 8);
  b[19] = static_cast<std::uint8_t>(sum);
  b.erase(b.begin(), b.begin() + 12);
  return b;
}

/// Checks that the next datagram is the answer to this request.
void answered(Wire& wire, const Bytes& request) {
  const auto answer = wire.datagram();
  REQUIRE(answer);
  REQUIRE(answer->size() == request.size());
  CHECK(get(*answer, 0, 1) == 0);
  CHECK(get(*answer, 4, 4) == get(request, 4, 4));
  CHECK(std::equal(answer->begin() + echo_header, answer->end(), request.begin() + echo_header));
  CHECK(internet_sum(*answer, 0, answer->size()) == 0);
}

}  // namespace

TEST_CASE("fragments in any order, duplicate and overlapping, form a datagram; gaps and contradictions do not",
          "[netperf][fragments]") {
  if (short_runs()) SKIP("a guest beside the test");
  const Scratch scratch;
  Wire wire(scratch);
  std::uint16_t id = 1;

  const auto whole = echo(4000, 1);
  const std::size_t end = whole.size();
  wire.fragment(whole, 0, 1480, ++id, true);
  wire.fragment(whole, 1480, 2960, id, true);
  wire.fragment(whole, 2960, end, id, false);
  answered(wire, whole);

  const auto backwards = echo(4000, 2);  // as sent by Linux, and each one twice
  ++id;
  for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{2960, end}, {1480, 2960}}) {
    wire.fragment(backwards, from, to, id, to != end);
    wire.fragment(backwards, from, to, id, to != end);
  }
  wire.fragment(backwards, 0, 1480, id, true);
  answered(wire, backwards);

  // Overlaps at either side, one fragment within another, one covering another: the first data received stay.
  const auto overlapping = echo(4000, 3);
  Bytes others = overlapping;
  std::fill(others.begin() + 1000, others.begin() + 1480, std::uint8_t{0xEE});
  wire.fragment(overlapping, 0, 1480, ++id, true);
  wire.fragment(others, 1000, 2400, id, true);
  wire.fragment(overlapping, 3200, 3600, id, true);
  wire.fragment(overlapping, 3280, 3400, id, true);
  wire.fragment(overlapping, 2960, end, id, false);
  wire.fragment(overlapping, 2400, 3200, id, true);
  answered(wire, overlapping);

  // A gap: no answer. What follows is received on its own.
  const auto gap = echo(4000, 4);
  wire.fragment(gap, 0, 1480, ++id, true);
  wire.fragment(gap, 2960, end, id, false);
  const auto small = echo(100, 5);
  wire.fragment(small, 0, small.size(), ++id, false);
  answered(wire, small);

  // Two ends, data beyond the end, fragments not in units of 8, empty ones, an offset beyond the size of a datagram.
  const auto liar = echo(4000, 6);
  wire.fragment(liar, 0, 1480, ++id, true);
  wire.fragment(liar, 1480, 2960, id, false);
  wire.fragment(liar, 2960, end, id, false);
  wire.fragment(liar, 1480, 2960, ++id, false);
  wire.fragment(liar, 2960, 3600, id, true);
  wire.fragment(liar, 0, 1477, ++id, true);
  wire.fragment(liar, 1480, 1480, ++id, true);
  Bytes beyond(66'000, 7);
  wire.fragment(beyond, 65'512, 66'000, ++id, false);
  // More incomplete datagrams than 256 KB: the oldest are given up.
  // The answers in between keep the card's ring from overflowing.
  for (int n = 0; n < 240; ++n) {
    wire.fragment(gap, 0, 1480, ++id, true);
    if (n % 4 != 3) continue;
    const auto here = echo(100, static_cast<std::uint8_t>(n));
    wire.fragment(here, 0, here.size(), ++id, false);
    answered(wire, here);
  }
  const auto last = echo(8000, 8);
  ++id;
  for (std::size_t from = 0; from < last.size(); from += 1480)
    wire.fragment(last, from, std::min(from + 1480, last.size()), id, from + 1480 < last.size());
  answered(wire, last);
}

TEST_CASE("an incomplete datagram is discarded after 30 seconds, and its ID may be reused", "[netperf][fragments]") {
  if (short_runs()) SKIP("a guest beside the test");
  const Scratch scratch;
  Wire wire(scratch);
  const auto old = to_nobody(4000, 1), next = to_nobody(4000, 2);
  wire.fragment(old, 0, 1480, 99, true, udp);
  const auto given_up = wire.datagram();
  REQUIRE(given_up);
  CHECK(get(*given_up, 0, 2) == 0x0B01);  // time exceeded: reassembly
  CHECK(get(*given_up, echo_header + 4, 2) == 99);
  // With the old fragment it would have a wrong checksum, and there would be no answer.
  wire.fragment(next, 1480, 2960, 99, true, udp);
  wire.fragment(next, 2960, next.size(), 99, false, udp);
  wire.fragment(next, 0, 1480, 99, true, udp);
  const auto refused = wire.datagram();
  REQUIRE(refused);
  CHECK(get(*refused, 0, 2) == 0x0303);  // port unreachable
  CHECK(get(*refused, echo_header + 4, 2) == 99);
}
