// SPDX-License-Identifier: GPL-2.0-or-later
// An 82586 with 16 KB of memory, a station at the other end, and a host that writes memory in zero time and strobes CA.
// Structures are placed as by the 3C523's driver: SCB at 0, SCP and ISCP at the top.
#pragma once

#include "devices/chips/i82586/i82586.hpp"
#include "tests/devices/medium/wire.hpp"

namespace planar::test {

using ethernet::I82586;

struct I82586Bench : ChipHost {
  static constexpr std::uint16_t top = 0x4000;
  static constexpr std::uint32_t base = 0xFFC000;  // position of offset 0 in the chip's address space
  static constexpr std::uint16_t scb = 0, rfds = 0x200, rbds = 0x400, buffers = 0x600, commands = 0x40,
                                 tx_data = 0x3000;

  explicit I82586Bench(ethernet::I82586Timing timing = {}, bool plugged = true, net::EthernetConfig wire = {})
      : segment(wire), chip(scheduler, "chip", *this, memory, timing, 1), other(scheduler, &segment, "other", 77) {
    if (plugged) chip.port().attach(segment);
    segment.add_observer(log);
  }
  void interrupt(bool asserted, Time) override {
    if (asserted && !pin) ++interrupts;
    pin = asserted;
  }

  Time now() const { return clock; }
  void step(Time t) {
    clock += t;
    scheduler.advance(clock);
  }
  std::uint16_t r16(unsigned offset) {
    chip.sync(clock);
    return static_cast<std::uint16_t>(memory[offset & 0x3FFF] | memory[(offset + 1) & 0x3FFF] << 8);
  }
  void w16(unsigned offset, unsigned value) {
    chip.sync(clock);
    memory[offset & 0x3FFF] = static_cast<std::uint8_t>(value);
    memory[(offset + 1) & 0x3FFF] = static_cast<std::uint8_t>(value >> 8);
    chip.host_wrote(offset & 0x3FFF, 2, clock);
  }
  void w24(unsigned offset, std::uint32_t value) {
    w16(offset, value & 0xFFFF);
    w16(offset + 2, value >> 16);
  }
  void fill(unsigned offset, const Bytes& b) {
    for (std::size_t i = 0; i < b.size(); ++i) memory[(offset + i) & 0x3FFF] = b[i];
  }
  Bytes bytes(unsigned offset, std::size_t n) {
    chip.sync(clock);
    Bytes b;
    for (std::size_t i = 0; i < n; ++i) b.push_back(memory[(offset + i) & 0x3FFF]);
    return b;
  }
  void attention() { chip.channel_attention(clock); }

  /// Reset, SCP and ISCP, and the first CA.
  void start_up() {
    chip.hold_reset(true, clock);
    chip.hold_reset(false, clock);
    w16(top - 12 + 2, 0);
    w24(top - 12 + 8, base + top - 20);
    w16(top - 20, 1);
    w16(top - 20 + 2, scb);
    w24(top - 20 + 4, base);
    w16(scb + 2, 0);
    attention();
    step(20_us);
  }
  /// Writes the SCB command and strobes CA; returns how long the chip took to clear the word.
  Time scb_command(unsigned command) {
    w16(scb + 2, command);
    attention();
    const Time begun = clock;
    for (int i = 0; r16(scb + 2) && i < 1000; ++i) step(1_us);
    return clock - begun;
  }
  void acknowledge() { scb_command(r16(scb) & 0xF000); }
  unsigned status() { return r16(scb); }
  unsigned cu() { return status() >> 8 & 7; }
  unsigned ru() { return status() >> 4 & 7; }

  void block(unsigned at, unsigned command, unsigned link, std::initializer_list<unsigned> words = {}) {
    w16(at, 0);
    w16(at + 2, command);
    w16(at + 4, link);
    unsigned n = 6;
    for (unsigned w : words) {
      w16(at + n, w);
      n += 2;
    }
  }
  /// Starts the CU on a single block with EL and waits for C.
  std::uint16_t run(unsigned command, std::initializer_list<unsigned> words = {}) {
    block(commands, command | I82586::EL, 0xFFFF, words);
    w16(scb + 4, commands);
    scb_command(0x0100);
    for (int i = 0; !(r16(commands) & I82586::C) && i < 1000; ++i) step(10_us);
    return r16(commands);
  }
  /// Configured as by both drivers: addresses in the buffers. `filter` is byte 8, `save` byte 2.
  void configure(unsigned filter = 0, unsigned save = 0x40, unsigned mode = 0x2E) {
    run(I82586::configure, {0x080C, save | mode << 8, 0x6000, 0xF200, filter, 0x0040});
    run(I82586::ia_setup, {0x6002u, 0x128C, 0x5634});  // 02:60:8c:12:34:56
    acknowledge();
  }
  /// A ring of `n` frame and buffer descriptors; `last` marks the last frame descriptor. Starts the RU.
  void receive_area(unsigned n = 6, unsigned last = I82586::S, unsigned size = 1524, unsigned rbd_el = 0) {
    count = n;
    for (unsigned i = 0; i < n; ++i) {
      w16(rfds + 24 * i, 0);
      w16(rfds + 24 * i + 2, i + 1 == n ? last : 0);
      w16(rfds + 24 * i + 4, rfds + 24 * ((i + 1) % n));
      w16(rfds + 24 * i + 6, i ? 0 : rbds);
      w16(rbds + 12 * i, 0);
      w16(rbds + 12 * i + 2, rbds + 12 * ((i + 1) % n));
      w24(rbds + 12 * i + 4, base + buffers + size * i);
      w16(rbds + 12 * i + 8, size | (i + 1 == n ? rbd_el : 0));
    }
    w16(scb + 6, rfds);
    scb_command(0x0010);
    step(20_us);
  }
  std::uint16_t rfd(unsigned i, unsigned field = 0) { return r16(rfds + 24 * i + field); }
  std::uint16_t rbd(unsigned i, unsigned field = 0) { return r16(rbds + 12 * i + field); }
  Bytes buffer(unsigned i, std::size_t n, unsigned size = 1524) { return bytes(buffers + size * i, n); }
  /// The other station sends; time passes until the chip has done its bookkeeping.
  void hear(const Bytes& frame) {
    const std::size_t before = other.outcomes.size();
    other.port.transmit(frame, clock);
    while (other.outcomes.size() == before) step(10_us);
    step(20_us);
  }
  Bytes for_us(std::size_t n, std::uint8_t fill = 0) { return make_frame(n, mac, fill); }

  /// The drivers' transmit list: a NOP that links to itself at `commands`, a transmit block and the NOP after it.
  void start_nop_loop() {
    block(commands, I82586::nop, commands);
    w16(scb + 4, commands);
    scb_command(0x0100);
    step(50_us);
  }
  /// Patches the link of the NOP at `nop` to a transmit block at `tx`, which is followed by a NOP at `next`.
  void send_after(unsigned nop, unsigned tx, unsigned next, const Bytes& frame, unsigned data) {
    fill(data, frame);
    block(next, I82586::nop, next);
    block(tx, I82586::transmit | I82586::I, next, {tx + 16u});
    w16(tx + 16, 0x8000 | frame.size());
    w16(tx + 18, 0xFFFF);
    w24(tx + 20, base + data);
    w16(nop + 4, tx);
  }
  /// From reset to the middle of a long frame: the block at 80h after the NOP at 40h is being sent for almost 500 us.
  void begin_frame() {
    start_up();
    configure();
    start_nop_loop();
    send_after(commands, 0x80, 0xC0, without_fcs(make_frame(1514)), 0x3000);
    step(500_us);
  }
  /// One frame through a list of its own (EL); returns the block's status.
  std::uint16_t send(const Bytes& frame) {
    fill(tx_data, frame);
    w16(commands + 16, 0x8000 | frame.size());
    w16(commands + 18, 0xFFFF);
    w24(commands + 20, base + tx_data);
    return run(I82586::transmit, {commands + 16u});
  }

  void archive(Archive& a) {
    scheduler.archive(a);
    segment.archive(a);
    a.bytes(memory);
    a(clock, pin);
    chip.archive(a);
    other.port.archive(a);
  }

  const MacAddress mac{0x02, 0x60, 0x8C, 0x12, 0x34, 0x56};
  Scheduler scheduler;
  EthernetSegment segment;
  Log log;
  Bytes memory = Bytes(0x4000, 0);
  bool pin = false;
  int interrupts = 0;
  unsigned count = 0;
  Time clock{};
  I82586 chip;
  Recorder other;
};

}  // namespace planar::test
