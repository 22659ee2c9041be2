// SPDX-License-Identifier: GPL-2.0-or-later
// Fragments of IP datagrams on their way to libslirp, in all orders.
#include "devices/stations/reassembly.hpp"

#include <algorithm>
#include <numeric>

#include "devices/stations/host/host_net.hpp"
#include "devices/stations/host/links.hpp"
#include "tests/catch.hpp"

using namespace planar;
using namespace planar::net;

namespace {

constexpr std::uint8_t to[] = {0x52, 0x55, 192, 168, 10, 1}, from[] = {0x00, 0x00, 0xD8, 1, 2, 3};

Bytes content(std::size_t bytes) {
  Bytes data(bytes);
  for (std::size_t n = 0; n < bytes; ++n) data[n] = static_cast<std::uint8_t>(n * 7 + n / 256);
  return data;
}

/// Bytes `first` to `first + bytes` of a datagram's data as a frame.
Bytes fragment(const Bytes& data, std::size_t first, std::size_t bytes, unsigned id = 1, std::size_t options = 0) {
  const bool more = first + bytes < data.size();
  Bytes ip{static_cast<std::uint8_t>(0x45 + options / 4), 0};
  put16(ip, static_cast<std::uint32_t>(20 + options + bytes));
  put16(ip, id);
  put16(ip, static_cast<std::uint32_t>(first / 8) | (more ? 0x2000 : 0));
  put(ip, Bytes{64, 17, 0, 0});
  put32(ip, slirp_guest);
  put32(ip, slirp_host);
  ip.resize(20 + options, 1);
  set16(ip, 10, checksum_fold(checksum_add(ip)));
  Bytes frame(std::begin(to), std::end(to));
  put(frame, from);
  put16(frame, 0x0800);
  put(frame, ip);
  put(frame, ByteView(data).subspan(first, bytes));
  frame.resize(std::max<std::size_t>(frame.size(), 60));
  return frame;
}

}  // namespace

TEST_CASE("fragments in any order are reassembled to their datagram", "[host]") {
  const Bytes data = content(1480 * 3 + 100);
  std::vector<std::size_t> order{0, 1480, 2960, 4440};
  do {
    Reassembly reassembly;
    for (std::size_t n = 0; n < order.size(); ++n) {
      const auto frame = fragment(data, order[n], std::min<std::size_t>(1480, data.size() - order[n]));
      REQUIRE(Reassembly::is_fragment(frame));
      const auto whole = reassembly.take(frame, 1_ms);
      REQUIRE(whole.has_value() == (n + 1 == order.size()));
      if (!whole) continue;
      CHECK_FALSE(Reassembly::is_fragment(*whole));
      CHECK(get16(*whole, 16) == 20 + data.size());
      CHECK(checksum_fold(checksum_add(ByteView(*whole).subspan(14, 20))) == 0);
      CHECK(Bytes(whole->begin() + 34, whole->end()) == data);
      CHECK(reassembly.waiting() == 0);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("overlapping, damaged and incomplete datagrams are dropped, and their memory is freed", "[host]") {
  const Bytes data = content(3000);
  Reassembly reassembly;
  const auto takes = [&](const Bytes& frame, Time now = 1_ms) { return reassembly.take(frame, now).has_value(); };
  CHECK_FALSE(takes(fragment(data, 0, 1480)));
  CHECK_FALSE(takes(fragment(data, 1472, 1480)));  // overlaps
  CHECK(reassembly.waiting() == 0);
  CHECK_FALSE(takes(fragment(data, 0, 1480)));
  CHECK_FALSE(takes(fragment(data, 0, 1480)));  // twice
  CHECK(reassembly.waiting() == 0);
  CHECK_FALSE(takes(fragment(data, 0, 1475)));  // not whole units of eight bytes
  auto damaged = fragment(data, 0, 1480);
  damaged[14 + 8] ^= 1;
  CHECK_FALSE(takes(damaged));
  CHECK(reassembly.waiting() == 0);
  auto longer = fragment(data, 2960, 40);
  set16(longer, 14 + 2, 200);  // more than the frame holds
  CHECK_FALSE(takes(longer));
  for (unsigned id = 10; id < 60; ++id) takes(fragment(data, 0, 1480, id));
  CHECK(reassembly.waiting() == Reassembly::most_datagrams);
  CHECK_FALSE(takes(fragment(data, 1480, 1520, 59), 2_ms + Reassembly::longest));  // its other half is discarded
  CHECK(reassembly.waiting() == 1);
  // Beyond 64 KB: offset 65528 and more.
  Bytes huge = content(65535);
  CHECK_FALSE(takes(fragment(huge, 65528, 7)));
  const Bytes with_options = content(2000);
  CHECK_FALSE(takes(fragment(with_options, 1480, 520, 3)));
  const auto whole = reassembly.take(fragment(with_options, 0, 1480, 3, 8), 1_ms);
  REQUIRE(whole);
  CHECK(whole->size() == 14 + 28 + 2000);
}

TEST_CASE("a guest that sends its last fragment first gets its echo from slirp", "[host]") {
  struct Kept final : HostSink {
    void frame_from_host(ByteView frame) override { frames.emplace_back(frame.begin(), frame.end()); }
    void host_note(std::string_view) override {}
    std::vector<Bytes> frames;
  } kept;
  const auto link = open_slirp({}, false);
  link->attach(kept);
  // An echo request of 1600 bytes to slirp's own address.
  Bytes echo{8, 0, 0, 0, 0, 1, 0, 1};
  put(echo, content(1592));
  set16(echo, 2, checksum_fold(checksum_add(echo)));
  auto frames = std::vector{fragment(echo, 0, 1480), fragment(echo, 1480, 120)};
  for (auto& frame : frames) {
    frame[14 + 9] = 1;
    set16(frame, 14 + 10, 0);
    set16(frame, 14 + 10, checksum_fold(checksum_add(ByteView(frame).subspan(14, 20))));
  }
  for (int round = 0; round < 3; ++round) {
    link->send(frames[1], 1_ms);
    link->send(frames[0], 1_ms);
    link->exchange(1_ms, HostDuration{});
  }
  Bytes arp{0, 1, 8, 0, 6, 4, 0, 1};
  put(arp, from);
  put32(arp, slirp_guest);
  put(arp, Bytes(6, 0));
  put32(arp, slirp_host);
  Bytes frame(6, 0xFF);
  put(frame, from);
  put16(frame, 0x0806);
  put(frame, arp);
  frame.resize(60);
  link->send(frame, 1_ms);
  link->send(frames[1], 2_ms);
  link->send(frames[0], 2_ms);
  for (int n = 0; n < 50; ++n) link->exchange(3_ms + 1_ms * n, HostDuration{});
  CHECK(kept.frames.size() >= 2);  // the address, and at least one fragment of an echo
}
