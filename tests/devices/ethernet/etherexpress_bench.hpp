// SPDX-License-Identifier: GPL-2.0-or-later
// An EtherExpress/MC in a slot and the accesses that Linux's eexpress.c makes: order, width and values are the
// driver's, the code is our own. No processor; each access begins when the previous one has ended.
#pragma once

#include <memory>

#include "devices/ethernet/etherexpress/etherexpress.hpp"
#include "tests/devices/ethernet/card_bench.hpp"

namespace planar::test {

using ethernet::EtherExpress;
using ethernet::I82586;

struct EtherExpressBench : CardBench {
  static constexpr std::uint16_t io = 0x300;
  static constexpr unsigned irq = 5, code = 4;
  static constexpr unsigned tx_start = 0x100, buffer_size = 1568;

  explicit EtherExpressBench(Settings settings = {}, bool plugged = true)
      : CardBench(EtherExpress::entry, "00:aa:00:12:34:56", std::move(settings), plugged) {
    card->pos_write(3, 0x80 | 4 << 4 | 0xF, Time{});
    card->pos_write(2, 0x05, Time{});
  }

  EtherExpress& eexp() { return static_cast<EtherExpress&>(*card); }
  unsigned inb(unsigned at) { return rig.in(static_cast<std::uint16_t>(io + at)); }
  unsigned inw(unsigned at) { return rig.in(static_cast<std::uint16_t>(io + at), 2); }
  void outb(unsigned v, unsigned at) { rig.out(static_cast<std::uint16_t>(io + at), v & 0xFF); }
  void outw(unsigned v, unsigned at) { rig.out(static_cast<std::uint16_t>(io + at), v & 0xFFFF, 2); }
  void step(Time t) { rig.step(t); }
  bool interrupt() const { return rig.irqs.level[irq]; }

  // ---- eexpress.c ----

  static unsigned shadow(unsigned at) {
    at &= 0x1F;
    return (at > 0xF ? at + 0x3FF0 : at) + 0x4000;
  }
  unsigned peek(unsigned at) {
    outw(at & ~31u, 8);
    return inw(shadow(at));
  }
  void poke(unsigned at, unsigned v) {
    outw(at & ~31u, 8);
    outw(v, shadow(at));
  }
  unsigned scb_status() { return inw(0xC008); }
  void scb_command(unsigned v) { outw(v, 0xC00A); }
  void attention() { outb(0, 6); }

  static constexpr unsigned eeprom_reset = 0x80, eeprom_cs = 2;
  void eeprom_shift(unsigned command, unsigned bits) {
    unsigned wires = eeprom_cs | eeprom_reset;
    outb(wires, 0xE);
    for (unsigned bit = 1u << (bits - 1); bit; bit >>= 1) {
      wires = command & bit ? wires | 4 : wires & ~4u;
      outb(wires, 0xE);
      outb(wires | 1, 0xE);
      step(40_us);
      outb(wires, 0xE);
      step(40_us);
    }
  }
  void eeprom_end() {
    outb(eeprom_reset | 1, 0xE);
    step(40_us);
    outb(eeprom_reset, 0xE);
    step(40_us);
  }
  unsigned eeprom(unsigned location) {
    unsigned value = 0;
    eeprom_shift(0x180 | location, 9);
    constexpr unsigned wires = eeprom_cs | eeprom_reset;
    outb(wires, 0xE);
    for (unsigned bit = 0x8000; bit; bit >>= 1) {
      outb(wires | 1, 0xE);
      step(40_us);
      if (inb(0xE) & 8) value |= bit;
      outb(wires, 0xE);
      step(40_us);
    }
    eeprom_end();
    return value;
  }
  void eeprom_command(unsigned command, unsigned bits) {
    eeprom_shift(command, bits);
    eeprom_end();
  }
  void reset() {
    outb(0x40, 0xE);
    outb(0, 0xE);
    step(500_us);
    outb(0x80, 0xE);
  }
  unsigned size_ram() {
    outw(0, 2);
    for (unsigned i = 0; i < 32768; ++i) outw(0, 0);
    unsigned k = 0;
    for (; k < 64; ++k) {
      outw(k << 10, 4);
      if (inw(0)) break;
      outw(k << 10, 2);
      outw(k | 0x5000, 0);
      outw(k << 10, 4);
      if (inw(0) != (k | 0x5000)) break;
    }
    return k;
  }
  void transmit_ring() {
    unsigned at = tx_start;
    for (unsigned i = 0; i < 4; ++i, at += buffer_size) {
      outw(at, 2);
      for (unsigned w : {0u, 0x2004u, at + 0x08, at + 0x0E, 0u, 0u, at + 0x08, 0x8000u, 0xFFFFu, at + 0x16, 0u})
        outw(w, 0);
    }
    head = reap = tx_start;
    tail = at - buffer_size;
    link = tail + 8;
    rx_start = at;
  }
  void receive_ring() {
    const unsigned end = 0x7FF6;
    unsigned at = rx_start;
    for (; at <= end - buffer_size; at += buffer_size) {
      outw(at, 2);
      for (unsigned w : {0u, 0u, at + buffer_size, 0xFFFFu, 0u, 0xDEADu, 0xDEADu, 0xDEADu, 0xDEADu, 0xDEADu, 0xDEADu,
                         0u, at + buffer_size + 0x16, at + 0x20, 0u, buffer_size - 0x20})
        outw(w, 0);
      rx_last = at;
    }
    outw(rx_start + 6, 2), outw(rx_start + 0x16, 0);
    outw(rx_last + 4, 2), outw(rx_start, 0);
    outw(rx_last + 0x18, 2), outw(rx_start + 0x16, 0);
    rx = rx_start;
  }
  void init() {
    outb(inb(0xD) | 2, 0xD);
    outb(code, 7);
    outw(0x7FF6 & ~31, 8);
    outw(0, 0x8006);
    for (unsigned at : {0x8008u, 0x800Au, 0x800Cu, 0x800Eu}) outw(0, at);
    static constexpr unsigned program[] = {
        1, 8,    0, 0, 0,    0, 0, 0, 0, 0, 0,    0, 0, 0, 0, 0,    0, 2,      0x32, 0x080C, 0x2E40, 0x6000, 0xF200,
        0, 0x3C, 0, 1, 0x3E, 0, 0, 0, 0, 3, 0x76, 0, 0, 0, 0, 0,    0, 0,      0,    0,      0,      0,      0,
        0, 0,    0, 0, 0,    0, 0, 0, 0, 0, 0,    0, 0, 0, 7, 0x7C, 0, 0x2005, 0x84, 0,      0,      0x8000, 0x84};
    for (unsigned i = 0; i < sizeof program / sizeof *program * 2; i += 32) {
      outw(i, 8);
      for (unsigned j = 0; j < 16; j += 2) outw(word(program, i + j), 0x4000 + j);
      for (unsigned j = 0; j < 16; j += 2) outw(word(program, i + j + 16), 0x8000 + j);
    }
    poke(0x38, 0xAA00), poke(0x3A, 0x1200), poke(0x3C, 0x5634);
    transmit_ring();
    receive_ring();
    outb(0, 0xE);
    step(5_ms);
    scb_command(0xF000);
    attention();
    outw(0, 8);
    busy_polls = 0;
    while (inw(0x4000) && busy_polls < 50) ++busy_polls;
    outw(0x20, 0xC00C);
    scb_command(0xF100);
    attention();
    status_polls = 0;
    while (!scb_status() && status_polls < 50) ++status_polls;
    outb(inb(0xD) & ~2u, 0xD);
    outb(code | 8, 7);
  }
  template <std::size_t N>
  static unsigned word(const unsigned (&a)[N], unsigned at) {
    return at / 2 < N ? a[at / 2] : 0;
  }
  void wait_command() {
    int polls = 0;
    while (inw(0xC00A) && polls < 1000) ++polls;
    CHECK(polls < 1000);
  }
  /// The interrupt at the end of the start-up program: results, then the CU and RU start.
  void started() {
    const unsigned read = inw(4), write = inw(2);
    outb(code, 7);
    unsigned status = scb_status();
    REQUIRE((status & 0x8000) != 0);
    while ((status >> 8 & 7) == 2) status = scb_status();
    diagnose = peek(0x76);
    tdr = peek(0x82);
    outw(link, 0xC00C);
    outw(rx_start, 0xC00E);
    scb_command((status & 0xF000) | 0x2000 | 0x0110);
    attention();
    wait_command();
    outb(code | 8, 7);
    outw(read, 4);
    outw(write, 2);
  }
  void open() {
    init();
    step(10_us);  // a processor takes longer than this to enter its handler; by then the acknowledgement has been
                  // processed
    for (int i = 0; !interrupt() && i < 1000; ++i) step(10_us);
    REQUIRE(interrupt());
    started();
    step(100_us);
    while (interrupt()) handle();
  }
  void send(const Bytes& b) {
    outw(head, 2);
    for (unsigned w : {0u, 0x2004u, head + 0x08, head + 0x0E, 0u, 0u, head + 0x08,
                       0x8000u | static_cast<unsigned>(b.size()), 0xFFFFu, head + 0x16, 0u})
      outw(w, 0);
    for (std::size_t i = 0; i < b.size(); i += 2) outw(b[i] | (i + 1 < b.size() ? b[i + 1] : 0) << 8, 0);
    outw(tail + 0xC, 2);
    outw(head, 0);
    tail = head;
    head = head == tx_start + 3 * buffer_size ? tx_start : head + buffer_size;
  }
  void reap_transmitted() {
    do {
      const unsigned status = peek(reap);
      if (!(status & 0x8000)) return;
      sent.push_back(status);
      reap = reap == tx_start + 3 * buffer_size ? tx_start : reap + buffer_size;
    } while (reap != head);
  }
  void take_frames() {
    for (;;) {
      outw(rx, 4);
      const unsigned status = inw(0);
      if (!(status & 0x8000)) return;
      const unsigned command = inw(0), next = inw(0), buffer = inw(0);
      CHECK(command == 0);
      CHECK(buffer == rx + 0x16);
      outw(buffer, 4);
      const unsigned length = inw(0);
      CHECK((length & 0xC000) == 0xC000);
      CHECK((status & 0x2000) != 0);
      outw(buffer + 10, 4);
      Bytes b;
      for (unsigned i = 0; i < ((length & 0x3FFF) + 1) / 2; ++i) {
        const unsigned w = inw(0);
        b.push_back(static_cast<std::uint8_t>(w));
        b.push_back(static_cast<std::uint8_t>(w >> 8));
      }
      b.resize(length & 0x3FFF);
      received.push_back(std::move(b));
      outw(rx, 2);
      outw(0, 0);
      outw(0, 0);
      rx = next;
    }
  }
  void handle() {
    const unsigned read = inw(4), write = inw(2);
    outb(code, 7);
    CHECK_FALSE(interrupt());
    unsigned status = scb_status();
    do {
      wait_command();
      scb_command(status & 0xF000);
      attention();
      wait_command();
      if (status & 0x8000) reap_transmitted();
      if (status & 0x4000) take_frames();
      status = scb_status();
    } while (status & 0xC000);
    wait_command();
    outb(code | 8, 7);
    outw(read, 4);
    outw(write, 2);
  }

  const MacAddress mac{0x00, 0xAA, 0x00, 0x12, 0x34, 0x56};
  unsigned head = 0, reap = 0, tail = 0, link = 0, rx_start = 0, rx_last = 0, rx = 0, diagnose = 0, tdr = 0;
  int busy_polls = 0, status_polls = 0;
  std::vector<unsigned> sent;
  std::vector<Bytes> received;
};

}  // namespace planar::test
