// SPDX-License-Identifier: GPL-2.0-or-later
// A SONIC with 64 KB of memory, a station at the other end, and lists as drivers build them: buffers of `words` 16-bit
// words each, descriptors in a chain whose last link ends the list.
#pragma once

#include <algorithm>
#include <span>

#include "devices/chips/sonic/sonic.hpp"
#include "tests/catch.hpp"
#include "tests/devices/medium/wire.hpp"

namespace planar::test {

using ethernet::Sonic;
using ethernet::SonicConfig;

struct SonicBench final : ethernet::SonicHost {
  static constexpr std::uint16_t cda = 0x0000, rra = 0x0100, rda = 0x0200, tda = 0x0600, data = 0x1000,
                                 buffers = 0x4000;
  static constexpr MacAddress own{0x08, 0x00, 0x5A, 0x12, 0x34, 0x56};

  explicit SonicBench(unsigned bytes_a_field = 4, bool plugged = true)
      : width(bytes_a_field), chip(scheduler, "sonic", *this, config(), 5), other(scheduler, &segment, "other", 77) {
    if (plugged) chip.port().attach(segment);
    segment.add_observer(log);
  }
  static SonicConfig config() {
    SonicConfig c;
    c.address_mask = 0xFFFF;
    return c;
  }

  std::uint8_t memory_read(std::uint32_t a) const override { return ram.at(a); }
  void memory_write(std::uint32_t a, std::uint8_t v) override { ram.at(a) = v; }
  void memory_copy(std::uint32_t a, std::span<std::uint8_t> to) const override {
    REQUIRE(a + to.size() <= ram.size());
    std::copy_n(ram.begin() + a, to.size(), to.begin());
  }
  void interrupt(bool level, Time) override { line = level; }

  void step(Time t) {
    now += t;
    scheduler.advance(now);
  }
  std::uint16_t in(unsigned reg) { return chip.read(reg, now); }
  void out(unsigned reg, unsigned value) {
    chip.write(reg, static_cast<std::uint16_t>(value), now);
    step(1_us);
  }
  std::uint16_t get(unsigned address, unsigned field = 0) const {
    return static_cast<std::uint16_t>(ram.at(address + field * width) | ram.at(address + field * width + 1) << 8);
  }
  void put(unsigned address, std::initializer_list<unsigned> fields) {
    for (const unsigned f : fields)
      for (unsigned i = 0; i < width; ++i) ram.at(address++) = static_cast<std::uint8_t>(i < 2 ? f >> (8 * i) : 0);
  }

  void start(unsigned rcr = Sonic::BRD, unsigned descriptors = 4, unsigned resources = 4, unsigned words = 760,
             unsigned eobc = 760) {
    out(Sonic::CR, Sonic::RST);
    out(Sonic::DCR, 0x0340 | (width == 4 ? unsigned{Sonic::DW} : 0u));
    out(Sonic::CR, 0);
    put(cda, {0, 0x0008, 0x125A, 0x5634, 1});
    out(Sonic::URRA, 0);
    out(Sonic::CDP, cda);
    out(Sonic::CDC, 1);
    out(Sonic::CR, Sonic::LCAM);
    step(10_us);
    for (unsigned n = 0; n < resources; ++n) put(rra + n * 4 * width, {buffers + n * 0x800, 0, words, 0});
    for (unsigned n = 0; n < descriptors; ++n)
      put(receive(n), {0, 0, 0, 0, 0, n + 1 < descriptors ? receive(n + 1) : 1, 1});
    out(Sonic::RSA, rra);
    out(Sonic::REA, rra + resources * 4 * width);
    out(Sonic::RRP, rra);
    out(Sonic::RWP, rra);
    out(Sonic::EOBC, eobc);
    out(Sonic::CR, Sonic::RRRA);
    step(10_us);
    out(Sonic::URDA, 0);
    out(Sonic::CRDA, rda);
    out(Sonic::UTDA, 0);
    out(Sonic::RCR, rcr);
    out(Sonic::ISR, 0x7FFF);
    out(Sonic::IMR, 0x7FFF);
    out(Sonic::CR, Sonic::RXEN);
  }
  unsigned receive(unsigned n) const { return rda + n * 7 * width; }

  void hear(const Bytes& frame) {
    const std::size_t before = other.outcomes.size();
    other.port.transmit(frame, now);
    while (other.outcomes.size() == before) step(10_us);
    step(20_us);
  }
  Bytes for_us(std::size_t bytes, std::uint8_t fill = 0) { return make_frame(bytes, own, fill); }
  Bytes stored(unsigned descriptor) const {
    const unsigned d = receive(descriptor);
    const auto begin = ram.begin() + get(d, 2);
    return Bytes(begin, begin + get(d, 1));
  }
  /// One descriptor with its data in one fragment; `link` 1 ends the list.
  void descriptor(unsigned at, unsigned bytes, unsigned from, unsigned link = 1, unsigned config = 0) {
    put(at, {0, config, bytes, 1, from, 0, bytes, link});
  }
  void fill(unsigned at, const Bytes& b) { std::copy(b.begin(), b.end(), ram.begin() + at); }
  void transmit(unsigned at) {
    out(Sonic::CTDA, at);
    out(Sonic::CR, Sonic::TXP);
  }

  Scheduler scheduler;
  EthernetSegment segment;
  Log log;
  std::vector<std::uint8_t> ram = std::vector<std::uint8_t>(0x10000, 0);
  bool line = false;
  Time now{};
  unsigned width;
  Sonic chip;
  Recorder other;
};

}  // namespace planar::test
