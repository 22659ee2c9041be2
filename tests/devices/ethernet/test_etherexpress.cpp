// SPDX-License-Identifier: GPL-2.0-or-later
// An EtherExpress/MC in a slot and the accesses that Linux's eexpress.c makes: order, width and values are the driver's,
// the code is ours. No processor; each access begins when the one before ended.
#include "core/error.hpp"
#include "devices/ethernet/etherexpress.hpp"
#include "tests/bus/rig.hpp"
#include "tests/devices/net/wire.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::EtherExpress;
using ethernet::I82586;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

struct Bench {
  static constexpr std::uint16_t io = 0x300;
  static constexpr unsigned irq = 5, code = 4;
  static constexpr unsigned tx_start = 0x100, buffer_size = 1568;

  explicit Bench(Settings settings = {}, bool plugged = true)
      : slot(0, 16, rig.wiring()),
        card(EtherExpress::entry.make(
            {slot, plugged ? &segment : nullptr, "00:aa:00:12:34:56", std::move(settings), 1})),
        other(rig.scheduler, &segment, "other", 77) {
    segment.add_observer(log);
    card->pos_write(3, 0x80 | 4 << 4 | 0xF, Time{});
    card->pos_write(2, 0x05, Time{});
  }

  EtherExpress& eexp() { return static_cast<EtherExpress&>(*card); }
  unsigned inb(unsigned at) { return rig.in(static_cast<std::uint16_t>(io + at)); }
  unsigned inw(unsigned at) { return rig.in(static_cast<std::uint16_t>(io + at), 2); }
  void outb(unsigned v, unsigned at) { rig.out(static_cast<std::uint16_t>(io + at), v & 0xFF); }
  void outw(unsigned v, unsigned at) { rig.out(static_cast<std::uint16_t>(io + at), v & 0xFFFF, 2); }
  void step(Time t) { rig.step(t); }
  bool interrupt() const { return rig.irqs.level[irq]; }

  // ---- eexpress.c ----

  static unsigned shadow(unsigned at) {
    at &= 0x1F;
    return (at > 0xF ? at + 0x3FF0 : at) + 0x4000;
  }
  unsigned peek(unsigned at) {
    outw(at & ~31u, 8);
    return inw(shadow(at));
  }
  void poke(unsigned at, unsigned v) {
    outw(at & ~31u, 8);
    outw(v, shadow(at));
  }
  unsigned scb_status() { return inw(0xC008); }
  void scb_command(unsigned v) { outw(v, 0xC00A); }
  void attention() { outb(0, 6); }

  unsigned eeprom(unsigned location) {
    const unsigned reset = 0x80, cs = 2;
    const unsigned command = 0x180 | location;
    unsigned wires = cs | reset, value = 0;
    outb(wires, 0xE);
    for (unsigned bit = 0x100; bit; bit >>= 1) {
      wires = command & bit ? wires | 4 : wires & ~4u;
      outb(wires, 0xE);
      outb(wires | 1, 0xE);
      step(40_us);
      outb(wires, 0xE);
      step(40_us);
    }
    wires &= ~4u;
    outb(wires, 0xE);
    for (unsigned bit = 0x8000; bit; bit >>= 1) {
      outb(wires | 1, 0xE);
      step(40_us);
      if (inb(0xE) & 8) value |= bit;
      outb(wires, 0xE);
      step(40_us);
    }
    wires &= ~cs;
    outb(wires | 1, 0xE);
    step(40_us);
    outb(wires, 0xE);
    step(40_us);
    return value;
  }
  void reset() {
    outb(0x40, 0xE);
    outb(0, 0xE);
    step(500_us);
    outb(0x80, 0xE);
  }
  unsigned size_ram() {
    outw(0, 2);
    for (unsigned i = 0; i < 32768; ++i) outw(0, 0);
    unsigned k = 0;
    for (; k < 64; ++k) {
      outw(k << 10, 4);
      if (inw(0)) break;
      outw(k << 10, 2);
      outw(k | 0x5000, 0);
      outw(k << 10, 4);
      if (inw(0) != (k | 0x5000)) break;
    }
    return k;
  }
  void transmit_ring() {
    unsigned at = tx_start;
    for (unsigned i = 0; i < 4; ++i, at += buffer_size) {
      outw(at, 2);
      for (unsigned w : {0u, 0x2004u, at + 0x08, at + 0x0E, 0u, 0u, at + 0x08, 0x8000u, 0xFFFFu, at + 0x16, 0u}) outw(w, 0);
    }
    head = reap = tx_start;
    tail = at - buffer_size;
    link = tail + 8;
    rx_start = at;
  }
  void receive_ring() {
    const unsigned end = 0x7FF6;
    unsigned at = rx_start;
    for (; at <= end - buffer_size; at += buffer_size) {
      outw(at, 2);
      for (unsigned w : {0u, 0u, at + buffer_size, 0xFFFFu, 0u, 0xDEADu, 0xDEADu, 0xDEADu, 0xDEADu, 0xDEADu, 0xDEADu, 0u,
                         at + buffer_size + 0x16, at + 0x20, 0u, buffer_size - 0x20})
        outw(w, 0);
      rx_last = at;
    }
    outw(rx_start + 6, 2), outw(rx_start + 0x16, 0);
    outw(rx_last + 4, 2), outw(rx_start, 0);
    outw(rx_last + 0x18, 2), outw(rx_start + 0x16, 0);
    rx = rx_start;
  }
  void init() {
    outb(inb(0xD) | 2, 0xD);
    outb(code, 7);
    outw(0x7FF6 & ~31, 8);
    outw(0, 0x8006);
    for (unsigned at : {0x8008u, 0x800Au, 0x800Cu, 0x800Eu}) outw(0, at);
    static constexpr unsigned program[] = {
        1, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 2, 0x32, 0x080C, 0x2E40, 0x6000, 0xF200, 0, 0x3C,
        0, 1, 0x3E, 0, 0, 0,
        0, 3, 0x76, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 7, 0x7C,
        0, 0x2005, 0x84, 0,
        0, 0x8000, 0x84};
    for (unsigned i = 0; i < sizeof program / sizeof *program * 2; i += 32) {
      outw(i, 8);
      for (unsigned j = 0; j < 16; j += 2) outw(word(program, i + j), 0x4000 + j);
      for (unsigned j = 0; j < 16; j += 2) outw(word(program, i + j + 16), 0x8000 + j);
    }
    poke(0x38, 0xAA00), poke(0x3A, 0x1200), poke(0x3C, 0x5634);
    transmit_ring();
    receive_ring();
    outb(0, 0xE);
    step(5_ms);
    scb_command(0xF000);
    attention();
    outw(0, 8);
    busy_polls = 0;
    while (inw(0x4000) && busy_polls < 50) ++busy_polls;
    outw(0x20, 0xC00C);
    scb_command(0xF100);
    attention();
    status_polls = 0;
    while (!scb_status() && status_polls < 50) ++status_polls;
    outb(inb(0xD) & ~2u, 0xD);
    outb(code | 8, 7);
  }
  template <std::size_t N>
  static unsigned word(const unsigned (&a)[N], unsigned at) {
    return at / 2 < N ? a[at / 2] : 0;
  }
  void wait_command() {
    int polls = 0;
    while (inw(0xC00A) && polls < 1000) ++polls;
    CHECK(polls < 1000);
  }
  /// The interrupt that ends the start-up program: results, then CU and RU start.
  void started() {
    const unsigned read = inw(4), write = inw(2);
    outb(code, 7);
    unsigned status = scb_status();
    REQUIRE((status & 0x8000) != 0);
    while ((status >> 8 & 7) == 2) status = scb_status();
    diagnose = peek(0x76);
    tdr = peek(0x82);
    outw(link, 0xC00C);
    outw(rx_start, 0xC00E);
    scb_command((status & 0xF000) | 0x2000 | 0x0110);
    attention();
    wait_command();
    outb(code | 8, 7);
    outw(read, 4);
    outw(write, 2);
  }
  void open() {
    init();
    step(10_us);  // a processor takes longer than that to its handler; the acknowledgement has been served by then
    for (int i = 0; !interrupt() && i < 1000; ++i) step(10_us);
    REQUIRE(interrupt());
    started();
    step(100_us);
    while (interrupt()) handle();
  }
  void send(const Bytes& b) {
    outw(head, 2);
    for (unsigned w : {0u, 0x2004u, head + 0x08, head + 0x0E, 0u, 0u, head + 0x08, 0x8000u | static_cast<unsigned>(b.size()),
                       0xFFFFu, head + 0x16, 0u})
      outw(w, 0);
    for (std::size_t i = 0; i < b.size(); i += 2) outw(b[i] | (i + 1 < b.size() ? b[i + 1] : 0) << 8, 0);
    outw(tail + 0xC, 2);
    outw(head, 0);
    tail = head;
    head = head == tx_start + 3 * buffer_size ? tx_start : head + buffer_size;
  }
  void reap_transmitted() {
    do {
      const unsigned status = peek(reap);
      if (!(status & 0x8000)) return;
      sent.push_back(status);
      reap = reap == tx_start + 3 * buffer_size ? tx_start : reap + buffer_size;
    } while (reap != head);
  }
  void take_frames() {
    for (;;) {
      outw(rx, 4);
      const unsigned status = inw(0);
      if (!(status & 0x8000)) return;
      const unsigned command = inw(0), next = inw(0), buffer = inw(0);
      CHECK(command == 0);
      CHECK(buffer == rx + 0x16);
      outw(buffer, 4);
      const unsigned length = inw(0);
      CHECK((length & 0xC000) == 0xC000);
      CHECK((status & 0x2000) != 0);
      outw(buffer + 10, 4);
      Bytes b;
      for (unsigned i = 0; i < ((length & 0x3FFF) + 1) / 2; ++i) {
        const unsigned w = inw(0);
        b.push_back(static_cast<std::uint8_t>(w));
        b.push_back(static_cast<std::uint8_t>(w >> 8));
      }
      b.resize(length & 0x3FFF);
      received.push_back(std::move(b));
      outw(rx, 2);
      outw(0, 0);
      outw(0, 0);
      rx = next;
    }
  }
  void handle() {
    const unsigned read = inw(4), write = inw(2);
    outb(code, 7);
    CHECK_FALSE(interrupt());
    unsigned status = scb_status();
    do {
      wait_command();
      scb_command(status & 0xF000);
      attention();
      wait_command();
      if (status & 0x8000) reap_transmitted();
      if (status & 0x4000) take_frames();
      status = scb_status();
    } while (status & 0xC000);
    wait_command();
    outb(code | 8, 7);
    outw(read, 4);
    outw(write, 2);
  }
  void hear(const Bytes& frame) {
    const std::size_t before = other.outcomes.size();
    other.port.transmit(frame, rig.now);
    while (other.outcomes.size() == before) step(10_us);
    step(20_us);
  }
  void archive(Archive& a) {
    rig.archive(a);
    segment.archive(a);
    card->archive(a);
    other.port.archive(a);
  }

  const MacAddress mac{0x00, 0xAA, 0x00, 0x12, 0x34, 0x56};
  Rig rig;
  EthernetSegment segment;
  Log log;
  bus::Slot slot;
  std::unique_ptr<NetworkAdapter> card;
  Recorder other;
  unsigned head = 0, reap = 0, tail = 0, link = 0, rx_start = 0, rx_last = 0, rx = 0, diagnose = 0, tdr = 0;
  int busy_polls = 0, status_polls = 0;
  std::vector<unsigned> sent;
  std::vector<Bytes> received;
};

}  // namespace

TEST_CASE("the EEPROM gives a station address under 00:AA:00, a sum of BABAh and a 16-bit bus", "[etherexpress]") {
  Bench b;
  b.reset();
  CHECK(b.eeprom(4) == 0x00AA);
  CHECK(b.eeprom(3) == 0x0012);
  CHECK(b.eeprom(2) == 0x3456);
  CHECK((b.eeprom(0) & 0x0400) != 0);
  unsigned sum = 0;
  for (unsigned n = 0; n < 64; ++n) sum += b.eeprom(n);
  CHECK((sum & 0xFFFF) == 0xBABA);
}

TEST_CASE("four reads of the ID port assemble BABAh", "[etherexpress]") {
  Bench b;
  unsigned id = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned t = b.inb(0xF);
    id |= t >> 4 << ((t & 3) << 2);
  }
  CHECK(id == 0xBABA);
}

TEST_CASE("the driver's RAM sizing stops at the size: smaller RAM shows itself again", "[etherexpress]") {
  Bench b;
  b.reset();
  CHECK(b.size_ram() == 32);
  Bench small(Settings{{"ram.size", "16384"}}), large(Settings{{"ram.size", "65536"}});
  small.reset();
  CHECK(small.size_ram() == 16);
  large.reset();
  CHECK(large.size_ram() == 64);
  CHECK_THROWS_WITH(Bench(Settings{{"ram.size", "49152"}}), Catch::Contains("16384, 32768 or 65536"));
}

TEST_CASE("POS 3 places the ports in descending order, each with its windows", "[etherexpress][pos]") {
  Bench b;
  CHECK(b.card->pos_peek(0) == 0x8B);
  CHECK(b.card->pos_peek(1) == 0x62);
  CHECK(b.card->pos_peek(4) == 0xFF);
  for (unsigned n = 0; n < 16; ++n) {
    b.card->pos_write(3, static_cast<std::uint8_t>(n), b.rig.now);
    const unsigned base = (n & 8 ? 0x370 : 0x270) - (n & 7) * 0x10;
    for (unsigned at : {0x0u, 0xFu, 0x300Eu, 0x4000u, 0x400Fu, 0x8000u, 0x800Fu, 0xC000u, 0xC00Fu})
      CHECK(b.rig.bus.io().find(static_cast<std::uint16_t>(base + at)) != nullptr);
    for (unsigned at : {0x10u, 0x300Fu, 0x4010u, 0xC010u})
      CHECK(b.rig.bus.io().find(static_cast<std::uint16_t>(base + at)) == nullptr);
  }
  b.card->pos_write(2, 0x04, b.rig.now);
  CHECK(b.rig.bus.io().find(0x300) == nullptr);
}

TEST_CASE("the pointers are independent, readable, and advance by what was moved", "[etherexpress]") {
  Bench b;
  b.outw(0x1000, 2);
  b.outw(0x1000, 4);
  b.outw(0x1122, 0);
  b.outw(0x3344, 0);
  CHECK(b.inw(2) == 0x1004);
  CHECK(b.inw(4) == 0x1000);
  CHECK(b.inw(0) == 0x1122);
  CHECK(b.inw(4) == 0x1002);
  CHECK(b.inb(0) == 0x44);
  CHECK(b.inw(4) == 0x1003);
}

TEST_CASE("three windows show the same RAM; low bits of the shadow pointer do not matter", "[etherexpress]") {
  Bench b;
  b.outw(0x2000, 2);
  for (unsigned i = 0; i < 16; ++i) b.outw(0x100 + i, 0);
  b.outw(0x201F, 8);
  CHECK(b.inw(0x4000) == 0x100);
  CHECK(b.inw(0x400E) == 0x107);
  CHECK(b.inw(0x8000) == 0x108);
  CHECK(b.inw(0xC004) == 0x10A);
  b.outw(0xBEEF, 0xC008);  // RAM at 8, wherever the pointer stands
  b.outw(8, 4);
  CHECK(b.inw(0) == 0xBEEF);
}

TEST_CASE("peeking at the data port moves nothing", "[etherexpress]") {
  Bench b;
  b.outw(0x1000, 4);
  b.rig.bus.io().peek(Bench::io);
  b.rig.bus.io().peek(Bench::io + 0xF);
  CHECK(b.inw(4) == 0x1000);
  CHECK((b.inb(0xF) & 3) == 0);
}

TEST_CASE("start-up: BUSY clears and the status comes up within 50 reads, the program's results follow", "[etherexpress]") {
  Bench b;
  b.reset();
  b.init();
  CHECK(b.busy_polls < 50);
  CHECK(b.status_polls < 50);
  b.step(10_us);
  for (int i = 0; !b.interrupt() && i < 1000; ++i) b.step(10_us);
  REQUIRE(b.interrupt());
  b.started();
  CHECK((b.diagnose & 1 << 13) != 0);
  CHECK((b.diagnose & 1 << 11) == 0);
  CHECK((b.tdr & 0x8000) != 0);
  b.step(100_us);
  CHECK((b.scb_status() & 0x0770) == 0x0240);
  CHECK(b.eexp().chip().parked());
}

TEST_CASE("without a cable TDR reports an open one", "[etherexpress]") {
  Bench b({}, false);
  b.reset();
  b.open();
  CHECK((b.tdr & 0x2000) != 0);
}

TEST_CASE("frames leave when the jump is patched, in a chain, without channel attention", "[etherexpress][transmit]") {
  Bench b;
  b.reset();
  b.open();
  std::vector<Bytes> frames;
  for (unsigned i = 0; i < 3; ++i) {
    frames.push_back(without_fcs(make_frame(i == 1 ? 301 : 1514, broadcast_mac, static_cast<std::uint8_t>(i))));
    b.send(frames.back());
  }
  b.step(5_ms);
  CHECK(b.interrupt());
  b.handle();
  CHECK_FALSE(b.interrupt());
  REQUIRE(b.log.entries.size() == 3);
  for (unsigned i = 0; i < 3; ++i) CHECK(without_fcs(b.log.entries[i].bytes) == frames[i]);
  CHECK(b.sent.size() == 3);  // all reaped by one interrupt
  for (unsigned status : b.sent) CHECK((status & 0xA000) == 0xA000);
  CHECK(b.log.entries[2].start - b.log.entries[1].end < 15_us);
  // Round the ring.
  for (unsigned i = 0; i < 6; ++i) {
    b.send(frames[1]);
    b.step(1_ms);
    b.handle();
  }
  CHECK(b.log.entries.size() == 9);
  CHECK(b.card->counters().sent == 9);
}

TEST_CASE("against a chip that is ready within the gap a waiting frame collides", "[etherexpress][transmit]") {
  const auto collisions = [](const char* clock) {
    Bench b(Settings{{"chip.clock", clock}});
    b.reset();
    b.open();
    const Bytes frame = without_fcs(make_frame(1514));
    b.send(frame);
    b.send(frame);
    b.step(300_us);
    b.other.port.transmit(make_frame(66, b.mac), b.rig.now);
    b.step(5_ms);
    CHECK(b.log.entries.size() >= 3);
    return b.segment.counters().collisions;
  };
  CHECK(collisions("10000000") > 0);
  CHECK(collisions("8000000") == 0);  // 2 us later: the other one's frame goes first
}

TEST_CASE("received frames round the endless ring", "[etherexpress][receive]") {
  Bench b;
  b.reset();
  b.open();
  for (unsigned i = 0; i < 40; ++i) {
    const Bytes frame = make_frame(i % 2 ? 1514 : 61, b.mac, static_cast<std::uint8_t>(i));
    b.hear(frame);
    REQUIRE(b.interrupt());
    b.handle();
    REQUIRE(b.received.size() == i + 1);
    CHECK(b.received.back() == without_fcs(frame));
    CHECK_FALSE(b.interrupt());
  }
}

TEST_CASE("an unread ring is overwritten: no suspension, no lack of resources", "[etherexpress][receive]") {
  Bench b;
  b.reset();
  b.open();
  for (unsigned i = 0; i < 30; ++i) b.hear(make_frame(60, b.mac, static_cast<std::uint8_t>(i)));
  CHECK((b.scb_status() & 0x70) == 0x40);
  b.outw(0, 8);
  CHECK(b.inw(0x8004) == 0);  // RSCERRS
}

TEST_CASE("errors are counted in the SCB and leave no frame", "[etherexpress][statistics]") {
  Bench b;
  b.reset();
  b.open();
  Bytes broken = make_frame(100, b.mac);
  broken[20] ^= 1;
  b.hear(broken);
  CHECK_FALSE(b.interrupt());
  b.outw(0, 8);
  CHECK(b.inw(0x8000) == 1);  // CRCERRS at 10h
}

TEST_CASE("loopback keeps frames off the wire", "[etherexpress]") {
  Bench b;
  b.reset();
  b.open();
  b.outb(b.inb(0xD) | 2, 0xD);
  b.send(without_fcs(make_frame(100, b.mac)));
  b.step(1_ms);
  CHECK(b.log.entries.empty());
  b.handle();
  CHECK(b.received.size() == 1);
}

TEST_CASE("the multicast restart: two attentions suspend the CU, the program runs again", "[etherexpress]") {
  Bench b;
  b.reset();
  b.open();
  b.poke(0x2E, b.peek(0x2E) | 1);
  b.scb_command(0x0300);
  b.attention();
  b.attention();
  for (int i = 0; (b.scb_status() >> 8 & 7) == 2 && i < 100; ++i) b.step(1_us);
  CHECK((b.scb_status() >> 8 & 7) == 1);
  b.outw(0x20, 0xC00C);
  b.scb_command(0x0100);
  b.attention();
  b.step(5_ms);
  REQUIRE(b.interrupt());
  CHECK((b.scb_status() & 0x8000) != 0);
  b.started();
  b.step(1_ms);
  while (b.interrupt()) b.handle();
  b.hear(make_frame(60, MacAddress{2, 2, 2, 2, 2, 2}));
  b.handle();
  CHECK(b.received.size() == 1);
}

TEST_CASE("an ASIC reset stops the chip and clears pointers and interrupt", "[etherexpress]") {
  Bench b;
  b.reset();
  b.open();
  b.hear(make_frame(60, b.mac));
  CHECK(b.interrupt());
  b.reset();
  CHECK_FALSE(b.interrupt());
  CHECK(b.inw(2) == 0);
  CHECK(b.inb(7) == 0);
  CHECK(b.size_ram() == 32);
  b.open();
  b.hear(make_frame(60, b.mac));
  b.handle();
  CHECK(b.received.size() == 1);
}

TEST_CASE("the RAM ports cost the ready delay and the chip's cycle in progress", "[etherexpress][timing]") {
  Bench b(Settings{{"ram.ready_delay", "100ns"}});
  b.reset();
  b.inw(0);
  CHECK(b.rig.took == 400_ns);
  b.inw(0x4000);
  CHECK(b.rig.took == 400_ns);
  b.inw(4);
  CHECK(b.rig.took == 300_ns);
  b.open();
  Time sum{}, longest{};
  for (int i = 0; i < 1000; ++i) {
    b.inw(0);
    sum += b.rig.took;
    longest = std::max(longest, b.rig.took);
    b.step(231_ns);
  }
  CHECK(longest <= 900_ns);
  CHECK(sum.ps / 1000 > 450'000);
}

TEST_CASE("the EtherExpress shows timing and limits", "[etherexpress][registry]") {
  const AdapterEntry& row = find_adapter("etherexpress");
  CHECK(row.adapter_id == 0x628B);
  CHECK_FALSE(row.limits.empty());
  CHECK(row.timing().size() == 7);
  CHECK(adapter_page("etherexpress").find("shadow") != std::string_view::npos);
}

TEST_CASE("a snapshot of an EtherExpress in mid-transfer goes on as if nothing had been", "[etherexpress][archive]") {
  const auto prepare = [](Bench& b) {
    b.reset();
    b.open();
    b.send(without_fcs(make_frame(1000)));
    b.other.port.transmit(make_frame(900, b.mac), b.rig.now);
    b.step(500_us);
    b.outw(0x7000, 2);
    for (unsigned i = 0; i < 20; ++i) b.outw(i, 0);
    b.outb(2, 0xE);
    b.outb(3, 0xE);
  };
  const auto finish = [](Bench& b) {
    for (unsigned i = 0; i < 20; ++i) b.outw(i, 0);
    b.step(5_ms);
    b.handle();
    CHECK(b.received.size() == 1);
    Archive a = Archive::saver();
    b.archive(a);
    return sha256_hex(a.stream());
  };
  Bench whole, first, second;
  prepare(whole);
  prepare(first);
  Archive saved = Archive::saver();
  first.archive(saved);
  Archive loaded = Archive::loader(saved.stream());
  second.archive(loaded);
  loaded.expect_end();
  second.head = first.head;
  second.reap = first.reap;
  second.rx = first.rx;
  CHECK(finish(whole) == finish(second));
}
