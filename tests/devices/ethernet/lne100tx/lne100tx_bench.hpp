// SPDX-License-Identifier: GPL-2.0-or-later
// The LNE100TX as Linux's tulip.c 0.91g uses it: the same accesses in the same order. Rings and buffers are in the
// rig's memory; the host writes them in zero time.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "devices/ethernet/lne100tx/lne100tx.hpp"
#include "tests/devices/ethernet/pci_bench.hpp"

namespace planar::test {

struct Lne100txBench : PciBench {
  using Chip = ethernet::Tulip;
  static constexpr unsigned transmit_ring = 16, receive_ring = 32;
  static constexpr std::uint32_t rx_list = 0x1000, tx_list = 0x2000, setup_frame = 0x3000;
  static constexpr std::uint32_t rx_buffers = 0x10000, tx_buffers = 0x40000, buffer_bytes = 0x800, packet_bytes = 1536;
  static constexpr std::uint32_t wanted_interrupts = 0x0801FBFF, bus_mode = 0x01A08000;

  explicit Lne100txBench(EthernetConfig medium = {.bits_per_second = 100'000'000, .full_duplex = true},
                         std::vector<std::pair<std::string, std::string>> settings = {}, bool plugged = true)
      : PciBench(ethernet::Lne100tx::entry, "00:a0:cc:12:34:56", plugged, medium, std::move(settings)) {}

  Chip& chip() { return static_cast<ethernet::Lne100tx&>(*card).chip(); }
  std::uint32_t in(unsigned csr) { return rig.in(static_cast<std::uint16_t>(io_base + 8 * csr), 4); }
  void out(unsigned csr, std::uint32_t value, unsigned bytes = 4) {
    rig.out(static_cast<std::uint16_t>(io_base + 8 * csr), value, bytes);
  }

  // ---- probe ----
  std::uint32_t read_srom(unsigned location, unsigned address_bits) {
    std::uint32_t got = 0;
    const std::uint32_t command = location | 6u << address_bits;
    out(9, 0x4800);
    out(9, 0x4801);
    for (int i = static_cast<int>(4 + address_bits); i >= 0; --i) {
      const std::uint32_t data = command >> i & 1 ? 4 : 0;
      out(9, 0x4801 | data);
      in(9);
      out(9, 0x4801 | data | 2);
      in(9);
      got = got << 1 | (in(9) >> 3 & 1);
    }
    out(9, 0x4801);
    for (int i = 0; i < 16; ++i) {
      out(9, 0x4803);
      in(9);
      got = got << 1 | (in(9) >> 3 & 1);
      out(9, 0x4801);
      in(9);
    }
    out(9, 0x4800);
    return got;
  }
  unsigned srom_address_bits() { return read_srom(0xFF, 8) & 0x40000 ? 8 : 6; }
  std::uint32_t mdio_read(unsigned phy, unsigned reg) {
    const std::uint32_t command = 0xF6u << 10 | phy << 5 | reg;
    std::uint32_t got = 0;
    for (int i = 0; i < 33; ++i) {
      out(9, 0x20000);
      in(9);
      out(9, 0x30000);
      in(9);
    }
    for (int i = 15; i >= 0; --i) {
      const std::uint32_t data = command >> i & 1 ? 0x20000 : 0;
      out(9, data);
      in(9);
      out(9, data | 0x10000);
      in(9);
    }
    for (int i = 0; i < 19; ++i) {
      out(9, 0x40000);
      in(9);
      got = got << 1 | (in(9) >> 19 & 1);
      out(9, 0x50000);
      in(9);
    }
    return got >> 1 & 0xFFFF;
  }
  void start_nway() {
    if_port = 0;
    nway_set = false;
    out(13, 1);
    out(14, 0xBFFFF);
    csr6 = 0x82420200;
    out(6, csr6);
    out(15, 8, 2);
    out(12, 0x1301);
  }

  // ---- open ----
  void open() {
    out(0, 1);
    out(0, bus_mode);
    init_rings();
    std::vector<std::uint8_t> setup(192, 0xFF);
    for (unsigned n = 0; n < 3; ++n) {
      const std::uint8_t pair[] = {mac[2 * n], mac[2 * n + 1]};
      for (unsigned k = 0; k < 4; ++k) setup[180 + 4 * n + k] = pair[k & 1];
    }
    rig.put(setup_frame, setup);
    rig.put32(tx_list + 4, 0x08000000 | 192);
    rig.put32(tx_list + 8, setup_frame);
    rig.put32(tx_list, Chip::OWN);
    cur_tx = 1;
    out(3, rx_list);
    out(4, tx_list);
    start_nway();
    out(6, csr6);
    out(6, csr6 | 0x2000);
    out(5, wanted_interrupts);
    out(7, wanted_interrupts);
    out(6, csr6 | 0x2002);
    out(2, 0);
  }
  void init_rings() {
    cur_rx = cur_tx = dirty_tx = 0;
    for (unsigned n = 0; n < receive_ring; ++n) {
      rig.put32(rx_list + 16 * n, Chip::OWN);
      rig.put32(rx_list + 16 * n + 4, packet_bytes | (n + 1 == receive_ring ? 0x02000000 : 0));
      rig.put32(rx_list + 16 * n + 8, rx_buffers + buffer_bytes * n + 0x10);
      rig.put32(rx_list + 16 * n + 12, rx_list + 16 * ((n + 1) % receive_ring));
    }
    for (unsigned n = 0; n < transmit_ring; ++n) {
      rig.put32(tx_list + 16 * n, 0);
      rig.put32(tx_list + 16 * n + 12, tx_list + 16 * ((n + 1) % transmit_ring));
    }
  }
  /// open(), and the interrupt at the end of negotiation.
  void up() {
    open();
    for (int n = 0; n < 2000 && !nway_set; ++n) {
      rig.step(1_ms);
      if (interrupt()) service();
    }
    REQUIRE(nway_set);
    rig.step(10_us);
    while (interrupt()) service();
  }

  // ---- sending ----
  /// As tulip_start_xmit(); false when the ring is full.
  bool send(const Bytes& frame) {
    const unsigned used = cur_tx - dirty_tx, entry = cur_tx % transmit_ring;
    if (used > transmit_ring - 2) return false;
    std::uint32_t flag = used == transmit_ring / 2 || used >= transmit_ring - 2 ? 0xE0000000 : 0x60000000;
    if (entry == transmit_ring - 1) flag = 0xE2000000;
    const std::uint32_t buffer = tx_buffers + buffer_bytes * entry + 2;
    rig.put(buffer, frame);
    rig.put32(tx_list + 16 * entry + 8, buffer);
    rig.put32(tx_list + 16 * entry + 4, static_cast<std::uint32_t>(frame.size()) | flag);
    rig.put32(tx_list + 16 * entry, Chip::OWN);
    ++cur_tx;
    out(1, 0);
    return true;
  }
  std::uint32_t tx_status(unsigned n) const { return rig.get32(tx_list + 16 * (n % transmit_ring)); }
  std::uint32_t rx_status(unsigned n) const { return rig.get32(rx_list + 16 * (n % receive_ring)); }

  // ---- the interrupt handler ----
  /// The last frame of a ring that has run empty is left for the next interrupt: TU is set before it has been sent.
  void take_sent() {
    while (dirty_tx != cur_tx && !(tx_status(dirty_tx) & Chip::OWN)) {
      tx_statuses.push_back(tx_status(dirty_tx));
      ++dirty_tx;
    }
  }
  void service() {
    for (int work = 0; work < 25; ++work) {
      const std::uint32_t csr5 = in(5);
      out(5, csr5 & 0x1FFFF);
      seen |= csr5;
      if (!(csr5 & (Chip::NIS | Chip::AIS))) break;
      if (csr5 & (Chip::RI | Chip::RU)) take();
      if (csr5 & (Chip::TU | Chip::TPS | Chip::TI | Chip::GTE)) {
        take_sent();
        if (csr5 & Chip::TPS) {
          out(6, csr6 | 0x0002);
          out(6, csr6 | 0x2002);
        }
      }
      if (csr5 & Chip::AIS) {
        if (csr5 & Chip::UNF) {
          csr6 += (csr6 & 0xC000) != 0xC000 ? 0x4000 : 0x200000;
          out(6, csr6 | 0x0002);
          out(6, csr6 | 0x2002);
          out(1, 0);
        }
        if (csr5 & Chip::RPS) {
          in(8);
          out(6, csr6 | 0x2002);
        }
        if (csr5 & (Chip::LNP | Chip::LNF | Chip::LC)) link_change(csr5);
        out(5, 0x0800F7BA);
      }
    }
    missed += in(8) & 0x1FFFF;
  }
  void link_change(std::uint32_t csr5) {
    const std::uint32_t csr12 = in(12);
    if (!nway_set && (csr12 & 0x7000) == 0x5000) {
      const std::uint32_t negotiated = 0x05E1 & csr12 >> 16;
      nway_set = true;
      if_port = negotiated & 0x100 ? 5 : negotiated & 0x80 ? 3 : negotiated & 0x40 ? 4 : 0;
      csr6 = if_port & 1 ? 0x83860000 : 0x82420000;
      if (if_port >= 4) csr6 |= 0x0200;
      out(13, 1);
      out(6, csr6 | 0x2002);
    } else if ((nway_set && csr5 & Chip::LC && if_port & 1 && csr12 & 2) || csr5 & Chip::LNF) {
      start_nway();
    }
  }
  /// Takes every received frame and returns its buffer to the chip.
  void take() {
    while (!(rx_status(cur_rx) & Chip::OWN)) {
      const std::uint32_t status = rx_status(cur_rx), entry = cur_rx % receive_ring;
      rx_statuses.push_back(status);
      if ((status & 0x38008300) == 0x0300)
        frames.push_back(rig.get(rx_buffers + buffer_bytes * entry + 0x10, (status >> 16 & 0x7FF) - 4));
      rig.put32(rx_list + 16 * entry, Chip::OWN);
      ++cur_rx;
    }
  }
  /// Time passes, and interrupts are served.
  void run(Time span, Time slice = 5_us) {
    for (Time t{}; t < span; t += slice) {
      rig.step(slice);
      if (interrupt()) service();
    }
  }

  MacAddress mac{0x00, 0xA0, 0xCC, 0x12, 0x34, 0x56};
  std::uint32_t csr6 = 0, seen = 0, missed = 0;
  unsigned cur_rx = 0, cur_tx = 0, dirty_tx = 0, if_port = 0;
  bool nway_set = false;
  std::vector<Bytes> frames;
  std::vector<std::uint32_t> tx_statuses, rx_statuses;
};

}  // namespace planar::test
