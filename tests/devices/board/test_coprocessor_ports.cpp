// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/at/system/coprocessor_ports.hpp"

#include "core/memory/io_space.hpp"
#include "tests/catch.hpp"

using namespace planar;

TEST_CASE("an x87 error is IRQ 13 until port F0h is written, then IGNNE# until the error is cleared") {
  IoSpace io;
  CoprocessorPorts ports;
  ports.claim_ports(io);
  auto write = [&](std::uint16_t port, Time now) {
    const auto* range = io.find(port);
    REQUIRE(range);
    range->slave->write(port - range->first, 1, 0, now);
  };
  write(0xF0, 1_us);  // as Linux does at boot, with no error pending
  CHECK_FALSE(ports.ignne.level());
  ports.ferr(true, 2_us);
  CHECK(ports.irq13.level());
  write(0xF1, 3_us);
  CHECK(ports.irq13.level());
  write(0xF0, 4_us);
  CHECK_FALSE(ports.irq13.level());
  CHECK(ports.ignne.level());
  ports.ferr(false, 5_us);
  CHECK_FALSE(ports.ignne.level());
  CHECK(io.peek(0xF0, 0_s) == 0xFF);
}

TEST_CASE("the error latch survives a snapshot") {
  CoprocessorPorts a, b;
  a.ferr(true, 1_us);
  Archive save = Archive::saver();
  a.archive(save);
  Archive load = Archive::loader(save.stream());
  b.archive(load);
  CHECK(b.irq13.level());
}
