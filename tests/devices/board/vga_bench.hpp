// SPDX-License-Identifier: GPL-2.0-or-later
// A VGA without a processor, and the register tables of its modes.
#pragma once

#include <array>
#include <string>

#include "devices/board/at/video/vga.hpp"
#include "tests/catch.hpp"
#include "tests/devices/board/bench.hpp"

namespace planar::tests {

struct VideoBench : PlanarBench {
  AddressSpace memory;
  Vga vga{scheduler};
  VideoBench() {
    vga.claim(io, memory);
    vga.reset(now);
    vga.set_awake(true);
    out(0x3C3, 0x01);
  }
  void indexed(std::uint16_t port, std::uint8_t index, std::uint8_t value) {
    out(port, index);
    out(static_cast<std::uint16_t>(port + 1), value);
  }
  std::uint8_t indexed(std::uint16_t port, std::uint8_t index) {
    out(port, index);
    return in(static_cast<std::uint16_t>(port + 1));
  }
  void attribute(std::uint8_t index, std::uint8_t value) {
    in(0x3DA);
    out(0x3C0, index);
    out(0x3C0, value);
  }
  void poke(std::uint32_t address, std::uint8_t value) {
    const auto* range = memory.find(address);
    REQUIRE(range);
    range->slave->write(address - range->base, 1, value, now);
  }
  std::uint8_t get(std::uint32_t address) {
    const auto* range = memory.find(address);
    REQUIRE(range);
    return static_cast<std::uint8_t>(range->slave->read(address - range->base, 1, now));
  }
  struct Mode {
    std::uint8_t misc;
    std::array<std::uint8_t, 5> sequencer;
    std::array<std::uint8_t, 25> crtc;
    std::array<std::uint8_t, 9> graphics;
    std::uint8_t attribute_mode, plane_enable, panning;
  };
  /// Palette registers 0 to 15 contain their own number.
  void set(const Mode& mode) {
    out(0x3C2, mode.misc);
    for (std::uint8_t i = 0; i < 5; ++i) indexed(0x3C4, i, mode.sequencer[i]);
    const std::uint16_t crtc = mode.misc & 1 ? 0x3D4 : 0x3B4;
    indexed(crtc, 0x11, 0x0E);
    for (std::uint8_t i = 0; i < 25; ++i) indexed(crtc, i, mode.crtc[i]);
    for (std::uint8_t i = 0; i < 9; ++i) indexed(0x3CE, i, mode.graphics[i]);
    in(mode.misc & 1 ? 0x3DA : 0x3BA);
    const auto attribute_register = [&](std::uint8_t index, std::uint8_t value) {
      out(0x3C0, index);
      out(0x3C0, value);
    };
    for (std::uint8_t i = 0; i < 16; ++i) attribute_register(i, i);
    attribute_register(0x10, mode.attribute_mode);
    attribute_register(0x12, mode.plane_enable);
    attribute_register(0x13, mode.panning);
    out(0x3C0, 0x20);
  }
  /// Modes as every VGA BIOS programs them. 3: 80 x 25, 9 x 16 cells, 720 x 400 at 70 Hz.
  void mode3() {
    set({0x67,
         {0x03, 0x00, 0x03, 0x00, 0x02},
         {0x5F, 0x4F, 0x50, 0x82, 0x55, 0x81, 0xBF, 0x1F, 0x00, 0x4F, 0x0D, 0x0E, 0x00,
          0x00, 0x00, 0x00, 0x9C, 0x8E, 0x8F, 0x28, 0x1F, 0x96, 0xB9, 0xA3, 0xFF},
         {0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x0E, 0x00, 0xFF},
         0x0C,
         0x0F,
         0x08});
  }
  void print(unsigned row, unsigned column, const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto at = static_cast<std::uint32_t>(0xB8000 + 2 * (row * 80 + column + i));
      poke(at, static_cast<std::uint8_t>(text[i]));
      poke(at + 1, 0x1F);
    }
  }
};

}  // namespace planar::tests
