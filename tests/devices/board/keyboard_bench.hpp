// SPDX-License-Identifier: GPL-2.0-or-later
// The 8042 with its keyboard and mouse, driven through ports as by a kernel.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "devices/board/at/input/i8042.hpp"
#include "tests/catch.hpp"
#include "tests/devices/board/bench.hpp"

namespace planar::tests {

using Bytes = std::vector<unsigned>;

struct Keyboard : PlanarBench {
  I8042 chip{scheduler, trace};
  Probe irq1, irq12, a20;
  Keyboard() {
    chip.claim_ports(io);
    chip.irq1.connect(irq1);
    chip.irq12.connect(irq12);
    chip.a20.connect(a20);
    chip.reset(now);
  }
  /// As kernels do: wait for an empty input buffer, then write.
  void write(std::uint16_t port, std::uint8_t value) {
    REQUIRE(wait([&] { return (in(0x64) & 2) == 0; }, 10_ms));
    out(port, value);
  }
  void command(std::uint8_t value) { write(0x64, value); }
  void data(std::uint8_t value) { write(0x60, value); }
  void mouse(std::uint8_t value) {
    command(0xD4);
    data(value);
  }
  int read(Time limit = 20_ms) {
    if (!wait([&] { return (in(0x64) & 1) != 0; }, limit, 10_us)) return -1;
    return in(0x60);
  }
  Bytes read_all(Time quiet = 20_ms) {
    Bytes bytes;
    for (int byte = read(quiet); byte >= 0; byte = read(quiet)) bytes.push_back(static_cast<unsigned>(byte));
    return bytes;
  }
  /// Reads the bytes that arrive within `span`.
  Bytes during(Time span) {
    Bytes bytes;
    for (const Time end = now + span; now < end;)
      if (const int byte = read(end - now); byte >= 0) bytes.push_back(static_cast<unsigned>(byte));
    return bytes;
  }
  /// POST and a kernel's initialisation, up to scan codes with translation and interrupts; the mouse stays off (its
  /// power-on response is held until it is enabled).
  void start(std::uint8_t command_byte = 0x67) {
    command(0xAA);
    REQUIRE(read() == 0x55);
    command(0xAB);
    REQUIRE(read() == 0x00);
    command(0xAE);
    REQUIRE(read(1_s) == 0xAA);  // the keyboard's power-on self-test
    data(0xFF);
    REQUIRE(read() == 0xFA);
    REQUIRE(read(1_s) == 0xAA);
    data(0xF5);
    REQUIRE(read() == 0xFA);
    command(0x60);
    data(command_byte);
    data(0xF4);
    REQUIRE(read() == 0xFA);
  }
  /// Enables the mouse's interface and reads its power-on response.
  void start_mouse() {
    command(0xA8);
    REQUIRE(read(1_s) == 0xAA);
    REQUIRE(read() == 0x00);
  }
  /// Sends bytes to the keyboard, each after the previous one was acknowledged; returns all responses.
  Bytes tell(std::initializer_list<unsigned> bytes) { return tell(bytes, false); }
  Bytes tell_mouse(std::initializer_list<unsigned> bytes) { return tell(bytes, true); }
  Bytes press(std::uint16_t code, bool down) {
    chip.keyboard().key(code, down, now);
    return read_all(10_ms);
  }

 private:
  Bytes tell(std::initializer_list<unsigned> bytes, bool to_mouse) {
    Bytes all;
    for (const unsigned byte : bytes) {
      if (to_mouse)
        mouse(static_cast<std::uint8_t>(byte));
      else
        data(static_cast<std::uint8_t>(byte));
      for (const unsigned answer : read_all(5_ms)) all.push_back(answer);
    }
    return all;
  }
};

}  // namespace planar::tests
