// SPDX-License-Identifier: GPL-2.0-or-later
// A LANStreamer in a slot, another station on its ring, and the accesses that Linux 2.4's driver makes (lanstreamer.c,
// for the PCI card), re-bound to the ports and the memory window that planar declares for the Micro Channel: order,
// width and values are the driver's, the code is our own. No processor; each access begins when the previous one has
// ended.
#pragma once

#include <memory>

#include "devices/tokenring/lanstreamer/lanstreamer_mc32.hpp"
#include "tests/bus/rig.hpp"
#include "tests/devices/medium/ring/ring_stations.hpp"

namespace planar::test {

using tokenring::LanStreamer;
using tokenring::LanStreamerMc32;
using Settings = std::vector<std::pair<std::string, std::string>>;

/// LLC frames, which drivers send; MAC frames between stations are left out.
struct LlcLog final : WireObserver {
  void observe(const WireRecord& r) override {
    if (!is_mac_frame(r.bytes))
      entries.push_back({r.start, r.end, Bytes(r.bytes.begin(), r.bytes.end()), r.good(), std::string(r.sender)});
  }
  std::vector<RingLog::Entry> entries;
};

struct LanStreamerBench {
  static constexpr std::uint16_t base = 0x4000;
  static constexpr unsigned irq = 9;
  static constexpr std::uint32_t window = 0xC8000, rx_ring = 0x8000, tx_ring = 0x9000, tx1_ring = 0x9400,
                                 rx_buffers = 0x10000, tx_buffers = 0x2000, self_test_buffer = 0x1000;
  static constexpr unsigned rx_count = 16, tx_count = 8, no_answer = 0xFE;

  struct Options {
    bool automatic = true;
    RingConfig ring{.quick_insertion = true};
    unsigned width = 32;
    Settings settings{};
    bool through_memory = false;  ///< registers through the memory window
    std::uint8_t pos3 = 9 | 0x10, pos4 = 4 << 4;
    bool plugged = true, alone = false;
  };

  LanStreamerBench() : LanStreamerBench(Options{}) {}
  explicit LanStreamerBench(const Options& o)
      : options(o),
        ring(rig.scheduler, o.ring),
        slot(0, o.width, rig.wiring()),
        made(entry().make({slot, o.plugged ? &ring : nullptr, "10:00:5a:12:34:56", o.settings, 1})),
        card(static_cast<LanStreamerMc32&>(*made.card)),
        other(rig.scheduler, ring, 7, {.full_duplex = o.ring.full_duplex}) {
    ring.add_observer(log);
    if (!o.alone) other.port.insert_at_rest(other.parameters, Time{});
    card.pos_write(4, o.pos4, rig.now);
    card.pos_write(3, o.pos3, rig.now);
    card.pos_write(2, 0x01 | 1 << 1 | 4 << 4, rig.now);
  }
  const McaEntry& entry() const { return options.automatic ? LanStreamerMc32::auto_entry : LanStreamerMc32::entry; }

  // ---- registers and memory ----
  unsigned in(unsigned reg) {
    return options.through_memory ? rig.load(window + reg, 2) : rig.in(static_cast<std::uint16_t>(base + reg), 2);
  }
  void out(unsigned reg, unsigned value) { access(reg, value & 0xFFFF, 2); }
  void out32(unsigned reg, std::uint32_t value) { access(reg, value, 4); }
  void access(unsigned reg, std::uint32_t value, unsigned bytes) {
    if (options.through_memory)
      rig.store(window + reg, value, bytes);
    else
      rig.out(static_cast<std::uint16_t>(base + reg), value, bytes);
  }
  bool interrupt() const { return rig.irqs.level[irq]; }
  std::uint32_t word(std::uint32_t at) const { return streamer::get32(std::span(rig.ram).subspan(at, 4), 0); }
  void put(std::uint32_t at, std::uint32_t value) { streamer::put32(std::span(rig.ram).subspan(at, 4), 0, value); }

  /// The value read from LAPD, as the big-endian number that it is.
  static unsigned swapped(unsigned word) { return (word << 8 | word >> 8) & 0xFFFF; }
  unsigned local(unsigned at) {
    out(LanStreamer::LAPA, at);
    return swapped(in(LanStreamer::LAPD));
  }
  void put_local(unsigned at, std::initializer_list<unsigned> words) {
    out(LanStreamer::LAPA, at);
    for (const unsigned w : words) out(LanStreamer::LAPDINC, swapped(w));
  }
  unsigned srb_address() { return srb ? srb : in(LanStreamer::LAPWWO); }

  // ---- streamer_reset() ----
  void reset(unsigned ring_speed = 16) {
    out(LanStreamer::BCTL, in(LanStreamer::BCTL) | LanStreamer::SOFTRESET);
    rig.step(1_s);
    out(LanStreamer::BCTL, in(LanStreamer::BCTL) & ~unsigned{LanStreamer::SOFTRESET});
    if (ring_speed == 0)
      out(LanStreamer::GPR, in(LanStreamer::GPR) | LanStreamer::AUTOSENSE);
    else
      out(LanStreamer::GPR, ring_speed == 16 ? LanStreamer::MBPS_16 : 0);
    put(self_test_buffer, 0);
    put(self_test_buffer + 4, 0);
    put(self_test_buffer + 8, self_test_buffer + 16);
    put(self_test_buffer + 12, 512);
    out32(LanStreamer::RXBDA, self_test_buffer);
    out(LanStreamer::SISR_MASK_SUM, LanStreamer::MI);
    int polls = 0;
    while (!(in(LanStreamer::SISR)&LanStreamer::SRB_REPLY)) {
      REQUIRE(++polls < 400);
      rig.step(100_ms);
    }
    out(LanStreamer::SISR_RUM, ~unsigned{LanStreamer::SRB_REPLY});
    acknowledge();
    srb = 0;
    const unsigned at = in(LanStreamer::LAPWWO);
    REQUIRE(local(at + 6) == 0);
    out(LanStreamer::LAPA, at + 8);
    universal = swapped(in(LanStreamer::LAPDINC));
    in(LanStreamer::LAPDINC);
    address_table = swapped(in(LanStreamer::LAPDINC));
    parameter_table = swapped(in(LanStreamer::LAPDINC));
  }

  // ---- streamer_open() ----
  void issue_open(unsigned options_word, const MacAddress& laa = {}) {
    out(LanStreamer::SISR_MASK, LanStreamer::MI | LanStreamer::SRB_REPLY);
    out(LanStreamer::LISR, LanStreamer::LIE);
    const unsigned at = in(LanStreamer::LAPWWO);
    out(LanStreamer::LAPA, at);
    for (unsigned i = 0; i < 50; i += 2) out(LanStreamer::LAPDINC, 0);
    out(LanStreamer::LAPA, at);
    out(LanStreamer::LAPDINC, swapped(LanStreamer::SRB_OPEN << 8));
    out(LanStreamer::LAPDINC, swapped(no_answer << 8));
    out(LanStreamer::LAPDINC, no_answer);  // the driver fails to swap this one
    out(LanStreamer::LAPA, at + 8);
    out(LanStreamer::LAPDINC, swapped(options_word));
    if (laa[0]) {
      out(LanStreamer::LAPA, at + 12);
      for (unsigned i = 0; i < 6; i += 2) out(LanStreamer::LAPDINC, swapped(laa[i] << 8u | laa[i + 1]));
    }
    out(LanStreamer::LISR_SUM, LanStreamer::SRB_CMD);
  }
  /// Waits for the reply, which causes an interrupt if the mask allows it; returns the return code.
  unsigned await_reply(Time limit = 10_s) {
    const Time end = rig.now + limit;
    while (!(in(LanStreamer::SISR)&LanStreamer::SRB_REPLY)) {
      REQUIRE(rig.now < end);
      rig.step(100_us);
    }
    if (in(LanStreamer::SISR_MASK)&LanStreamer::SRB_REPLY) CHECK(interrupt());
    service();
    return local(srb_address() + 2) >> 8;
  }
  unsigned open(unsigned options_word = LanStreamer::ENABLE_FDX, const MacAddress& laa = {}) {
    issue_open(options_word, laa);
    const unsigned at = in(LanStreamer::LAPWWO);
    const unsigned code = await_reply();
    if (code) {
      open_error = local(at + 6);
      return code;
    }
    opened_as = local(at + 18) >> 8;
    out(LanStreamer::LAPA, at + 8);
    asb = swapped(in(LanStreamer::LAPDINC));
    srb = swapped(in(LanStreamer::LAPDINC));
    arb = swapped(in(LanStreamer::LAPDINC));
    in(LanStreamer::LAPDINC);
    trb = swapped(in(LanStreamer::LAPDINC));
    return 0;
  }
  void start_channels(unsigned rx = rx_count, std::uint32_t buffer = 4096) {
    out(LanStreamer::BMCTL_RUM, ~unsigned{LanStreamer::RX_DIS});
    for (unsigned i = 0; i < rx; ++i) {
      put(rx_ring + 16 * i, rx_ring + 16 * ((i + 1) % rx));
      put(rx_ring + 16 * i + 4, 0);
      put(rx_ring + 16 * i + 8, rx_buffers + i * 0x1000);
      put(rx_ring + 16 * i + 12, buffer);
    }
    out32(LanStreamer::RXBDA, rx_ring);
    out32(LanStreamer::RXLBDA, rx_ring + 16 * (rx - 1));
    out(LanStreamer::MISR_MASK, LanStreamer::RX_NOBUF | LanStreamer::RX_EOF);
    out(LanStreamer::BMCTL_RUM, ~unsigned{LanStreamer::TX2_DIS});
    for (const std::uint32_t ring_at : {tx_ring, tx1_ring})
      for (unsigned i = 0; i < tx_count; ++i) {
        for (unsigned k = 1; k < 8; ++k) put(ring_at + 32 * i + 4 * k, 0);
        put(ring_at + 32 * i, ring_at + 32 * ((i + 1) % tx_count));
      }
    out(LanStreamer::MISR_MASK, LanStreamer::TX2_EOF | LanStreamer::RX_NOBUF | LanStreamer::RX_EOF);
    out(LanStreamer::SISR_MASK_SUM,
        LanStreamer::ADAPTER_CHECK | LanStreamer::ARB_CMD | LanStreamer::TRB_REPLY | LanStreamer::ASB_FREE);
  }
  void bring_up() {
    reset();
    REQUIRE(open() == 0);
    start_channels();
  }

  // ---- streamer_interrupt() ----
  struct Causes {
    unsigned sisr, misr;
  };
  Causes service() {
    out(LanStreamer::SISR_MASK_RUM, ~unsigned{LanStreamer::MI});
    const unsigned sisr = in(LanStreamer::SISR);
    out(LanStreamer::SISR_RUM, ~sisr);
    const unsigned misr = acknowledge();
    out(LanStreamer::SISR_MASK_SUM, LanStreamer::MI);
    return {sisr, misr};
  }
  unsigned acknowledge() {
    const unsigned misr = in(LanStreamer::MISR_RUM);
    out(LanStreamer::MISR_RUM, ~misr);
    return misr;
  }
  /// LAN status of the next ARB, which is then freed.
  unsigned next_status() {
    for (int n = 0; !(in(LanStreamer::SISR)&LanStreamer::ARB_CMD); ++n) {
      REQUIRE(n < 1000);
      rig.step(10_us);
    }
    service();
    CHECK(local(arb) >> 8 == LanStreamer::ARB_LAN_STATUS);
    const unsigned status = local(arb + 6);
    out(LanStreamer::LISR_SUM, LanStreamer::ARB_FREE);
    return status;
  }

  /// An SRB command after OPEN, with its data words from +4; written as 32 bits where the driver does so.
  unsigned request(unsigned command, std::initializer_list<unsigned> words = {}, bool wide = false) {
    const unsigned at = srb_address();
    put_local(at, {command << 8, no_answer << 8});
    for (const unsigned w : words) out(LanStreamer::LAPDINC, swapped(w));
    if (wide)
      out32(LanStreamer::LISR_SUM, LanStreamer::SRB_CMD);
    else
      out(LanStreamer::LISR_SUM, LanStreamer::SRB_CMD);
    CHECK(local(at + 2) >> 8 == no_answer);
    return await_reply();
  }

  // ---- frames ----
  Bytes frame(std::size_t data, std::uint8_t fill = 0, const MacAddress& to = station_address(7)) const {
    return ring_frame(to, mac, data, fill);
  }
  Bytes for_us(std::size_t data, std::uint8_t fill = 0) const {
    return ring_frame(mac, station_address(7), data, fill);
  }
  /// Describes a frame in descriptor `n`; returns the descriptor's address.
  std::uint32_t describe(unsigned n, const Bytes& f, std::uint32_t ring_at = tx_ring) {
    const std::uint32_t d = ring_at + 32 * n, buffer = tx_buffers + 0xC00 * n + (ring_at == tx1_ring ? 0x600 : 0);
    std::copy(f.begin(), f.end(), rig.ram.begin() + buffer);
    put(d + 4, 0);
    put(d + 8, 1u << 16 | static_cast<std::uint32_t>(f.size()));
    put(d + 12, buffer);
    put(d + 16, static_cast<std::uint32_t>(f.size()));
    return d;
  }
  void send(unsigned n, const Bytes& f) { out32(LanStreamer::TX2LFDA, describe(n, f)); }
  void hear(const Bytes& f) {
    const std::size_t before = other.outcomes.size();
    other.port.transmit(f, rig.now);
    while (other.outcomes.size() == before) rig.step(10_us);
    rig.step(50_us);
  }
  std::uint32_t transmit_status(unsigned n, std::uint32_t ring_at = tx_ring) const {
    return word(ring_at + 32 * n + 4);
  }
  std::uint32_t rx_status(unsigned n) const { return word(rx_ring + 16 * n + 4); }
  std::uint32_t rx_lengths(unsigned n) const { return word(rx_ring + 16 * n + 12); }
  Bytes buffer(unsigned n, std::size_t length) const {
    const auto at = rig.ram.begin() + rx_buffers + n * 0x1000;
    return {at, at + static_cast<std::ptrdiff_t>(length)};
  }

  void archive(Archive& a) {
    rig.archive(a);
    ring.archive(a);
    card.archive(a);
    other.port.archive(a);
    a.bytes(rig.ram);
  }

  Options options;
  Rig rig;
  LlcLog log;
  Ring ring;
  bus::Slot slot;
  McaParts made;
  LanStreamerMc32& card;
  RingRecorder other;
  MacAddress mac{0x10, 0x00, 0x5A, 0x12, 0x34, 0x56};
  unsigned universal = 0, address_table = 0, parameter_table = 0;
  unsigned srb = 0, asb = 0, arb = 0, trb = 0, opened_as = 0, open_error = 0;
};

/// A master that repeatedly takes the channel for `hold`, at a level with priority over the card's.
struct ChannelHog final : bus::BusMaster {
  ChannelHog(Rig& rig, Time hold) : BusMaster(rig.channel, "hog", false), hold_(hold) { request_channel(1, rig.now); }
  void granted(Time now) override {
    channel().occupy(now, now + hold_);
    release_channel(now + hold_);
    request_channel(1, now);
  }
  Time hold_;
};

constexpr std::uint32_t rx_good = LanStreamer::RX_PROCESSED | LanStreamer::RX_LAST;

}  // namespace planar::test
