// SPDX-License-Identifier: GPL-2.0-or-later
// A 3C523 in a slot and the accesses that Linux 2.2's 3c523.c makes: order, width and values are the driver's, the code
// is our own. No processor; each access begins when the previous one has ended.
#include "core/common/error.hpp"
#include "devices/ethernet/3c523/3c523.hpp"
#include "tests/devices/ethernet/card_bench.hpp"

using namespace planar;
using namespace planar::test;
using ethernet::EtherLinkMc;
using ethernet::I82586;

namespace {

constexpr unsigned ctrl_inte = 0x04, ctrl_int = 0x08, ctrl_lbk = 0x20, ctrl_ca = 0x40, ctrl_rst = 0x80;

struct Bench : CardBench {
  static constexpr std::uint16_t io = 0x3300;
  static constexpr std::uint32_t ram = 0xD8000, size = 0x4000, scp = size - 12, iscp = scp - 8;
  static constexpr unsigned irq = 9;
  static constexpr unsigned nops = 16, nop_and_transmit = 6 + 16, rfds = nops + 4 * nop_and_transmit,
                            rbds = rfds + 6 * 24, rx_buffers = rbds + 6 * 12, tx_buffers = rx_buffers + 6 * 1524;

  explicit Bench(const McaEntry& row = EtherLinkMc::entry, bool plugged = true, Settings settings = {})
      : CardBench(row, "02:60:8c:45:c4:2a", std::move(settings), plugged) {
    card->pos_write(3, 0x08, Time{});
    card->pos_write(2, 0x01 | 3 << 1 | 3 << 3, Time{});
  }

  EtherLinkMc& elmc() { return static_cast<EtherLinkMc&>(*card); }
  std::uint16_t r16(unsigned at) { return static_cast<std::uint16_t>(rig.load(ram + at, 2)); }
  void w16(unsigned at, unsigned v) { rig.store(ram + at, v & 0xFFFF, 2); }
  void zero(unsigned at, unsigned n) {
    for (unsigned i = 0; i < n; i += 2) w16(at + i, 0);
  }
  void put(unsigned at, const Bytes& b) {
    for (std::size_t i = 0; i < b.size(); i += 2)
      w16(at + static_cast<unsigned>(i), b[i] | (i + 1 < b.size() ? b[i + 1] : 0) << 8);
  }
  Bytes get(unsigned at, std::size_t n) {
    Bytes b;
    for (std::size_t i = 0; i < n; ++i) b.push_back(static_cast<std::uint8_t>(rig.load(ram + at + i, 1)));
    return b;
  }
  unsigned control() { return rig.in(io + 6); }
  void control(unsigned v) { rig.out(io + 6, v); }
  void step(Time t) { rig.step(t); }
  bool interrupt() const { return rig.irqs.level[irq]; }
  static std::uint32_t make24(unsigned at) { return 0xFFC000 + at; }
  static std::uint16_t make16(unsigned at) { return static_cast<std::uint16_t>(at - size); }
  static unsigned offset(std::uint16_t pointer) { return (pointer + size) & 0xFFFF; }

  // ---- 3c523.c ----

  void attn(unsigned ints = ctrl_inte) {
    control(ctrl_rst | 3 | ctrl_ca | ints);
    step(16_us);
    control(ctrl_rst | 3 | ints);
  }
  void reset(unsigned ints = 0) {
    control(3 | ctrl_lbk);
    step(16_us);
    control(ctrl_rst | ctrl_lbk | 3);
    attn(ints);
  }
  bool check_at(unsigned where) {
    zero(scp, 12);
    rig.store(ram + scp + 2, 0, 1);
    zero(where, 8);
    rig.store(ram + scp + 8, make24(where), 4);
    rig.store(ram + where, 1, 1);
    reset();
    attn(0);
    return rig.load(ram + where, 1) == 0;
  }
  bool check() {
    reset();
    return check_at(0) && check_at(iscp);
  }
  void alloc() {
    reset();
    step(64_ms);
    zero(iscp, 8);
    zero(scp, 12);
    rig.store(ram + scp + 8, make24(iscp), 4);
    w16(iscp + 2, make16(0));
    rig.store(ram + iscp, 1, 1);
    reset();
    attn(0);
    step(64_ms);
    CHECK(rig.load(ram + iscp, 1) == 0);
    zero(0, 16);
  }
  /// WAIT_4_SCB_CMD: the number of polls, every 16 us.
  int wait_command() {
    int polls = 0;
    for (; r16(2) && polls < 1024; ++polls) step(16_us);
    CHECK(polls < 1024);
    return polls;
  }
  std::uint16_t command(unsigned op, std::initializer_list<unsigned> words, unsigned ints = 0) {
    w16(nops, 0);
    w16(nops + 2, op | I82586::EL);
    w16(nops + 4, 0xFFFF);
    unsigned at = nops + 6;
    for (unsigned w : words) w16(at, w), at += 2;
    w16(4, make16(nops));
    w16(2, 0x0100);
    attn(ints);
    for (int i = 0; !(r16(nops) & I82586::C) && i < 100'000; ++i) step(1_us);
    return r16(nops);
  }
  void init(unsigned promiscuous = 0) {
    CHECK(command(I82586::configure, {0x080A, 0x2E40, 0x6000, 0xF200, promiscuous}) == 0xA000);
    CHECK(command(I82586::ia_setup, {0x6002, 0x458C, 0x2AC4}) == 0xA000);
    CHECK((command(I82586::tdr, {0}, ctrl_inte) & I82586::C) != 0);
    tdr = r16(nops + 6);
    for (int i = 0; i < 2; ++i) {
      w16(2, r16(0) & 0xF000);
      attn(0);
    }
    for (unsigned i = 0; i < 4; ++i) {
      w16(nop(i) + 2, I82586::nop);
      w16(nop(i), 0);
      w16(nop(i) + 4, make16(nop(i)));
    }
    receive_area();
    for (unsigned i = 0; i < 4; ++i) {
      zero(transmit(i), 16);
      zero(tbd(i), 8);
      w16(transmit(i), I82586::C);
      w16(transmit(i) + 2, I82586::transmit | I82586::I);
      w16(transmit(i) + 6, make16(tbd(i)));
      w16(tbd(i) + 2, 0xFFFF);
      rig.store(ram + tbd(i) + 4, make24(buffer(i)), 4);
    }
    count = last = 0;
    w16(4, make16(nop(0)));
    w16(2, 0x0100);
    attn(0);
    wait_command();
  }
  void receive_area() {
    zero(rfds, 6 * 24);
    zero(rbds, 6 * 12);
    for (unsigned i = 0; i < 6; ++i) {
      w16(rfds + 24 * i + 4, make16(rfds + 24 * ((i + 1) % 6)));
      w16(rbds + 12 * i + 2, make16(rbds + 12 * ((i + 1) % 6)));
      w16(rbds + 12 * i + 8, 1524);
      rig.store(ram + rbds + 12 * i + 4, make24(rx_buffers + 1524 * i), 4);
    }
    w16(rfds + 24 * 5 + 2, I82586::S);
    rfd_top = rfds;
    rfd_last = rfds + 24 * 5;
    w16(rfds + 6, make16(rbds));
  }
  void start_receiver() {
    w16(6, make16(rfds));
    w16(2, 0x0010);
    attn();
    wait_command();
  }
  void open() {
    attn(0);
    alloc();
    init();
    start_receiver();
  }
  static unsigned nop(unsigned i) { return nops + nop_and_transmit * i; }
  static unsigned transmit(unsigned i) { return nop(i) + 6; }
  static unsigned buffer(unsigned i) { return tx_buffers + (1524 + 8) * i; }
  static unsigned tbd(unsigned i) { return buffer(i) + 1524; }

  void send(const Bytes& frame) {
    put(buffer(count), frame);
    w16(tbd(count), 0x8000 | frame.size());
    const unsigned next = (count + 1) % 4;
    w16(transmit(count), 0);
    w16(nop(next) + 4, make16(nop(next)));
    w16(transmit(count) + 4, make16(nop(next)));
    w16(nop(next), 0);
    w16(nop(count) + 4, make16(transmit(count)));
    count = next;
  }
  /// The interrupt handler. False: not from this card.
  bool handle() {
    if (!(control() & ctrl_int)) return false;
    while (const unsigned stat = r16(0) & 0xF000) {
      w16(2, stat);
      attn();
      if (stat & I82586::CX) {
        transmitted.push_back(r16(transmit(last)));
        last = (last + 1) % 4;
      }
      if (stat & I82586::FR) take_frames();
      CHECK((stat & I82586::CNA) == 0);
      if (stat & I82586::RNR) {
        if (r16(0) & 0x10) {
          wait_command();
          w16(2, 0x0020);
          attn();
          ++resumed;
        } else {
          wait_command();
          w16(2, 0x0040);
          attn();
          wait_command();
          receive_area();
          start_receiver();
        }
      }
      wait_command();
    }
    return true;
  }
  void take_frames() {
    while (const unsigned status = r16(rfd_top)) {
      if (!(status & I82586::C)) break;
      const unsigned rbd = offset(r16(rfd_top + 6));
      CHECK((status & I82586::OK) != 0);
      const unsigned length = r16(rbd);
      CHECK((length & 0x8000) != 0);
      w16(rbd, 0);
      received.push_back(get(rig.load(ram + rbd + 4, 4) - make24(0), length & 0x3FFF));
      w16(rfd_top, 0);
      w16(rfd_top + 2, I82586::S);
      w16(rfd_last + 2, 0);
      rfd_last = rfd_top;
      rfd_top = offset(r16(rfd_top + 4));
    }
  }

  const MacAddress mac{0x02, 0x60, 0x8C, 0x45, 0xC4, 0x2A};
  unsigned tdr = 0, count = 0, last = 0, rfd_top = 0, rfd_last = 0;
  int resumed = 0;
  std::vector<unsigned> transmitted;
  std::vector<Bytes> received;
};

}  // namespace

TEST_CASE("the POS of a 3C523 in a Model 95 matches the dump in the kernel's documentation", "[3c523][pos]") {
  Bench b;
  // 42 60 FF 08 FF FF FF FF with the transceiver bit and all of POS 2 set
  b.card->pos_write(2, 0xFF, b.rig.now);
  const std::uint8_t expected[] = {0x42, 0x60, 0xFF, 0x08, 0xFF, 0xFF, 0xFF, 0xFF};
  for (unsigned i = 0; i < 8; ++i) CHECK(b.card->pos_peek(i) == expected[i]);
}

TEST_CASE("POS 2 bits 7:6 encode POS 3 and cannot be written", "[3c523][pos]") {
  Bench b;
  const std::pair<unsigned, unsigned> codes[] = {{1, 0}, {2, 1}, {4, 2}, {8, 3}};
  for (const auto& [bit, code] : codes) {
    b.card->pos_write(3, static_cast<std::uint8_t>(bit), b.rig.now);
    b.card->pos_write(2, 0x01 | 0xC0, b.rig.now);
    CHECK(b.card->pos_peek(2) >> 6 == code);
    b.card->pos_write(2, 0x01, b.rig.now);
    CHECK(b.card->pos_peek(2) >> 6 == code);
  }
}

TEST_CASE("POS 2 selects eight ports and 16 KB", "[3c523][pos]") {
  Bench b;
  for (unsigned i = 0; i < 4; ++i) {
    b.card->pos_write(2, static_cast<std::uint8_t>(1 | i << 1 | i << 3), b.rig.now);
    const auto io = static_cast<std::uint16_t>(0x300 + 0x1000 * i);
    CHECK(b.rig.bus.io().find(io) != nullptr);
    CHECK(b.rig.bus.io().find(io + 7) != nullptr);
    CHECK(b.rig.bus.io().find(io + 8) == nullptr);
    CHECK(b.rig.memory.find(0xC0000 + 0x8000 * i) != nullptr);
    CHECK(b.rig.memory.find(0xC3FFF + 0x8000 * i) != nullptr);
    CHECK(b.rig.memory.find(0xC4000 + 0x8000 * i) == nullptr);  // no boot ROM
  }
  b.card->channel_reset(b.rig.now);
  CHECK(b.rig.bus.io().find(0x3300) == nullptr);
  CHECK(b.rig.memory.find(0xD8000) == nullptr);
}

TEST_CASE("the ports give station address and revision", "[3c523]") {
  Bench b;
  for (unsigned i = 0; i < 6; ++i) CHECK(b.rig.in(Bench::io + i) == b.mac[i]);
  CHECK((b.rig.in(Bench::io + 7) & 0xF) == 0xE);
}

TEST_CASE("the memory is not accessible until bank 3 is selected", "[3c523]") {
  Bench b;
  b.w16(0, 0x1234);
  CHECK(b.r16(0) == 0xFFFF);
  b.control(3);
  CHECK(b.r16(0) == 0);  // the write went nowhere
  b.w16(0, 0x1234);
  CHECK(b.r16(0) == 0x1234);
  for (unsigned bank : {0, 1, 2}) {
    b.control(bank);
    CHECK(b.r16(0) == 0xFFFF);
  }
}

TEST_CASE("the driver's probe: BUSY clears at both locations of the ISCP", "[3c523]") {
  Bench b;
  CHECK(b.check());
  b.alloc();
  CHECK_FALSE(b.interrupt());  // interrupts are off
  Bench again;
  again.open();
  CHECK(again.check());  // also after service: a warm start
}

TEST_CASE("open sets up configuration, address, TDR, NOP loop and receiver", "[3c523]") {
  Bench b;
  REQUIRE(b.check());
  b.open();
  CHECK(b.tdr == 0x8000);
  CHECK(b.elmc().chip().parked());
  CHECK((b.r16(0) & 0x0770) == 0x0240);
  Bench loose(EtherLinkMc::entry, false);
  REQUIRE(loose.check());
  loose.open();
  CHECK(loose.tdr == 0x2000);  // open: the driver reports it and continues
}

TEST_CASE("four frames after the NOP are sent without channel attention, each with its interrupt",
          "[3c523][transmit]") {
  Bench b;
  b.check();
  b.open();
  std::vector<Bytes> frames;
  for (unsigned i = 0; i < 4; ++i) {
    frames.push_back(without_fcs(make_frame(i == 1 ? 61 : 1514, broadcast_mac, static_cast<std::uint8_t>(i))));
    b.send(frames.back());
  }
  for (int done = 0; done < 4;) {
    b.step(10_us);
    if (b.interrupt()) {
      CHECK(b.handle());
      done = static_cast<int>(b.transmitted.size());
    }
    REQUIRE(b.rig.now < 2_s);
  }
  REQUIRE(b.log.entries.size() == 4);
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(without_fcs(b.log.entries[i].bytes) == frames[i]);
    CHECK((b.transmitted[i] & 0xA020) == 0xA000);
  }
  for (unsigned i = 2; i < 4; ++i) {
    const Time gap = b.log.entries[i].start - b.log.entries[i - 1].end;
    CHECK(gap >= 9'600_ns);
    CHECK(gap < 15_us);
  }
  CHECK_FALSE(b.interrupt());
  CHECK_FALSE(b.handle());  // the latch is clear: the shared interrupt is another card's
}

TEST_CASE("two frames that end before the handler runs set CX once: the driver counts one", "[3c523][transmit]") {
  Bench b;
  b.check();
  b.open();
  for (unsigned i = 0; i < 2; ++i) b.send(without_fcs(make_frame(60, broadcast_mac, static_cast<std::uint8_t>(i))));
  b.step(1_ms);
  CHECK(b.log.entries.size() == 2);
  CHECK(b.handle());
  CHECK(b.transmitted.size() == 1);  // it considers a buffer in use until the next open
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("reading the control port clears the latch; the next event sets it again", "[3c523][interrupt]") {
  Bench b;
  b.check();
  b.open();
  b.hear(make_frame(60, b.mac));
  CHECK(b.interrupt());
  CHECK((b.control() & ctrl_int) != 0);
  CHECK((b.control() & ctrl_int) == 0);
  CHECK(b.interrupt());  // the cause is still there
  b.w16(2, b.r16(0) & 0xF000);
  b.attn();
  b.step(20_us);
  CHECK_FALSE(b.interrupt());
  b.hear(make_frame(60, b.mac));
  CHECK(b.interrupt());
  CHECK(b.handle());
  CHECK(b.received.size() == 2);
}

TEST_CASE("the enable bit gates the interrupt line; peeking has no side effects", "[3c523][interrupt]") {
  Bench b;
  b.check();
  b.open();
  b.attn(0);
  b.hear(make_frame(60, b.mac));
  CHECK_FALSE(b.interrupt());
  CHECK((b.rig.bus.io().peek(Bench::io + 6, b.rig.now) & ctrl_int) != 0);
  CHECK((b.rig.bus.io().peek(Bench::io + 6, b.rig.now) & ctrl_int) != 0);
  b.control(ctrl_rst | 3 | ctrl_inte);
  CHECK(b.interrupt());
  b.card->pos_write(3, 0x04, b.rig.now);
  CHECK_FALSE(b.interrupt());
  CHECK(b.rig.irqs.level[3]);
  b.card->channel_reset(b.rig.now);
  CHECK_FALSE(b.rig.irqs.level[3]);
}

TEST_CASE("frames are received several times round the ring", "[3c523][receive]") {
  Bench b;
  b.check();
  b.open();
  for (unsigned i = 0; i < 20; ++i) {
    const Bytes frame = make_frame(i % 3 == 0 ? 1514 : 60 + i, b.mac, static_cast<std::uint8_t>(i));
    b.hear(frame);
    REQUIRE(b.interrupt());
    REQUIRE(b.handle());
    REQUIRE(b.received.size() == i + 1);
    CHECK(b.received.back() == without_fcs(frame));
  }
  CHECK(b.resumed == 0);
}

TEST_CASE("six unread frames suspend the receiver; the driver resumes it", "[3c523][receive]") {
  Bench b;
  b.check();
  b.open();
  for (unsigned i = 0; i < 8; ++i) b.hear(make_frame(60, b.mac, static_cast<std::uint8_t>(i)));
  CHECK((b.r16(0) & 0xF070) == (I82586::FR | I82586::RNR | 0x10));
  CHECK(b.handle());
  CHECK(b.received.size() == 6);
  CHECK(b.resumed == 1);
  b.hear(make_frame(60, b.mac, 9));
  CHECK(b.handle());
  CHECK(b.received.size() == 7);
}

TEST_CASE("statistics are words in the SCB that the driver decrements", "[3c523][statistics]") {
  Bench b;
  b.check();
  b.open();
  Bytes broken = make_frame(100, b.mac);
  broken[50] ^= 8;
  b.hear(broken);
  b.hear(broken);
  CHECK(b.r16(8) == 2);
  b.w16(8, b.r16(8) - 2);
  b.hear(broken);
  CHECK(b.r16(8) == 1);
  CHECK_FALSE(b.interrupt());
}

TEST_CASE("time-out recovery: abort, restart at the NOP", "[3c523][recovery]") {
  Bench b;
  b.check();
  b.open();
  b.send(without_fcs(make_frame(1514)));
  b.step(400_us);
  b.w16(2, 0x0400);
  b.attn();
  b.wait_command();
  CHECK((b.r16(0) & 0x700) == 0);
  b.w16(4, Bench::make16(Bench::nop(b.count)));
  b.w16(2, 0x0100);
  b.attn();
  b.wait_command();
  b.step(2_ms);
  CHECK((b.r16(0) & 0x700) == 0x200);
  b.send(without_fcs(make_frame(60)));
  b.step(1_ms);
  CHECK(b.log.entries.size() == 2);
  CHECK(b.log.entries.back().good);
}

TEST_CASE("a host access waits only for the chip's cycle in progress", "[3c523][timing]") {
  Bench b;
  b.check();
  b.control(3);  // chip in reset: nothing else uses the RAM
  b.r16(0x1000);
  CHECK(b.rig.took == 300_ns);
  b.open();
  REQUIRE(b.elmc().chip().parked());
  Time sum{}, longest{};
  constexpr int n = 1000;
  for (int i = 0; i < n; ++i) {
    b.r16(0x1000);
    sum += b.rig.took;
    longest = std::max(longest, b.rig.took);
    b.step(97_ns);
  }
  CHECK(longest > 600_ns);
  CHECK(longest <= 800_ns);  // at most one word of the chip
  CHECK(sum.ps / n > 350'000);
  CHECK(sum.ps / n < 550'000);
}

TEST_CASE("the older board's synchroniser adds one to two clocks to each word", "[3c523][timing]") {
  Bench b(EtherLinkMc::old_entry);
  CHECK(b.card->name() == "3c523-old");
  b.control(3);
  Time sum{};
  constexpr int n = 1000;
  for (int i = 0; i < n; ++i) {
    b.r16(0x1000);
    CHECK(b.rig.took >= 425_ns);
    CHECK(b.rig.took <= 550_ns);
    sum += b.rig.took;
    b.step(33_ns);
  }
  CHECK(sum.ps / n > 455'000);
  CHECK(sum.ps / n < 520'000);
}

TEST_CASE("the older revision is for a 386", "[3c523][registry]") {
  const McaEntry& row = *find_mca("3c523-old");
  REQUIRE(row.refusal);
  CHECK(row.refusal(ProcessorGeneration::i386).empty());
  CHECK(row.refusal(ProcessorGeneration::i486).find("386 only") != std::string_view::npos);
  CHECK_FALSE(row.refusal(ProcessorGeneration::pentium).empty());
  CHECK(find_adapter("3c523").refusal == nullptr);
}

TEST_CASE("both revisions list timing and limits", "[3c523][registry]") {
  for (const char* name : {"3c523", "3c523-old"}) {
    const McaEntry& row = *find_mca(name);
    CHECK(row.adapter_id == 0x6042);
    CHECK_FALSE(row.limits.empty());
    CHECK(row.timing().size() == 7);
    CHECK(adapter_page(name).find("82586") != std::string_view::npos);
  }
}
