// SPDX-License-Identifier: GPL-2.0-or-later
// A 3C529 in a slot, a station at the other end, and the accesses that the period's Linux driver makes (3c509.c):
// order, width and values are the driver's, the code is our own. No processor; each access begins when the previous one
// has ended.
#pragma once

#include "devices/ethernet/3c529/3c529.hpp"
#include "tests/devices/ethernet/bench.hpp"

namespace planar::test {

using ethernet::EtherLink3;
using ethernet::ThreeC529;

struct El3Bench : CardBench {
  static constexpr std::uint16_t base = 0x1200;
  static constexpr unsigned irq = 5;
  static constexpr unsigned room = EtherLink3::fifo_bytes;

  explicit El3Bench(Settings settings = {}, bool plugged = true, unsigned transceiver = EtherLink3::Coax)
      : CardBench(ThreeC529::entry, "00:20:af:12:34:56", std::move(settings), plugged) {
    card->pos_write(3, 0x00, Time{});
    card->pos_write(4, static_cast<std::uint8_t>(0x10 | transceiver), Time{});
    card->pos_write(5, 0xF0 | irq, Time{});
    card->pos_write(2, 0x01, Time{});
  }

  EtherLink3& chip() { return static_cast<ThreeC529&>(*card).chip(); }
  unsigned in(unsigned port) { return rig.in(static_cast<std::uint16_t>(base + port)); }
  unsigned inw(unsigned port) { return rig.in(static_cast<std::uint16_t>(base + port), 2); }
  void out(unsigned port, unsigned value) { rig.out(static_cast<std::uint16_t>(base + port), value); }
  void outw(unsigned port, unsigned value) { rig.out(static_cast<std::uint16_t>(base + port), value, 2); }
  void command(unsigned code, unsigned argument = 0) { outw(0xE, code << 11 | argument); }
  void window(unsigned n) { command(EtherLink3::SelectWindow, n); }
  unsigned status() { return inw(0xE); }
  unsigned rx_status() { return inw(8); }
  unsigned tx_free() { return inw(0xC); }
  Time now() const { return rig.now; }
  void step(Time t) { rig.step(t); }
  bool interrupt() const { return rig.irqs.level[irq]; }

  unsigned fifo_diagnostics() {
    window(4);
    const unsigned v = inw(4);
    window(1);
    return v;
  }
  /// A statistics register, which is cleared by reading.
  unsigned counter(unsigned port) {
    window(6);
    const unsigned v = port >= 10 ? inw(port) : in(port);
    window(1);
    return v;
  }

  // ---- 3c509.c ----

  unsigned read_eeprom(unsigned index) {
    outw(0xA, 0x80 + index);
    step(500_us);
    return inw(0xC);
  }
  Bytes probe() {
    window(0);
    Bytes found;
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned w = read_eeprom(i);
      found.push_back(static_cast<std::uint8_t>(w >> 8));
      found.push_back(static_cast<std::uint8_t>(w));
    }
    return found;
  }
  void open(unsigned transceiver = EtherLink3::Coax) {
    command(EtherLink3::TxReset);
    command(EtherLink3::RxReset);
    command(EtherLink3::SetReadZeroMask, 0);
    window(0);
    outw(4, 1);
    outw(8, irq << 12 | 0x0F00);
    window(2);
    for (unsigned i = 0; i < 6; ++i) out(i, mac[i]);
    if (transceiver == EtherLink3::Coax) {
      command(EtherLink3::StartCoax);
    } else if (transceiver == EtherLink3::TwistedPair) {
      window(4);
      outw(0xA, inw(0xA) | 0xC0);
    }
    command(EtherLink3::StatisticsDisable);
    window(6);
    for (unsigned i = 0; i < 9; ++i) in(i);
    inw(10);
    inw(12);
    window(1);
    command(EtherLink3::SetRxFilter, 5);
    command(EtherLink3::StatisticsEnable);
    command(EtherLink3::RxEnable);
    command(EtherLink3::TxEnable);
    command(EtherLink3::SetReadZeroMask, 0xFF);
    command(EtherLink3::AcknowledgeInterrupt, 0x69);
    command(EtherLink3::SetInterruptMask, 0x9D);
  }
  void fill(const Bytes& frame, unsigned flags = 0) {
    outw(0, static_cast<unsigned>(frame.size()) | flags);
    outw(0, 0);
    for (std::size_t i = 0; i < frame.size(); i += 4) {
      std::uint32_t dword = 0;
      for (std::size_t k = 0; k < 4 && i + k < frame.size(); ++k) dword |= std::uint32_t{frame[i + k]} << (8 * k);
      rig.out(base, dword, 4);
    }
  }
  /// True if the driver may pass the next frame at once.
  bool start_xmit(const Bytes& frame) {
    fill(frame);
    const bool more = tx_free() > 1536;
    if (!more) command(EtherLink3::SetTxAvailable, 1536);
    pop_tx_status();
    return more;
  }
  void pop_tx_status() {
    for (int i = 0; i < 3; ++i) {
      const unsigned s = in(0xB);
      if (!(s & 0x7F) && !(s & 0x80)) break;
      popped.push_back(static_cast<std::uint8_t>(s));
      if (s & 0x30) command(EtherLink3::TxReset);
      if (s & 0x3C) command(EtherLink3::TxEnable);
      out(0xB, 0);
    }
  }
  struct Received {
    unsigned status;
    Bytes bytes;
  };
  Bytes take(unsigned length) {
    Bytes b;
    for (unsigned i = 0; i < length; i += 4) {
      const std::uint32_t dword = rig.in(base, 4);
      for (unsigned k = 0; k < 4; ++k) b.push_back(static_cast<std::uint8_t>(dword >> (8 * k)));
    }
    b.resize(length);
    return b;
  }
  void rx() {
    for (unsigned s; (s = rx_status()) != 0 && s < 0x8000;) {
      if (s & 0x4000) {
        command(EtherLink3::RxDiscard);
        received.push_back({s, {}});
        status();
        while (status() & 0x1000) ++waits;
      } else {
        received.push_back({s, take(s & 0x7FF)});
        command(EtherLink3::RxDiscard);
      }
    }
  }
  void serve() {
    unsigned s;
    for (int i = 10; (s = status()) & 0x91; --i) {
      REQUIRE(i > 0);
      if (s & 0x10) rx();
      if (s & 0x08) {
        command(EtherLink3::AcknowledgeInterrupt, 0x08);
        ++wakes;
      }
      if (s & 0x80) update_statistics();
      if (s & 0x04) pop_tx_status();
      if (s & 0x02) {
        command(EtherLink3::RxReset);
        command(EtherLink3::SetRxFilter, 5);
        command(EtherLink3::RxEnable);
        command(EtherLink3::AcknowledgeInterrupt, 0x02);
      }
      command(EtherLink3::AcknowledgeInterrupt, 0x41);
    }
  }
  void update_statistics() {
    command(EtherLink3::StatisticsDisable);
    window(6);
    for (unsigned i = 0; i < 9; ++i) statistics[i] += in(i);
    statistics[9] += inw(10);
    statistics[10] += inw(12);
    window(1);
    command(EtherLink3::StatisticsEnable);
  }

  Bytes for_us(std::size_t bytes, std::uint8_t fill = 0) { return make_frame(bytes, mac, fill); }
  static Bytes data(std::size_t bytes, std::uint8_t fill = 0) {
    return without_fcs(make_frame(bytes, broadcast_mac, fill));
  }

  MacAddress mac{0x00, 0x20, 0xAF, 0x12, 0x34, 0x56};
  std::vector<Received> received;
  Bytes popped;
  unsigned wakes = 0, waits = 0;
  std::array<unsigned, 11> statistics{};
};

}  // namespace planar::test
