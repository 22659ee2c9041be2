// SPDX-License-Identifier: GPL-2.0-or-later
// A PRO/1000 and the accesses of Intel's Linux driver 2.5.11 (e1000_fxhw.c, e1000_main.c): order, values, rings of 80
// descriptors and policies are the driver's, the code is our own. Each of the driver's delays is one step.
#pragma once

#include <map>

#include "devices/ethernet/common/pro1000.hpp"
#include "tests/devices/ethernet/pci_bench.hpp"

namespace planar::test {

/// Offsets of the 82543; some differ on the 82542.
namespace e1000 {
enum Register : std::uint32_t {
  // clang-format off
  CTRL = 0x00, STATUS = 0x08, EECD = 0x10, CTRL_EXT = 0x18, MDIC = 0x20, FCAL = 0x28, FCAH = 0x2C, FCT = 0x30,
  VET = 0x38, RA = 0x40, ICR = 0xC0, ICS = 0xC8, IMS = 0xD0, IMC = 0xD8, RCTL = 0x100, FCTTV = 0x170, TXCW = 0x178,
  RXCW = 0x180, MTA = 0x200, TCTL = 0x400, TIPG = 0x410, VFTA = 0x600, PBA = 0x1000, FCRTL = 0x2160, FCRTH = 0x2168,
  RDBAL = 0x2800, RDBAH = 0x2804, RDLEN = 0x2808, RDH = 0x2810, RDT = 0x2818, RDTR = 0x2820, RXDCTL = 0x2828,
  TDBAL = 0x3800, TDBAH = 0x3804, TDLEN = 0x3808, TDH = 0x3810, TDT = 0x3818, TIDV = 0x3820, TXDCTL = 0x3828,
  MPC = 0x4010, RLEC = 0x4040, XOFFRXC = 0x4050, XOFFTXC = 0x4054, GPRC = 0x4074, GPTC = 0x4080, GOTCL = 0x4090, GOTCH = 0x4094,
  RNBC = 0x40A0, RXCSUM = 0x5000,
  // clang-format on
};
enum Cause : std::uint32_t { TXDW = 1, TXQE = 2, LSC = 4, RXSEQ = 8, RXDMT0 = 16, RXO = 64, RXT0 = 128, RXCFG = 1024 };
inline constexpr std::uint32_t ims_enable = RXT0 | TXDW | 0x200 | RXDMT0 | RXSEQ | LSC | 0x1000;
}  // namespace e1000

/// The card and the kind of slot.
struct Pro1000Setup {
  bool is_82543 = true;
  unsigned width = 32;
  Time clock = 30_ns;
  Time access{};  ///< of memory, in addition to the segment's clocks
  unsigned master_abort = pci::SegmentTiming().master_abort;
  bool plugged = true;
  std::vector<std::pair<std::string, std::string>> settings{};
};

struct Pro1000Bench : PciBench {
  static constexpr const char* address = "00:03:47:01:02:03";
  static constexpr MacAddress own{0x00, 0x03, 0x47, 0x01, 0x02, 0x03};
  static constexpr std::uint32_t tx_ring = 0x1000, rx_ring = 0x2000, tx_buffers = 0x8000, rx_buffers = 0x40000;
  static constexpr unsigned descriptors = 80;
  static constexpr std::uint32_t tx_buffer = 0x200, rx_buffer = 0x800;
  static constexpr EthernetConfig fibre{.bits_per_second = 1'000'000'000, .full_duplex = true, .propagation = 50_ns};
  static constexpr std::uint32_t eop = 1u << 24, ifcs = 2u << 24, rs = 8u << 24, rps = 16u << 24, ide = 128u << 24;

  explicit Pro1000Bench(Pro1000Setup s = {})
      : PciBench(s.is_82543 ? ethernet::Pro1000::with_82543 : ethernet::Pro1000::with_82542, address, s.plugged, fibre,
                 std::move(s.settings), timing(s)),
        chip(dynamic_cast<ethernet::Pro1000&>(*card).chip()),
        is_82543(s.is_82543) {
    made.function->bus_reset(rig.now);  // power-on
    rig.set_config(device, pci::BAR0, memory_base);
    rig.set_config(device, pci::CACHE_LINE_SIZE, 8, 1);
    rig.set_config(device, pci::LATENCY_TIMER, 32, 1);
    rig.set_config(device, pci::COMMAND, pci::MEMORY_SPACE | pci::BUS_MASTER, 2);
  }
  static pci::SegmentTiming timing(const Pro1000Setup& s) {
    pci::SegmentTiming t;
    t.width = s.width;
    t.clock = s.clock;
    t.master_abort = s.master_abort;
    if (s.access > Time{}) t.memory.read_first = 4, t.memory.read_access = s.access;
    return t;
  }

  /// Offset of the register on this chip.
  std::uint32_t at(std::uint32_t reg) const {
    static const std::map<std::uint32_t, std::uint32_t> old{
        {e1000::FCRTH, 0x160}, {e1000::FCRTL, 0x168}, {e1000::RDTR, 0x108},  {e1000::RDBAL, 0x110},
        {e1000::RDBAH, 0x114}, {e1000::RDLEN, 0x118}, {e1000::RDH, 0x120},   {e1000::RDT, 0x128},
        {e1000::TDBAL, 0x420}, {e1000::TDBAH, 0x424}, {e1000::TDLEN, 0x428}, {e1000::TDH, 0x430},
        {e1000::TDT, 0x438},   {e1000::TIDV, 0x440}};
    const auto found = is_82543 ? old.end() : old.find(reg);
    return memory_base + (found == old.end() ? reg : found->second);
  }
  std::uint32_t get(std::uint32_t reg) { return rig.load(at(reg)); }
  void set(std::uint32_t reg, std::uint32_t value) { rig.store(at(reg), value); }
  /// Like set(), and waits until the posted write has arrived.
  void put(std::uint32_t reg, std::uint32_t value) {
    set(reg, value);
    rig.step(1_us);
  }

  // ReadEepromWord()
  std::uint16_t eeprom(unsigned word) {
    const auto pins = [&](std::uint32_t value) {
      set(e1000::EECD, value);
      rig.step(50_us);
    };
    const auto clock = [&](std::uint32_t value) {
      pins(value | 1);
      pins(value);
    };
    set(e1000::EECD, 2);
    const unsigned command = 6u << 6 | word;
    for (int n = 8; n >= 0; --n) {
      const std::uint32_t value = 2 | (command >> n & 1 ? 4 : 0);
      pins(value);
      clock(value);
    }
    pins(2);
    std::uint16_t data = 0;
    for (int n = 0; n < 16; ++n) {
      pins(3);
      data = static_cast<std::uint16_t>(data << 1 | (get(e1000::EECD) >> 3 & 1));
      pins(2);
    }
    clock(0);
    return data;
  }
  // AdapterStop()
  void stop() {
    set(e1000::IMC, ~0u);
    set(e1000::RCTL, 0);
    set(e1000::TCTL, 0);
    rig.step(10'000_us);
    set(e1000::CTRL, 1u << 26);
    rig.step(10'000_us);
    set(e1000::IMC, ~0u);
    get(e1000::ICR);
  }
  // InitializeHardware(), SetupFlowControlAndLink(), SetupPcsLink(). `txcw`: the requested flow control.
  void init(std::uint32_t txcw = 0x800001A0) {
    set(e1000::VET, 0);
    for (unsigned n = 0; n < 128; ++n) set(e1000::VFTA + 4 * n, 0);
    set(e1000::RA, own[0] | own[1] << 8 | own[2] << 16 | std::uint32_t{own[3]} << 24);
    set(e1000::RA + 4, own[4] | own[5] << 8 | 0x80000000u);
    for (unsigned n = 1; n < 16; ++n) set(e1000::RA + 8 * n, 0), set(e1000::RA + 8 * n + 4, 0);
    for (unsigned n = 0; n < 128; ++n) set(e1000::MTA + 4 * n, 0);
    if (is_82543) set(e1000::CTRL_EXT, 0);
    set(e1000::TCTL, get(e1000::TCTL) | 64 << 12);
    set(e1000::TXCW, txcw);
    set(e1000::CTRL, 0);
    rig.step(1'000_us);
    looked = 0;
    if (!(get(e1000::CTRL) & 1u << 19))
      while (looked++ < 50) {
        rig.step(10'000_us);
        if (get(e1000::STATUS) & 2) break;
      }
    set(e1000::FCAL, 0x00C28001);
    set(e1000::FCAH, 0x100);
    set(e1000::FCT, 0x8808);
    set(e1000::FCTTV, 0x100);
    set(e1000::FCRTL, 0x80004000);
    set(e1000::FCRTH, 0x8000);
  }
  // SetupTransmitStructures(), SetupReceiveStructures(), e1000EnableInterrupt()
  void setup(std::uint32_t rx_delay = 0, std::uint32_t tx_delay = 128, std::uint32_t rctl = 0) {
    next_tx = oldest_tx = next_rx = 0;
    tx_int_delay = tx_delay;
    rig.put(tx_ring, Bytes(16 * descriptors));
    set(e1000::TCTL, 8 | 2 | 16 << 4 | 64 << 12);
    set(e1000::TDBAL, tx_ring);
    set(e1000::TDBAH, 0);
    set(e1000::TDLEN, 16 * descriptors);
    set(e1000::TDH, 0);
    set(e1000::TDT, 0);
    set(e1000::TIPG, (is_82543 ? 6 : 10) | (is_82543 ? 8u : 2u) << 10 | (is_82543 ? 6u : 10u) << 20);
    set(e1000::TIDV, tx_delay);
    rig.put(rx_ring, Bytes(16 * descriptors));
    for (unsigned n = 0; n < descriptors; ++n) rig.put32(rx_ring + 16 * n, rx_buffers + n * rx_buffer + 2);
    set(e1000::RCTL, 0);
    set(e1000::RDTR, rx_delay | 0x80000000);
    set(e1000::RDBAL, rx_ring);
    set(e1000::RDBAH, 0);
    set(e1000::RDLEN, 16 * descriptors);
    set(e1000::RDH, 0);
    set(e1000::RDT, descriptors - 1);
    put(e1000::RCTL, 2 | 1u << 15 | rctl);
    set(e1000::IMS, e1000::ims_enable);
    rig.step(10_us);
  }
  void open(std::uint32_t rx_delay = 0, std::uint32_t tx_delay = 128, std::uint32_t rctl = 0) {
    set(e1000::IMC, ~0u & ~e1000::RXSEQ);
    stop();
    init();
    setup(rx_delay, tx_delay, rctl);
    get(e1000::ICR);
  }

  // SendBuffer(): `frame` has no FCS. `command`: bits of the command.
  unsigned queue(const Bytes& frame, std::uint32_t command) {
    const unsigned n = next_tx;
    rig.put(tx_buffers + n * tx_buffer + 2, frame);
    rig.put32(tx_ring + 16 * n, tx_buffers + n * tx_buffer + 2);
    rig.put32(tx_ring + 16 * n + 4, 0);
    rig.put32(tx_ring + 16 * n + 8, static_cast<std::uint32_t>(frame.size()) | command);
    rig.put32(tx_ring + 16 * n + 12, 0);
    next_tx = (n + 1) % descriptors;
    return n;
  }
  unsigned send(const Bytes& frame) {
    const unsigned n = queue(frame, eop | ifcs | rs | (tx_int_delay ? ide : 0));
    set(e1000::TDT, next_tx);
    return n;
  }
  bool sent(unsigned n) const { return rig.get32(tx_ring + 16 * n + 12) & 1; }
  unsigned clean() {
    unsigned cleaned = 0;
    for (; oldest_tx != next_tx && sent(oldest_tx); oldest_tx = (oldest_tx + 1) % descriptors) ++cleaned;
    return cleaned;
  }
  // ProcessReceiveInterrupts(): frames without FCS.
  void receive(bool refill = true) {
    for (unsigned count = 0; count < descriptors; ++count) {
      const std::uint32_t d = rx_ring + 16 * next_rx, status = rig.get32(d + 12);
      if (!(status & 1)) break;
      const std::uint32_t length = rig.get32(d + 8) & 0xFFFF;
      statuses.push_back(status & 0xFFFF);
      received.push_back(rig.get(rig.get32(d), status & 2 ? length - 4 : length));
      rig.put32(d + 12, status & ~0xFFu);
      if (refill) set(e1000::RDT, next_rx);
      next_rx = (next_rx + 1) % descriptors;
    }
  }
  /// e1000_intr(): returns the causes of its first read of ICR.
  std::uint32_t handle() {
    const std::uint32_t causes = get(e1000::ICR);
    if (!causes) return 0;
    set(e1000::IMC, ~e1000::RXSEQ);
    for (int n = 5; n; --n) {
      receive();
      clean();
      if (n > 1 && !get(e1000::ICR)) break;
    }
    put(e1000::IMS, e1000::ims_enable);
    return causes;
  }
  /// The other station sends them back to back; time passes until the last one has been sent.
  void hear_all(const std::vector<Bytes>& frames) {
    other.to_send = frames;
    other.sent_next = 1;
    const std::size_t end = other.outcomes.size() + frames.size();
    other.port.transmit(frames[0], rig.now);
    while (other.outcomes.size() < end) rig.step(1_us);
  }

  const ethernet::I8254x& chip;
  const bool is_82543;
  unsigned next_tx = 0, oldest_tx = 0, next_rx = 0;
  std::uint32_t tx_int_delay = 0;
  int looked = 0;
  std::vector<Bytes> received;
  std::vector<std::uint32_t> statuses;
};

}  // namespace planar::test
