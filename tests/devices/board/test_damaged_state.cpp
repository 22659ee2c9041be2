// SPDX-License-Identifier: GPL-2.0-or-later
// A damaged snapshot leaves no index of a planar device beyond its table: the values that the next access would use.
#include "core/common/error.hpp"
#include "devices/board/at/clocks/i8254.hpp"
#include "devices/board/at/clocks/rtc_cmos.hpp"
#include "tests/catch.hpp"
#include "tests/devices/board/vga_bench.hpp"

using namespace planar;
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

/// Where two states differ, and were `before` and `after` there.
std::vector<std::size_t> changed(const std::vector<std::uint8_t>& one, const std::vector<std::uint8_t>& other,
                                 std::uint8_t before, std::uint8_t after) {
  std::vector<std::size_t> places;
  for (std::size_t n = 0; n < std::min(one.size(), other.size()); ++n)
    if (one[n] == before && other[n] == after) places.push_back(n);
  return places;
}

}  // namespace

TEST_CASE("a video DAC at a colour's fourth component is refused", "[snapshot]") {
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

TEST_CASE("the clock's index stays within its memory", "[snapshot]") {
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
  CHECK(b.in(0x71) == 0x77);  // 3Eh, not a byte past the memory
}

TEST_CASE("a timer in mode 3 that counts from 0 is refused", "[snapshot]") {
  PlanarBench b;
  I8254 timers{b.scheduler, b.trace};
  timers.claim_ports(b.io);
  b.out(0x43, 0x36);
  b.out(0x40, 0xFC);
  b.out(0x40, 0x00);
  b.step(1_ms);
  b.in(0x40);  // what has happened since is settled
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
