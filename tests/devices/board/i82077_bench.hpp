// SPDX-License-Identifier: GPL-2.0-or-later
// The diskette controller with a drive, a kernel's way of programming it, and a DMA channel that serves it.
#pragma once

#include <cstdint>
#include <vector>

#include "devices/board/at/diskette/i82077.hpp"
#include "tests/catch.hpp"
#include "tests/devices/board/bench.hpp"

namespace planar::tests {

using Bytes = std::vector<unsigned>;

inline std::uint8_t pattern(std::size_t i) { return static_cast<std::uint8_t>(i * 31 + i / 512 * 7 + i / 9216); }

inline std::vector<std::uint8_t> image_bytes(std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = pattern(i);
  return bytes;
}

struct Diskette : PlanarBench {
  I82077 fdc;
  Probe irq6;
  /// The DMA channel: moves a byte one microsecond after each request, with TC at the end of its count.
  std::vector<std::uint8_t> memory;
  std::size_t dma_left = 0, dma_position = 0;
  bool dma_to_memory = true;
  std::vector<Time> dma_times;

  explicit Diskette(std::size_t size = 1'474'560, bool write_protected = false, DisketteMode mode = DisketteMode::ps2)
      : fdc(scheduler, trace, mode) {
    fdc.claim_ports(io);
    fdc.irq6.connect(irq6);
    fdc.install(0, 1000);
    fdc.reset(now);
    if (size) fdc.insert(0, FloppyImage(image_bytes(size), "test.img", write_protected), now);
  }
  void command(Bytes bytes) {
    for (const unsigned byte : bytes) {
      REQUIRE(wait([&] { return (in(0x3F4) & 0xC0) == 0x80; }, 10_ms));
      out(0x3F5, static_cast<std::uint8_t>(byte));
    }
  }
  Bytes result() {
    Bytes bytes;
    wait([&] { return (in(0x3F4) & 0xC0) == 0xC0; }, 1_ms);
    while ((in(0x3F4) & 0xD0) == 0xD0) bytes.push_back(in(0x3F5));
    return bytes;
  }
  void dma(std::size_t bytes, bool to_memory) {
    memory.resize(bytes);
    dma_left = bytes;
    dma_position = 0;
    dma_to_memory = to_memory;
    dma_times.clear();
  }
  /// Steps until the interrupt, serving DMA requests.
  bool run(Time limit) {
    const Time end = now + limit;
    while (!irq6.level && now < end) {
      step(1_us);
      if (!fdc.drq.level() || dma_left == 0) continue;
      dma_times.push_back(now);
      if (dma_to_memory)
        memory[dma_position] = fdc.dma_read(now);
      else
        fdc.dma_write(memory[dma_position], now);
      ++dma_position;
      if (--dma_left == 0) fdc.terminal_count(now);
    }
    return irq6.level;
  }
  /// A kernel's sequence before the first transfer: reset, four SENSE INTERRUPT commands, specify, motor on,
  /// recalibrate.
  void start(unsigned rate = 0) {
    out(0x3F2, 0x00);
    step(20_us);
    out(0x3F2, 0x0C);
    REQUIRE(run(10_ms));
    for (unsigned drive = 0; drive < 4; ++drive) {
      command({0x08});
      REQUIRE(result() == Bytes{0xC0 | drive, 0x00});
    }
    CHECK_FALSE(irq6.level);
    out(0x3F7, static_cast<std::uint8_t>(rate));
    command({0x03, 0xD1, 0x02});
    out(0x3F2, 0x1C);
    step(500_ms);
    command({0x07, 0x00});
    REQUIRE(run(3_s));
    command({0x08});
    REQUIRE(result() == Bytes{0x20, 0x00});
  }
  void seek(unsigned cylinder) {
    command({0x0F, 0x00, cylinder});
    REQUIRE(run(3_s));
    command({0x08});
    REQUIRE(result() == Bytes{0x20, cylinder});
  }
  Bytes transfer(std::uint8_t opcode, unsigned c, unsigned h, unsigned r, unsigned eot, std::size_t bytes) {
    dma(bytes, (opcode & 0x1F) == 0x06 || (opcode & 0x1F) == 0x0C);
    return begin(opcode, c, h, r, eot);
  }
  Bytes begin(std::uint8_t opcode, unsigned c, unsigned h, unsigned r, unsigned eot) {
    command({opcode, h << 2, c, h, r, 2, eot, 0x1B, 0xFF});
    REQUIRE(run(2_s));
    const Bytes bytes = result();
    CHECK_FALSE(irq6.level);
    return bytes;
  }
};

inline constexpr Time revolution = 200_ms;

}  // namespace planar::tests
