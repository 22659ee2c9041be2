// SPDX-License-Identifier: GPL-2.0-or-later
// DMA as drivers program it: Linux's floppy through the 8237 ports, a PS/2 BIOS and Linux's ESDI driver through the
// extended functions (docs/hardware/micro-channel.md#dma-controller).
#include <algorithm>
#include <numeric>

#include "tests/bus/rig.hpp"

using namespace planar;
using namespace planar::test;

namespace {

/// A device that provides or accepts `data`, one item every `pace` (zero: whenever it is served).
struct Device final : DmaClient {
  Device(Rig& r, unsigned level, Time pace = {}, bool burst = false)
      : rig(r),
        level(level),
        pace(pace),
        burst(burst),
        next(r.scheduler, "device", Priority::device, Callback::to<&Device::due>(this)),
        line(r.dma, *this, "device") {}
  void start(Time now) { line.request(level, now, burst); }
  void due(Time now) { start(now); }
  std::uint16_t dma_read(unsigned bytes, Time now) override {
    std::uint16_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value = static_cast<std::uint16_t>(value | data.at(position++) << (8 * i));
    moved(now);
    return value;
  }
  void dma_write(unsigned bytes, std::uint16_t value, Time now) override {
    for (unsigned i = 0; i < bytes; ++i) data.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    moved(now);
  }
  void dma_terminal_count(Time now) override {
    ++terminal_counts;
    ended = now;
    if (stop_at_tc) {
      line.withdraw(now);
      next.cancel();
    }
  }
  CycleSpec dma_cycle() const override { return spec; }
  void moved(Time now) {
    times.push_back(now);
    if (pace > Time{}) {
      line.withdraw(now);
      next.at(now + pace);
    }
  }
  Rig& rig;
  unsigned level;
  Time pace;
  bool burst;
  CycleSpec spec{8, CycleKind::synchronous_extended, {}};
  std::vector<std::uint8_t> data;
  std::size_t position = 0;
  std::vector<Time> times;
  int terminal_counts = 0;
  bool stop_at_tc = true;
  Time ended{};
  Event next;
  DmaLine line;
};

std::vector<std::uint8_t> pattern(std::size_t n) {
  std::vector<std::uint8_t> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<std::uint8_t>(i * 7 + 3);
  return v;
}

/// The floppy driver's programming of channel 2: mask, flip-flop, mode, page, address, count, unmask.
void program_8237_channel_2(Rig& rig, std::uint8_t mode, std::uint32_t address, std::uint16_t count) {
  rig.out(0x0A, 0x06);
  rig.out(0x0C, 0x00);
  rig.out(0x0B, mode);
  rig.out(0x81, address >> 16);
  rig.out(0x04, address & 0xFF);
  rig.out(0x04, address >> 8 & 0xFF);
  rig.out(0x05, (count - 1) & 0xFF);
  rig.out(0x05, (count - 1) >> 8);
  rig.out(0x0A, 0x02);
}

/// The extended functions, as programmed by users of mca_dma.h.
void program_extended(Rig& rig, unsigned n, std::uint8_t mode, std::uint32_t address, std::uint16_t items) {
  rig.out(0x18, 0x90 | n);
  rig.out(0x18, 0x20 | n);
  for (int i = 0; i < 3; ++i) rig.out(0x1A, address >> (8 * i) & 0xFF);
  rig.out(0x18, 0x40 | n);
  rig.out(0x1A, (items - 1) & 0xFF);
  rig.out(0x1A, (items - 1) >> 8);
  rig.out(0x18, 0x70 | n);
  rig.out(0x1A, mode);
  rig.out(0x18, 0xA0 | n);
}

std::uint32_t read_extended(Rig& rig, std::uint8_t function, int bytes) {
  std::uint32_t value = 0;
  rig.out(0x18, function);
  for (int i = 0; i < bytes; ++i) value |= rig.in(0x1A) << (8 * i);
  return value;
}

}  // namespace

TEST_CASE("a diskette sector is moved to memory through channel 2, byte by byte at the drive's rate") {
  Rig rig;
  Device fdc(rig, 2, 16_us);
  fdc.data = pattern(512);
  program_8237_channel_2(rig, 0x46, 0x12345, 512);
  REQUIRE(rig.in(0x08) == 0x00);
  fdc.start(rig.now);
  const Time start = rig.now;
  rig.step(9_ms);
  REQUIRE(fdc.terminal_counts == 1);
  REQUIRE(std::equal(fdc.data.begin(), fdc.data.end(), rig.ram.begin() + 0x12345));
  REQUIRE(rig.ram[0x12345 + 512] == 0);
  // First byte: 300 for arbitration and 300 for the I/O cycle; then every 16 us plus the same.
  REQUIRE(fdc.times[0] - start == 600_ns);
  REQUIRE(fdc.times[1] - fdc.times[0] == 16'600_ns);
  // The last byte is in memory one memory cycle later.
  REQUIRE(fdc.ended - fdc.times.back() == 200_ns);
  // Terminal count stays in the status until it is read; the channel has masked itself.
  REQUIRE(rig.in(0x08) == 0x04);
  REQUIRE(rig.in(0x08) == 0x00);
  REQUIRE(rig.dma.channel(2).masked);
  rig.out(0x0C, 0);
  REQUIRE(rig.in(0x05) == 0xFF);
  REQUIRE(rig.in(0x05) == 0xFF);
  REQUIRE(rig.in(0x04) == 0x45);
  REQUIRE(rig.in(0x04) == 0x25);
}

TEST_CASE("a sector is moved to the diskette: mode 4Ah reads memory") {
  Rig rig;
  Device fdc(rig, 2, 16_us);
  const auto sector = pattern(512);
  std::copy(sector.begin(), sector.end(), rig.ram.begin() + 0x8000);
  program_8237_channel_2(rig, 0x4A, 0x8000, 512);
  fdc.start(rig.now);
  rig.step(9_ms);
  REQUIRE(fdc.data == sector);
  REQUIRE(fdc.terminal_counts == 1);
}

TEST_CASE("verify takes the items and their time but does not change memory") {
  Rig rig;
  Device fdc(rig, 2, 16_us);
  fdc.data = pattern(16);
  program_8237_channel_2(rig, 0x42, 0x1000, 16);
  fdc.start(rig.now);
  rig.step(1_ms);
  REQUIRE(fdc.position == 16);
  REQUIRE(fdc.terminal_counts == 1);
  REQUIRE(std::all_of(rig.ram.begin(), rig.ram.end(), [](auto b) { return b == 0; }));
}

TEST_CASE("a masked channel does not serve its device; an unmasked one does") {
  Rig rig;
  Device fdc(rig, 2);
  fdc.data = pattern(4);
  program_8237_channel_2(rig, 0x46, 0x1000, 4);
  rig.out(0x0A, 0x06);
  fdc.start(rig.now);
  rig.step(100_us);
  REQUIRE(fdc.position == 0);
  REQUIRE((rig.in(0x08) & 0x40) != 0);  // the request is seen
  REQUIRE(rig.nmi.count == 0);
  rig.out(0x0A, 0x02);
  rig.step(100_us);
  REQUIRE(fdc.position == 4);
  rig.out(0x0E, 0);
  for (unsigned n = 0; n < 4; ++n) REQUIRE_FALSE(rig.dma.channel(n).masked);
  rig.out(0x0F, 0x0D);
  REQUIRE(rig.dma.channel(0).masked);
  REQUIRE_FALSE(rig.dma.channel(1).masked);
}

TEST_CASE("autoinitialise restarts from the base registers") {
  Rig rig;
  Device fdc(rig, 2);
  fdc.stop_at_tc = false;
  fdc.data = pattern(10);
  program_8237_channel_2(rig, 0x56, 0x1000, 4);
  fdc.start(rig.now);
  while (fdc.position < 10) rig.step(1_us);
  fdc.line.withdraw(rig.now);
  rig.step(10_us);
  REQUIRE(fdc.terminal_counts == 2);
  REQUIRE_FALSE(rig.dma.channel(2).masked);
  REQUIRE(rig.ram[0x1000] == fdc.data[8]);
  REQUIRE(rig.ram[0x1001] == fdc.data[9]);
  REQUIRE(rig.ram[0x1002] == fdc.data[6]);
  REQUIRE(rig.dma.channel(2).current_count == 1);
}

TEST_CASE("8237 addresses wrap in their page and can be decremented; extended ones carry") {
  Rig rig;
  SECTION("wrap") {
    Device fdc(rig, 2);
    fdc.data = {1, 2};
    program_8237_channel_2(rig, 0x46, 0x0FFFF, 2);
    fdc.start(rig.now);
    rig.step(10_us);
    REQUIRE(rig.ram[0xFFFF] == 1);
    REQUIRE(rig.ram[0x0000] == 2);
    REQUIRE(rig.ram[0x10000] == 0);
  }
  SECTION("decrement") {
    Device fdc(rig, 2);
    fdc.data = {1, 2};
    program_8237_channel_2(rig, 0x66, 0x1001, 2);
    fdc.start(rig.now);
    rig.step(10_us);
    REQUIRE(rig.ram[0x1001] == 1);
    REQUIRE(rig.ram[0x1000] == 2);
  }
  SECTION("carry") {
    Device card(rig, 5);
    card.spec.width = 16;
    card.data = {1, 2, 3, 4};
    program_extended(rig, 5, 0x4C, 0x0FFFE, 2);
    card.start(rig.now);
    rig.step(10_us);
    REQUIRE(rig.ram[0xFFFF] == 2);
    REQUIRE(rig.ram[0x10000] == 3);
    REQUIRE(rig.ram[0x10001] == 4);
  }
}

TEST_CASE("the word channels of the 8237 ports count words from word addresses") {
  Rig rig;
  Device card(rig, 5);
  card.spec.width = 16;
  card.data = pattern(8);
  rig.out(0xD4, 0x05);
  rig.out(0xD8, 0);
  rig.out(0xD6, 0x45);
  rig.out(0x8B, 0x01);  // bit 0 is not used: A17 is bit 1
  rig.out(0xC4, 0x00);
  rig.out(0xC4, 0x80);  // word address 8000h = byte address 10000h
  rig.out(0xC6, 3);
  rig.out(0xC6, 0);
  rig.out(0xD4, 0x01);
  card.start(rig.now);
  rig.step(20_us);
  REQUIRE(std::equal(card.data.begin(), card.data.end(), rig.ram.begin() + 0x10000));
  REQUIRE(rig.in(0xD0) == 0x02);
  REQUIRE(rig.in(0x8B) == 0x01);
}

TEST_CASE("channel 5 is programmed by extended functions for 16-bit bursts, as Linux's ESDI driver does") {
  Rig rig;
  Device esdi(rig, 5, {}, true);
  esdi.spec = {16, CycleKind::standard, {}};
  esdi.data = pattern(512);
  program_extended(rig, 5, 0x4C, 0x0A000, 256);
  const Time start = rig.now;
  esdi.start(rig.now);
  rig.step(1_ms);
  REQUIRE(std::equal(esdi.data.begin(), esdi.data.end(), rig.ram.begin() + 0xA000));
  // One arbitration, then two cycles of 200 ns for each word: 2.5 million words per second, IBM's figure
  // (docs/hardware/micro-channel.md#dma-controller).
  REQUIRE(esdi.ended - start == 300_ns + 256 * 400_ns);
  REQUIRE(read_extended(rig, 0x35, 3) == 0x0A200);
  REQUIRE(read_extended(rig, 0x55, 2) == 0xFFFF);
  REQUIRE(read_extended(rig, 0x75, 1) == 0x4C);
  // Status: the second byte is for channels 4 to 7.
  REQUIRE(read_extended(rig, 0x60, 2) == 0x0200);
  REQUIRE(read_extended(rig, 0x60, 2) == 0x0000);
}

TEST_CASE("a burst yields when preempted and continues later; a single-item device arbitrates for each item") {
  Rig rig;
  struct Intruder final : BusMaster {
    explicit Intruder(Rig& r) : BusMaster(r.channel, "intruder") {}
    void granted(Time now) override {
      at = now;
      release_channel(now + 1_us);
    }
    Time at{};
  };
  Device card(rig, 5, {}, true);
  card.spec.width = 16;
  card.data = pattern(64);
  Intruder intruder(rig);
  program_extended(rig, 5, 0x4C, 0x1000, 32);
  const Time start = rig.now;
  card.start(rig.now);
  rig.step(2'100_ns);
  intruder.request_channel(9, rig.now);  // in the middle of an item
  rig.step(100_us);
  // 300 + 4 items of 500 = 2300: the item ends, arbitration, the intruder's 1 us, arbitration, the
  // rest.
  REQUIRE(intruder.at - start == 2'600_ns);
  REQUIRE(card.ended - start == 2'600_ns + 1'300_ns + 28 * 500_ns);
  REQUIRE(card.terminal_counts == 1);
}

TEST_CASE("with a programmed I/O address the controller runs the port cycles itself") {
  struct Port final : Slave {
    std::uint32_t read(std::uint32_t, unsigned bytes, Time) override {
      ++reads;
      last = bytes;
      return 0xBEEF;
    }
    void write(std::uint32_t, unsigned, std::uint32_t value, Time) override { written = value; }
    std::uint32_t peek(std::uint32_t, unsigned, Time) const override { return 0xBEEF; }
    int reads = 0;
    unsigned last = 0;
    std::uint32_t written = 0;
  } port;
  Rig rig;
  auto claim = rig.bus.io().claim(0x3510, 0x3517, port, {16, CycleKind::standard, {}}, rig.pos.feedback());
  Device card(rig, 6);
  rig.out(0x18, 0x06);
  rig.out(0x1A, 0x11);  // bit 0 is masked in 16-bit mode
  rig.out(0x1A, 0x35);
  program_extended(rig, 6, 0x4D, 0x1000, 1);
  REQUIRE(read_extended(rig, 0x06, 2) == 0x3511);
  card.start(rig.now);
  rig.step(10_us);
  REQUIRE(port.reads == 1);
  REQUIRE(port.last == 2);
  REQUIRE(rig.ram[0x1000] == 0xEF);
  REQUIRE(rig.ram[0x1001] == 0xBE);
  REQUIRE(card.terminal_counts == 1);
  REQUIRE(rig.in(0x91) == 0xFE);  // DMA cycles do not raise -CD SFDBK

  program_extended(rig, 6, 0x45, 0x1000, 1);
  card.start(rig.now);
  rig.step(10_us);
  REQUIRE(port.written == 0xBEEF);
}

TEST_CASE("channels 0 and 4 serve any level; the others only their own") {
  Rig rig;
  Device card(rig, 0xA);
  card.data = {0x5A};
  card.spec.width = 16;
  rig.out(0x18, 0x84);
  rig.out(0x1A, 0x0A);
  REQUIRE(read_extended(rig, 0x84, 1) == 0x0A);
  rig.out(0x18, 0x85);
  rig.out(0x1A, 0x0A);
  REQUIRE(rig.dma.channel(5).level == 5);
  program_extended(rig, 4, 0x0C, 0x1000, 1);
  card.start(rig.now);
  rig.step(10_us);
  REQUIRE(rig.ram[0x1000] == 0x5A);
  REQUIRE(rig.in(0x90) == 0x0A);
}

TEST_CASE("master clear masks all channels and clears status; a write of the function resets the byte pointer") {
  Rig rig;
  Device fdc(rig, 2);
  fdc.data = {1};
  program_8237_channel_2(rig, 0x46, 0x1000, 1);
  fdc.start(rig.now);
  rig.step(10_us);
  rig.out(0x18, 0xA3);
  REQUIRE_FALSE(rig.dma.channel(3).masked);
  rig.out(0x18, 0xD0);
  for (unsigned n = 0; n < 8; ++n) REQUIRE(rig.dma.channel(n).masked);
  REQUIRE(rig.in(0x08) == 0);
  rig.out(0x18, 0x21);
  rig.out(0x1A, 0x11);
  rig.out(0x18, 0x21);  // starts over
  rig.out(0x1A, 0x22);
  rig.out(0x1A, 0x33);
  rig.out(0x1A, 0x04);
  REQUIRE(rig.dma.channel(1).base_address == 0x043322);
  rig.out(0x0D, 0);
  REQUIRE(rig.dma.channel(1).masked);
}

TEST_CASE("registers that the PS/2 lacks are ignored; port 80h is a latch") {
  Rig rig;
  rig.out(0x08, 0x04);  // an 8237 would be disabled by this
  rig.out(0x09, 0x06);  // and this would be a software request
  rig.step(100_us);
  REQUIRE(rig.dma.channel(2).software_request == false);
  REQUIRE(rig.in(0x0A) == 0xFF);
  REQUIRE(rig.in(0x18) == 0xFF);
  rig.out(0x80, 0x5A);  // Linux's delay port
  REQUIRE(rig.took == 300_ns);
  REQUIRE(rig.in(0x80) == 0x5A);
  REQUIRE(rig.in(0xC1) == 0xFF);
}

TEST_CASE("POST's software request at a level without a device ends in a bus time-out") {
  Rig rig;
  rig.out(0x18, 0xB4);
  const Time asked = rig.now;
  // The processor itself requests the channel for its next access, and the time limit starts there.
  rig.step(1_us);
  rig.in(0x300);
  REQUIRE(rig.nmi.level[NmiSource::bus_timeout]);
  REQUIRE(rig.now == asked + 1_us + 7'800_ns + 200_ns);
  REQUIRE(rig.in(0x90) == 0x64);
  rig.out(0x90, 0);
  rig.out(0x18, 0xC4);
  rig.step(1_ms);
  REQUIRE(rig.nmi.count == 1);
  // Reset while arbitration is held off: nothing is left to time out.
  rig.out(0x90, 0x40);
  rig.out(0x18, 0xB4);
  rig.out(0x18, 0xC4);
  rig.out(0x90, 0);
  rig.step(1_ms);
  REQUIRE(rig.nmi.count == 1);
}

TEST_CASE("the processor waits for a DMA item to access the channel, but not to access its own memory") {
  Rig rig;
  Device fdc(rig, 2, 16_us);
  fdc.data = pattern(4);
  program_8237_channel_2(rig, 0x46, 0x1000, 4);
  fdc.start(rig.now);
  const Time start = rig.now;
  rig.in(0x300);  // arbitration 300, I/O 300, memory 200, arbitration 300, then the cycle
  REQUIRE(rig.now - start == 1'300_ns);
  rig.in(0x300);
  REQUIRE(rig.took == 200_ns);
}

TEST_CASE("peek returns what a read would, without side effects") {
  Rig rig;
  Device fdc(rig, 2);
  fdc.data = {1};
  program_8237_channel_2(rig, 0x46, 0x1234, 1);
  fdc.start(rig.now);
  rig.step(10_us);
  REQUIRE(rig.dma.port_peek(0x08) == 0x04);
  REQUIRE(rig.dma.port_peek(0x08) == 0x04);
  REQUIRE(rig.bus.io().peek(0x04, rig.now) == rig.bus.io().peek(0x04, rig.now));
  REQUIRE(rig.dma.port_peek(0x04) == 0x35);
  REQUIRE(rig.in(0x04) == 0x35);
  REQUIRE(rig.dma.port_peek(0x04) == 0x12);
  rig.out(0x18, 0x32);
  REQUIRE(rig.dma.port_peek(0x1A) == 0x35);
  REQUIRE(rig.in(0x1A) == 0x35);
  REQUIRE(rig.dma.port_peek(0x1A) == 0x12);
  REQUIRE(rig.in(0x08) == 0x04);
}

TEST_CASE("a snapshot between the two cycles of an item continues with the same bytes and times") {
  auto run_on = [](Rig& rig, Device& fdc) {
    rig.step(1_ms);
    auto saver = Archive::saver();
    rig.archive(saver);
    return std::tuple(sha256_hex(saver.stream()), sha256_hex(rig.ram), fdc.ended, fdc.terminal_counts);
  };
  Rig one;
  Device a(one, 2, 16_us);
  a.data = pattern(32);
  program_8237_channel_2(one, 0x46, 0x1000, 32);
  a.start(one.now);
  one.step(600_ns + 5 * 16'600_ns + 100_ns);  // the sixth byte is in the controller
  REQUIRE(a.position == 6);
  REQUIRE(one.ram[0x1005] == 0);
  auto saver = Archive::saver();
  one.archive(saver);

  Rig two;
  Device b(two, 2, 16_us);
  two.ram = one.ram;
  two.memory.unmap(0, 0x20000);
  two.memory.map_ram(0, two.ram);
  b.data = a.data;
  b.position = a.position;
  auto loader = Archive::loader(saver.stream());
  two.archive(loader);
  loader.expect_end();
  b.next.at(a.next.when());
  REQUIRE(run_on(one, a) == run_on(two, b));
  REQUIRE(two.ram[0x101F] == pattern(32)[31]);
}
