// SPDX-License-Identifier: GPL-2.0-or-later
// The 3C527 as seen by Linux's drivers (3c527.c of 2.2.26 and 2.4.0): boot handshake, mailboxes, both lists, suspend
// and restart; its bus master transfers; the effects of malformed lists.
#include "core/common/error.hpp"
#include "devices/ethernet/3c527/3c527.hpp"
#include "tests/archived.hpp"
#include "tests/damage.hpp"
#include "tests/devices/ethernet/card_bench.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::Mc32;
using ethernet::ThreeC527;

namespace {

struct Mc32Bench : CardBench {
  static constexpr std::uint16_t base = 0x7280;
  static constexpr std::uint32_t window = 0xD0000;
  static constexpr unsigned irq = 9;

  explicit Mc32Bench(Settings settings = {}, unsigned width = 32)
      : CardBench(ThreeC527::entry, "02:60:8c:12:34:56", std::move(settings), true, width) {
    card->pos_write(2, 0x01 | 4 << 4, rig.now);
    card->pos_write(4, 0x01 | 0x02 | 9 << 2 | 0x40, rig.now);
    card->pos_write(5, 0, rig.now);
  }

  Mc32& chip() { return static_cast<ThreeC527&>(*card).chip(); }
  std::uint8_t in(unsigned port) { return static_cast<std::uint8_t>(rig.in(static_cast<std::uint16_t>(base + port))); }
  void out(unsigned port, unsigned value) { rig.out(static_cast<std::uint16_t>(base + port), value); }
  std::uint16_t get(std::uint32_t at) { return static_cast<std::uint16_t>(rig.load(window + at, 2)); }
  std::uint8_t get8(std::uint32_t at) { return static_cast<std::uint8_t>(rig.load(window + at, 1)); }
  void put(std::uint32_t at, unsigned value) { rig.store(window + at, value, 2); }
  void put8(std::uint32_t at, unsigned value) { rig.store(window + at, value, 1); }
  void put32(std::uint32_t at, std::uint32_t value) {
    rig.store(window + at, value & 0xFFFF, 2);
    rig.store(window + at + 2, value >> 16, 2);
  }
  bool interrupt() const { return rig.irqs.level[irq]; }

  void wait_ready() {
    for (int n = 0; !(in(Mc32::STATUS)&Mc32::CRR); ++n) {
      REQUIRE(n < 100'000);
      rig.step(1_us);
    }
  }
  /// The driver's reset and boot; returns the self-test's result.
  unsigned boot() {
    out(Mc32::CONTROL, (in(Mc32::CONTROL) | Mc32::ATTN | Mc32::RESET) & ~unsigned{Mc32::INTE});
    rig.step(100_us);
    out(Mc32::CONTROL, 0);
    rig.step(300_us);
    unsigned result = in(Mc32::COMMAND);
    int polls = 0;
    while (result == 0xFF && ++polls < 1000) {
      rig.step(1_ms);
      if (in(Mc32::STATUS)&Mc32::CWR) result = in(Mc32::COMMAND);
    }
    CHECK(polls > 1);  // FFh until the self-test has ended
    std::uint32_t offset = 0;
    for (unsigned i = 0; i < 4; ++i) {
      for (int n = 0; !(in(Mc32::STATUS)&Mc32::CWR); ++n) {
        REQUIRE(n < 100);
        rig.step(50_us);
      }
      offset |= std::uint32_t{in(Mc32::COMMAND)} << (8 * i);
    }
    exec = offset;
    rx_box = get(exec + 6);
    tx_box = get(exec + 8);
    return result;
  }
  /// All responses that arrive within `t`, in order.
  std::vector<std::uint8_t> responses(Time t = 1_ms) {
    std::vector<std::uint8_t> all;
    for (const Time end = rig.now + t; rig.now < end;) {
      if (in(Mc32::STATUS)&Mc32::CWR)
        all.push_back(in(Mc32::COMMAND));
      else
        rig.step(5_us);
    }
    return all;
  }
  void command(unsigned value) {
    wait_ready();
    out(Mc32::COMMAND, value);
  }
  /// Runs an exec command; true if it ended without the error bit.
  bool execute(unsigned code, const Bytes& data = {}) {
    put(exec, 0);
    put(exec, code);
    for (std::size_t i = 0; i < data.size(); ++i) put8(exec + 2 + static_cast<std::uint32_t>(i), data[i]);
    command(0x40);
    responses();
    return !(get(exec) & Mc32::exec_error);
  }
  /// mc32_open() of 2.4.0.
  void open() {
    REQUIRE(boot() == 0);
    out(Mc32::CONTROL, in(Mc32::CONTROL) | Mc32::INTE);
    CHECK(execute(4, {1, 0}));
    CHECK(execute(1, Bytes(mac.begin(), mac.end())));
    CHECK(execute(0, {4, 0}));
    CHECK(execute(0x0D, {0, 0}));
    load_rx(32);
    put(rx_box, 0);
    command(Mc32::start << 3);
    wait_ready();
  }
  /// Gives `n` receive descriptors buffers at 10000h and so on; the last has the end-of-list bit.
  void load_rx(unsigned n) {
    std::uint32_t at = get(rx_box + 2), last = at;
    for (unsigned i = 0; i < n; ++i) {
      put8(at + 1, 0);
      put32(at + 6, 0x10000 + i * 0x600);
      put8(at, 0);
      put(at + 4, 1532);
      last = at;
      at = get(at + 2);
    }
    put8(last + 1, Mc32::EOL);
  }
  /// mc32_send_packet() of 2.4.0; returns the descriptor that was used.
  std::uint32_t send(std::uint32_t address, unsigned length) {
    const std::uint32_t last = get(tx_box + 2);
    wait_ready();
    put(tx_box, 0);
    out(Mc32::COMMAND, Mc32::suspend);
    const std::uint32_t d = get(last + 2);
    put8(d + 1, Mc32::EOL);
    put(d + 4, length);
    put32(d + 6, address);
    put8(d, 0);
    put8(d + 1, Mc32::EOP | Mc32::EOL);
    put8(last, 0);
    put8(last + 1, get8(last + 1) & ~unsigned{Mc32::EOL});
    wait_ready();
    put(tx_box, 0);
    out(Mc32::COMMAND, Mc32::restart);
    return d;
  }
  void store_frame(std::uint32_t address, const Bytes& frame) {
    std::copy(frame.begin(), frame.end(), rig.ram.begin() + address);
  }
  void hear(const Bytes& frame) {
    other.port.transmit(frame, rig.now);
    const std::size_t before = other.outcomes.size();
    while (other.outcomes.size() == before) rig.step(10_us);
    rig.step(1_us);
  }

  MacAddress mac{0x02, 0x60, 0x8C, 0x12, 0x34, 0x56};
  std::uint32_t exec = 0, rx_box = 0, tx_box = 0;
};

}  // namespace

TEST_CASE("3C527: POS selects ports and window; POS 6 and 7 read the station address through POS 3", "[3c527][pos]") {
  Mc32Bench b;
  CHECK(b.card->pos_peek(0) == 0x41);
  CHECK(b.card->pos_peek(1) == 0x00);
  for (unsigned i = 0; i < 6; ++i) {
    b.card->pos_write(6, static_cast<std::uint8_t>(12 + i), b.rig.now);
    b.card->pos_write(7, 0, b.rig.now);
    CHECK(b.card->pos_peek(3) == b.mac[i]);
  }
  const std::uint16_t bases[] = {0x7280, 0x7290, 0x7680, 0x7690, 0x7A80, 0x7A90, 0x7E80, 0x7E90};
  for (unsigned n = 0; n < 8; ++n) {
    b.card->pos_write(2, static_cast<std::uint8_t>(1 | n << 1 | n << 4), b.rig.now);
    CHECK(b.rig.bus.io().find(bases[n]) != nullptr);
    CHECK(b.rig.memory.find(0xC0000 + n * 0x4000) != nullptr);
  }
  b.card->pos_write(4, 0, b.rig.now);
  CHECK(b.rig.memory.find(0xDC000) == nullptr);
  b.card->pos_write(2, 0, b.rig.now);
  CHECK(b.rig.bus.io().find(0x7E90) == nullptr);
}

TEST_CASE("3C527: the boot handshake returns a result and the exec mailbox, which points to everything else",
          "[3c527][boot]") {
  Mc32Bench b;
  CHECK(b.boot() == 0);
  CHECK((b.get(b.exec + 2) | b.get(b.exec + 4) << 16) == 0);  // base
  CHECK(b.get(b.exec + 2 + 18) == 37);
  CHECK(b.get(b.exec + 2 + 22) == 37);
  // Both lists are closed rings.
  for (const unsigned list : {8u, 10u}) {
    const std::uint32_t first = b.get(b.exec + 2 + 2 * list);
    std::uint32_t at = first;
    for (int n = 0; n < 37; ++n) at = b.get(at + 2);
    CHECK(at == first);
  }
  CHECK(b.in(Mc32::COMMAND) == 0xFF);
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("3C527: nothing is indicated until exec command 4", "[3c527][exec]") {
  Mc32Bench b;
  b.boot();
  b.out(Mc32::CONTROL, Mc32::INTE);
  b.command(Mc32::suspend);
  CHECK(b.responses().empty());
  b.put(b.exec, 4);
  b.put(b.exec + 2, 1);
  b.command(0x40);
  b.rig.step(1_ms);
  CHECK(b.interrupt());
  CHECK(b.responses() == Bytes{0x40});
  CHECK_FALSE(b.interrupt());
  b.command(Mc32::suspend | Mc32::suspend << 3);
  CHECK(b.responses() == Bytes{Mc32::halted, Mc32::halted << 3});
  CHECK_FALSE(b.execute(9));  // unknown: the error bit
}

TEST_CASE("3C527: CRR reads 0 once after every command, however late it is read", "[3c527]") {
  Mc32Bench b;
  b.open();
  b.command(Mc32::suspend << 3);
  b.rig.step(10_ms);
  CHECK_FALSE(b.in(Mc32::STATUS)&Mc32::CRR);
  CHECK((b.in(Mc32::STATUS)&Mc32::CRR) != 0);
}

TEST_CASE("3C527: frames are sent by suspend, append, restart; the mailbox points to the list's end",
          "[3c527][transmit]") {
  for (const unsigned width : {16u, 32u}) {
    Mc32Bench b({}, width);
    b.open();
    std::vector<std::uint32_t> used;
    for (unsigned i = 0; i < 5; ++i) {
      b.store_frame(0x1000 + i * 0x800, body(1514, static_cast<std::uint8_t>(i)));
      used.push_back(b.send(0x1000 + i * 0x800, 1514));
      b.wait_ready();
      CHECK(b.get(b.tx_box + 2) == used.back());
    }
    const auto all = b.responses(20_ms);
    CHECK(std::count_if(all.begin(), all.end(), [](auto r) { return (r & 7) == Mc32::done; }) == 5);
    REQUIRE(b.log.entries.size() == 5);
    for (unsigned i = 0; i < 5; ++i) {
      CHECK(b.get8(used[i]) == (Mc32::COMPLETED | Mc32::COMPLETED_OK));
      Bytes sent = b.log.entries[i].bytes;
      CHECK(b.log.entries[i].good);
      sent.resize(1514);
      CHECK(sent == body(1514, static_cast<std::uint8_t>(i)));
    }
  }
}

TEST_CASE("3C527: a cleared end-of-list bit is noticed without a command", "[3c527][transmit]") {
  Mc32Bench b;  // the method of 2.2.26 and 2.6
  b.open();
  b.command(Mc32::restart);
  b.wait_ready();
  b.store_frame(0x1000, body(200));
  const std::uint32_t last = b.get(b.tx_box + 2), d = b.get(last + 2);
  b.put(d + 4, 200);
  b.put32(d + 6, 0x1000);
  b.put8(d, 0);
  b.put8(d + 1, Mc32::EOP | Mc32::EOL);
  b.rig.step(5_ms);
  CHECK(b.log.entries.empty());
  b.put8(last + 1, 0);
  b.rig.step(5_ms);
  REQUIRE(b.log.entries.size() == 1);
  CHECK(b.get8(d) == (Mc32::COMPLETED | Mc32::COMPLETED_OK));
}

TEST_CASE("3C527: a fragmented frame ends at its end-of-packet bit", "[3c527][transmit]") {
  Mc32Bench b;
  b.open();
  const Bytes whole = body(300);
  b.store_frame(0x1000, Bytes(whole.begin(), whole.begin() + 100));
  b.store_frame(0x2001, Bytes(whole.begin() + 100, whole.end()));
  const std::uint32_t last = b.get(b.tx_box + 2), first = b.get(last + 2), second = b.get(first + 2);
  b.put(first + 4, 100);
  b.put32(first + 6, 0x1000);
  b.put8(first + 1, 0);
  b.put(second + 4, 200);
  b.put32(second + 6, 0x2001);
  b.put8(second + 1, Mc32::EOP | Mc32::EOL);
  b.put8(last + 1, 0);
  b.command(Mc32::restart);
  b.rig.step(5_ms);
  REQUIRE(b.log.entries.size() == 1);
  Bytes sent = b.log.entries[0].bytes;
  sent.resize(300);
  CHECK(sent == whole);
  CHECK(b.get8(second) == (Mc32::COMPLETED | Mc32::COMPLETED_OK));
}

TEST_CASE("3C527: received frames are stored in the list's buffers from the mailbox's pointer on", "[3c527][receive]") {
  Mc32Bench b;
  b.open();
  const std::uint32_t first = b.get(b.rx_box + 2), second = b.get(first + 2);
  b.hear(make_frame(100, b.mac, 1));
  b.hear(make_frame(1514, broadcast_mac, 2));
  b.hear(make_frame(100, {0x02, 0, 0, 0, 0, 9}));  // for another station
  CHECK(b.responses(3_ms) == Bytes{Mc32::done << 3, Mc32::done << 3});
  CHECK(b.get8(first) == 0xC0);
  CHECK(b.get(first + 4) == 100);
  CHECK(b.get(second + 4) == 1514);
  Bytes got(b.rig.ram.begin() + 0x10000, b.rig.ram.begin() + 0x10000 + 100), sent = make_frame(100, b.mac, 1);
  sent.resize(100);
  CHECK(got == sent);
  CHECK(b.get8(b.get(second + 2)) == 0);
  // While suspended, frames wait in the card; after the restart they go to data[0] again.
  b.command(Mc32::suspend << 3);
  CHECK(b.responses() == Bytes{Mc32::halted << 3});
  b.hear(make_frame(80, b.mac, 3));
  CHECK(b.responses(3_ms).empty());
  b.put8(first, 0);
  b.put(first + 4, 1532);
  b.command(Mc32::start << 3);
  CHECK(b.responses(3_ms) == Bytes{Mc32::done << 3});
  CHECK(b.get(first + 4) == 80);
}

TEST_CASE("3C527: at the end of the list reception halts with one indication, and the card buffers what it can",
          "[3c527][receive]") {
  Mc32Bench b;
  b.open();
  b.command(Mc32::suspend << 3);
  b.responses();
  b.load_rx(2);
  b.command(Mc32::start << 3);
  for (unsigned i = 0; i < 9; ++i) b.hear(make_frame(64, b.mac, static_cast<std::uint8_t>(i)));
  auto all = b.responses(5_ms);
  CHECK(std::count(all.begin(), all.end(), Mc32::done << 3) == 2);
  CHECK(std::count(all.begin(), all.end(), Mc32::out_of_buffers << 3) == 1);
  CHECK(b.chip().counters().received == 2);
  CHECK(b.chip().counters().overruns == 3);  // four wait in card RAM
  CHECK(b.get(Mc32::statistics + 4 * Mc32::rx_no_buffer) == 3);
  b.load_rx(8);
  b.command(Mc32::start << 3);
  all = b.responses(5_ms);
  CHECK(std::count(all.begin(), all.end(), Mc32::done << 3) == 4);
}

TEST_CASE("3C527: bad frames are never stored, and counted if the filter selects it", "[3c527][receive]") {
  Mc32Bench b;
  b.open();
  Bytes bad = make_frame(100, b.mac);
  bad.back() ^= 1;
  Bytes runt(40, 0);
  std::copy(b.mac.begin(), b.mac.end(), runt.begin());
  Bytes giant = make_frame(1600, b.mac);
  for (const auto& f : {bad, runt, giant}) b.hear(f);
  CHECK(b.responses(3_ms).empty());
  CHECK(b.get(Mc32::statistics + 4 * Mc32::rx_crc) == 1);
  CHECK(b.get(Mc32::statistics + 4 * Mc32::rx_short) == 1);
  CHECK(b.get(Mc32::statistics + 4 * Mc32::rx_long) == 1);
  CHECK(b.execute(0, {0, 0}));
  b.hear(bad);
  CHECK(b.get(Mc32::statistics + 4 * Mc32::rx_crc) == 1);
}

TEST_CASE("3C527: multicast list and promiscuous mode", "[3c527][receive]") {
  Mc32Bench b;
  b.open();
  const MacAddress group{0x01, 0x00, 0x5E, 0, 0, 1};
  b.hear(make_frame(64, group));
  CHECK(b.responses().empty());
  CHECK(b.execute(2, {1, 0, 0x01, 0x00, 0x5E, 0, 0, 1}));
  b.hear(make_frame(64, group));
  CHECK(b.responses() == Bytes{Mc32::done << 3});
  CHECK(b.execute(0, {1, 0}));
  b.hear(make_frame(64, {0x02, 1, 2, 3, 4, 5}));
  CHECK(b.responses() == Bytes{Mc32::done << 3});
  CHECK_FALSE(b.execute(2, Bytes(2, 200)));  // more than it holds
}

TEST_CASE("3C527: lists are rebuilt on demand, and refused if they do not fit", "[3c527][exec]") {
  Mc32Bench b;
  b.open();
  CHECK(b.execute(8, {32, 0, 8, 0}));
  CHECK(b.execute(6));
  CHECK(b.get(b.exec + 2 + 18) == 32);
  CHECK(b.get(b.exec + 2 + 22) == 8);
  CHECK_FALSE(b.execute(8, {1, 0, 8, 0}));
  CHECK_FALSE(b.execute(8, {0xFF, 0xFF, 8, 0}));
}

TEST_CASE("3C527: descriptors that point nowhere, to themselves or beyond memory do no harm", "[3c527][malformed]") {
  Mc32Bench b;
  b.open();
  const std::uint32_t last = b.get(b.tx_box + 2), d = b.get(last + 2);
  // A list without an end, of frames without an end, at an address without memory.
  b.put(d + 2, d);
  b.put(d + 4, 0xFFFF);
  b.put32(d + 6, 0xFFFFFFF0);
  b.put8(d + 1, 0);
  b.put8(last + 1, 0);
  b.command(Mc32::restart);
  b.rig.step(20_ms);
  b.put8(d + 1, Mc32::EOL);
  b.rig.step(20_ms);
  CHECK_FALSE(b.log.entries.empty());
  for (const auto& e : b.log.entries) CHECK(e.bytes.size() <= 1518);
  // Odd offsets all over the window.
  b.command(Mc32::suspend | Mc32::suspend << 3);
  b.responses();
  b.put(b.rx_box + 2, 0xFFFF);
  b.command(Mc32::start << 3);
  b.hear(make_frame(200, b.mac));
  b.rig.step(5_ms);
  b.out(Mc32::CONTROL, Mc32::RESET);
  CHECK(b.boot() == 0);
}

TEST_CASE("3C527: without a cable the frame fails with lost carrier", "[3c527][transmit]") {
  Mc32Bench b;
  b.open();
  b.chip().port().set_plugged(false, b.rig.now);
  const std::uint32_t d = b.send(0x1000, 200);
  const auto all = b.responses(5_ms);
  CHECK(std::count_if(all.begin(), all.end(), [](auto r) { return (r & 7) == Mc32::failed; }) == 1);
  CHECK(b.get8(d) == (Mc32::COMPLETED | 3));
  CHECK(b.get(Mc32::statistics + 4 * Mc32::tx_carrier) == 1);
}

TEST_CASE("3C527: a cable pulled in mid-frame fails the frame and counts an error, and both directions continue",
          "[3c527][cable]") {
  Mc32Bench b;
  b.open();
  const std::uint32_t d = b.send(0x1000, 1514);
  while (!b.chip().port().transmitting()) b.rig.step(10_us);
  b.rig.step(500_us);
  b.chip().port().set_plugged(false, b.rig.now);
  b.responses(5_ms);
  CHECK(b.get8(d) == (Mc32::COMPLETED | 3));
  CHECK(b.get(Mc32::statistics + 4 * Mc32::tx_carrier) == 1);
  REQUIRE_FALSE(b.other.arrivals.empty());
  CHECK_FALSE(b.other.arrivals.back().ok);
  CHECK(b.other.arrivals.back().length < 1514);
  b.chip().port().set_plugged(true, b.rig.now);

  b.other.port.transmit(make_frame(1000, b.mac), b.rig.now);
  b.rig.step(400_us);
  b.chip().port().set_plugged(false, b.rig.now);
  b.responses(2_ms);
  CHECK(b.get(Mc32::statistics + 4 * Mc32::rx_crc) + b.get(Mc32::statistics + 4 * Mc32::rx_alignment) == 1);
  b.chip().port().set_plugged(true, b.rig.now);
  b.hear(make_frame(200, b.mac, 4));
  b.responses(2_ms);
  CHECK(b.get8(b.get(b.rx_box + 2)) == (Mc32::COMPLETED | Mc32::COMPLETED_OK));  // the first descriptor contains it
}

TEST_CASE("3C527: transfers take the channel in bursts and release it in between", "[3c527][master]") {
  const auto spans = [](unsigned width, const char* burst) {
    Mc32Bench b(Settings{{"master.burst", burst}}, width);
    b.open();
    Time held{};
    int tenures = 0;
    b.rig.channel.set_steal([&](Time from, Time to) {
      held = held + (to - from);
      ++tenures;
    });
    b.send(0x1000, 1024);
    b.responses(5_ms);
    return std::pair{held, tenures};
  };
  const auto [held32, tenures32] = spans(32, "64");
  const auto [held16, tenures16] = spans(16, "64");
  const auto [held_big, tenures_big] = spans(32, "128");
  const Rig rig;
  const Time cycle = rig.channel.timing().memory_cycle, phase = rig.channel.timing().arbitration.phase;
  // No other master competes: the phase after a burst is the one before the next.
  CHECK(held32 == cycle * 16 * 16 + phase * 17);
  CHECK(held16 == cycle * 32 * 16 + phase * 17);
  CHECK(held_big == cycle * 32 * 8 + phase * 9);
  CHECK(tenures32 == 33);
  CHECK(tenures16 == 33);
  CHECK(tenures_big == 17);
}

TEST_CASE("3C527: a damaged snapshot is refused or runs on", "[mc32][snapshot]") {
  Mc32Bench b;
  b.open();
  b.send(0x8000, 600);
  b.other.port.transmit(make_frame(400, b.mac), b.rig.now);
  Mc32Bench other;
  unsigned refused = 0;
  for (int moment = 0; moment < 4; ++moment) {
    b.rig.step(150_us);
    refused += refused_of_damaged(saved_state(b), "mc32", [&](const std::vector<std::uint8_t>& state) {
      restore_state(other, state);
      Description d;
      other.card->describe(d);
      other.rig.step(2_ms);
    });
  }
  CHECK(refused > 20);
}
