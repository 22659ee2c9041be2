// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/ps2/system_control.hpp"

#include "devices/board/at/clocks/rtc_cmos.hpp"
#include "devices/board/at/input/i8042.hpp"
#include "tests/catch.hpp"
#include "tests/devices/board/bench.hpp"

using namespace planar;
using planar::tests::PlanarBench;
using planar::tests::Probe;

namespace {

struct Control : PlanarBench {
  I8254 timers{scheduler, trace};
  RtcCmos rtc{scheduler, trace};
  I8042 keyboard{scheduler, trace};
  SystemControl control{timers, trace, 15'120_ns};
  Probe nmi, a20, reset, light;
  Control() {
    control.claim_ports(io);
    rtc.claim_ports(io);
    keyboard.claim_ports(io);
    rtc.nmi_mask.connect(control.nmi_mask());
    keyboard.a20.connect(control.a20_from_keyboard());
    keyboard.cpu_reset.connect(control.reset_from_keyboard());
    control.nmi.connect(nmi);
    control.a20.connect(a20);
    control.cpu_reset.connect(reset);
    control.disk_light.connect(light);
    keyboard.reset(now);
  }
  void keyboard_command(std::uint8_t command, std::uint8_t data) {
    out(0x64, command);
    REQUIRE(wait([&] { return (in(0x64) & 2) == 0; }, 10_ms));
    out(0x60, data);
    REQUIRE(wait([&] { return (in(0x64) & 2) == 0; }, 10_ms));
  }
};

}  // namespace

TEST_CASE("port 61h: the refresh bit toggles every 15.12 us", "[planar][system_control]") {
  Control c;
  unsigned edges = 0;
  bool last = c.in(0x61) & 0x10;
  for (int i = 0; i < 15'120; ++i) {
    const bool bit = c.in(0x61) & 0x10;
    if (bit != last) ++edges;
    last = bit;
  }
  CHECK(edges == 1000);
}

TEST_CASE("port 61h: bits 3 to 0 read back; gate and speaker", "[planar][system_control]") {
  Control c;
  c.out(0x61, 0x0F);
  CHECK((c.in(0x61) & 0x0F) == 0x0F);
  CHECK(c.control.speaker_data());
  CHECK(c.timers.gate2());
  c.out(0x61, 0x00);
  CHECK((c.in(0x61) & 0xCF) == 0x00);
  CHECK_FALSE(c.timers.gate2());
}

TEST_CASE("channel check: masked by port 70h, acknowledged by toggling 61h bit 3", "[planar][system_control]") {
  Control c;
  c.control.set_nmi(bus::NmiSource::channel_check, true, c.now);
  CHECK((c.in(0x61) & 0x40) != 0);
  CHECK_FALSE(c.nmi.level);  // power-on: NMI masked
  c.out(0x70, 0x0D);
  CHECK(c.nmi.level);
  c.control.set_nmi(bus::NmiSource::channel_check, false, c.now);
  CHECK(c.nmi.level);  // latched
  c.out(0x61, 0x08);
  CHECK_FALSE(c.nmi.level);
  c.out(0x61, 0x00);
  CHECK((c.in(0x61) & 0x40) == 0);
  CHECK_FALSE(c.nmi.level);
  // While the check is disabled nothing is latched.
  c.out(0x61, 0x08);
  c.control.set_nmi(bus::NmiSource::channel_check, true, c.now);
  CHECK_FALSE(c.nmi.level);
  c.out(0x61, 0x00);
  CHECK(c.nmi.level);
}

TEST_CASE("a bus time-out NMI is not affected by the mask", "[planar][system_control]") {
  Control c;
  c.out(0x70, 0x8D);
  c.control.set_nmi(bus::NmiSource::parity, true, c.now);
  CHECK((c.in(0x61) & 0x80) != 0);
  CHECK_FALSE(c.nmi.level);
  c.control.set_nmi(bus::NmiSource::bus_timeout, true, c.now);
  CHECK(c.nmi.level);
}

TEST_CASE("A20 is the OR of port 92h and the 8042, as setup code uses it", "[planar][system_control]") {
  Control c;
  c.keyboard_command(0xD1, 0xDD);
  CHECK_FALSE(c.control.a20_enabled());
  c.out(0x92, static_cast<std::uint8_t>(c.in(0x92) | 0x02));
  CHECK(c.control.a20_enabled());
  CHECK((c.in(0x92) & 0x01) == 0);  // a read-modify-write must not reset the machine
  c.out(0x92, 0x00);
  CHECK_FALSE(c.control.a20_enabled());
  c.keyboard_command(0xD1, 0xDF);
  CHECK(c.control.a20_enabled());
  CHECK(c.reset.rises.empty());
}

TEST_CASE("hot reset: a 0 to 1 transition gives a pulse; the bit remains set for POST", "[planar][system_control]") {
  Control c;
  c.out(0x92, 0x01);
  CHECK(c.reset.rises.size() == 1);
  CHECK_FALSE(c.reset.level);
  CHECK((c.in(0x92) & 0x01) != 0);
  c.out(0x92, 0x01);
  CHECK(c.reset.rises.size() == 1);
  c.out(0x92, 0x00);
  c.out(0x92, 0x01);
  CHECK(c.reset.rises.size() == 2);
}

TEST_CASE("8042 command FEh resets the processor", "[planar][system_control][i8042]") {
  Control c;
  c.out(0x64, 0xFE);
  c.step(100_us);
  CHECK(c.reset.rises.size() == 1);
  CHECK_FALSE(c.reset.level);
  CHECK(c.control.a20_enabled());  // only bit 0 was pulsed
}

TEST_CASE("port 92h: disk LED, and the password lock that only power-off clears", "[planar][system_control]") {
  Control c;
  c.out(0x92, 0xC0);
  CHECK(c.light.level);
  CHECK((c.in(0x92) & 0xC0) == 0xC0);
  c.out(0x92, 0x08);
  CHECK_FALSE(c.light.level);
  c.out(0x92, 0x00);
  CHECK((c.in(0x92) & 0x08) != 0);
  c.control.reset(c.now);
  CHECK((c.in(0x92) & 0x08) == 0);
}
