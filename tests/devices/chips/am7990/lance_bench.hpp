// SPDX-License-Identifier: GPL-2.0-or-later
// An Am7990 on a local bus of its own with 64 KB of mirrored memory and a hole, a station at the other end, and a
// stepped clock.
#pragma once

#include "devices/chips/am7990/am7990.hpp"
#include "tests/devices/medium/wire.hpp"

namespace planar::test {

using ethernet::Am7990;

struct LanceBench final : ethernet::Am7990Host {
  // Addresses used by the tests' driver; rings of 4.
  static constexpr std::uint32_t block = 0x1000, rx_ring = 0x1020, tx_ring = 0x1040, rx_data = 0x2000, tx_data = 0x6000,
                                 size = 0x600, hole = 0x800000;

  explicit LanceBench(ethernet::Am7990Timing timing = {}, bool plugged = true)
      : chip(scheduler, "lance", *this, timing, 1), other(scheduler, &segment, "other", 77) {
    if (plugged) chip.port().attach(segment);
    segment.add_observer(log);
  }

  // Am7990Host
  bool local_ready(std::uint32_t address) const override { return address < hole; }
  std::uint8_t local_read(std::uint32_t address) const override { return ram[address & 0xFFFF]; }
  void local_write(std::uint32_t address, std::uint8_t value) override { ram[address & 0xFFFF] = value; }
  void interrupt(bool asserted, Time) override { irq = asserted; }

  unsigned word(std::uint32_t at) const { return ram[at & 0xFFFF] | ram[(at + 1) & 0xFFFF] << 8; }
  void set(std::uint32_t at, unsigned value) {
    ram[at & 0xFFFF] = static_cast<std::uint8_t>(value);
    ram[(at + 1) & 0xFFFF] = static_cast<std::uint8_t>(value >> 8);
  }
  void write(unsigned reg, unsigned value) {
    chip.write_rap(static_cast<std::uint16_t>(reg));
    chip.write_rdp(static_cast<std::uint16_t>(value), now);
  }
  unsigned csr0() const { return chip.csr(0); }
  void step(Time t) {
    now += t;
    scheduler.advance(now);
  }
  /// Steps until one of `bits` is set in CSR0; fails after `limit`.
  void wait(unsigned bits, Time limit = 100_ms) {
    const Time end = now + limit;
    while (!(csr0() & bits) && now < end) step(1_us);
    REQUIRE((csr0() & bits) != 0);
  }

  void make_block(unsigned mode = 0, std::uint64_t filter = 0, unsigned log_rx = 2, unsigned log_tx = 2) {
    set(block, mode);
    for (unsigned i = 0; i < 6; i += 2) set(block + 2 + i, mac[i] | mac[i + 1] << 8);
    for (unsigned i = 0; i < 4; ++i) set(block + 8 + 2 * i, static_cast<unsigned>(filter >> 16 * i & 0xFFFF));
    set(block + 0x10, rx_ring);
    set(block + 0x12, log_rx << 13);
    set(block + 0x14, tx_ring);
    set(block + 0x16, log_tx << 13);
  }
  void make_rings(unsigned rx_size = size) {
    for (unsigned i = 0; i < 4; ++i) {
      set(rx_ring + 8 * i, rx_data + size * i);
      set(rx_ring + 8 * i + 2, Am7990::OWN);
      set(rx_ring + 8 * i + 4, 0x10000 - rx_size);
      set(rx_ring + 8 * i + 6, 0);
      set(tx_ring + 8 * i, tx_data + size * i);
      for (unsigned j = 2; j < 8; j += 2) set(tx_ring + 8 * i + j, 0);
    }
  }
  /// STOP, CSR1 to CSR3, INIT with interrupts, and STRT when that is done.
  void init(unsigned mode = 0, std::uint64_t filter = 0) {
    make_block(mode, filter);
    make_rings();
    write(0, Am7990::STOP);
    write(3, Am7990::ACON);
    write(1, block);
    write(2, 0);
    write(0, Am7990::INEA | Am7990::INIT);
    wait(Am7990::IDON);
    write(0, Am7990::INEA | Am7990::IDON | Am7990::STRT);
    step(10_us);
  }
  /// Puts `bytes` into transmit buffer `i` and gives the chip the descriptor.
  void put(unsigned i, const Bytes& bytes, unsigned flags = Am7990::STP | Am7990::ENP) {
    for (std::size_t k = 0; k < bytes.size(); ++k) ram[tx_data + size * i + k] = bytes[k];
    set(tx_ring + 8 * i + 4, 0x10000 - static_cast<unsigned>(bytes.size()));
    set(tx_ring + 8 * i + 6, 0);
    set(tx_ring + 8 * i + 2, Am7990::OWN | flags);
  }
  void demand() { write(0, Am7990::INEA | Am7990::TDMD); }
  unsigned tmd1(unsigned i) const { return word(tx_ring + 8 * i + 2); }
  unsigned tmd3(unsigned i) const { return word(tx_ring + 8 * i + 6); }
  unsigned rmd1(unsigned i) const { return word(rx_ring + 8 * i + 2); }
  unsigned mcnt(unsigned i) const { return word(rx_ring + 8 * i + 6); }
  Bytes received(unsigned i, std::size_t bytes) const {
    return Bytes(ram.begin() + rx_data + size * i,
                 ram.begin() + rx_data + size * i + static_cast<std::ptrdiff_t>(bytes));
  }
  Bytes for_us(std::size_t bytes, std::uint8_t fill = 0) const { return make_frame(bytes, mac, fill); }
  /// The other station sends; time passes until the frame has ended and the chip has done its bookkeeping.
  void hear(const Bytes& frame) {
    other.port.transmit(frame, now);
    const std::size_t before = other.outcomes.size();
    while (other.outcomes.size() == before) step(10_us);
    step(20_us);
  }
  void archive(Archive& a) {
    scheduler.archive(a);
    segment.archive(a);
    chip.archive(a);
    other.port.archive(a);
    a(ram, irq, now);
  }

  MacAddress mac{0x08, 0x00, 0x2B, 0x12, 0x34, 0x56};
  Scheduler scheduler;
  EthernetSegment segment;
  Log log;
  std::vector<std::uint8_t> ram = std::vector<std::uint8_t>(0x10000);
  bool irq = false;
  Time now{};
  Am7990 chip;
  Recorder other;
};

}  // namespace planar::test
