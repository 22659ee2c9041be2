// SPDX-License-Identifier: GPL-2.0-or-later
// An NE/2 in a slot, a station at the other end, and the accesses that the period's Linux driver makes (ne2.c, 8390.c):
// order, width and values are the driver's, the code is our own. No processor; each access begins when the previous one
// has ended.
#pragma once

#include <memory>

#include "devices/ethernet/ne2/ne2.hpp"
#include "tests/devices/ethernet/card_bench.hpp"

namespace planar::test {

using ethernet::Dp8390;
using ethernet::Ne2;

struct Ne2Bench : CardBench {
  static constexpr std::uint16_t base = 0x1000;
  static constexpr unsigned irq = 5;
  static constexpr std::uint8_t tx_page = 0x40, rx_page = 0x4C, stop_page = 0x80;

  explicit Ne2Bench(Settings settings = {}, bool plugged = true)
      : CardBench(Ne2::entry, "00:00:d8:12:34:56", std::move(settings), plugged) {
    card->pos_write(2, 0x01 | 1 << 1 | 1 << 4 | 2 << 5, Time{});  // enable, 1000h, no ROM, IRQ 5
  }

  Ne2& ne2() { return static_cast<Ne2&>(*card); }
  std::uint8_t in(unsigned reg) { return static_cast<std::uint8_t>(rig.in(base + reg)); }
  void out(unsigned reg, unsigned value) { rig.out(base + reg, value); }
  std::uint16_t data_in() { return static_cast<std::uint16_t>(rig.in(base + 0x10, 2)); }
  void data_out(unsigned value) { rig.out(base + 0x10, value, 2); }
  Time now() const { return rig.now; }
  void step(Time t) { rig.step(t); }
  void until(Time t) { rig.step(t - rig.now); }
  bool interrupt() const { return rig.irqs.level[irq]; }

  // ---- ne2.c ----

  bool probe() {
    for (int i = 0; i < 8; ++i) out(0x20, 0);
    in(0x20);
    out(0, 0x21);
    return in(0) == 0x21;
  }
  Bytes read_prom() {
    const std::pair<unsigned, unsigned> sequence[] = {{0, 0x21}, {0xE, 0x49}, {0xA, 0},    {0xB, 0},  {0xF, 0},
                                                      {7, 0xFF}, {0xC, 0x20}, {0xD, 0x02}, {0xA, 32}, {0xB, 0},
                                                      {8, 0},    {9, 0},      {0, 0x0A}};
    for (const auto& [reg, value] : sequence) out(reg, value);
    Bytes mac;
    for (int i = 0; i < 6; ++i) mac.push_back(in(0x10));
    return mac;
  }
  void remote(unsigned count, unsigned address) {
    out(0xA, count & 0xFF);
    out(0xB, count >> 8);
    out(8, address & 0xFF);
    out(9, address >> 8);
  }
  Bytes block_input(unsigned count, unsigned address) {
    out(0, 0x22);
    remote(count, address);
    out(0, 0x0A);
    Bytes b;
    for (unsigned i = 0; i < count / 2; ++i) {
      const unsigned w = data_in();
      b.push_back(static_cast<std::uint8_t>(w));
      b.push_back(static_cast<std::uint8_t>(w >> 8));
    }
    if (count & 1) b.push_back(in(0x10));
    out(7, 0x40);
    return b;
  }
  /// Returns the number of polls until completion.
  int block_output(const Bytes& b, unsigned page) {
    const unsigned count = (static_cast<unsigned>(b.size()) + 1) & ~1u;
    out(0, 0x22);
    out(7, 0x40);
    remote(count, page << 8);
    out(0, 0x12);
    for (unsigned i = 0; i < count; i += 2) data_out(b[i] | (i + 1 < b.size() ? b[i + 1] : 0) << 8);
    int polls = 1;
    while (!(in(7) & 0x40) && polls < 1000) ++polls;
    out(7, 0x40);
    return polls;
  }

  // ---- 8390.c ----

  bool init(bool start) {
    bool same = true;
    out(0, 0x21);
    out(0xE, 0x49);
    out(0xA, 0);
    out(0xB, 0);
    out(0xC, 0x20);
    out(0xD, 0x02);
    out(4, tx_page);
    out(1, rx_page);
    out(3, stop_page - 1);
    current_page = rx_page;
    out(2, stop_page);
    out(7, 0xFF);
    out(0xF, 0);
    out(0, 0x61);
    for (unsigned i = 0; i < 6; ++i) {
      out(1 + i, mac[i]);
      same = same && in(1 + i) == mac[i];
    }
    out(7, rx_page);
    out(0, 0x21);
    if (!start) return same;
    out(7, 0xFF);
    out(0xF, 0x3F);
    out(0, 0x22);
    out(0xD, 0);
    out(0xC, 4);
    load_multicast({});
    return same;
  }
  void load_multicast(std::array<std::uint8_t, 8> filter, unsigned rcr = 4) {
    out(0xC, 4);
    out(0, 0x60);
    for (unsigned i = 0; i < 8; ++i) out(8 + i, filter[i]);
    out(0, 0x20);
    out(0xC, rcr);
  }
  void trigger_send(unsigned length, unsigned page) {
    out(0, 0x20);
    REQUIRE_FALSE(in(0) & 0x04);
    out(5, length & 0xFF);
    out(6, length >> 8);
    out(4, page);
    out(0, 0x26);
  }
  struct Header {
    std::uint8_t status, next;
    unsigned count;
  };
  Header header(unsigned page) {
    const Bytes b = block_input(4, page << 8);
    return {b[0], b[1], static_cast<unsigned>(b[2] | b[3] << 8)};
  }
  struct Received {
    std::uint8_t status;
    Bytes bytes;
  };
  /// Takes up to nine frames out of the ring.
  std::vector<Received> receive() {
    std::vector<Received> frames;
    for (int n = 0; n < 9; ++n) {
      out(0, 0x60);
      const std::uint8_t rxing = in(7);
      out(0, 0x20);
      std::uint8_t page = in(3) + 1;
      if (page >= stop_page) page = rx_page;
      CHECK(page == current_page);
      if (page == rxing) break;
      const Header h = header(page);
      const unsigned length = h.count - 4;
      // The driver's own check of the next pointer, to within one page.
      const int guess = page + 1 + static_cast<int>((length + 4) >> 8);
      const int ring = stop_page - rx_page;
      CHECK((h.next == guess || h.next == guess + 1 || h.next == guess - ring || h.next == guess + 1 - ring));
      frames.push_back({h.status, block_input(length, (page << 8) + 4)});
      current_page = h.next;
      out(3, h.next - 1);
    }
    out(7, 0x05);
    return frames;
  }

  Bytes for_us(std::size_t bytes, std::uint8_t fill = 0) { return make_frame(bytes, mac, fill); }

  MacAddress mac{0x00, 0x00, 0xD8, 0x12, 0x34, 0x56};
  std::uint8_t current_page = rx_page;
};

}  // namespace planar::test
