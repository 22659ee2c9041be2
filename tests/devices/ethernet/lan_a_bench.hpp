// SPDX-License-Identifier: GPL-2.0-or-later
// A LAN Adapter/A in a slot, a station at the other end, and the accesses that the period's Linux driver makes
// (ibmlana.c): order, width and values are the driver's, the code is our own. No processor; each access begins when the
// previous one has ended.
#pragma once

#include <memory>

#include "devices/ethernet/lan-a/lan_a.hpp"
#include "tests/devices/ethernet/bench.hpp"

namespace planar::test {

using ethernet::LanA;
using ethernet::Sonic;

struct LanABench : CardBench {
  static constexpr std::uint16_t base = 0x3000;
  static constexpr std::uint32_t window = 0xD0000;
  static constexpr unsigned irq = 10, packet_size = 1524, transmit_buffers = 4;
  // Bytes of a transmit descriptor, a resource and a receive descriptor in 32-bit mode.
  static constexpr unsigned tda_bytes = 32, rra_bytes = 16, rda_bytes = 28;

  explicit LanABench(Settings settings = {}, unsigned slot_width = 32, bool large_window = true, bool plugged = true)
      : CardBench(LanA::entry, "08:00:5a:12:34:56", std::move(settings), plugged, slot_width),
        window_bytes(large_window ? 0x8000 : 0x4000) {
    card->pos_write(3, static_cast<std::uint8_t>(8 << 4 | large_window), Time{});
    card->pos_write(2, 0x01 | 2 << 1 | 3 << 5, Time{});  // enable, IRQ 10, 10BaseT, 3000h
  }

  LanA& lan_a() { return static_cast<LanA&>(*card); }
  unsigned in(unsigned reg) { return rig.in(static_cast<std::uint16_t>(base + 2 * reg), 2); }
  void out(unsigned reg, unsigned value) { rig.out(static_cast<std::uint16_t>(base + 2 * reg), value, 2); }
  unsigned control() { return rig.in(base + 0x80); }
  void control(unsigned value) { rig.out(base + 0x80, value); }
  Time now() const { return rig.now; }
  void step(Time t) { rig.step(t); }
  bool interrupt() const { return rig.irqs.level[irq]; }

  // ---- memcpy_toio, memcpy_fromio: doublewords, then the bytes that are left ----

  void to_card(unsigned address, const Bytes& b) {
    std::size_t i = 0;
    for (; i + 4 <= b.size(); i += 4)
      rig.store(window + address + static_cast<unsigned>(i),
                b[i] | b[i + 1] << 8 | b[i + 2] << 16 | std::uint32_t{b[i + 3]} << 24, 4);
    for (; i < b.size(); ++i) rig.store(window + address + static_cast<unsigned>(i), b[i], 1);
  }
  Bytes from_card(unsigned address, unsigned bytes) {
    Bytes b;
    for (; bytes >= 4; bytes -= 4, address += 4) {
      const std::uint32_t v = rig.load(window + address, 4);
      for (unsigned k = 0; k < 4; ++k) b.push_back(static_cast<std::uint8_t>(v >> (8 * k)));
    }
    for (; bytes; --bytes, ++address) b.push_back(static_cast<std::uint8_t>(rig.load(window + address, 1)));
    return b;
  }
  void words_to_card(unsigned address, std::initializer_list<std::uint32_t> words) {
    for (const std::uint32_t w : words) {
      rig.store(window + address, w, 4);
      address += 4;
    }
  }
  std::vector<std::uint32_t> words_from_card(unsigned address, unsigned words) {
    std::vector<std::uint32_t> v;
    for (unsigned i = 0; i < words; ++i) v.push_back(rig.load(window + address + 4 * i, 4));
    return v;
  }

  // ---- ibmlana.c ----

  bool wait_for_clear(unsigned mask) {
    const Time limit = now() + 20_ms;
    while (now() < limit)
      if (!(in(Sonic::CR)&mask)) return true;
    return false;
  }
  void reset_board() {
    unsigned bcm = control();
    bcm |= LanA::RESET;
    control(bcm);
    step(10_us);
    bcm &= ~unsigned{LanA::RESET};
    control(bcm);
    control(bcm | LanA::RAMEN | LanA::RAMWIN);
  }
  Bytes probe() {
    Bytes address;
    for (std::uint16_t port = base + 0x92; port < base + 0x99; ++port)
      address.push_back(static_cast<std::uint8_t>(rig.in(port)));
    reset_board();
    return address;
  }
  void build_descriptors() {
    tda = 0;
    tx_buffers = transmit_buffers * tda_bytes;
    for (unsigned n = 0; n < transmit_buffers; ++n)
      words_to_card(tda + n * tda_bytes,
                    {0, 0, 0, 1, tx_buffers + n * packet_size, 0, 0, ((n + 1) % transmit_buffers * tda_bytes) | 1});
    rra = tx_buffers + transmit_buffers * packet_size;
    rx_count = (window_bytes - rra) / (rra_bytes + rda_bytes + packet_size);
    rda = rra + rx_count * rra_bytes;
    rx_buffers = rda + rx_count * rda_bytes;
    for (unsigned n = 0; n < rx_count; ++n) {
      words_to_card(rra + n * rra_bytes, {rx_buffers + n * packet_size, 0, packet_size / 2, 0});
      words_to_card(rda + n * rda_bytes, {0, 0, 0, 0, 0, n + 1 < rx_count ? rda + (n + 1) * rda_bytes : 1, 1});
    }
    next_rx = 0;
    last_rx = rx_count - 1;
    next_tx = current_tx = used_tx = 0;
  }
  /// InitBoard(); `multicast` fills the CAM after the station's own address.
  bool init(unsigned rcr = Sonic::BRD, const std::vector<MacAddress>& multicast = {}) {
    out(Sonic::CR, Sonic::RST);
    step(10_us);
    out(Sonic::ISR, in(Sonic::ISR));
    out(Sonic::DCR, 0x0360);
    out(Sonic::DCR2, 0);
    out(Sonic::CR, 0);
    step(10_us);
    out(Sonic::URRA, 0);
    std::vector<MacAddress> list{mac};
    list.insert(list.end(), multicast.begin(), multicast.end());
    for (unsigned n = 0; n < list.size(); ++n) {
      const MacAddress& a = list[n];
      words_to_card(16 * n, {n, a[0] | a[1] * 256u, a[2] | a[3] * 256u, a[4] | a[5] * 256u});
    }
    words_to_card(16 * static_cast<unsigned>(list.size()), {(1u << list.size()) - 1});
    out(Sonic::CDP, 0);
    out(Sonic::CDC, static_cast<unsigned>(list.size()));
    out(Sonic::CR, Sonic::LCAM);
    if (!wait_for_clear(Sonic::LCAM)) return false;
    out(Sonic::ISR, Sonic::LCD);
    out(Sonic::RCR, rcr);
    build_descriptors();
    rig.out(0x28, 0, 2);  // the driver omits the base address and writes a word to the machine's port 28h
    out(Sonic::RSA, rra);
    out(Sonic::REA, rra + rx_count * rra_bytes);
    out(Sonic::RRP, rra);
    out(Sonic::RWP, rra);
    out(Sonic::EOBC, (packet_size - 4) / 2);
    out(Sonic::CR, Sonic::RRRA);
    if (!wait_for_clear(Sonic::RRRA)) return false;
    out(Sonic::URDA, 0);
    out(Sonic::CRDA, rda);
    out(Sonic::UTDA, 0);
    out(Sonic::ISR, 0xFFFF);
    out(Sonic::CR, Sonic::RXEN);
    out(Sonic::IMR, Sonic::PKTRX | Sonic::RBE | Sonic::TXDN | Sonic::TXER);
    control(control() | LanA::IEN);
    return true;
  }
  void stop() {
    control(control() & ~unsigned{LanA::IEN});
    rig.out(base + 2 * Sonic::IMR, 0);  // one byte, the lower half
    out(Sonic::CR, Sonic::RST);
    step(10_us);
    out(Sonic::CR, Sonic::RST);
  }
  void start_transmit(unsigned n) {
    out(Sonic::CTDA, tda + n * tda_bytes);
    current_tx = n;
    out(Sonic::CR, Sonic::TXP);
  }
  bool send(const Bytes& frame) {
    if (used_tx >= transmit_buffers) return false;
    const auto length = std::max<unsigned>(60, static_cast<unsigned>(frame.size()));
    const unsigned buffer = tx_buffers + next_tx * packet_size, descriptor = tda + next_tx * tda_bytes;
    to_card(buffer, frame);
    for (unsigned at = static_cast<unsigned>(frame.size()); at < length; at += 25)
      to_card(buffer + at, Bytes(25, 0x20));
    auto d = words_from_card(descriptor, 8);
    words_to_card(descriptor, {d[0], d[1], length, d[3], d[4], d[5], length, d[7]});
    if (++used_tx == 1) start_transmit(next_tx);
    next_tx = (next_tx + 1) % transmit_buffers;
    return true;
  }

  struct Received {
    std::uint32_t status;
    Bytes bytes;
  };
  struct Served {
    unsigned causes = 0;
    std::vector<Received> frames;
    std::uint32_t transmit_status = 0;
  };
  /// The interrupt handler: it handles each cause once and does not check again.
  Served serve() {
    Served s;
    if (!(control() & LanA::IPEND)) return s;
    s.causes = in(Sonic::ISR);
    if (s.causes & Sonic::RBE) {
      out(Sonic::RRP, rra);
      out(Sonic::RWP, rra);
      out(Sonic::ISR, Sonic::RBE);
    }
    if (s.causes & Sonic::PKTRX) {
      take_frames(s.frames);
      out(Sonic::ISR, Sonic::PKTRX);
    }
    for (const unsigned cause : {unsigned{Sonic::TXDN}, unsigned{Sonic::TXER}}) {
      if (!(s.causes & cause)) continue;
      s.transmit_status = words_from_card(tda + current_tx * tda_bytes, 8)[0];
      if (--used_tx > 0 && used_tx <= transmit_buffers) start_transmit((current_tx + 1) % transmit_buffers);
      out(Sonic::ISR, cause);
    }
    return s;
  }
  void take_frames(std::vector<Received>& frames) {
    for (;;) {
      const unsigned here = rda + next_rx * rda_bytes;
      const auto d = words_from_card(here, 7);
      if (d[6]) return;  // the driver tests all 32 bits
      frames.push_back({d[0], from_card(d[2] & 0xFFFF, d[1] & 0xFFFF)});
      words_to_card(here, {d[0] & 0xFFFF, d[1] & 0xFFFF, d[2] & 0xFFFF, d[3], d[4], 1, 1});
      words_to_card(rda + last_rx * rda_bytes + 20, {here});
      last_rx = next_rx;
      next_rx = (next_rx + 1) % rx_count;
    }
  }

  Bytes for_us(std::size_t bytes, std::uint8_t fill = 0) { return make_frame(bytes, mac, fill); }

  MacAddress mac{0x08, 0x00, 0x5A, 0x12, 0x34, 0x56};
  unsigned window_bytes;
  // the driver's layout of the RAM and its own bookkeeping
  unsigned tda = 0, tx_buffers = 0, rra = 0, rda = 0, rx_buffers = 0, rx_count = 0;
  unsigned next_rx = 0, last_rx = 0, next_tx = 0, current_tx = 0, used_tx = 0;
};

}  // namespace planar::test
