// SPDX-License-Identifier: GPL-2.0-or-later
// IBM's LANStreamer design on Ethernet: a bus master without a frame store. Frames pass between the wire and host
// memory through small FIFOs while they are on the wire; a microprocessor only answers the host's requests (SRB).
//
// HYPOTHETICAL INTERFACE. Nothing about the EtherStreamer's registers is public. Offsets, the _SUM/_RUM rule,
// doorbells, the local access port and the descriptors below are those of its Token-Ring relative for PCI, as its
// driver in Linux uses them (docs/hardware/streamer.md#the-relatives-registers); that the EtherStreamer has them too is
// planar's declaration, and everything that concerns Ethernet is our own. Software for the real card cannot work with
// it.
//
//   A register with aliases: _SUM sets the bits that are written 1, _RUM keeps only those; all read the same.
//   +10 12 14  LISR       host to adapter: 0020 SRB command
//   +16 18 1A  SISR       adapter to host: 8000 something stands in MISR under its mask (computed), 0020 SRB reply
//   +50 52     BMCTL      SUM, RUM: 0400 TX disable, 0040 RX disable, 0020 receiver enabled (computed)
//   +54 56 58  SISR_MASK  8000 interrupts on; the other bits let theirs through
//   +5A        MISR       read, RUM: 8000 TX idle, 2000 TX halt, 1000 TX end of frame, 0020 RX no buffer, 0001 RX end
//   of frame +5C 5E     MISR_MASK  RUM +60        BCTL       8000 soft reset, held while 1 +62 66 68  LAPA, LAPD,
//   LAPDINC  address in the adapter's 512 bytes; the two bytes there; the same, then LAPA += 2 +6A        LAPWWO where
//   the SRB lies +90 94     RXLBDA, RXBDA    last buffer descriptor that the adapter may use; the first +B0 B4 TX2LFDA,
//   TX2FDA  last frame descriptor to be sent; the one at work. 32 bits; a write of the upper half acts
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
//   frame,
//     errors 10000000 CRC, 20000000 alignment, 40000000 overrun, 04000000 too long, 02000000 cut for want of a buffer;
//     buffer; frame length << 16 | buffer length (written: bytes stored)
//   Transmit descriptor, 32 bytes: forward; status: 80000000 done, 40000000 bad, with 0001 underrun, 0002 late, 0004
//     excessive collisions, 0008 carrier lost, 0010 malformed, collisions in 12:8; 1 << 16 | frame length; buffer; its
//     length; 3 unused. No FCS in memory, short frames are padded.
//   The first TX2LFDA after the channel was enabled starts at that descriptor; later ones let it go on along "forward".
//
// Transmit: bursts fill the FIFO, the frame starts at the threshold. The first 64 bytes stay until the slot time is
// over, so that a collision repeats from the FIFO. A byte that is not there when the wire wants it: underrun. A
// malformed descriptor halts the channel until it is enabled anew. Receive: nothing moves to memory before 64 bytes are
// in; a byte that finds the FIFO full: overrun. Beyond the last buffer frames are lost until RXLBDA is written.
//
// Not modelled: the second transmit channel, ARB/ASB, parity and adapter checks, the timer, microcode update.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "core/memory/port_run.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/chips/chip_host.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

struct StreamerConfig {
  std::uint32_t transmit_fifo = 256, receive_fifo = 256;  ///< bytes
  std::uint32_t burst = 64;                               ///< bytes that are worth a tenure of the channel
  std::uint32_t threshold = 64;                           ///< bytes in the FIFO with which a frame starts
  Time self_test{}, request{};                            ///< after a reset; an SRB command
};

class Streamer final : private net::EthernetStation {
 public:
  enum Register : unsigned {
    // clang-format off
    LISR = 0x10, LISR_SUM = 0x12, LISR_RUM = 0x14, SISR = 0x16, SISR_SUM = 0x18, SISR_RUM = 0x1A, BMCTL_SUM = 0x50,
    BMCTL_RUM = 0x52, SISR_MASK = 0x54, SISR_MASK_SUM = 0x56, SISR_MASK_RUM = 0x58, MISR_RUM = 0x5A, MISR_MASK = 0x5C,
    MISR_MASK_RUM = 0x5E, BCTL = 0x60, LAPA = 0x62, LAPD = 0x66, LAPDINC = 0x68, LAPWWO = 0x6A, RXLBDA = 0x90,
    RXBDA = 0x94, TX2LFDA = 0xB0, TX2FDA = 0xB4, window_bytes = 0x100,
    // clang-format on
  };
  enum Lisr : std::uint16_t { SRB_CMD = 0x0020 };
  enum Sisr : std::uint16_t { MI = 0x8000, SRB_REPLY = 0x0020 };
  enum Bmctl : std::uint16_t { TX2_DIS = 0x0400, RX_DIS = 0x0040, RX_ENAB = 0x0020 };
  enum Misr : std::uint16_t {
    TX2_IDLE = 0x8000,
    TX2_HALT = 0x2000,
    TX2_EOF = 0x1000,
    RX_NOBUF = 0x0020,
    RX_EOF = 0x0001
  };
  enum Bctl : std::uint16_t { SOFTRESET = 0x8000 };
  enum RxStatus : std::uint32_t {
    RX_PROCESSED = 0x01000000,
    RX_CUT = 0x02000000,
    RX_LONG = 0x04000000,
    RX_CRC = 0x10000000,
    RX_ALIGN = 0x20000000,
    RX_OVER = 0x40000000,
    RX_LAST = 0x80000000,
    rx_errors = RX_CUT | RX_LONG | RX_CRC | RX_ALIGN | RX_OVER
  };
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
  static constexpr std::uint16_t srb = 0x40, burnt_in = 0x20;  ///< offsets in local memory
  static constexpr std::size_t most_groups = 8;

  struct Counters {
    std::uint64_t sent = 0, received = 0, collisions = 0, overruns = 0, underruns = 0;
  };

  Streamer(Scheduler& scheduler, const std::string& name, BusMasterHost& host, const StreamerConfig& config,
           const net::MacAddress& mac, std::uint64_t seed);

  /// Registers of the window; `offset` even.
  std::uint16_t read(std::uint32_t offset, Time now);
  std::uint16_t peek(std::uint32_t offset) const;
  void write(std::uint32_t offset, std::uint16_t value, Time now);
  void reset(Time now);
  bool interrupt_pin() const;

  std::span<std::uint8_t> transfer_buffer() { return transfer_; }
  void transfer_done(Time now);

  net::EthernetPort& port() { return port_; }
  const Counters& counters() const { return counters_; }
  /// Registers and state; changes nothing.
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  enum class Job : std::uint8_t { none, rx_fetch, rx_data, rx_status, tx_fetch, tx_data, tx_status };
  enum class Step : std::uint8_t { idle, fetch, fill, sending, status };  // of the transmitter
  struct Incoming {                                                       // a frame on its way through the receive FIFO
    std::vector<std::uint8_t> data;  // as far as it has come, the last four bytes held back: they may be the FCS
    bool complete = false;
    std::uint32_t status = 0;  // errors
    std::uint32_t moved = 0;   // bytes in memory
    void archive(Archive& a) { a(data, complete, status, moved); }
  };

  // streamer.cpp
  std::uint16_t sisr() const;
  std::uint16_t local(std::uint16_t at) const;
  void put_local(std::uint16_t at, std::uint16_t value);
  void control(std::uint16_t value, Time now);
  void channels(std::uint16_t disabled, Time now);
  void self_tested(Time now);
  void request(Time now);
  std::uint8_t execute(Time now);
  void raise(std::uint16_t causes, Time now);
  void update_interrupt(Time now);
  void count(LogCounter which) {
    if (log_[which] != 0xFFFF) ++log_[which];
  }
  void pump(Time now);
  void begin(Job job, std::uint32_t address, std::uint32_t bytes, Direction direction, Time now);
  std::uint32_t get32(std::size_t at) const;
  void put32(std::size_t at, std::uint32_t value);

  // streamer_transmit.cpp
  void doorbell(Time now);
  void took_descriptor();
  std::uint32_t fill_wanted(Time now);
  void filled(Time now);
  void start_frame(Time now);
  Time leaves(std::uint32_t byte) const;
  void watch_wire(Time now);
  void starved(Time now);
  void room_comes(Time now) { pump(now); }
  void stop_transmit(Time now);
  void status_written(Time now);
  void transmit_begins(Time now) override;
  void transmit_ends(const net::TransmitOutcome& outcome, Time now) override;

  // streamer_receive.cpp
  bool accepts(const net::Reception& r) const;
  bool moving() const;
  void frame_begins(const net::Reception& r, Time now) override;
  void frame_ends(const net::Reception& r, Time now) override;
  void more_arrived(Time now);
  void gather(const net::Reception& r, Time now);
  void expect_more(const net::Reception& r, Time now);
  std::uint32_t older_bytes() const;
  bool receive_pump(Time now);
  bool give_back(std::uint32_t status, Time now);
  void drop_head();
  void overrun(Incoming& f);
  void took_buffer();
  void stop_receive(Time now);
  void buffer_returned(Time now);

  BusMasterHost& host_;
  const StreamerConfig config_;
  const net::MacAddress mac_;

  std::array<std::uint8_t, local_bytes> local_{};
  std::uint16_t lisr_ = 0, sisr_ = 0, sisr_mask_ = 0, misr_ = 0, misr_mask_ = 0, bctl_ = 0, lapa_ = 0;
  std::uint16_t disabled_ = TX2_DIS | RX_DIS;
  std::uint16_t halves_[2]{};  // lower halves of RXLBDA or RXBDA, and of TX2LFDA
  bool tested_ = false, open_ = false, promiscuous_ = false, asserted_ = false;
  net::MacAddress address_;
  std::vector<net::MacAddress> groups_;
  std::array<std::uint16_t, log_counters> log_{};

  Job job_ = Job::none;
  std::vector<std::uint8_t> transfer_;

  // transmitter
  Step step_ = Step::idle;
  bool tx_fresh_ = true;  // nothing has been sent since the channel was enabled
  std::uint32_t tx_last_ = 0, tx_descriptor_ = 0, tx_forward_ = 0, tx_buffer_ = 0;
  std::uint32_t tx_length_ = 0, tx_fetched_ = 0, tx_released_ = 0, tx_status_ = 0;
  std::vector<std::uint8_t> tx_data_;
  bool tx_started_ = false, orphan_ = false;

  // receiver
  std::deque<Incoming> incoming_;
  bool listening_ = false;  // the last of incoming_ is still arriving
  bool rx_have_ = false, rx_ended_ = true;
  std::uint32_t rx_last_ = 0, rx_descriptor_ = 0, rx_forward_ = 0, rx_buffer_ = 0, rx_room_ = 0, rx_stored_ = 0;
  std::uint32_t rx_return_status_ = 0;  // with which the buffer in hand is being returned

  Counters counters_;
  net::EthernetPort port_;
  Event self_test_, request_, starved_, room_, more_;
};

}  // namespace planar::ethernet
