// SPDX-License-Identifier: GPL-2.0-or-later
// A PHY on a cable, and a driver that clocks MDC and MDIO like those of the period (order and width of the bits are
// Linux 2.2's tulip.c and eepro100.c, the code is our own).
#pragma once

#include "core/state/archive.hpp"
#include "devices/chips/mii/mdio_port.hpp"
#include "tests/devices/medium/wire.hpp"

namespace planar::test {

using ethernet::MdioPort;
using ethernet::MiiPhy;
using ethernet::MiiPhyConfig;
using ethernet::MiiPhyUser;

struct MiiRig final : EthernetStation, MiiPhyUser {
  static constexpr EthernetConfig fast_full{.bits_per_second = 100'000'000, .full_duplex = true};
  static constexpr MiiPhyConfig times{.id1 = 0x2000,
                                      .id2 = 0x5C01,
                                      .control = 0x3000,
                                      .preamble_suppression = false,
                                      .reset = 300_us,
                                      .negotiation = 2_s,
                                      .lock = 500_us};
  static constexpr unsigned address = 5;

  explicit MiiRig(const EthernetConfig& medium = fast_full, const MiiPhyConfig& config = times)
      : segment(medium), port(scheduler, "station", *this, 1), phy(scheduler, "station.phy", port, config, *this) {
    port.attach(segment);
    mdio.connect(address, phy);
  }

  void step(Time t) {
    now += t;
    scheduler.advance(now);
  }
  std::uint16_t read(unsigned reg) { return phy.read(reg, now); }
  void write(unsigned reg, unsigned value) { phy.write(reg, static_cast<std::uint16_t>(value), now); }

  // ---- the serial protocol: each bit is a low and a high level of MDC ----
  void clock_out(bool bit) {
    mdio.pins(false, bit, true, now);
    mdio.pins(true, bit, true, now);
  }
  bool clock_in() {
    mdio.pins(false, false, false, now);
    const bool bit = mdio.data_in();
    mdio.pins(true, false, false, now);
    return bit;
  }
  void shift_out(std::uint32_t bits, unsigned count) {
    while (count--) clock_out(bits >> count & 1);
  }
  /// tulip.c: 32 ones, two more with the header, then 19 bits in, of which the second last ends the word.
  std::uint32_t mdio_read(unsigned at, unsigned reg, unsigned preamble = 32) {
    for (unsigned n = 0; n < preamble; ++n) clock_out(true);
    shift_out(0xF6u << 10 | at << 5 | reg, 16);
    std::uint32_t value = 0;
    for (int n = 0; n < 19; ++n) value = value << 1 | (clock_in() ? 1 : 0);
    return value >> 1;
  }
  void mdio_write(unsigned at, unsigned reg, unsigned value, unsigned preamble = 32) {
    for (unsigned n = 0; n < preamble; ++n) clock_out(true);
    shift_out(0x50020000u | at << 23 | reg << 18 | value, 32);
    clock_in();
    clock_in();
  }

  void frame_ends(const Reception&, Time) override {}
  void transmit_ends(const TransmitOutcome&, Time) override {}
  void link_changed(bool, Time t) override { phy.medium_changed(t); }
  void phy_link_changed(bool up, Time t) override { links.emplace_back(up, t); }
  void phy_register_read(unsigned reg, Time) override { registers_read.push_back(reg); }
  std::uint16_t vendor_peek(unsigned reg) const override { return reg == 16 ? vendor : 0; }
  void vendor_write(unsigned reg, std::uint16_t value, Time) override {
    if (reg == 16) vendor = value;
  }

  void archive(Archive& a) {
    scheduler.archive(a);
    a(now, vendor);
    port.archive(a);
    phy.archive(a);
    mdio.archive(a);
  }

  Scheduler scheduler;
  EthernetSegment segment;
  EthernetPort port;
  MiiPhy phy;
  MdioPort mdio;
  Time now{};
  std::uint16_t vendor = 0xBEEF;
  std::vector<unsigned> registers_read;
  std::vector<std::pair<bool, Time>> links;
};

}  // namespace planar::test
