// SPDX-License-Identifier: GPL-2.0-or-later
// An RTL8139 card and the accesses of Linux 2.2.16's rtl8139.c (1.07): order, width and values are the driver's, the
// code is our own.
#pragma once

#include "devices/ethernet/rtl8139/rtl8139_card.hpp"
#include "tests/devices/ethernet/pci_bench.hpp"

namespace planar::test {

using ethernet::Rtl8139;
using ethernet::Rtl8139Card;

struct Rtl8139Bench : PciBench {
  static constexpr MacAddress mac{0x00, 0x00, 0xE8, 0x12, 0x34, 0x56};
  static constexpr std::uint32_t ring = 0x20000, ring_bytes = 0x10000, bounce = 0x40000, bounce_bytes = 1536;
  static constexpr std::uint32_t all_causes = 0xC07F;
  static constexpr std::uint32_t rx_config = 4 << 13 | 3 << 11 | 4 << 8, tx_config = 4 << 8;

  using Settings = std::vector<std::pair<std::string, std::string>>;
  explicit Rtl8139Bench(Settings settings = Settings{{"phy.negotiation", "1000us"}},
                        EthernetConfig medium = {.bits_per_second = 100'000'000, .full_duplex = true})
      : PciBench(Rtl8139Card::entry, "00:00:e8:12:34:56", true, medium, std::move(settings)) {}

  Rtl8139& chip() { return static_cast<Rtl8139Card&>(*card).chip(); }
  std::uint32_t in(unsigned reg, unsigned bytes = 1) {
    return rig.in(static_cast<std::uint16_t>(io_base + reg), bytes);
  }
  void out(unsigned reg, std::uint32_t value, unsigned bytes = 1) {
    rig.out(static_cast<std::uint16_t>(io_base + reg), value, bytes);
  }
  void step(Time t) { rig.step(t); }
  Time now() const { return rig.now; }

  std::uint16_t read_eeprom(unsigned location) {
    const unsigned command = location | 6 << 6;
    out(0x50, 0x80);
    out(0x50, 0x88);
    for (int n = 10; n >= 0; --n) {
      const unsigned data = command & 1u << n ? 2 : 0;
      out(0x50, 0x88 | data);
      in(0x50, 4);
      out(0x50, 0x88 | data | 4);
      in(0x50, 4);
    }
    out(0x50, 0x88);
    in(0x50, 4);
    std::uint16_t word = 0;
    for (int n = 16; n > 0; --n) {
      out(0x50, 0x88 | 4);
      in(0x50, 4);
      word = static_cast<std::uint16_t>(word << 1 | (in(0x50) & 1));
      out(0x50, 0x88);
      in(0x50, 4);
    }
    out(0x50, 0xF7);
    return word;
  }

  void probe() {
    out(0x52, 0);
    found = {read_eeprom(0), read_eeprom(7), read_eeprom(8), read_eeprom(9)};
    out(0x50, 0xC0);
    out(0x52, 0x03);
    out(0x5B, 'H');
  }
  /// Returns the number of reads for which the reset lasted.
  int open() {
    out(0x37, Rtl8139::RST);
    cur_rx = cur_tx = dirty_tx = 0;
    int polls = 0;
    while (polls < 1000 && in(0x37) & Rtl8139::RST) ++polls;
    for (unsigned n = 0; n < 6; ++n) out(n, mac[n]);
    out(0x37, Rtl8139::RE | Rtl8139::TE);
    out(0x44, rx_config, 4);
    out(0x40, tx_config | 0x03000000, 4);
    tx_flag = 256 << 11;
    partner = static_cast<std::uint16_t>(in(0x68, 2));
    const bool full = partner & 0x100 || (partner & 0xC0) == 0x40;
    out(0x50, 0xC0);
    out(0x52, full ? 0x60 : 0x20);
    out(0x50, 0x00);
    out(0x30, ring, 4);
    out(0x4C, 0, 4);
    set_rx_mode(0x0E);
    out(0x37, Rtl8139::RE | Rtl8139::TE);
    out(0x3C, all_causes, 2);
    return polls;
  }
  void set_rx_mode(unsigned mode, std::uint32_t low = 0, std::uint32_t high = 0) {
    out(0x44, mode);
    out(0x08, low, 4);
    out(0x0C, high, 4);
  }
  /// Probed and opened, after the driver has seen the link come up.
  void start() {
    step(2_ms);
    probe();
    open();
    out(0x3E, 0xFFFF, 2);
  }
  /// Returns the frame's slot.
  unsigned start_xmit(const Bytes& frame) {
    const unsigned entry = cur_tx++ % 4;
    rig.put(bounce + entry * bounce_bytes, frame);
    out(0x20 + 4 * entry, bounce + entry * bounce_bytes, 4);
    out(0x10 + 4 * entry, tx_flag | std::max<std::uint32_t>(60, static_cast<std::uint32_t>(frame.size())), 4);
    return entry;
  }
  void receive() {
    while ((in(0x37) & Rtl8139::BUFE) == 0) {
      const std::uint32_t at = cur_rx % ring_bytes, header = rig.get32(ring + at), size = header >> 16;
      REQUIRE(size < 0x1000);
      Bytes frame;
      for (std::uint32_t n = 0; n < size; ++n) frame.push_back(rig.ram[ring + (at + 4 + n) % ring_bytes]);
      headers.push_back(header);
      received.push_back(frame);
      cur_rx = static_cast<std::uint16_t>((cur_rx + size + 4 + 3) & ~3u);
      out(0x38, static_cast<std::uint16_t>(cur_rx - 16), 2);
    }
  }
  /// Returns all causes that the handler has seen.
  std::uint32_t handle() {
    std::uint32_t seen = 0;
    for (int work = 20; work >= 0; --work) {
      const std::uint32_t status = in(0x3E, 2);
      if (status & Rtl8139::PUN && in(0x74, 2) & Rtl8139::LINK_CHANGE) ++link_changes;
      out(0x3E, status, 2);
      seen |= status;
      if ((status & all_causes) == 0) break;
      if (status & (Rtl8139::ROK | Rtl8139::PUN | Rtl8139::RXOVW | Rtl8139::FOVW)) receive();
      if (status & (Rtl8139::TOK_INT | Rtl8139::TER)) reap();
      if (status & (Rtl8139::SERR | Rtl8139::PUN | Rtl8139::RXOVW | Rtl8139::FOVW | Rtl8139::TER | Rtl8139::RER)) {
        missed += in(0x4C, 4);
        out(0x4C, 0, 4);
        if (status & Rtl8139::FOVW) {
          cur_rx = 0;
          out(0x37, Rtl8139::TE);
          out(0x37, Rtl8139::RE | Rtl8139::TE);
          out(0x44, rx_config, 4);
        }
        if (status & Rtl8139::RXOVW) {
          cur_rx = static_cast<std::uint16_t>(in(0x3A, 2));
          out(0x38, static_cast<std::uint16_t>(cur_rx - 16), 2);
        }
      }
    }
    return seen;
  }
  void reap() {
    for (; dirty_tx != cur_tx; ++dirty_tx) {
      const std::uint32_t status = in(0x10 + 4 * (dirty_tx % 4), 4);
      if ((status & (Rtl8139::TOK | Rtl8139::TUN | Rtl8139::TABT)) == 0) break;
      sent.push_back(status);
      if (status & Rtl8139::TABT)
        out(0x40, tx_config | 0x03000001, 4);
      else if (status & Rtl8139::TUN && tx_flag < 0x300000)
        tx_flag += 0x20000;
    }
  }
  Bytes for_us(std::size_t bytes, std::uint8_t fill = 0) const { return make_frame(bytes, mac, fill); }
  /// Idle times between the frames that the other station has received.
  std::vector<Time> pauses() const {
    std::vector<Time> all;
    for (std::size_t n = 1; n < other.begins.size(); ++n) all.push_back(other.begins[n] - other.arrivals[n - 1].when);
    return all;
  }

  std::array<std::uint16_t, 4> found{};
  std::uint16_t partner = 0, cur_rx = 0;
  unsigned cur_tx = 0, dirty_tx = 0;
  std::uint32_t tx_flag = 0, missed = 0;
  int link_changes = 0;
  std::vector<std::uint32_t> headers, sent;
  std::vector<Bytes> received;
};

}  // namespace planar::test
