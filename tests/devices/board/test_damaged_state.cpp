// SPDX-License-Identifier: GPL-2.0-or-later
// A damaged snapshot leaves no index of a planar device beyond its table: the tests check the values that the next
// access would use.
#include "core/common/error.hpp"
#include "devices/board/at/clocks/i8254.hpp"
#include "devices/board/at/clocks/rtc_cmos.hpp"
#include "devices/board/at/diskette/i82077.hpp"
#include "devices/board/at/ports/ns16550.hpp"
#include "tests/catch.hpp"
#include "tests/damage.hpp"
#include "tests/devices/board/keyboard_bench.hpp"
#include "tests/devices/board/vga_bench.hpp"

using namespace planar;
using planar::tests::Keyboard;
using planar::tests::PlanarBench;
using planar::tests::VideoBench;

namespace {

template <class Device>
std::vector<std::uint8_t> saved(Device& device) {
  Archive a = Archive::saver();
  device.archive(a);
  return a.stream();
}

template <class Device>
void load(Device& device, std::vector<std::uint8_t> state) {
  Archive a = Archive::loader(std::move(state));
  device.archive(a);
}

/// The positions at which two states differ and contain `before` and `after`.
std::vector<std::size_t> changed(const std::vector<std::uint8_t>& one, const std::vector<std::uint8_t>& other,
                                 std::uint8_t before, std::uint8_t after) {
  std::vector<std::size_t> places;
  for (std::size_t n = 0; n < std::min(one.size(), other.size()); ++n)
    if (one[n] == before && other[n] == after) places.push_back(n);
  return places;
}

}  // namespace

TEST_CASE("a video DAC at a fourth colour component is refused", "[snapshot]") {
  VideoBench b;
  b.out(0x3C8, 255);
  const auto before = saved(b.vga);
  b.out(0x3C9, 5);
  const auto after = saved(b.vga);
  unsigned refused = 0;
  for (const std::size_t place : changed(before, after, 0, 1)) {
    auto state = after;
    state[place] = 200;
    try {
      load(b.vga, state);
    } catch (const Error&) { ++refused; }
  }
  CHECK(refused == 1);
}

TEST_CASE("a video chip with any one byte damaged is refused or shows something", "[snapshot]") {
  VideoBench b;
  b.mode3();
  b.out(0x3C8, 255);
  CHECK(planar::test::refused_of_damaged(saved(b.vga), "vga", [&](const auto& state) {
          VideoBench other;
          other.until(b.now);
          load(other.vga, state);
          Description d;
          other.vga.describe(d, other.now);
          other.vga.picture(other.now);
          for (std::uint16_t port = 0x3B4; port < 0x3DF; ++port) other.in(port);
          for (std::uint16_t port = 0x3C0; port < 0x3DF; ++port) other.out(port, 1);
          other.step(20_ms);
        }) > 0);
}

TEST_CASE("a damaged clock index cannot exceed its memory", "[snapshot]") {
  PlanarBench b;
  RtcCmos rtc{b.scheduler, b.trace};
  rtc.claim_ports(b.io);
  b.out(0x70, 0x3E);
  b.out(0x71, 0x77);
  const auto before = saved(rtc);
  b.out(0x70, 0x3F);
  b.out(0x71, 0x77);
  const auto places = changed(before, saved(rtc), 0x3E, 0x3F);
  REQUIRE(places.size() == 1);
  auto state = before;
  state[places[0]] = 0xFE;
  load(rtc, state);
  CHECK(b.in(0x71) == 0x77);  // 3Eh, not a byte beyond the memory
}

TEST_CASE("a timer in mode 3 that counts from 0 is refused", "[snapshot]") {
  PlanarBench b;
  I8254 timers{b.scheduler, b.trace};
  timers.claim_ports(b.io);
  b.out(0x43, 0x36);
  b.out(0x40, 0xFC);
  b.out(0x40, 0x00);
  b.step(1_ms);
  b.in(0x40);  // brings the counter up to date
  b.in(0x40);
  const auto sound = saved(timers);
  unsigned refused = 0;
  for (std::size_t n = 0; n < sound.size(); ++n)
    if (sound[n] == 0xFC) {
      auto state = sound;
      state[n] = 0;
      try {
        load(timers, state);
        b.in(0x40);
      } catch (const Error&) { ++refused; }
    }
  CHECK(refused > 0);
}

TEST_CASE("a keyboard that repeats a key is refused or runs on with any one byte damaged", "[snapshot]") {
  Keyboard k;
  k.start();
  k.chip.keyboard().key(0x1E, true, k.now);
  k.step(300_ms);
  for (const char* part : {"ps2_keyboard", "ps2_mouse"})
    CHECK(planar::test::refused_of_damaged(saved(k.chip), part, [&](const auto& state) {
            Keyboard other;
            other.until(k.now);
            load(other.chip, state);
            Description d;
            other.chip.describe(d);
            other.step(1_s);
            other.chip.keyboard().receive(0x05, other.now);
            other.chip.mouse().moved(9, 9, other.now);
            other.step(100_ms);
          }) > 0);
}

TEST_CASE("a serial port that sends and receives is refused or runs on with any one byte damaged", "[snapshot]") {
  struct Serial : PlanarBench {
    Ns16550 uart{scheduler, trace, "serial"};
    Serial() { uart.claim_ports(io, 0x3F8); }
  } s;
  s.out(0x3F8, 0x55);
  s.uart.receive(0x12, s.now);
  CHECK(planar::test::refused_of_damaged(saved(s.uart), "ns16550", [&](const auto& state) {
          Serial other;
          other.until(s.now);
          load(other.uart, state);
          other.step(5_ms);
          other.in(0x3F8);
        }) > 0);
}

TEST_CASE("a busy diskette controller is refused or runs on with any one byte damaged", "[snapshot]") {
  struct Diskette : PlanarBench {
    I82077 fdc{scheduler, trace};
    Diskette() {
      fdc.claim_ports(io);
      fdc.install(0, 1000);
      fdc.reset(now);
      fdc.insert(0, FloppyImage(std::vector<std::uint8_t>(163'840), "test.img"), now);
    }
    void command(std::initializer_list<std::uint8_t> bytes) {
      for (const std::uint8_t byte : bytes) {
        REQUIRE(wait([&] { return (in(0x3F4) & 0xC0) == 0x80; }, 10_ms));
        out(0x3F5, byte);
      }
    }
  };
  const std::initializer_list<std::uint8_t> read{0x46, 0, 0, 0, 1, 2, 8, 0x1B, 0xFF}, format{0x4D, 0, 2, 8, 0x1B, 0xF6};
  for (const auto& command : {read, format}) {
    Diskette d;
    d.out(0x3F2, 0x1C);
    d.out(0x3F7, 0x02);  // 250 kbit/s
    d.step(1_s);
    d.command(command);
    d.step(command.size() == 9 ? 20_ms : 250_ms);
    // The rest of the state, after the diskette, belongs to the controller.
    CHECK(planar::test::refused_of_damaged(saved(d.fdc), "floppy_image", [&](const auto& state) {
            Diskette other;
            other.until(d.now);
            load(other.fdc, state);
            Description described;
            other.fdc.describe(described, other.now);
            for (int n = 0; n < 200; ++n) {
              other.step(2_ms);
              other.fdc.dma_read(other.now);
              other.fdc.dma_write(0, other.now);
              other.in(0x3F5);
            }
          }) > 0);
  }
}

TEST_CASE("an impossibly old clock count is refused", "[snapshot]") {
  PlanarBench b;
  RtcCmos rtc{b.scheduler, b.trace};
  rtc.claim_ports(b.io);
  unsigned refused = 0;
  const auto sound = saved(rtc);
  for (std::size_t n = 0; n < sound.size(); ++n) {
    auto state = sound;
    state[n] = 0x85;  // for the highest byte of a count
    try {
      load(rtc, state);
      b.in(0x71);
    } catch (const Error&) { ++refused; }
  }
  CHECK(refused >= 2);
}
