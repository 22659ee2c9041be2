// SPDX-License-Identifier: GPL-2.0-or-later
// National DP8390 network interface controller (DP8390D, DP83901, DP83902 and licensed cores such as the 83C690).
//
// The chip knows its registers, its local bus (buffer memory: Dp8390Host), its network port, and time; it knows no
// system bus. Source of behaviour: the DP8390D data sheet, its register names and its chapters; Linux 2.2 8390.c for
// what drivers rely on (docs/hardware/dp8390.md). Files by chapter: dp8390.cpp registers and control,
// dp8390_transmit.cpp transmitter and loopback, dp8390_receive.cpp receiver and buffer ring, dp8390_remote.cpp remote
// DMA and the local bus.
//
//   reg   page 0 read  page 0 write  page 1   page 2 read
//   00    CR           CR            CR       CR
//   01    CLDA0        PSTART        PAR0     PSTART
//   02    CLDA1        PSTOP         PAR1     PSTOP
//   03    BNRY         BNRY          PAR2     remote next packet pointer
//   04    TSR          TPSR          PAR3     TPSR
//   05    NCR          TBCR0         PAR4     local next packet pointer
//   06    FIFO         TBCR1         PAR5     address counter, high
//   07    ISR          ISR           CURR     address counter, low
//   08    CRDA0        RSAR0         MAR0     -
//   09    CRDA1        RSAR1         MAR1     -
//   0A    -            RBCR0         MAR2     -
//   0B    -            RBCR1         MAR3     -
//   0C    RSR          RCR           MAR4     RCR
//   0D    CNTR0        TCR           MAR5     TCR
//   0E    CNTR1        DCR           MAR6     DCR
//   0F    CNTR2        IMR           MAR7     IMR
//
// The status of a sent frame, TSR with PTX in ISR, is set 6.4 us after the last bit, when the window for the collision
// heartbeat has passed: TSR.CDH reports the heartbeat (inferred from the data sheet's text on that bit).
//
// Known to be simplified: the upper half of 32-bit addresses (DCR.LAS) leads nowhere; page 3 (factory test) reads as
// zeros; the FIFO keeps only what loopback leaves there; the collision heartbeat is always heard; after a ring overflow
// the receiver stays off until the chip is stopped and started, the worst case that the data sheet warns of (a real
// part may or may not continue).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/memory/port_run.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "core/time/time.hpp"
#include "devices/chips/chip_host.hpp"
#include "devices/chips/window_run.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

/// What the chip can access: buffer memory on its local bus, and its interrupt pin.
class Dp8390Host : public ChipHost {
 public:
  virtual std::uint8_t buffer_read(std::uint16_t address) const = 0;
  virtual void buffer_write(std::uint16_t address, std::uint8_t value) = 0;

 protected:
  ~Dp8390Host() = default;
};

/// Unit: bus clocks (BSCK) unless said. The board may change them; the values here are the chip's own.
struct Dp8390Timing {
  std::uint64_t bus_clock_hz = 20'000'000;  ///< datasheet maximum
  unsigned transfer_clocks = 4;             ///< one local DMA byte or word; datasheet (10 MB/s at 20 MHz)
  unsigned remote_handshake_clocks = 3;     ///< PRQ to the next request for the local bus; inferred
  unsigned transmit_start_clocks = 8;       ///< TXP to the first byte in the FIFO; inferred
  unsigned receive_end_clocks = 32;         ///< last byte to status, pointer and count in the ring; inferred
};

class Dp8390 final : public net::EthernetStation {
 public:
  // Register bits, as the data sheet spells them.
  enum Cr : std::uint8_t { STP = 0x01, STA = 0x02, TXP = 0x04, RD0 = 0x08, RD1 = 0x10, RD2 = 0x20 };
  enum Isr : std::uint8_t {
    PRX = 0x01,
    PTX = 0x02,
    RXE = 0x04,
    TXE = 0x08,
    OVW = 0x10,
    CNT = 0x20,
    RDC = 0x40,
    RST = 0x80
  };
  enum Dcr : std::uint8_t { WTS = 0x01, BOS = 0x02, LAS = 0x04, LS = 0x08, AR = 0x10 };
  enum Tcr : std::uint8_t { CRC = 0x01, LB0 = 0x02, LB1 = 0x04, ATD = 0x08, OFST = 0x10 };
  enum Tsr : std::uint8_t {
    TSR_PTX = 0x01,
    ND = 0x02,
    COL = 0x04,
    ABT = 0x08,
    CRS = 0x10,
    FU = 0x20,
    CDH = 0x40,
    OWC = 0x80
  };
  enum Rcr : std::uint8_t { SEP = 0x01, RCR_AR = 0x02, AB = 0x04, AM = 0x08, PRO = 0x10, MON = 0x20 };
  enum Rsr : std::uint8_t {
    RSR_PRX = 0x01,
    RSR_CRC = 0x02,
    FAE = 0x04,
    FO = 0x08,
    MPA = 0x10,
    PHY = 0x20,
    DIS = 0x40,
    DFR = 0x80
  };

  struct Counters {
    std::uint64_t sent = 0, received = 0, collisions = 0, overruns = 0, missed = 0, receive_errors = 0,
                  transmit_errors = 0;
    std::uint64_t without_buffer() const { return missed - overruns; }  // an overrun is a missed frame too
  };

  /// `name` prefixes its events; `seed` starts the backoff generator.
  Dp8390(Scheduler& scheduler, const std::string& name, Dp8390Host& host, Dp8390Timing timing, std::uint64_t seed);

  /// The part of the buffer memory that is plain bytes, from local address `first` on: the chip uses it directly and
  /// asks the board for the other addresses only. Address lines that are not in `decoded` are not connected: addresses
  /// that differ only in them are the same. The board keeps ownership, and calls this again whenever the memory has
  /// moved (a snapshot was restored).
  void set_memory(std::uint16_t first, std::span<std::uint8_t> memory, std::uint16_t decoded = 0xFFFF) {
    memory_first_ = first;
    memory_ = memory;
    decoded_ = decoded;
  }

  /// The RESET pin; takes effect at once. A frame on the wire is cut.
  void reset(Time now);
  /// Register `reg` 0 to 15 of the page that CR selects.
  std::uint8_t read(unsigned reg, Time now);
  void write(unsigned reg, std::uint8_t value, Time now);
  std::uint8_t peek(unsigned reg) const;

  /// The I/O latch of remote DMA (RACK, WACK). In word mode each access moves a word, whatever its width; in byte mode
  /// a byte. Without a remote DMA in progress nothing moves and a read gives the latch's last contents.
  std::uint16_t remote_read(Time now);
  void remote_write(std::uint16_t value, Time now);
  std::uint16_t remote_peek() const;
  /// When the latch can take part in an access that begins at `start`.
  Time remote_ready(Time start) const;
  bool word_mode() const { return dcr_ & WTS; }
  /// Accesses to the latch as a run (Slave::port_run), and the data they moved. A run ends before the last access of a
  /// transfer, before the end of the ring and before the frame on the wire.
  PortRun remote_run(unsigned bytes, Direction direction) const;
  void remote_run_written(std::span<const std::uint8_t> data, PortRun& run, Time end);
  void remote_run_read(std::span<std::uint8_t> data, PortRun& run, Time end);

  /// When the chip's own transfers, if they have the local bus at `t`, release it; `t` if it is free.
  Time local_bus_free(Time t) const;
  /// When local_bus_free() and sync() next matter.
  Undisturbed undisturbed(Time now) const;
  /// Brings buffer memory up to `now`: the part of a frame that has arrived is in the ring.
  void sync(Time now) { sync_receive(now); }

  /// The board kept the chip off the local bus from `from` until now: the FIFO may have run over or dry.
  void local_bus_denied(Time from, Time now);

  net::EthernetPort& port() { return port_; }
  const Counters& counters() const { return counters_; }
  /// Registers and state; changes nothing.
  void describe(Description& d) const;
  /// The data sheet's name of a register of the page that is selected.
  std::string_view register_name(unsigned reg, Direction direction) const;
  void archive(Archive& a);

  // net::EthernetStation
  void frame_begins(const net::Reception& reception, Time now) override;
  void frame_ends(const net::Reception& reception, Time now) override;
  void transmit_ends(const net::TransmitOutcome& outcome, Time now) override;

 private:
  // control
  void command(std::uint8_t value, Time now);
  void start(Time now);
  void stop(Time now);
  void enter_reset_state_if_idle(Time now);
  void raise(std::uint8_t isr_bits, Time now);
  void update_interrupt(Time now);
  void tally(unsigned counter, Time now);
  bool running() const { return (cr_ & (STP | STA)) == STA; }
  unsigned loopback() const { return (tcr_ & (LB0 | LB1)) >> 1; }
  std::uint8_t peek_page0(unsigned reg) const;
  std::uint8_t peek_page2(unsigned reg) const;
  void write_page0(unsigned reg, std::uint8_t value, Time now);
  void write_page1(unsigned reg, std::uint8_t value, Time now);
  void write_page2(unsigned reg, std::uint8_t value);

  // transmitter
  void begin_transmit(Time now);
  void fifo_filled(Time now);
  std::vector<std::uint8_t> assemble_frame() const;
  /// The frame that TPSR and TBCR name is with the MAC: waiting, or being sent.
  bool sending() const { return cr_ & TXP && port_.busy() && !orphan_; }
  std::uint16_t transmit_address() const { return static_cast<std::uint16_t>(tpsr_ << 8); }
  void loop_back(Time now);
  void await_heartbeat(std::uint8_t tsr, Time now);
  void heartbeat_end(Time now);
  void finish_transmit(std::uint8_t tsr, std::uint8_t isr, Time now);

  // receiver
  void receive_step(Time now);
  bool address_matches(const net::Reception& reception, bool& group);
  void store_arrived(std::size_t count, const net::Reception& reception, Time now);
  void plan_receive_step(Time now);
  void overflow(Time now);
  void receive_done(Time now);
  void reject(std::uint8_t rsr, Time now);
  void missed(Time now);
  std::uint8_t page_after(std::uint8_t page) const;
  unsigned pages_to_boundary(std::uint8_t from) const;
  unsigned threshold() const;
  std::size_t burst_limit(std::size_t arrived) const { return arrived - arrived % threshold(); }
  void sync_receive(Time now);

  // remote DMA and local bus
  /// When the latch takes part in consecutive accesses: each requests the local bus, waits for the end of the chip's
  /// own burst, if there is one, and takes one transfer.
  PortRun latch_timing() const;
  enum class Remote : std::uint8_t { none, read, write };
  void start_remote(unsigned rd, Time now);
  void advance_remote(Time now);
  /// Of the next transfer; A0 has no meaning for words.
  std::uint16_t remote_address() const { return word_mode() ? rsar_ & 0xFFFE : rsar_; }
  void advance_run(std::span<const std::uint8_t> data, PortRun& run, Time end);
  void end_remote(Time now);
  Time clocks(unsigned n) const { return clock_time_ * n; }
  /// An address's place in `memory_`; beyond its size if it is not there.
  std::uint16_t place(std::uint16_t address) const {
    return static_cast<std::uint16_t>((address & decoded_) - memory_first_);
  }
  std::uint8_t buffer_read(std::uint16_t address) const {
    const std::uint16_t at = place(address);
    return at < memory_.size() ? memory_[at] : host_.buffer_read(address);
  }
  void buffer_write(std::uint16_t address, std::uint8_t value) {
    const std::uint16_t at = place(address);
    if (at < memory_.size())
      memory_[at] = value;
    else
      host_.buffer_write(address, value);
  }
  std::uint8_t local_read(std::uint16_t address) const { return buffer_read(swapped(address)); }
  void local_write(std::uint16_t address, std::uint8_t value) { buffer_write(swapped(address), value); }
  // BOS with words: the 68000's byte order, every local address's bytes exchanged.
  std::uint16_t swapped(std::uint16_t a) const { return (dcr_ & (WTS | BOS)) == (WTS | BOS) ? a ^ 1 : a; }

  Dp8390Host& host_;
  std::span<std::uint8_t> memory_;
  std::uint16_t memory_first_ = 0, decoded_ = 0xFFFF;
  Dp8390Timing timing_;
  Time clock_time_;

  std::uint8_t cr_ = STP | RD2, isr_ = RST, imr_ = 0, dcr_ = LAS, tcr_ = 0, tsr_ = 0, rcr_ = 0, rsr_ = 0, ncr_ = 0;
  std::uint8_t pstart_ = 0, pstop_ = 0, bnry_ = 0, tpsr_ = 0, curr_ = 0;
  std::uint16_t tbcr_ = 0, rsar_ = 0, rbcr_ = 0, clda_ = 0;
  std::uint8_t remote_next_ = 0, local_next_ = 0;
  std::uint16_t address_counter_ = 0;
  std::array<std::uint8_t, 6> par_{};
  std::array<std::uint8_t, 8> mar_{};
  std::array<std::uint8_t, 3> cntr_{};
  std::array<std::uint8_t, 8> fifo_{};
  std::uint8_t fifo_read_ = 0;
  bool stopping_ = false;  // STP is set, a frame is still on its way
  bool interrupt_ = false;

  bool transmit_held_ = false;  // TCR.ATD: disabled by a multicast frame that hashes to bit 62
  bool orphan_ = false;         // a reset cut the frame on the wire: its outcome is ignored
  std::uint8_t sent_tsr_ = 0;   // of a sent frame, until the heartbeat window is over

  bool listening_ = false;  // the frame on the wire began while the receiver was on
  bool storing_ = false;    // ... and is for us: its bytes go into the ring
  bool matched_ = false;
  bool group_ = false;
  bool fifo_overrun_ = false;
  bool ring_full_ = false;     // CURR has caught up with BNRY
  bool receiver_off_ = false;  // after OVW
  bool receive_end_pending_ = false;
  std::uint32_t stored_ = 0;  // bytes of the current frame in the ring
  std::uint16_t frame_length_ = 0;
  std::uint8_t frame_status_ = 0;

  Remote remote_ = Remote::none;
  bool send_packet_ = false;
  std::uint16_t latch_ = 0xFFFF;
  Time latch_ready_{};

  Counters counters_;
  net::EthernetPort port_;
  Event fifo_filled_;    // the first bytes of a frame to send are in the FIFO
  Event loop_end_;       // an internal loopback frame has ended
  Event heartbeat_end_;  // the window after a sent frame is over
  Event receive_step_;   // the destination address is complete, or a ring page ends at the boundary
  Event receive_done_;   // status and pointers are in the ring
  Event remote_done_;    // the last word has left the latch
};

}  // namespace planar::ethernet
