// SPDX-License-Identifier: GPL-2.0-or-later
// An EtherExpress PRO/100+ and the parts of Linux 2.2.16 eepro100.c (1.09j-t) that the tests need: its accesses, rings
// and policies.
#pragma once

#include "devices/ethernet/eepro100/eepro100.hpp"
#include "tests/devices/ethernet/pci_bench.hpp"

namespace planar::test {

struct EePro100Bench : PciBench {
  using Chip = ethernet::I8255x;
  static constexpr const char* address = "00:d0:b7:01:02:03";
  static constexpr net::MacAddress own{0x00, 0xD0, 0xB7, 0x01, 0x02, 0x03};
  static constexpr std::uint32_t stats = 0x1000, tx_ring = 0x2000, buffers = 0x4000, rx_ring = 0x40000;
  static constexpr std::uint32_t tx_entry = 32, buffer = 0x800, rx_entry = 0x800;
  static constexpr unsigned ring = 32;
  static constexpr std::uint32_t suspend = 0x40000000, intr = 0x20000000, end_of_list = 0x80000000, flexible = 0x80000,
                                 transmit = 0x40000;

  explicit EePro100Bench(bool plugged = true, bool wait_for_link = true,
                         std::vector<std::pair<std::string, std::string>> settings = {},
                         EthernetConfig medium = {.bits_per_second = 100'000'000, .full_duplex = true})
      : PciBench(ethernet::EePro100::entry, address, plugged, medium, std::move(settings)),
        chip(dynamic_cast<ethernet::EePro100&>(*card).chip()) {
    if (wait_for_link) rig.step(2'000'000_us);
  }

  std::uint32_t get(unsigned reg, unsigned bytes) { return rig.load(memory_base + reg, bytes); }
  void set(unsigned reg, std::uint32_t value, unsigned bytes) { rig.store(memory_base + reg, value, bytes); }
  /// Like set(), and waits until the posted write has arrived.
  void put(unsigned reg, std::uint32_t value, unsigned bytes) {
    set(reg, value, bytes);
    rig.step(1_us);
  }

  // do_eeprom_cmd(): through the ports, 2 us after each write.
  std::uint32_t eeprom(std::uint32_t command, int length) {
    constexpr std::uint16_t port = io_base + Chip::EEPROM;
    const auto put = [&](std::uint32_t value) {
      rig.out(port, value, 2);
      rig.step(2_us);
    };
    std::uint32_t value = 0;
    put(0x4802);
    put(0x4803);
    do {
      const std::uint32_t bit = command >> length & 1 ? 0x4806 : 0x4802;
      put(bit);
      put(bit | 1);
      value = value << 1 | (rig.in(port, 2) >> 3 & 1);
    } while (--length >= 0);
    put(0x4802);
    rig.out(port, 0x4800, 2);
    return value;
  }
  std::uint16_t eeprom_word(unsigned n) { return static_cast<std::uint16_t>(eeprom(6u << 22 | n << 16, 27)); }

  std::uint16_t mdio_read(unsigned phy, unsigned reg) {
    set(Chip::MDI, 0x08000000 | reg << 16 | phy << 21, 4);
    std::uint32_t value = 0;
    for (int n = 0; n < 640 && !(value & 0x10000000); ++n) value = get(Chip::MDI, 4);
    CHECK(value & 0x10000000);
    return static_cast<std::uint16_t>(value);
  }
  void wait_for_command() {
    int n = 0;
    while (get(Chip::SCB_COMMAND, 1) && n < 1000) ++n;
    CHECK(n < 1000);
    waits += n;
  }
  void port_reset() {
    set(Chip::PORT, 0, 4);
    rig.step(10_us);
  }

  std::uint32_t tx(unsigned n) const { return tx_ring + n % ring * tx_entry; }
  std::uint32_t rx(unsigned n) const { return rx_ring + n % ring * rx_entry; }
  void clear_suspend() {  // a 16-bit write
    const std::uint32_t word = rig.get32(last_cmd);
    rig.ram[last_cmd + 3] = static_cast<std::uint8_t>(word >> 24 & ~0x40u);
  }
  void resume_after(std::uint32_t block) {
    wait_for_command();
    clear_suspend();
    set(Chip::SCB_COMMAND, 0x20, 1);
    last_cmd = block;
  }

  // speedo_open() up to the first set_rx_mode().
  void open(std::uint8_t receive_mode = 0) {
    port_reset();
    for (unsigned n = 0; n < ring; ++n) {
      rig.put32(rx(n), n == ring - 1 ? 0xC0000002 : 0x00000001);
      rig.put32(rx(n) + 4, n == ring - 1 ? 0 : rx(n + 1));
      rig.put32(rx(n) + 8, 0xFFFFFFFF);
      rig.put32(rx(n) + 12, 1536u << 16);
    }
    cur_rx = cur_tx = dirty_tx = 0;
    last_rxf = rx(ring - 1);
    set(Chip::SCB_COMMAND, 0x0100, 2);
    // speedo_resume()
    wait_for_command();
    set(Chip::SCB_POINTER, 0, 4);
    set(Chip::SCB_COMMAND, 0x06, 1);
    wait_for_command();
    set(Chip::SCB_COMMAND, 0x60, 1);
    wait_for_command();
    set(Chip::SCB_POINTER, stats, 4);
    set(Chip::SCB_COMMAND, 0x40, 1);
    wait_for_command();
    set(Chip::SCB_POINTER, rx(0), 4);
    set(Chip::SCB_COMMAND, 0x01, 1);
    wait_for_command();
    set(Chip::SCB_COMMAND, 0x70, 1);
    const unsigned entry = cur_tx++;
    rig.put32(tx(entry), suspend | 0x10000 | 0xA000);
    rig.put32(tx(entry) + 4, tx(cur_tx));
    rig.put(tx(entry) + 8, {own.begin(), own.end()});
    last_cmd = tx(entry);
    wait_for_command();
    set(Chip::SCB_POINTER, tx(0), 4);
    set(Chip::SCB_COMMAND, 0x0C10, 2);
    set_rx_mode(receive_mode);
  }
  void set_rx_mode(std::uint8_t mode, std::vector<net::MacAddress> multicasts = {}) {
    std::vector<std::uint8_t> config{22, 0x88, 0, 1,    0,    0, 0x22, 0x03, 1,    0,    0x2E,
                                     0,  0x60, 8, 0x88, 0x68, 0, 0x40, 0xF2, 0x84, 0x31, 0x05};
    if (mode & 2) config[15] |= 1;
    if (mode & 1) config[21] = 0x0D;
    for (const auto& change : config_changes) config[change.first] = change.second;
    const unsigned entry = cur_tx++;
    rig.put32(tx(entry), suspend | 0x20000);
    rig.put32(tx(entry) + 4, tx(cur_tx));
    rig.put(tx(entry) + 8, config);
    resume_after(tx(entry));
    if (mode) return;
    const unsigned list = cur_tx++;
    rig.put32(tx(list), suspend | 0x30000);
    rig.put32(tx(list) + 4, tx(cur_tx));
    std::vector<std::uint8_t> bytes{static_cast<std::uint8_t>(6 * multicasts.size()), 0};
    for (const auto& m : multicasts) bytes.insert(bytes.end(), m.begin(), m.end());
    rig.put(tx(list) + 8, bytes);
    resume_after(tx(list));
  }
  // speedo_start_xmit(): `frame` has no FCS.
  unsigned send(const Bytes& frame) {
    const unsigned entry = cur_tx++;
    const std::uint32_t data = buffers + entry % ring * buffer + 2;
    rig.put(data, frame);
    rig.put32(tx(entry), suspend | transmit | flexible | (entry % ring % 8 == 0 ? intr : 0));
    rig.put32(tx(entry) + 4, tx(cur_tx));
    rig.put32(tx(entry) + 8, tx(entry) + 16);
    rig.put32(tx(entry) + 12, threshold);
    rig.put32(tx(entry) + 16, data);
    rig.put32(tx(entry) + 20, static_cast<std::uint32_t>(frame.size()));
    resume_after(tx(entry));
    return entry;
  }
  bool sent(unsigned entry) const { return rig.get32(tx(entry)) & 0x8000; }
  /// One round of speedo_interrupt(); returns the causes it found.
  std::uint16_t handle() {
    const auto status = static_cast<std::uint16_t>(get(Chip::SCB_STATUS, 2));
    set(Chip::SCB_STATUS, status & 0xFC00u, 2);
    if (status & 0x5000) receive();
    if (status & 0x1000 && (status & 0x3C) == 0x08) {
      ++restarts;
      set(Chip::SCB_POINTER, rx(cur_rx), 4);
      set(Chip::SCB_COMMAND, 0x01, 1);
    }
    rig.step(1_us);
    return status;
  }
  // speedo_rx() and speedo_rx_link() with the same buffer.
  void receive() {
    while (rig.get32(rx(cur_rx)) & 0x8000 && rx(cur_rx) != last_rxf) {
      const std::uint32_t at = rx(cur_rx++), bytes = rig.get32(at + 12) & 0x3FFF;
      statuses.push_back(static_cast<std::uint16_t>(rig.get32(at)));
      received.push_back(rig.get(at + 16, bytes));
      rig.put32(at, 0xC0000001);
      rig.put32(at + 4, 0);
      rig.put32(at + 12, 1536u << 16);
      rig.put32(last_rxf + 4, at);
      rig.put32(last_rxf, rig.get32(last_rxf) & ~0xC0000000u);
      last_rxf = at;
    }
  }
  void opened(std::uint8_t receive_mode = 0) {
    open(receive_mode);
    rig.step(50_us);
    handle();
  }
  void archive(Archive& a) { PciBench::archive(a); }

  const Chip& chip;
  std::uint32_t threshold = 0x01208000;
  std::vector<std::pair<unsigned, std::uint8_t>> config_changes;
  unsigned cur_tx = 0, dirty_tx = 0, cur_rx = 0;
  std::uint32_t last_cmd = 0, last_rxf = 0;
  std::vector<Bytes> received;
  std::vector<std::uint16_t> statuses;
  int restarts = 0, waits = 0;
};

}  // namespace planar::test
