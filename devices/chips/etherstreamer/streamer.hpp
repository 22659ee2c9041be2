// SPDX-License-Identifier: GPL-2.0-or-later
// IBM's LANStreamer design on Ethernet: a bus master without a frame store. Frames pass between the wire and host
// memory through small FIFOs while they are on the wire; a microprocessor only answers the host's requests (SRB).
//
// HYPOTHETICAL INTERFACE. Nothing about the EtherStreamer's registers is public. Offsets, the _SUM/_RUM rule,
// doorbells, the local access port and the descriptors below are those of its Token-Ring relative for PCI, as its
// driver in Linux uses them (docs/hardware/streamer.md#the-relatives-registers); that the EtherStreamer has them too is
// planar's assumption, and everything that concerns Ethernet is planar's own. Software for the real card cannot work
// with it.
//
//   A register with aliases: _SUM sets the bits that are written 1, _RUM keeps only those; all read the same.
//   +10 12 14  LISR       host to adapter: 0020 SRB command
//   +16 18 1A  SISR       adapter to host: 8000 something stands in MISR under its mask (computed), 0020 SRB reply
//   +50 52     BMCTL      SUM, RUM: 0400 TX disable, 0040 RX disable, 0020 receiver enabled (computed)
//   +54 56 58  SISR_MASK  8000 interrupts on; the other bits let theirs through
//   +5A        MISR       read, RUM: 8000 TX idle, 2000 TX halt, 1000 TX end of frame, 0020 RX no buffer,
//                         0001 RX end of frame
//   +5C 5E     MISR_MASK  RUM
//   +60        BCTL       8000 soft reset, held while 1
//   +62 66 68  LAPA, LAPD, LAPDINC  address in the adapter's 512 bytes; the two bytes there; the same, then LAPA += 2
//   +6A        LAPWWO     where the SRB is
//   +90 94     RXLBDA, RXBDA    last buffer descriptor that the adapter may use; the first
//   +B0 B4     TX2LFDA, TX2FDA  last frame descriptor to be sent; the current one. 32 bits; a write of the upper half
//                         takes effect
//
//   Reset: 1, 0 in BCTL; self-test; then SISR SRB reply, and at the SRB: +6 0, +8 offset of the station address.
//   SRB (big-endian): +0 command, +2 FE from the host, the answer from the adapter: 0 good, 1 unknown command, 3 open
//   already, 4 must be open, 39 no such group address, 3E no room for it
//     02 / 06 remove / add a group address at +6      08 READ LOG: from +6 six 16-bit counters, cleared: CRC errors,
//     03 OPEN: +12 station address (0: its own)          alignment, lost for want of a buffer, overrun, late and
//     04 CLOSE                                           excessive collisions, carrier lost
//     17 receive options at +4: 0001 all frames
//
//   Receive descriptor, 16 bytes, little-endian: forward; status: 01000000 processed, 80000000 last buffer of the
//     frame, errors 10000000 CRC, 20000000 alignment, 40000000 overrun, 04000000 too long, 02000000 cut for want of a
//     buffer; buffer; frame length << 16 | buffer length (written: bytes stored)
//   Transmit descriptor, 32 bytes: forward; status: 80000000 done, 40000000 bad, with 0001 underrun, 0002 late, 0004
//     excessive collisions, 0008 carrier lost, 0010 malformed, collisions in 12:8; 1 << 16 | frame length; buffer; its
//     length; 3 unused. No FCS in memory, short frames are padded.
//   The first TX2LFDA after the channel was enabled starts at that descriptor; later ones let it go on along "forward".
//
// Transmit: bursts fill the FIFO, the frame starts at the threshold. The first 64 bytes stay until the slot time is
// over, so that after a collision the frame is repeated from the FIFO. Underrun: a byte is not there when the wire
// needs it. A malformed descriptor halts the channel until it is enabled again.
// Receive: nothing moves to memory before 64 bytes have arrived. Overrun: a byte finds the FIFO full. Beyond the last
// buffer frames are lost until RXLBDA is written.
//
// Not modelled: the second transmit channel, ARB/ASB, parity and adapter checks, the timer, microcode update.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/chips/streamer/chip_set.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

class Streamer final : public streamer::ChipSet, private net::EthernetStation {
 public:
  enum TxStatus : std::uint32_t {
    TX_UNDERRUN = 1,
    TX_LATE = 2,
    TX_EXCESSIVE = 4,
    TX_CARRIER = 8,
    TX_MALFORMED = 0x10,
    TX_BAD = 0x40000000,
    TX_DONE = 0x80000000
  };
  enum Srb : std::uint8_t {
    SRB_REMOVE_GROUP = 2,
    SRB_OPEN = 3,
    SRB_CLOSE = 4,
    SRB_ADD_GROUP = 6,
    SRB_READ_LOG = 8,
    SRB_RECEIVE_OPTIONS = 0x17
  };
  enum Rc : std::uint8_t {
    RC_GOOD = 0,
    RC_UNKNOWN = 1,
    RC_OPEN = 3,
    RC_CLOSED = 4,
    RC_NO_GROUP = 0x39,
    RC_GROUPS_FULL = 0x3E
  };
  enum LogCounter : unsigned {
    log_crc,
    log_alignment,
    log_no_buffer,
    log_overrun,
    log_collisions,
    log_carrier,
    log_counters
  };

  static constexpr std::uint32_t local_bytes = 512;
  static constexpr std::uint16_t srb = 0x40, burnt_in = 0x20;    ///< offsets in local memory
  static constexpr std::size_t most_groups = 8, longest = 1514;  ///< group addresses; bytes without FCS
  static constexpr std::uint32_t least_buffer = 64;              ///< a receive buffer with less cuts the frame

  struct Counters {
    std::uint64_t sent = 0, received = 0, collisions = 0, overruns = 0, underruns = 0;
  };

  Streamer(Scheduler& scheduler, const std::string& name, BusMasterHost& host, const streamer::ChipSetConfig& config,
           const net::MacAddress& mac, std::uint64_t seed);

  void reset(Time now) override;
  net::EthernetPort& port() { return port_; }
  const Counters& counters() const { return counters_; }
  /// Registers and state; changes nothing.
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  static constexpr Job tx_data{5}, tx_status{6};                          // the transmitter's transfers
  enum class Step : std::uint8_t { idle, fetch, fill, sending, status };  // of the transmitter

  // streamer.cpp
  bool open() const override { return open_; }
  std::uint16_t local(std::uint16_t at) const override;
  void put_local(std::uint16_t at, std::uint16_t value, Time now) override;
  std::uint16_t peek_own(std::uint32_t offset) const override;
  void written(std::uint32_t offset, std::uint16_t value, Time now) override;
  void self_tested(Time now);
  void request(Time now);
  std::uint8_t execute(Time now);
  void count(LogCounter which) {
    if (log_[which] != 0xFFFF) ++log_[which];
  }

  // transmit.cpp
  void doorbell(Time now);
  void transmit_pump(Time now) override;
  void transmit_transfer_done(Job job, Time now) override;
  void took_descriptor();
  std::uint32_t fill_wanted(Time now);
  void filled(Time now);
  void start_frame(Time now);
  Time leaves(std::uint32_t byte) const;
  void watch_wire(Time now);
  void starved(Time now);
  void stop_transmit(Time now);
  void stop_transmit_channels(std::uint16_t stopped, Time now) override {
    if (stopped & TX2_DIS) stop_transmit(now);
  }
  void status_written(Time now);
  void transmit_begins(Time now) override;
  void transmit_ends(const net::TransmitOutcome& outcome, Time now) override;

  // receive.cpp
  bool accepts(const net::Reception& r) const;
  void frame_begins(const net::Reception& r, Time now) override;
  void frame_ends(const net::Reception& r, Time now) override;
  void more_arrived(Time now);
  void expect_more(Time now) override;
  void buffer_returned(bool last, Time now) override;
  void catch_up(Time now) override;
  void overrun() override;
  void no_buffer(Time now) override;
  void frame_cut() override { count(log_no_buffer); }
  void frame_stored() override { ++counters_.received; }

  const streamer::ChipSetConfig config_;
  const net::MacAddress mac_;

  std::array<std::uint8_t, local_bytes> local_{};
  bool open_ = false, promiscuous_ = false;
  net::MacAddress address_;
  std::vector<net::MacAddress> groups_;
  std::array<std::uint16_t, log_counters> log_{};

  // transmitter
  Step step_ = Step::idle;
  bool tx_fresh_ = true;  // nothing has been sent since the channel was enabled
  std::uint32_t tx_last_ = 0, tx_descriptor_ = 0, tx_forward_ = 0, tx_buffer_ = 0;
  std::uint32_t tx_length_ = 0, tx_fetched_ = 0, tx_released_ = 0, tx_status_ = 0;
  std::vector<std::uint8_t> tx_data_;
  bool tx_started_ = false, orphan_ = false;

  Counters counters_;
  net::EthernetPort port_;
  Event self_test_, request_, starved_, room_, more_;
};

}  // namespace planar::ethernet
