// SPDX-License-Identifier: GPL-2.0-or-later
// National DP83800, 10/100 Mbit/s Ethernet controller of the Olicom OC-2335.
//
// HYPOTHETICAL INTERFACE. No data sheet, driver or ADF of it was found (docs/hardware/oc2335.md). Only its name, its
// 100 Mbit/s, and the fact that the card is a slave on the Micro Channel are known. Everything below is planar's own
// definition: a slave with two packet FIFOs at one 16-bit port, its registers named in the manner of National's SONIC.
// Software written for the real chip cannot work with it.
//
//   offset        read                                        write
//   +00  DATA     next word of the oldest received frame      next word of the frame that TLR opened
//   +02  TLR      bytes still missing from the open frame     10:0 length: opens a frame; 15 CRCI (chip adds no FCS)
//   +04  TFR      bytes free in the transmit FIFO
//   +06  TSR      oldest transmit status, which is removed    (0: there is none)
//   +08  RSR      status of the oldest received frame         (0: there is none)
//   +0A  CR       RST while a reset runs; RXEN, TXEN          RST, RXEN, RXDIS, TXEN, TXDIS, RDISC, TFLUSH
//   +0C  ISR      causes                                      ones clear
//   +0E  IMR      causes that interrupt
//   +10  TCR      LBK loopback inside the chip
//   +12  RCR      BRD broadcasts, PRO all single addresses, AMC all groups, ERR bad frames, RNT runts
//   +14  MPT      frames lost to a full FIFO   \  16 bits, cleared by reading, stay at FFFFh; CTO is raised when one of
//   +16  CRCT     frames with a bad FCS         > them reaches 8000h
//   +18  FAET     those that end in mid-byte   /
//   +20  PAR0-2   station address, first byte in the low half
//   +28  MAR0-3   64-bit filter of group addresses: bit = top six bits of the address's CRC remainder
//
// Transmit: TLR opens a frame if its length and four bytes of bookkeeping fit; that many bytes are then written to
// DATA. A complete frame is sent while TXEN is set, padded to the Ethernet minimum: the FIFO stores and forwards, so a
// frame cannot underrun. When it has been sent, its room is freed and its status waits in TSR; with sixteen of them
// waiting no further frame starts. TLR with a length of 0 or beyond 2047 or without room, a word without an open frame,
// and TLR while a frame is still open (that one is dropped) raise TFE.
// Receive: bytes enter the FIFO as they arrive; the frame appears in RSR when it has ended without error. RDISC drops
// the oldest frame, read or not. If a byte finds the FIFO full, its frame is lost (RFO, MPT).
//
// Not modelled: 10 Mbit/s negotiation (it runs at the segment's rate), management of the transceiver, a threshold to
// start sending early, jabber cut-off.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/chips/chip_host.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

struct Dp83800Config {
  std::uint32_t transmit_fifo = 8192;  ///< bytes
  std::uint32_t receive_fifo = 8192;   ///< bytes
  Time transmit_start{};               ///< from a frame's last word, or the previous frame's end, to its attempt
  Time reset{};                        ///< how long CR.RST reads 1
};

class Dp83800 final : private net::EthernetStation {
 public:
  enum Register : unsigned {
    // clang-format off
    DATA = 0x00, TLR = 0x02, TFR = 0x04, TSR = 0x06, RSR = 0x08, CR = 0x0A, ISR = 0x0C, IMR = 0x0E,
    TCR = 0x10, RCR = 0x12, MPT = 0x14, CRCT = 0x16, FAET = 0x18, PAR0 = 0x20, MAR0 = 0x28,
    // clang-format on
    window_bytes = 0x30,
  };
  enum Tlr : std::uint16_t { TLEN = 0x07FF, CRCI = 0x8000 };
  enum Tsr : std::uint16_t { TDONE = 0x8000, NC = 0x001F, EXC = 0x0020, OWC = 0x0040, CRS = 0x0080, DEF = 0x0100 };
  enum Rsr : std::uint16_t { RDONE = 0x8000, CRCE = 0x4000, FAE = 0x2000, MC = 0x1000, RLEN = 0x0FFF };
  enum Cr : std::uint16_t {
    // clang-format off
    RST = 0x01, RXEN = 0x02, RXDIS = 0x04, TXEN = 0x08, TXDIS = 0x10, RDISC = 0x20, TFLUSH = 0x40
    // clang-format on
  };
  enum Cause : std::uint16_t { PTX = 0x01, TXER = 0x02, PRX = 0x04, RFO = 0x08, TFE = 0x10, CTO = 0x20, causes = 0x3F };
  enum Tcr : std::uint16_t { LBK = 0x01 };
  enum Rcr : std::uint16_t { BRD = 0x01, PRO = 0x02, AMC = 0x04, ERR = 0x08, RNT = 0x10, rcr_bits = 0x1F };

  static constexpr std::size_t status_depth = 16;  ///< of TSR
  static constexpr std::uint32_t bookkeeping = 4;  ///< bytes of FIFO that a frame takes in addition to its own

  struct Counters {
    static constexpr bool fifo_overruns = true;
    std::uint64_t sent = 0, received = 0, collisions = 0, overruns = 0;
    std::uint64_t transmit_errors = 0, receive_errors = 0;
  };

  /// `mac` is in PAR after each reset.
  Dp83800(Scheduler& scheduler, const std::string& name, ChipHost& host, const Dp83800Config& config,
          const net::MacAddress& mac, std::uint64_t seed);

  /// A register of the window, `offset` even. Registers are words; a pair of byte lanes moves at a time.
  std::uint16_t read(std::uint32_t offset, Time now);
  std::uint16_t peek(std::uint32_t offset) const;
  void write(std::uint32_t offset, std::uint16_t value, Time now);
  /// The reset pin.
  void reset(Time now);

  bool interrupt() const { return isr_ & imr_; }
  net::EthernetPort& port() { return port_; }
  const Counters& counters() const { return counters_; }
  /// Registers and state; changes nothing.
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  struct Sending {
    std::uint16_t length = 0;  // bytes expected
    bool no_fcs = false;
    std::vector<std::uint8_t> data;
    std::uint32_t room() const { return bookkeeping + ((length + 1u) & ~1u); }
    void archive(Archive& a) { a(length, no_fcs, data); }
  };
  struct Received {
    std::uint16_t status = 0;
    std::uint32_t read = 0;
    std::vector<std::uint8_t> data;  // without FCS
    std::uint32_t held() const { return bookkeeping + static_cast<std::uint32_t>(data.size() - read); }
    void archive(Archive& a) { a(status, read, data); }
  };

  // dp83800.cpp
  void clear(Time now);
  void command(std::uint16_t value, Time now);
  void raise(std::uint16_t causes, Time now);
  void update_interrupt(Time now);
  void tally(std::uint16_t& counter, Time now);
  void reset_done(Time) {}
  bool resetting() const { return reset_done_.pending(); }
  bool looping() const { return tcr_ & LBK; }

  // dp83800_transmit.cpp
  std::uint32_t transmit_room() const;
  void open_frame(std::uint16_t value, Time now);
  void write_data(std::uint16_t value, Time now);
  void flush_transmit(Time now);
  void start_next(Time now);
  void transmit_start(Time now);
  void looped(Time now);
  void finish_frame(std::uint16_t status, Time now);
  void transmit_ends(const net::TransmitOutcome& outcome, Time now) override;

  // dp83800_receive.cpp
  std::uint32_t receive_room() const;
  void advance_data();
  void discard();
  bool address_matches(const net::Reception& r) const;
  void frame_begins(const net::Reception& r, Time now) override;
  void room_check(Time now);
  void frame_ends(const net::Reception& r, Time now) override;
  void take_frame(const net::Reception& r, Time now);

  ChipHost& host_;
  const Dp83800Config config_;
  const net::MacAddress mac_;

  std::uint16_t isr_ = 0, imr_ = 0, tcr_ = 0, rcr_ = 0;
  std::uint16_t mpt_ = 0, crct_ = 0, faet_ = 0;
  std::array<std::uint16_t, 3> par_{};
  std::array<std::uint16_t, 4> mar_{};
  bool rx_enabled_ = false, tx_enabled_ = false, asserted_ = false;

  std::deque<Sending> transmit_;  // the last one may still be open
  std::deque<std::uint16_t> statuses_;
  bool sending_ = false;  // the head is with the transmitter
  bool orphan_ = false;   // a flush cut the frame on the wire: its outcome is ignored
  std::vector<std::uint8_t> loop_frame_;

  std::deque<Received> receive_;
  bool listening_ = false, overrun_ = false;

  Counters counters_;
  net::EthernetPort port_;
  Event transmit_start_, looped_, room_check_, reset_done_;
};

}  // namespace planar::ethernet
