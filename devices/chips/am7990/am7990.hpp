// SPDX-License-Identifier: GPL-2.0-or-later
// AMD Am7990 LANCE, local area network controller for Ethernet.
//
// The chip knows its four registers, the memory of its local bus (Am7990Host), its network port, and time; it knows no
// system bus. Source of behaviour: AMD's data sheets of the Am7990 and Am79C90, names and chapters; Linux 2.2 sk_mca.c
// and depca.c for what drivers rely on (docs/hardware/am7990.md). Files by chapter: am7990.cpp registers,
// initialisation, interrupts and the owner of the local bus; am7990_transmit.cpp look for work, transmitter, loopback;
// am7990_receive.cpp address filter, receiver, chaining.
//
//   RAP  1:0 selects what RDP reaches
//   CSR0 15 ERR 14 BABL 13 CERR 12 MISS 11 MERR 10 RINT 9 TINT 8 IDON 7 INTR 6 INEA 5 RXON 4 TXON 3 TDMD
//        2 STOP 1 STRT 0 INIT
//        bits 14:8 fall on writing 1, 3:0 rise on writing 1, INEA takes what is written; STOP clears all else and CSR3
//   CSR1 15:1, CSR2 7:0  address of the initialisation block
//   CSR3 2 BSWP 1 ACON 0 BCON (the pins' polarity means nothing here)
//   CSR1 to CSR3 take writes only while STOP is set.
//
//   block   +00 mode  +02 station address  +08 logical address filter  +10 receive ring, 31:29 log2 of its length
//           +14 transmit ring, likewise
//   descriptor, 8 bytes:  receive                                   transmit
//     +0    LADR                                                    LADR
//     +2    OWN ERR FRAM OFLO CRC BUFF STP ENP, HADR                OWN ERR - MORE ONE DEF STP ENP, HADR
//     +4    1111, BCNT (two's complement)                           1111, BCNT
//     +6    MCNT, FCS included                                      BUFF UFLO - LCOL LCAR RTRY, TDR
//
// One SILO of 48 bytes serves both directions. A frame that waits for the wire (gap, back-off) has its first bytes in
// it; "reception has priority over transmission during the time that the transmitter is backing off": a frame for this
// station takes the SILO, and the transmission starts again when the microprogram next polls the transmit ring. It does
// so after each transmission, when TDMD is set, and 1.6 ms after the last poll. That a reception is not followed by a
// poll was chosen knowing the published figures (docs/hardware/am7990.md#looking-for-work) (P: sknet
// chip.reception_look): both cards with this chip are slower than every other one on the 95, especially if the driver
// never sets TDMD.
//
// Known to be simplified: a chain of transmit buffers is read through when its frame starts (the chip reads one
// descriptor ahead of its DMA) and the bytes are fetched then; the collision heartbeat is always heard (CERR stays 0);
// TDR is filled in with RTRY only; a collision leaves the bus pattern of a frame that runs on; byte counts below the
// data sheet's minimum are served; the Rev. C fault that puts garbage before a frame is absent.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "core/time/time.hpp"
#include "devices/chips/chip_host.hpp"
#include "devices/chips/window_run.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

/// What the chip can access: memory on its local bus (24 address lines), and its interrupt pin.
class Am7990Host : public ChipHost {
 public:
  /// False if nothing answers with READY: the chip gives up after 25.6 us with MERR.
  virtual bool local_ready(std::uint32_t /*address*/) const { return true; }
  virtual std::uint8_t local_read(std::uint32_t address) const = 0;
  virtual void local_write(std::uint32_t address, std::uint8_t value) = 0;

 protected:
  ~Am7990Host() = default;
};

/// The board may change them; the values here are the chip's own.
struct Am7990Timing {
  Time dma_cycle = 600_ns;        ///< one word; datasheet: six periods of 100 ns without wait states
  Time poll_interval = 1'600_us;  ///< between two polls of the transmit ring, 0 never; datasheet
  unsigned burst_words = 8;       ///< per tenure of the local bus; datasheet
  /// From the last bit of a frame to the write of its status: the wait for the collision heartbeat; inferred. With the
  /// descriptor reads after it a chained frame is ready within the 9.6 us gap.
  Time transmit_end = 4_us;
};

class Am7990 final : public net::EthernetStation {
 public:
  // Register bits, as the data sheet spells them.
  enum Csr0 : std::uint16_t {
    ERR = 0x8000,
    BABL = 0x4000,
    CERR = 0x2000,
    MISS = 0x1000,
    MERR = 0x0800,
    RINT = 0x0400,
    TINT = 0x0200,
    IDON = 0x0100,
    INTR = 0x0080,
    INEA = 0x0040,
    RXON = 0x0020,
    TXON = 0x0010,
    TDMD = 0x0008,
    STOP = 0x0004,
    STRT = 0x0002,
    INIT = 0x0001
  };
  enum Csr3 : std::uint16_t { BSWP = 0x0004, ACON = 0x0002, BCON = 0x0001 };
  enum Mode : std::uint16_t {
    PROM = 0x8000,
    INTL = 0x0040,
    DRTY = 0x0020,
    COLL = 0x0010,
    DTCR = 0x0008,
    LOOP = 0x0004,
    DTX = 0x0002,
    DRX = 0x0001
  };
  enum Md1 : std::uint16_t {  // of both rings, then of one
    OWN = 0x8000,
    MD1_ERR = 0x4000,
    STP = 0x0200,
    ENP = 0x0100,
    FRAM = 0x2000,
    OFLO = 0x1000,
    CRC = 0x0800,
    RMD1_BUFF = 0x0400,
    MORE = 0x1000,
    ONE = 0x0800,
    DEF = 0x0400
  };
  enum Tmd3 : std::uint16_t { BUFF = 0x8000, UFLO = 0x4000, LCOL = 0x1000, LCAR = 0x0800, RTRY = 0x0400, TDR = 0x03FF };

  static constexpr std::size_t silo_bytes = 48;
  /// TMD1, then TMD0 and TMD2: what is read of a transmit descriptor before its buffer. The order is the data sheet's;
  /// that each word has a tenure of the bus to itself (only the SILO's transfers are bursts) is inferred.
  static constexpr unsigned descriptor_words = 3;

  struct Counters {
    static constexpr bool fifo_overruns = true;
    std::uint64_t sent = 0, received = 0, collisions = 0, overruns = 0, missed = 0, receive_errors = 0,
                  transmit_errors = 0,
                  yielded = 0;  ///< transmissions deferred because a frame took the SILO
    std::uint64_t without_buffer() const { return missed; }
  };

  /// `name` prefixes its events; `seed` starts the backoff generator.
  Am7990(Scheduler& scheduler, const std::string& name, Am7990Host& host, Am7990Timing timing, std::uint64_t seed);

  /// The RESET pin. A frame on the wire is cut.
  void reset(Time now);
  std::uint16_t read_rap() const { return rap_; }
  void write_rap(std::uint16_t value) { rap_ = value & 3; }
  /// RDP: the register that RAP selects. Reading has no side effects.
  std::uint16_t read_rdp() const { return csr(rap_); }
  void write_rdp(std::uint16_t value, Time now);
  std::uint16_t csr(unsigned number) const;

  /// When the chip's DMA leaves the local bus free for an access at `t`: `t` itself, or the end of the burst.
  Time local_bus_free(Time t) const;
  /// Brings what the chip has stored in memory up to `now`, before the host looks there.
  void sync(Time now);
  /// When local_bus_free() and sync() next matter.
  Undisturbed undisturbed(Time now) const;
  /// The board kept the chip off the local bus from `from` until now: the SILO may have run over or dry.
  void local_bus_denied(Time from, Time now);

  net::EthernetPort& port() { return port_; }
  const Counters& counters() const { return counters_; }
  /// Registers and state; changes nothing.
  void describe(Description& d) const;
  void archive(Archive& a);

  // net::EthernetStation
  void frame_begins(const net::Reception& reception, Time now) override;
  void frame_ends(const net::Reception& reception, Time now) override;
  void transmit_begins(Time now) override;
  void transmit_ends(const net::TransmitOutcome& outcome, Time now) override;

 private:
  struct Ring {
    std::uint32_t base = 0;
    std::uint32_t length = 1;
    std::uint32_t index = 0;
    std::uint32_t at(std::uint32_t i) const { return (base + 8 * (i % length)) & 0xFFFFFF; }
    std::uint32_t here() const { return at(index); }
    void advance() { index = (index + 1) % length; }
  };
  struct SentBuffer {  // a transmit descriptor of the current frame
    std::uint32_t descriptor = 0;
    std::uint32_t end = 0;  ///< the frame's bytes up to here are in this buffer and earlier ones
    void archive(Archive& a) { a(descriptor, end); }
  };

  // control
  void write_csr0(std::uint16_t value, Time now);
  void stop(Time now);
  void initialised(Time now);
  void start(Time now);
  void raise(std::uint16_t causes, Time now);
  void update_interrupt(Time now);
  bool on(std::uint16_t bits) const { return (csr0_ & bits) == bits; }
  bool loopback() const { return mode_ & LOOP; }
  bool internal_loopback() const { return (mode_ & (LOOP | INTL)) == (LOOP | INTL); }

  // local bus
  bool reachable(std::uint32_t address, std::uint32_t bytes, Time now);
  std::uint16_t word(std::uint32_t address) const;
  void store_word(std::uint32_t address, std::uint16_t value);
  std::uint32_t data_address(std::uint32_t address) const { return (csr3_ & BSWP ? address ^ 1 : address) & 0xFFFFFF; }
  Time words(unsigned n) const { return timing_.dma_cycle * n; }
  void hold_bus(Time until) { bus_held_until_ = std::max(bus_held_until_, until); }
  Time burst_time() const { return words(timing_.burst_words); }

  // look for work, transmitter
  void look_for_work(Time now);
  void look(Time now);
  void take_work(Time now);
  bool examine_transmit_ring(Time now);
  void load_frame(Time now);
  void silo_loaded(Time now);
  void buffer_sent(Time now);
  void plan_buffer_sent();
  void release_buffer();
  void babbled(Time now);
  void yield_silo(Time now);
  void give_back(std::uint16_t flags, std::uint16_t tmd3, Time now);
  void status_written(Time now);
  void loop_ended(Time now);
  bool transmitting() const { return loading_ || port_.busy() || loop_end_.pending() || status_written_.pending(); }

  // receiver
  bool accepts(const net::Reception& reception) const;
  void receive_step(Time now);
  bool take_buffer(Time now);
  void store_arrived(std::size_t count, const net::Reception& reception, Time now);
  bool next_buffer(std::uint16_t error, Time now);
  void plan_receive_step(Time now);
  void end_frame(const net::Reception& reception, Time now);
  void receive_done(Time now);
  void missed(Time now);

  Am7990Host& host_;
  Am7990Timing timing_;

  std::uint16_t rap_ = 0, csr0_ = STOP, csr1_ = 0, csr2_ = 0, csr3_ = 0;
  std::uint16_t mode_ = 0;
  net::MacAddress padr_{};
  std::array<std::uint8_t, 8> ladrf_{};
  Ring receive_ring_, transmit_ring_;
  bool interrupt_ = false;
  Time bus_held_until_{};

  Time last_look_{};           // at the transmit ring
  Time requested_{};           // when the current frame was given to the MAC
  bool deferred_ = false;      // ... which had to wait for another station
  std::uint16_t tmd1_ = 0;     // of the current descriptor, as read by the poll
  bool loading_ = false;       // descriptor and first bytes of a frame are being fetched
  bool orphan_ = false;        // a stop cut the frame on the wire: its outcome is ignored
  bool buffer_error_ = false;  // its chain ends in a descriptor that the chip does not own
  std::vector<std::uint8_t> frame_;
  std::vector<SentBuffer> chain_;
  std::uint32_t chain_done_ = 0;  // buffers already given back

  bool listening_ = false;  // the frame on the wire began while the receiver was on
  bool storing_ = false;    // ... is for us and has a buffer
  bool matched_ = false;
  bool first_buffer_ = false;  // still in the buffer in which it began
  bool overflow_ = false;      // the SILO ran over
  bool lost_ = false;          // the rest of the frame is discarded
  bool receive_end_pending_ = false;
  std::uint32_t buffer_ = 0, buffer_left_ = 0, stored_ = 0;
  std::uint16_t end_status_ = 0, end_count_ = 0;

  Counters counters_;
  net::EthernetPort port_;
  Event initialised_;      // the last word of the initialisation block has been read
  Event look_;             // at the transmit ring
  Event descriptor_read_;  // its last word has been read
  Event silo_loaded_;      // the first word of a frame is in the SILO
  Event buffer_sent_;      // the last byte of a buffer is sent, or the chain breaks off
  Event babbled_;          // 1519 bytes have been sent
  Event status_written_;   // a transmit descriptor has its status
  Event loop_end_;         // an internal loopback frame has ended
  Event receive_step_;     // the destination address is complete, the SILO full, or a buffer
  Event receive_done_;     // a receive descriptor has its status
};

}  // namespace planar::ethernet
