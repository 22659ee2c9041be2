// SPDX-License-Identifier: GPL-2.0-or-later
// LANStreamer faults: a channel too slow for its FIFOs, no buffers, interruptions of the ring, invalid descriptors and
// mailboxes; bursts competing with others on the channel; a snapshot in the middle of frames.
#include <tuple>

#include "tests/devices/tokenring/lanstreamer_bench.hpp"

using namespace planar;
using namespace planar::test;
using Chip = LanStreamer;
namespace tx = tokenring::transmit_status;

TEST_CASE("LANStreamer: a late byte is an underrun: abort sequence, error status, then the next frame",
          "[lanstreamer][transmit]") {
  LanStreamerBench b;
  b.bring_up();
  b.send(0, b.frame(1486));
  b.rig.step(200_us);
  {
    ChannelHog hog(b.rig, 7_us);
    b.rig.step(1_ms);
  }
  b.rig.step(1_ms);
  CHECK((b.transmit_status(0) & ~0xFF00u) == (tx::done | tx::bad | tx::underrun));
  CHECK(b.card.chip().counters().underruns == 1);
  REQUIRE(b.log.entries.size() == 1);
  CHECK_FALSE(b.log.entries[0].good);
  CHECK(b.log.entries[0].bytes.size() < 1504);
  b.send(1, b.frame(1486, 1));
  b.rig.step(2_ms);
  CHECK(b.transmit_status(1) == (tx::done | 0xCCu << 8));
}

TEST_CASE("LANStreamer: a FIFO that is not emptied in time overruns, and the next frame is received",
          "[lanstreamer][receive]") {
  LanStreamerBench b;
  b.bring_up();
  b.other.port.transmit(b.for_us(1486), b.rig.now);
  b.rig.step(400_us);
  {
    ChannelHog hog(b.rig, 7_us);
    b.rig.step(1_ms);
  }
  b.rig.step(1_ms);
  CHECK(b.rx_status(0) == (rx_good | Chip::RX_OVER));
  CHECK(b.card.chip().counters().overruns == 1);
  CHECK(b.other.outcomes.at(0).status == ring_fs::recognised);  // recognised, not copied
  b.hear(b.for_us(1486, 3));
  CHECK(b.rx_status(1) == rx_good);
  CHECK(b.buffer(1, 1500) == b.for_us(1486, 3));
}

TEST_CASE("LANStreamer: a frame without a buffer is not copied, and the station counts congestion",
          "[lanstreamer][receive]") {
  LanStreamerBench b;
  b.reset();
  b.open(0);
  b.start_channels(4);
  for (unsigned n = 0; n < 6; ++n) b.hear(b.for_us(600, static_cast<std::uint8_t>(n)));
  CHECK((b.acknowledge() & Chip::RX_NOBUF) != 0);
  CHECK(b.card.chip().counters().received == 4);
  CHECK(b.card.chip().counters().congested == 2);
  CHECK(b.other.outcomes.at(3).status == (ring_fs::recognised | ring_fs::copied));
  CHECK(b.other.outcomes.at(4).status == ring_fs::recognised);
  CHECK(b.request(Chip::SRB_READ_LOG) == 0);
  CHECK((b.local(b.srb + 12) & 0xFF) == 2);  // +6: line internal, burst AC, abort 0, lost congestion
  CHECK(b.request(Chip::SRB_READ_LOG) == 0);
  CHECK((b.local(b.srb + 12) & 0xFF) == 0);
  b.put(LanStreamerBench::rx_ring + 4, 0);
  b.put(LanStreamerBench::rx_ring + 12, 4096);
  b.out32(Chip::RXLBDA, LanStreamerBench::rx_ring);
  b.hear(b.for_us(600, 9));
  CHECK(b.rx_status(0) == rx_good);
  // A frame too long for the last buffer is truncated there.
  LanStreamerBench small;
  small.reset();
  small.open(0);
  small.start_channels(2, 400);
  small.hear(small.for_us(986));
  CHECK(small.rx_status(1) == (rx_good | Chip::RX_CUT));
  CHECK(small.rx_lengths(1) == (800u << 16 | 400));
}

TEST_CASE("LANStreamer: an aborted frame that has reached memory has an error status", "[lanstreamer][receive]") {
  LanStreamerBench b;
  b.bring_up();
  const Bytes f = b.for_us(1486);
  b.other.port.transmit(std::span(f).first(700), f.size(), b.rig.now);
  b.rig.step(2_ms);
  CHECK(b.rx_status(0) == (rx_good | Chip::RX_CRC));
  const Bytes small = b.for_us(40);
  b.other.port.transmit(std::span(small).first(40), small.size(), b.rig.now);
  b.rig.step(2_ms);
  CHECK(b.rx_status(1) == 0);  // none of it had been transferred
}

TEST_CASE("LANStreamer: a frame without a receiver returns with A and C 0", "[lanstreamer][transmit]") {
  LanStreamerBench b;
  b.bring_up();
  b.send(0, b.frame(100, 0, {0x10, 0, 0x5A, 9, 9, 9}));
  b.rig.step(1_ms);
  CHECK(b.transmit_status(0) == tx::done);
  b.other.copies = false;
  b.send(1, b.frame(100));
  b.rig.step(1_ms);
  CHECK(b.transmit_status(1) == (tx::done | std::uint32_t{ring_fs::recognised} << 8));
}

TEST_CASE("LANStreamer: malformed descriptors halt their channel until it is re-enabled", "[lanstreamer][malformed]") {
  const auto halted = [](unsigned at, std::uint32_t value) {
    LanStreamerBench b;
    b.bring_up();
    b.put(b.describe(0, b.frame(100)) + at, value);
    b.out32(Chip::TX2LFDA, LanStreamerBench::tx_ring);
    b.rig.step(1_ms);
    CHECK(b.log.entries.empty());
    CHECK(b.transmit_status(0) == (tx::done | tx::bad | tx::malformed));
    CHECK(b.acknowledge() == (Chip::TX2_EOF | Chip::TX2_HALT));
    CHECK((b.in(Chip::BMCTL_SUM)&Chip::TX2_DIS) != 0);
    b.send(1, b.frame(100));
    b.rig.step(1_ms);
    CHECK(b.log.entries.empty());
    b.out(Chip::BMCTL_RUM, ~unsigned{Chip::TX2_DIS});
    b.send(2, b.frame(100));
    b.rig.step(1_ms);
    CHECK(b.log.entries.size() == 1);
  };
  halted(8, 114);                // no buffer
  halted(8, 3u << 16 | 114);     // three
  halted(8, 1u << 16 | 13);      // no frame
  halted(8, 1u << 16 | 0xFFFF);  // longer than any
  halted(16, 113);               // there is no memory for its bytes
}

TEST_CASE("LANStreamer: addresses beyond memory and rings that point nowhere do no harm", "[lanstreamer][malformed]") {
  LanStreamerBench b;
  b.bring_up();
  b.put(b.describe(0, b.frame(100)) + 12, 0xFFFFFFF0);
  b.out32(Chip::TX2LFDA, LanStreamerBench::tx_ring);
  b.rig.step(1_ms);
  CHECK(b.log.entries.size() == 1);
  b.put(LanStreamerBench::tx_ring, 0xFFFFFFF0);
  b.out32(Chip::TX2LFDA, 0xDEAD0000);
  b.rig.step(1_ms);
  // A descriptor that is its own successor and never the last.
  b.out(Chip::BMCTL_SUM, Chip::TX2_DIS);
  b.out(Chip::BMCTL_RUM, ~unsigned{Chip::TX2_DIS});
  b.put(b.describe(2, b.frame(60)), LanStreamerBench::tx_ring + 64);
  b.out32(Chip::TX2LFDA, LanStreamerBench::tx_ring + 64);
  b.out32(Chip::TX2LFDA, LanStreamerBench::tx_ring + 96);
  b.rig.step(10_ms);
  CHECK(b.log.entries.size() > 50);
  b.out(Chip::BMCTL_SUM, Chip::TX2_DIS);
  b.rig.step(1_ms);
  const std::size_t sent = b.log.entries.size();
  b.rig.step(5_ms);
  CHECK(b.log.entries.size() == sent);
  // Unusable receive buffers, in ROM and where there is no memory: the frame is truncated or lost, reception continues.
  b.reset();
  b.open(0);
  b.start_channels(4);
  b.put(LanStreamerBench::rx_ring + 16 + 12, 0);
  b.put(LanStreamerBench::rx_ring + 32 + 8, 0xFFFFFF00);
  for (unsigned n = 0; n < 4; ++n) b.hear(b.for_us(186, static_cast<std::uint8_t>(n)));
  CHECK(b.rx_status(0) == rx_good);
  CHECK(b.rx_status(1) == (rx_good | Chip::RX_CUT));
  CHECK(b.rx_status(2) == rx_good);
  CHECK(b.rx_status(3) == rx_good);
  CHECK(b.buffer(3, 200) == b.for_us(186, 3));
}

TEST_CASE("LANStreamer: invalid ASB and TRB are answered with a code", "[lanstreamer][malformed]") {
  LanStreamerBench b;
  b.bring_up();
  const auto asb = [&b](unsigned command, unsigned buffer) {
    b.put_local(b.asb, {command << 8, 0xFE00, 0, buffer});
    b.out(Chip::LISR_SUM, Chip::ASB_REPLY | Chip::ASB_FREE_REQ);
    b.rig.step(1_ms);
    CHECK((b.service().sisr & Chip::ASB_FREE) != 0);
    return b.local(b.asb + 2) >> 8;
  };
  CHECK(asb(0x55, 0x200) == Chip::RC_UNKNOWN);
  CHECK(asb(0x81, 0x200) == Chip::RC_BUFFER);
  CHECK(asb(0x81, 0xFFFF) == Chip::RC_BUFFER);
  b.out(Chip::LISR_SUM, Chip::TRB_FRAME);
  b.rig.step(1_ms);
  CHECK((b.service().sisr & Chip::TRB_REPLY) != 0);
  CHECK(b.local(b.trb + 2) >> 8 == Chip::RC_UNKNOWN);
}

TEST_CASE("LANStreamer: a pulled cable is reported in the LAN status, and the adapter finally closes",
          "[lanstreamer][status]") {
  LanStreamerBench b({.ring = {.full_duplex = true, .quick_insertion = true}});
  b.bring_up();
  b.send(0, b.frame(1486));
  b.rig.step(300_us);
  b.card.port().set_plugged(false, b.rig.now);
  CHECK((b.next_status() & ring_status::signal_loss) != 0);
  unsigned status = 0;
  for (int n = 0; n < 100 && !(status & ring_status::lobe_wire_fault); ++n) {
    b.rig.step(1_s);
    if (b.in(Chip::SISR)&Chip::ARB_CMD) status |= b.next_status();
  }
  CHECK((status & ring_status::lobe_wire_fault) != 0);
  CHECK((b.in(Chip::BMCTL_SUM)&Chip::RX_ENAB) == 0);
  CHECK(b.request(Chip::SRB_READ_LOG) == Chip::RC_CLOSED);
  b.card.port().set_plugged(true, b.rig.now);
  b.reset();
  CHECK(b.open(0) == 0);
  b.start_channels();
  b.send(0, b.frame(100));
  b.rig.step(1_ms);
  CHECK(b.transmit_status(0) == (tx::done | 0xCCu << 8));
}

TEST_CASE("LANStreamer: a frame whose end is lost does not block the receiver", "[lanstreamer][receive]") {
  LanStreamerBench b;
  b.bring_up();
  b.other.port.transmit(b.for_us(1486), b.rig.now);
  b.rig.step(300_us);
  b.card.port().set_plugged(false, b.rig.now);
  b.rig.step(50_ms);
  b.card.port().set_plugged(true, b.rig.now);
  b.rig.step(50_ms);
  CHECK(b.rx_status(0) == (rx_good | Chip::RX_CRC));
  b.hear(b.for_us(100, 8));
  CHECK(b.rx_status(1) == rx_good);
  CHECK(b.buffer(1, 114) == b.for_us(100, 8));
  b.send(0, b.frame(100));
  b.rig.step(2_ms);
  CHECK(b.transmit_status(0) == (tx::done | 0xCCu << 8));
}

TEST_CASE("LANStreamer: CLOSE and soft reset during frames in both directions", "[lanstreamer]") {
  for (const bool by_reset : {false, true})
    for (const Time when : {5_us, 40_us, 300_us, 760_us}) {
      LanStreamerBench b({.ring = {.full_duplex = true, .quick_insertion = true}});
      b.bring_up();
      for (unsigned n = 0; n < 3; ++n) b.describe(n, b.frame(1486));
      b.out32(Chip::TX2LFDA, LanStreamerBench::tx_ring);
      b.out32(Chip::TX2LFDA, LanStreamerBench::tx_ring + 64);
      b.other.port.transmit(b.for_us(1486), b.rig.now);
      b.rig.step(when);
      if (by_reset) {
        b.reset();
      } else {
        CHECK(b.request(Chip::SRB_CLOSE) == 0);
        b.rig.step(3_ms);
        b.reset();
      }
      CHECK(b.open() == 0);
      b.start_channels();
      b.hear(b.for_us(100, 4));
      CHECK(b.rx_status(0) == rx_good);
      b.send(0, b.frame(100));
      b.rig.step(2_ms);
      CHECK(b.transmit_status(0) == (tx::done | 0xCCu << 8));
    }
}

TEST_CASE("LANStreamer: bursts are basic or streaming, in slots of both widths", "[lanstreamer][master]") {
  const auto held = [](unsigned width, bool streaming) {
    LanStreamerBench b({.width = width, .pos3 = static_cast<std::uint8_t>(9 | 0x10 | (streaming ? 0x20 : 0))});
    b.bring_up();
    b.rig.step(100_us);
    Time sum{};
    b.rig.channel.set_steal([&](Time from, Time to) { sum = sum + (to - from); });
    b.send(0, b.frame(1010));
    b.rig.step(3_ms);
    CHECK(b.transmit_status(0) != 0);
    return sum;
  };
  const Rig rig;
  const Time cycle = rig.channel.timing().memory_cycle, phase = rig.channel.timing().arbitration.phase;
  // Descriptor of 32 bytes, sixteen bursts, a status of 4 bytes: eighteen tenures with a phase before and after each,
  // but the phase after one is also the one before the next if that is already waiting.
  const Time wide = cycle * (8 + 16 * 16 + 1), narrow = cycle * (16 + 16 * 32 + 2);
  CHECK(held(32, false) > wide + phase * 18);
  CHECK(held(32, false) <= wide + phase * 36);
  CHECK(held(16, false) > narrow + phase * 18);
  CHECK(held(16, false) == held(16, true));  // no streaming in a 16-bit slot
  CHECK(held(32, false) - held(32, true) == 100_ns * (7 + 16 * 15));
}
