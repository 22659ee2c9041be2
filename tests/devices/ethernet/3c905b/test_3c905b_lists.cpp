// SPDX-License-Identifier: GPL-2.0-or-later
// 3C905B beyond its Linux driver: descriptors of every form, checksums, filters, statistics, polling, loop-back.
#include "tests/devices/ethernet/3c905b/3c905b_bench.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::Cyclone;

namespace {

constexpr std::uint32_t at = 0x8000, data_at = 0x20000, last = XlBench::last;

/// A descriptor with any number of fragments.
void put_list(XlBench& b, std::uint32_t where, std::uint32_t next, std::uint32_t header,
              const std::vector<std::pair<std::uint32_t, std::uint32_t>>& fragments) {
  b.rig.put32(where, next);
  b.rig.put32(where + 4, header);
  for (std::uint32_t n = 0; n < fragments.size(); ++n) {
    b.rig.put32(where + 8 + 8 * n, fragments[n].first);
    b.rig.put32(where + 12 + 8 * n, fragments[n].second | (n + 1 == fragments.size() ? last : 0));
  }
}

Bytes datagram(unsigned protocol, std::size_t payload, unsigned fragment = 0) {
  Bytes f(XlBench::own.begin(), XlBench::own.end());
  f.insert(f.end(), {2, 0, 0, 0, 0, 9, 0x08, 0x00});
  const std::size_t bytes = 20 + payload;
  f.insert(f.end(), {0x45,
                     0,
                     static_cast<std::uint8_t>(bytes >> 8),
                     static_cast<std::uint8_t>(bytes),
                     0,
                     7,
                     static_cast<std::uint8_t>(fragment >> 8),
                     static_cast<std::uint8_t>(fragment),
                     64,
                     static_cast<std::uint8_t>(protocol),
                     0,
                     0,
                     10,
                     0,
                     0,
                     1,
                     10,
                     0,
                     0,
                     2});
  for (std::size_t n = 0; n < payload; ++n) f.push_back(static_cast<std::uint8_t>(n * 11 + 3));
  if (protocol == 6) f[34 + 16] = f[34 + 17] = 0;
  if (protocol == 17) {
    f[34 + 4] = static_cast<std::uint8_t>(payload >> 8);
    f[34 + 5] = static_cast<std::uint8_t>(payload);
    f[34 + 6] = f[34 + 7] = 0;
  }
  return f;
}
std::uint32_t sum_of(const Bytes& f, std::size_t from, std::size_t to, std::uint32_t sum = 0) {
  for (std::size_t n = from; n < to; n += 2) sum += f[n] << 8 | (n + 1 < to ? f[n + 1] : 0);
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return sum;
}
void store_sum(Bytes& f, std::size_t where, std::uint32_t sum) {
  f[where] = static_cast<std::uint8_t>(~sum >> 8);
  f[where + 1] = static_cast<std::uint8_t>(~sum);
}
/// With the correct checksums, computed here independently.
Bytes summed(Bytes f) {
  f[24] = f[25] = 0;
  store_sum(f, 24, sum_of(f, 14, 34));
  const auto payload = static_cast<std::uint32_t>(f.size() - 34);
  store_sum(f, f[23] == 6 ? 50 : 40, sum_of(f, 34, f.size(), sum_of(f, 26, 34, f[23] + payload)));
  return f;
}
Bytes framed(Bytes f) {
  append_fcs(f);
  return f;
}

}  // namespace

TEST_CASE("3C905B: frames of many fragments, odd addresses and zero bytes") {
  XlBench b;
  b.open();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pieces;
  Bytes whole;
  for (std::uint32_t n = 0; n < 63; ++n) {
    const Bytes part = make_frame(6 + n % 5, broadcast_mac, static_cast<std::uint8_t>(n));
    pieces.emplace_back(data_at + 0x41 * n + n % 4, n % 9 == 4 ? 0 : 6 + n % 5);
    b.rig.put(pieces.back().first, part);
    whole.insert(whole.end(), part.begin(), part.begin() + pieces.back().second);
  }
  // rounding is disabled; beside it one that is rounded up to a doubleword
  put_list(b, at, at + 0x400, Cyclone::RoundUpDefeat | Cyclone::DnIndicate, pieces);
  put_list(b, at + 0x400, 0, 0, {{data_at, 61}});
  b.out(XlBench::DN_LIST, at + 3, 4);  // the low bits are not part of the address
  CHECK(b.in(XlBench::DN_LIST, 4) == at);
  b.rig.step(500_us);
  REQUIRE(b.other.arrivals.size() == 2);
  CHECK(without_fcs(b.other.arrivals[0].bytes) == whole);
  CHECK(b.other.arrivals[1].length == 64 + 4);
  CHECK(b.interrupt());
}

TEST_CASE("3C905B: a list that points to itself runs at wire rate, an empty one at bus rate") {
  XlBench b;
  b.open();
  put_list(b, at, at, 0, {{data_at, 1514}});
  b.out(XlBench::DN_LIST, at, 4);
  b.rig.step(2_ms);
  CHECK(b.other.arrivals.size() == 16);
  CHECK(b.wait_command(XlBench::DN_STALL) < 10);
  b.out(XlBench::DN_LIST, at + 0x40, 4);
  put_list(b, at + 0x40, at + 0x40, Cyclone::DpdEmpty, {{data_at, 60}});
  b.command(XlBench::DN_UNSTALL);
  b.rig.step(2_ms);
  const std::size_t before = b.other.arrivals.size();
  b.rig.step(2_ms);
  CHECK(b.other.arrivals.size() == before);
  CHECK(b.in(XlBench::DN_LIST, 4) == at + 0x40);
  b.wait_command(XlBench::TX_RESET);
  CHECK(b.in(XlBench::DN_LIST, 4) == 0);
}

TEST_CASE(
    "3C905B: a frame longer than the FIFO is sent during the download; one of many fragments hangs until TxReset") {
  XlBench b;
  b.open();
  put_list(b, at, 0, Cyclone::RoundUpDefeat, {{data_at, 8191}});
  b.rig.put(data_at, body(8191));
  b.out(XlBench::DN_LIST, at, 4);
  b.rig.step(1_ms);
  REQUIRE(b.other.arrivals.size() == 1);
  CHECK(b.other.arrivals[0].ok);
  CHECK(without_fcs(b.other.arrivals[0].bytes) == body(8191));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pieces(63, {data_at, 8191});
  put_list(b, at, 0, 0, pieces);
  b.out(XlBench::DN_LIST, at, 4);
  b.rig.step(5_ms);
  CHECK(b.other.arrivals.size() == 1);
  CHECK(b.in(XlBench::DN_LIST, 4) == at);
  b.wait_command(XlBench::TX_RESET);
  b.command(XlBench::TX_ENABLE);
  b.cur_tx = b.dirty_tx = 0;
  b.send(body(700));
  b.rig.step(200_us);
  CHECK(b.other.arrivals.size() == 2);
}

TEST_CASE("3C905B: TxStartThresh starts a frame before it is complete") {
  const auto begins = [](unsigned threshold, unsigned burst) {
    XlBench b;
    b.open();
    b.command(0x9800 | threshold / 4);
    b.out(0x2A, burst, 1);
    b.send(body(1514));
    const Time from = b.rig.now;
    b.rig.step(300_us);
    REQUIRE(b.other.arrivals.size() == 1);
    CHECK(without_fcs(b.other.arrivals[0].bytes) == body(1514));
    return b.other.begins[0] - from;
  };
  CHECK(begins(64, 8) <= begins(Cyclone::whole_frame, 8));
}

TEST_CASE("3C905B: UPDs with several fragments, none, an implied buffer, and too little space") {
  XlBench b;
  b.open();
  const Bytes frame = make_frame(1000, b.own);
  put_list(b, at, at + 0x100, 0, {{data_at + 1, 100}, {data_at + 0x403, 0}, {data_at + 0x802, 2000}});
  put_list(b, at + 0x100, at + 0x800, 0, {{data_at + 0x1000, 333}});
  b.rig.put32(data_at + 0x1000 + 336, 0x12345678);
  put_list(b, at + 0x800, 0, Cyclone::ImpliedBufferEnable, {});
  b.out(XlBench::UP_LIST, at, 4);
  for (int n = 0; n < 3; ++n) b.hear(frame);
  const Bytes bytes = without_fcs(frame);
  CHECK(b.rig.get(data_at + 1, 100) == Bytes(bytes.begin(), bytes.begin() + 100));
  CHECK(b.rig.get(data_at + 0x802, 900) == Bytes(bytes.begin() + 100, bytes.end()));
  CHECK(b.rig.get32(at + 4) == (Cyclone::UpCompleteBit | 1000u));
  CHECK(b.rig.get(data_at + 0x1000, 333) == Bytes(bytes.begin(), bytes.begin() + 333));
  CHECK(b.rig.get32(data_at + 0x1000 + 336) == 0x12345678);
  CHECK(b.rig.get32(at + 0x104) == (Cyclone::UpCompleteBit | Cyclone::UpError | Cyclone::UpOverflow | 1000u));
  CHECK(b.rig.get(at + 0x808, 1000) == bytes);
  CHECK(b.rig.get32(at + 0x804) == (Cyclone::UpCompleteBit | 1000u));
  CHECK(b.in(XlBench::UP_LIST, 4) == 0);
  b.hear(frame);  // waits in the FIFO
  b.window(3);
  CHECK(b.in(0x0A, 2) == XlBench::fifo_bytes - 1000);
  b.out(XlBench::UP_LIST, b.rx(5), 4);
  b.rig.step(50_us);
  CHECK(b.rig.get32(b.rx(5) + 4) == (Cyclone::UpCompleteBit | 1000u));
}

TEST_CASE("3C905B: bad frames have an error status; fragments are ignored unless RxEarlyThresh is short") {
  XlBench b;
  b.open();
  b.hear(damaged(make_frame(600, b.own)));
  b.hear(make_frame(2000, b.own));
  b.hear(make_frame(40, b.own));
  b.handle();
  REQUIRE(b.statuses.size() == 2);
  CHECK(b.statuses[0] == (Cyclone::UpCompleteBit | Cyclone::UpError | Cyclone::CrcError | 600u));
  CHECK(b.statuses[1] ==
        (Cyclone::UpCompleteBit | Cyclone::UpError | Cyclone::OversizedFrame | Cyclone::UpOverflow | 2000u));
  b.window(3);
  b.out(6, 0x60, 2);  // large frames
  b.command(0x8800 | 8 / 4);
  b.hear(make_frame(1530, b.own));
  b.hear(make_frame(40, b.own));
  b.handle();
  REQUIRE(b.statuses.size() == 4);
  CHECK(b.statuses[2] == (Cyclone::UpCompleteBit | 1530u));
  CHECK(b.statuses[3] == (Cyclone::UpCompleteBit | Cyclone::UpError | Cyclone::RuntFrame | 40u));
  CHECK(b.made.network->counters().received == 1);
}

TEST_CASE("3C905B: the header checksum is checked in every IPv4 datagram, TCP and UDP checksums in whole ones") {
  XlBench b;
  b.open();
  constexpr std::uint32_t ip = 0x20000000, tcp = 0x40000000, udp = 0x80000000;
  const auto says = [&](const Bytes& f) {
    b.hear(framed(f));
    b.handle();
    return b.statuses.back() & 0xEE000000;
  };
  const Bytes segment = summed(datagram(6, 1001)), packet = summed(datagram(17, 700));
  CHECK(says(segment) == (ip | tcp));
  CHECK(says(packet) == (ip | udp));
  Bytes short_one = summed(datagram(6, 20));  // padding is not part of the sum
  short_one.resize(60, 0xEE);
  CHECK(says(short_one) == (ip | tcp));
  const auto with = [](Bytes f, std::size_t where, std::uint8_t bits) {
    f[where] ^= bits;
    return f;
  };
  CHECK(says(with(segment, 500, 1)) == (ip | tcp | 0x04000000));
  CHECK(says(with(segment, 30, 1)) == (ip | 0x02000000 | tcp | 0x04000000));
  CHECK(says(with(packet, 300, 0x80)) == (ip | udp | 0x08000000));
  CHECK(says(with(segment, 22, 1)) == (ip | 0x02000000 | tcp));  // only the header's checksum covers it
  Bytes none = packet;
  none[40] = none[41] = 0;
  CHECK(says(none) == ip);
  CHECK(says(summed(datagram(17, 700, 0x2000))) == ip);  // more fragments
  CHECK(says(summed(datagram(17, 700, 0x0010))) == ip);  // not the first
  CHECK(says(summed(datagram(6, 700, 0x4000))) == (ip | tcp));
  CHECK(says(datagram(1, 700)) == (ip | 0x02000000));  // ICMP, with no sum in the header
  CHECK(says(with(segment, 13, 6)) == 0);              // 0806h: ARP
  CHECK(says(with(segment, 14, 0x10)) == 0);           // not version 4
  CHECK(says(with(segment, 16, 0x40)) == 0);           // longer than the frame
}

TEST_CASE("3C905B: checksums are inserted into frames on request") {
  XlBench b;
  b.open();
  for (const auto& [frame, header] : std::vector<std::pair<Bytes, std::uint32_t>>{
           {datagram(6, 1001), Cyclone::AddIpChecksum | Cyclone::AddTcpChecksum},
           {datagram(17, 700), Cyclone::AddIpChecksum | Cyclone::AddUdpChecksum}}) {
    b.rig.put(data_at, frame);
    put_list(b, at, 0, header | Cyclone::RoundUpDefeat,
             {{data_at, 30}, {data_at + 30, static_cast<std::uint32_t>(frame.size() - 30)}});
    b.out(XlBench::DN_LIST, at, 4);
    b.rig.step(300_us);
    CHECK(without_fcs(b.other.arrivals.back().bytes) == summed(frame));
    // The other protocol's bit, or none, changes nothing.
    put_list(b, at, 0, (header ^ 0x0C000000) & ~Cyclone::AddIpChecksum,
             {{data_at, static_cast<std::uint32_t>(frame.size())}});
    b.out(XlBench::DN_LIST, at, 4);
    b.rig.step(300_us);
    const Bytes plain = b.other.arrivals.back().bytes;
    CHECK(Bytes(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(frame.size())) == frame);
  }
}

TEST_CASE("3C905B: the filter: own address with a mask, broadcast, all multicast, 256-bit hash, promiscuous") {
  XlBench b;
  b.open();
  const MacAddress group{0x01, 0x00, 0x5E, 0x00, 0x00, 0x01}, stranger{0x00, 0x50, 0x04, 0x01, 0x02, 0x04};
  const auto takes = [&](const MacAddress& to) {
    const std::size_t before = b.received.size();
    b.hear(make_frame(64, to));
    b.handle();
    return b.received.size() > before;
  };
  const auto set = [&](std::uint32_t filter) { b.command(XlBench::FILTER | filter); };
  set(0);
  CHECK_FALSE(takes(b.own));
  CHECK_FALSE(takes(broadcast_mac));
  set(Cyclone::Individual);
  CHECK(takes(b.own));
  CHECK_FALSE(takes(stranger));
  CHECK_FALSE(takes(broadcast_mac));
  b.window(2);
  b.out(0x0A, 0x0F00, 2);  // the last byte's lower half need not match
  CHECK(takes(stranger));
  b.out(0x0A, 0, 2);
  set(Cyclone::Broadcast);
  CHECK(takes(broadcast_mac));
  CHECK_FALSE(takes(group));
  set(Cyclone::AllMulticast);
  CHECK(takes(group));
  CHECK(takes(broadcast_mac));
  CHECK_FALSE(takes(b.own));
  set(Cyclone::MulticastHash);
  CHECK_FALSE(takes(group));
  const unsigned bit = net::crc32_remainder(group) & 0xFF;
  b.command(0xC800 | 0x400 | (bit ^ 0x80));
  CHECK_FALSE(takes(group));
  b.command(0xC800 | 0x400 | bit);
  CHECK(takes(group));
  b.command(0xC800 | bit);
  CHECK_FALSE(takes(group));
  set(Cyclone::AllFrames);
  CHECK(takes(stranger));
}

TEST_CASE("3C905B: statistics are cleared by a read and interrupt when half full") {
  XlBench b;
  b.open();
  const auto hear = [&](unsigned frames, std::size_t bytes) {
    for (unsigned n = 0; n < frames; ++n) {
      b.hear(make_frame(bytes, b.own));
      b.receive();
    }
  };
  for (unsigned n = 0; n < 300; ++n) {
    b.rig.put(data_at, body(60));
    put_list(b, at, 0, 0, {{data_at, 60}});
    b.out(XlBench::DN_LIST, at, 4);
    b.rig.step(20_us);
  }
  hear(20, 1000);
  CHECK_FALSE(b.status() & Cyclone::UpdateStats);
  b.update_stats();
  CHECK(b.stats[6] == 300);  // two upper bits out of UpperFramesOk
  CHECK(b.stats[7] == 20);
  CHECK(b.stats[9] == 20'000);
  CHECK(b.stats[10] == 300 * 60);
  b.update_stats();
  CHECK(b.stats[6] == 300);
  CHECK(b.stats[9] == 20'000);
  hear(512, 60);
  CHECK(b.status() & Cyclone::UpdateStats);
  b.handle();
  CHECK_FALSE(b.status() & Cyclone::UpdateStats);
  // Octets have 20 bits; the upper four are kept for window 4 when the lower ones are read.
  hear(70, 1000);
  b.window(6);
  CHECK(b.in(0x0A, 2) == (70'000 & 0xFFFF));
  b.window(4);
  CHECK(b.in(0x0D, 1) == 1);
  CHECK(b.in(0x0D, 1) == 0);
  b.out(6, 0, 2);  // 16 bits only
  hear(33, 1000);
  CHECK(b.status() & Cyclone::UpdateStats);
  b.command(0xB000);
  b.hear(make_frame(60, b.own));
  b.window(6);
  CHECK(b.in(7, 1) == 103);
}

TEST_CASE("3C905B: DnPoll finds a frame linked after the last one, UpPoll a free descriptor") {
  XlBench b;
  b.open();
  b.out(0x2D, 64, 1);
  put_list(b, at, 0, Cyclone::DpdEmpty, {});
  b.out(XlBench::DN_LIST, at, 4);
  b.rig.step(200_us);
  CHECK(b.in(XlBench::DN_LIST, 4) == at);
  put_list(b, at + 0x40, 0, 0, {{data_at, 100}});
  b.rig.put32(at, at + 0x40);
  b.rig.step(60_us);
  CHECK(b.other.arrivals.size() == 1);
  CHECK(b.in(XlBench::DN_LIST, 4) == at + 0x40);
  CHECK_FALSE(b.interrupt());

  b.out(0x3D, 64, 1);
  b.rig.put32(b.rx(0) + 4, Cyclone::UpCompleteBit);
  b.hear(make_frame(80, b.own));
  CHECK(b.in(XlBench::UP_STATUS, 4) & Cyclone::UpStalled);
  b.rig.put32(b.rx(0) + 4, 0);
  b.rig.step(60_us);
  CHECK(b.rig.get32(b.rx(0) + 4) == (Cyclone::UpCompleteBit | 80u));
}

TEST_CASE("3C905B: frames leave their number and a status on request; a full stack stops the transmitter") {
  XlBench b;
  b.open();
  for (unsigned n = 0; n < 32; ++n) {
    put_list(b, at, 0, Cyclone::TxIndicate | Cyclone::RoundUpDefeat | n << 2, {{data_at, 64}});
    b.out(XlBench::DN_LIST, at, 4);
    b.rig.step(20_us);
  }
  CHECK(b.status() & Cyclone::TxComplete);
  CHECK(b.other.arrivals.size() == 32);
  b.window(4);
  CHECK_FALSE(b.in(6, 2) & Cyclone::TxEnabled);
  for (unsigned n = 0; n < 31; ++n) {
    CHECK(b.in(0x18, 1) == n);
    CHECK(b.in(XlBench::TX_STATUS, 1) == (n == 30 ? 0xC4u : 0xC0u));
    b.out(XlBench::TX_STATUS, 0, 1);
  }
  CHECK(b.in(XlBench::TX_STATUS, 1) == 0);
  CHECK_FALSE(b.status() & Cyclone::TxComplete);
}

TEST_CASE("3C905B: loopback in the chip or the PHY keeps the frame off the wire") {
  XlBench b;
  b.open();
  b.command(XlBench::FILTER | std::uint32_t{Cyclone::AllFrames});
  b.window(4);
  b.out(6, Cyclone::InternalLoopback, 2);
  b.send(body(500));
  b.rig.step(200_us);
  b.handle();
  REQUIRE(b.received.size() == 1);
  CHECK(b.received[0] == body(500));
  b.window(4);
  b.out(6, 0, 2);
  b.mdio_write(24, 0, 0x5000);
  b.send(body(300));
  b.rig.step(200_us);
  b.handle();
  REQUIRE(b.received.size() == 2);
  CHECK(b.received[1] == body(300));
  CHECK(b.other.arrivals.empty());
  b.window(4);
  b.mdio_write(24, 0, 0x1000);
  b.rig.step(2_s);
  b.out(6, Cyclone::ExternalLoopback, 2);
  b.send(body(200));
  b.rig.step(200_us);
  b.handle();
  CHECK(b.other.arrivals.size() == 1);
  CHECK(b.received.size() == 3);
}

TEST_CASE("3C905B: Countdown raises an interrupt, FreeTimer counts") {
  XlBench b;
  b.open();
  const unsigned from = b.in(0x34, 2);
  b.out(0x36, 100, 2);
  CHECK(b.in(XlBench::DMA, 4) & Cyclone::ArmCountdown);
  b.rig.step(300_us);
  CHECK_FALSE(b.interrupt());
  b.rig.step(25_us);
  CHECK(b.interrupt());
  CHECK((b.status() & 0x1FFF) == (Cyclone::IntRequested | Cyclone::InterruptLatch));
  const unsigned passed = (b.in(0x34, 2) - from) & 0xFFFF;
  CHECK(passed >= 101);
  CHECK(passed <= 104);
}
