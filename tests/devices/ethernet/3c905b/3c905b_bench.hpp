// SPDX-License-Identifier: GPL-2.0-or-later
// A 3C905B-TX and the parts of Linux 2.2.17 3c59x.c (0.99H) that the tests need: its accesses, rings and policies.
#pragma once

#include "devices/ethernet/3c905b/3c905b.hpp"
#include "tests/devices/ethernet/pci_bench.hpp"

namespace planar::test {

struct XlBench : PciBench {
  using Chip = ethernet::Cyclone;
  static constexpr const char* address = "00:50:04:01:02:03";
  static constexpr net::MacAddress own{0x00, 0x50, 0x04, 0x01, 0x02, 0x03};
  static constexpr std::uint32_t rx_ring = 0x1000, tx_ring = 0x2000, tx_buffers = 0x10000, rx_buffers = 0x40002;
  static constexpr std::uint32_t buffer = 0x800, last = 0x80000000;
  static constexpr unsigned ACK = 0x6800, fifo_bytes = 2048;  // per FIFO, from the profile
  static constexpr unsigned tx_entries = 16, rx_entries = 32;
  static constexpr EthernetConfig fast{.bits_per_second = 100'000'000, .full_duplex = true};
  // Ports and commands.
  enum : unsigned { CMD = 0x0E, TX_STATUS = 0x1B, DMA = 0x20, DN_LIST = 0x24, UP_STATUS = 0x30, UP_LIST = 0x38 };
  enum : unsigned {
    RX_RESET = 0x2800,
    UP_STALL = 0x3000,
    UP_UNSTALL,
    DN_STALL,
    DN_UNSTALL,
    TX_ENABLE = 0x4800,
    TX_RESET = 0x5800,
    INT_ENABLE = 0x7000,
    STATUS_ENABLE = 0x7800,
    FILTER = 0x8000
  };

  explicit XlBench(bool plugged = true, bool wait_for_link = true, EthernetConfig medium = fast,
                   std::vector<std::pair<std::string, std::string>> settings = {})
      : PciBench(ethernet::ThreeC905B::entry, address, plugged, medium, std::move(settings)),
        chip(dynamic_cast<ethernet::ThreeC905B&>(*card).chip()) {
    if (wait_for_link) rig.step(2_s);
  }

  std::uint32_t in(unsigned reg, unsigned bytes) { return rig.in(static_cast<std::uint16_t>(io_base + reg), bytes); }
  void out(unsigned reg, std::uint32_t value, unsigned bytes) {
    rig.out(static_cast<std::uint16_t>(io_base + reg), value, bytes);
  }
  void command(unsigned c) { out(CMD, c, 2); }
  void window(unsigned w) { command(0x0800 + w); }
  unsigned status() { return in(CMD, 2); }
  /// How often the driver's loop finds the command still in progress.
  int wait_command(unsigned c) {
    command(c);
    int n = 0;
    while (n < 2000 && status() & Chip::CmdInProgress) ++n;
    return n;
  }

  // ---- probe ----
  std::uint16_t eeprom(unsigned word) {
    window(0);
    out(0x0A, 0x80 + word, 2);
    for (int timer = 10; timer >= 0; --timer) {
      rig.step(162_us);
      if ((in(0x0A, 2) & 0x8000) == 0) break;
    }
    return static_cast<std::uint16_t>(in(0x0C, 2));
  }
  void mdio_bit(unsigned value) {
    out(8, value, 2);
    in(8, 4);
    out(8, value | 1, 2);
    in(8, 4);
  }
  std::uint16_t mdio_read(unsigned phy, unsigned reg, bool preamble = true) {
    const std::uint32_t cmd = 0xF6u << 10 | phy << 5 | reg;
    std::uint32_t value = 0;
    for (int n = 0; preamble && n < 32; ++n) mdio_bit(6);
    for (int n = 14; n >= 0; --n) mdio_bit(cmd & 1u << n ? 6 : 4);
    for (int n = 19; n > 0; --n) {
      out(8, 0, 2);
      in(8, 4);
      value = value << 1 | (in(8, 2) >> 1 & 1);
      out(8, 1, 2);
      in(8, 4);
    }
    return static_cast<std::uint16_t>(value & 0x20000 ? 0xFFFF : value >> 1);
  }
  void mdio_write(unsigned phy, unsigned reg, std::uint16_t value) {
    const std::uint32_t cmd = 0x50020000 | phy << 23 | reg << 18 | value;
    for (int n = 0; n < 32; ++n) mdio_bit(6);
    for (int n = 31; n >= 0; --n) mdio_bit(cmd & 1u << n ? 6 : 4);
    for (int n = 0; n < 2; ++n) mdio_bit(0);
  }

  // ---- vortex_open() ----
  void open(bool wait_for_link = true) {
    window(3);
    const std::uint32_t config = in(0, 4);
    out(0, (config & ~0x00F00000u) | 8u << 20, 4);
    window(4);
    mdio_read(24, 1);
    const bool full = mdio_read(24, 5) & 0x0100;
    window(3);
    out(6, full ? 0x20 : 0, 1);
    tx_reset_polls = wait_command(TX_RESET);
    rx_reset_polls = wait_command(RX_RESET);
    command(STATUS_ENABLE);
    window(2);
    for (unsigned n = 0; n < 6; ++n) out(n, own[n], 1);
    for (unsigned n = 6; n < 12; n += 2) out(n, 0, 2);
    command(0xB000);
    window(6);
    for (unsigned n = 0; n < 10; ++n) in(n, 1);
    in(10, 2);
    in(12, 2);
    window(4);
    in(12, 1);
    out(6, 0x0040, 2);
    window(7);
    cur_rx = dirty_rx = cur_tx = dirty_tx = 0;
    tx_full = false;
    command(0x8800 + (1536 >> 2));
    out(DMA, 0x0020, 4);
    for (unsigned n = 0; n < rx_entries; ++n) descriptor(rx(n), rx(n + 1), 0, rx_buffers + n * buffer, 1536 | last);
    out(UP_LIST, rx_ring, 4);
    out(0x2F, 1536 >> 8, 1);
    out(DN_LIST, 0, 4);
    command(FILTER | 5);
    command(0xA800);
    command(0x2000);
    command(TX_ENABLE);
    command(STATUS_ENABLE | 0x06C6);
    command(ACK | 0x0069);
    command(INT_ENABLE | 0x06CF);
    if (wait_for_link) rig.step(2_s);
  }
  void descriptor(std::uint32_t at, std::uint32_t next, std::uint32_t header, std::uint32_t where,
                  std::uint32_t bytes) {
    rig.put32(at, next);
    rig.put32(at + 4, header);
    rig.put32(at + 8, where);
    rig.put32(at + 12, bytes);
  }
  std::uint32_t rx(unsigned n) const { return rx_ring + n % rx_entries * 16; }
  std::uint32_t tx(unsigned n) const { return tx_ring + n % tx_entries * 16; }

  // ---- boomerang_start_xmit(); false: the ring is full ----
  bool send(const Bytes& frame) {
    if (tx_full) return false;
    const std::uint32_t entry = tx(cur_tx), previous = tx(cur_tx + tx_entries - 1);
    const std::uint32_t where = tx_buffers + cur_tx % tx_entries * buffer;
    const auto bytes = static_cast<std::uint32_t>(frame.size());
    rig.put(where, frame);
    descriptor(entry, 0, bytes | last, where, bytes | last);
    stall_polls = wait_command(DN_STALL);
    rig.put32(previous, entry);
    if (in(DN_LIST, 4) == 0) {
      out(DN_LIST, entry, 4);
      ++queued;
    }
    ++cur_tx;
    if (cur_tx - dirty_tx > tx_entries - 1)
      tx_full = true;
    else
      rig.put32(previous + 4, rig.get32(previous + 4) & ~last);
    command(DN_UNSTALL);
    return true;
  }

  // ---- boomerang_interrupt() ----
  void handle() {
    unsigned now = status();
    if (!(now & Chip::InterruptLatch)) return;
    ++handled;
    int work = 20;
    do {
      if (now & Chip::UpComplete) {
        command(ACK | Chip::UpComplete);
        receive();
      }
      if (now & Chip::DnComplete) {
        while (dirty_tx != cur_tx && in(DN_LIST, 4) != tx(dirty_tx)) ++dirty_tx;
        command(ACK | Chip::DnComplete);
        if (tx_full && cur_tx - dirty_tx <= tx_entries - 1) tx_full = false;
      }
      if (now & (Chip::HostError | Chip::RxEarly | Chip::UpdateStats | Chip::TxComplete | Chip::IntRequested))
        error(now);
      if (--work < 0) break;
      command(ACK | Chip::IntRequested | Chip::InterruptLatch);
    } while ((now = status()) & Chip::InterruptLatch);
  }
  void receive() {
    std::int64_t work = std::int64_t{dirty_rx} + rx_entries - cur_rx;
    while (--work >= 0 && rig.get32(rx(cur_rx) + 4) & Chip::UpCompleteBit) {
      const std::uint32_t value = rig.get32(rx(cur_rx) + 4);
      statuses.push_back(value);
      if (!(value & Chip::UpError)) received.push_back(rig.get(rig.get32(rx(cur_rx) + 8), value & 0x1FFF));
      ++cur_rx;
    }
    for (; refills && dirty_rx != cur_rx; ++dirty_rx) {
      rig.put32(rx(dirty_rx) + 4, 0);
      command(UP_UNSTALL);
    }
  }
  void error(unsigned causes) {
    if (causes & Chip::TxComplete) {
      tx_errors.push_back(static_cast<std::uint8_t>(in(TX_STATUS, 1)));
      out(TX_STATUS, 0, 1);
      if (tx_errors.back() & 0x3A) wait_command(TX_RESET);
      command(TX_ENABLE);
    }
    if (causes & Chip::UpdateStats) update_stats();
    if (causes & Chip::IntRequested) {
      command(STATUS_ENABLE | 0x06C6);
      command(INT_ENABLE | 0x06CF);
    }
    if (causes & Chip::HostError) {
      ++host_errors;
      window(4);
      in(4, 2);
      wait_command(0x00FF);
      command(0x2000);
      command(TX_ENABLE);
    }
  }
  void update_stats() {
    window(6);
    for (unsigned n = 0; n < 6; ++n) stats[n] += in(n, 1);
    stats[6] += in(6, 1);
    stats[6] += (in(9, 1) & 0x30) << 4;
    stats[7] += in(7, 1);
    stats[8] += in(8, 1);
    stats[9] += in(10, 2);
    stats[10] += in(12, 2);
    window(4);
    in(12, 1);
    window(7);
  }

  void archive(Archive& a) {
    PciBench::archive(a);
    a(cur_rx, dirty_rx, cur_tx, dirty_tx, tx_full);
  }

  const Chip& chip;
  std::uint32_t cur_rx = 0, dirty_rx = 0, cur_tx = 0, dirty_tx = 0;
  bool tx_full = false, refills = true;
  int queued = 0, handled = 0, host_errors = 0, stall_polls = 0, tx_reset_polls = 0, rx_reset_polls = 0;
  std::vector<Bytes> received;
  std::vector<std::uint32_t> statuses;
  std::vector<std::uint8_t> tx_errors;
  std::array<std::uint32_t, 11> stats{};
};

}  // namespace planar::test
