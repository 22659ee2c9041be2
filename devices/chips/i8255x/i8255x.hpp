// SPDX-License-Identifier: GPL-2.0-or-later
// Intel 82557, 82558 and 82559: 10/100 Mbit/s Ethernet controllers, PCI bus masters. The model is an 82559 (revision 8)
// with its 82555 PHY inside.
//
//   SCB  00 status: CUS 7:6, RUS 5:2    01 STAT/ACK    02 command: CUC 6:4, RUC 2:0    03 interrupt mask
//        04 general pointer             08 PORT        0E EEPROM                       10 MDI
//        14 RXBC   18 early receive     19 flow control    1B PMDR    1C control       1D status
//
// Structures in memory (addresses relative to the CU and RU base), by doubleword:
//
//   CB   command, status | link | parameters
//        transmit: TBD array | number, threshold, count | with extended TCBs two TBDs
//   TBD  address | EL, size
//   RFD  command, status | link | RBD | size, count | in simplified mode the data
//   RBD  count | link | address | EL, size
//
// Files by chapter: i8255x.cpp registers, interrupts, PORT, counters; i8255x_command.cpp the command unit;
// i8255x_transmit.cpp; i8255x_receive.cpp the receive unit. configuration.hpp has the bytes of the configure command.
//
// Transmit: the command unit reads a CB, whose buffers are read into the transmit FIFO in bursts as there is room; C
// and OK are written at the end of the last burst, when the frame may still be on its way out. A frame starts when the
// threshold of its CB is reached, and stays in the FIFO until it has been sent: after collisions and underruns it is
// repeated from there.
// Receive: the FIFO takes what passes the filter; a burst starts when the FIFO limit is reached and moves what is
// there. An RFD is read when the previous one is finished; the count is written, then the status. In the states "no
// resources" and "suspended" the FIFO continues to fill (from the 82558 on), and is emptied when the unit is started.
//
// Source of behaviour: Intel 8255x 10/100 Mbps Ethernet Controller Family Open Source Software Developer Manual (2003,
// 2006; public, no notice of confidentiality), as far as its pages could be read; Linux 2.2.16 eepro100.c; FreeBSD
// if_fxpreg.h; flexible receive mode: 82596CA data sheet (devices/ethernet/eepro100/eepro100.md).
//
// Chosen where sources leave it open: a start in a state for which the manual forbids it is ignored; a command byte
// that is overwritten before acceptance is lost; a resume re-reads the S bit of the current block when that ends; a
// transmit frame ends at 16383 bytes and a list of TBDs at 255; padding is zeros; a dump is zero except for the
// configuration, the address and the hash bits. The SCB has no cause for a bus error: after a master abort, which the
// PCI status shows, the unit that made the burst is idle, with CNA or RNR, and nothing more of its block or frame is
// read, sent or written [inferred]; statistics and self-test results are lost.
//
// Known to be simplified: a frame starts only when the sizes of all its buffers are known; a frame that is sent while
// it is read is read in several bursts (fill()); no flow control, TCO, checksum, wake-up or early receive interrupt
// (the registers are kept); the header RFD and receive DMA redirect are missing; microcode is read but has no effect.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory/port_run.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/chips/at93c46/at93c46.hpp"
#include "devices/chips/chip_host.hpp"
#include "devices/chips/dma/dma_engines.hpp"
#include "devices/chips/i8255x/configuration.hpp"
#include "devices/chips/mii/mii_phy.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

/// FIFOs and times; all from the card's profile.
struct I8255xTiming {
  std::uint32_t transmit_fifo = 3072, receive_fifo = 3072;  ///< bytes
  std::uint32_t transmit_room = 128;                        ///< bytes free in the transmit FIFO before a burst begins
  Time accept{};                                            ///< SCB command byte: from the write until it reads 0
  Time reset{};                                             ///< PORT resets
  Time self_test{};                                         ///< PORT self-test, until its result is written
  Time management{};                                        ///< from an MDI command to its ready bit
  MiiPhyConfig phy;
};

class I8255x final : private net::EthernetStation, private MiiPhyUser {
 public:
  static constexpr std::uint32_t register_bytes = 0x40;
  static constexpr unsigned phy_address = 1;
  static constexpr std::uint32_t rom_signature = 0x04F4518B;  ///< of the 82559's microcode, as the self-test reports it
  static constexpr std::uint32_t frame_limit = 16383;         ///< bytes of a transmit frame

  enum Register : unsigned {
    // clang-format off
    SCB_STATUS = 0x00, SCB_STAT_ACK = 0x01, SCB_COMMAND = 0x02, SCB_MASK = 0x03, SCB_POINTER = 0x04, PORT = 0x08,
    EEPROM = 0x0E, MDI = 0x10, RXBC = 0x14, EARLY_RX = 0x18, FLOW_CONTROL = 0x19, PMDR = 0x1B, CONTROL = 0x1C,
    STATUS = 0x1D,
    // clang-format on
  };
  /// STAT/ACK.
  enum Cause : std::uint8_t {
    CX = 0x80,
    FR = 0x40,
    CNA = 0x20,
    RNR = 0x10,
    MDI_DONE = 0x08,
    SWI = 0x04,
    ER = 0x02,
    FCP = 0x01
  };
  /// Interrupt mask: bits 7:2 mask CX, FR, CNA, RNR, ER and FCP.
  enum Mask : std::uint8_t { M = 0x01, SI = 0x02 };
  enum class Cu : std::uint8_t { idle, suspended, active };
  enum class Ru : std::uint8_t { idle = 0, suspended = 1, no_resources = 2, ready = 4, no_rbds = 10 };

  struct Counters {
    std::uint64_t sent = 0, received = 0, collisions = 0, overruns = 0;
    std::uint64_t late_bus = 0;  ///< overruns while there were descriptors
  };

  /// `name` prefixes its events; `eeprom` is what its serial EEPROM holds.
  I8255x(Scheduler& scheduler, const std::string& name, BurstHost& host, const I8255xTiming& timing,
         const std::array<std::uint16_t, At93c46::words>& eeprom, std::uint64_t seed);

  /// `bytes` 1, 2 or 4 at any offset below register_bytes.
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time) const { return peek(offset, bytes); }
  std::uint32_t peek(std::uint32_t offset, unsigned bytes) const;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now);
  static std::string_view register_name(std::uint32_t offset);
  /// RST#.
  void reset(Time now);

  bool interrupt() const { return interrupt_; }
  BurstClient& bursts() { return engines_; }
  net::EthernetPort& port() { return port_; }
  const net::EthernetPort& port() const { return port_; }
  const I8255xConfiguration& configuration() const { return config_; }
  const Counters& counters() const { return counters_; }
  void describe(Description& d, Time now) const;
  void archive(Archive& a);

 private:
  /// The 16 counters of a statistics dump, in order.
  enum Statistic : unsigned {
    // clang-format off
    tx_good, tx_max_collisions, tx_late_collisions, tx_underruns, tx_lost_carrier, tx_deferred, tx_single_collision,
    tx_multiple_collisions, tx_total_collisions, rx_good, rx_crc, rx_alignment, rx_resource, rx_overrun, rx_collisions,
    rx_short, statistics
    // clang-format on
  };
  /// The command word of a block or an RFD, and what is written to its status word.
  enum CommandBit : std::uint16_t { EL = 0x8000, S = 0x4000, I = 0x2000, CID = 0x1F00, NC = 0x0010, SF = 0x0008 };
  enum StatusBit : std::uint16_t { C = 0x8000, OK = 0x2000, U = 0x1000 };
  /// What an engine's burst is for.
  enum class ScbJob : std::uint8_t { none, statistics, self_test, dump };
  enum class CuJob : std::uint8_t { none, block, parameters, tbd, dump, status, recheck, resume };
  enum class RuJob : std::uint8_t { none, rfd, rbd_pointer, rbd_resume, rbd, data, rbd_count, count, status };

  struct Buffer {
    std::uint32_t address = 0, bytes = 0;
    void archive(Archive& a) { a(address, bytes); }
  };
  struct Sending {
    std::uint32_t length = 0;     // of all buffers that are known
    std::uint32_t threshold = 0;  // bytes in the FIFO at which it starts
    bool no_crc = false;
    bool measured = false;  // no TBD is still to be read
    bool complete = false;  // all its bytes are in the FIFO
    bool failed = false;    // abandoned; the rest of it is read and dropped
    std::uint8_t retries = 0;
    std::vector<std::uint8_t> data;
    void archive(Archive& a) { a(length, threshold, no_crc, measured, complete, failed, retries, data); }
  };
  struct Received {
    std::uint32_t moved = 0;   // bytes of it that are in memory
    std::uint16_t status = 0;  // the RFD's
    bool complete = false;
    std::vector<std::uint8_t> data;  // with FCS
    void archive(Archive& a) { a(moved, status, complete, data); }
  };

  struct Rbd {
    std::uint32_t address = UINT32_MAX, link = 0, buffer = 0, size = 0, moved = 0;
    bool open = false;     // it has been read, but its count is not written yet
    bool last = false;     // EL
    bool used_up = false;  // the last one has been used
    void archive(Archive& a) { a(address, link, buffer, size, moved, open, last, used_up); }
  };

  // i8255x.cpp
  std::uint8_t byte(std::uint32_t offset) const;
  void write_byte(std::uint32_t offset, std::uint8_t value, Time now);
  void accept(Time now);
  void write_port(Time now);
  void software_reset(Time now);
  void stop_units(Time now);
  void self_tested(Time now);
  void scb_done(Time now);
  void dump_statistics(bool reset, Time now);
  std::array<std::uint8_t, 596> dump_area() const;
  void mdi_done(Time now);
  void raise(std::uint8_t causes, Time now);
  void update_interrupt(Time now);
  void reset_over(Time) {}
  bool resetting() const { return reset_over_.pending(); }
  void tally(Statistic s) { ++statistics_[s]; }

  // i8255x_command.cpp
  void cu_start(Time now);
  void cu_resume(Time now);
  void fetch(Time now);
  void cu_done(Time now);
  void execute(Time now);
  bool parameters(std::uint32_t bytes, Time now);
  void load_multicasts();
  void complete(Time now);
  void leave_active(Cu state, Time now);
  void cu_bus_error(Time now);
  void raise_cna(Time now) { raise(CNA, now); }

  // i8255x_transmit.cpp
  void begin_frame(Time now);
  void add_buffer(std::uint32_t address, std::uint32_t size, bool last);
  void next_tbd(Time now);
  void take_tbd(Time now);
  std::uint32_t bytes_left(Time now) const;
  std::uint32_t transmit_room(Time now) const;
  void fill(Time now);
  void filled(Time now);
  void buffer_over(Time now);
  void try_send(Time now);
  void run_dry(Time now);
  void looped(Time now);
  void transmit_begins(Time now) override;
  void transmit_ends(const net::TransmitOutcome& outcome, Time now) override;
  void frame_over(Time now);
  void cut_frame(Time now);
  void drop_last_frame(Time now);
  void cut_transmitter(Time now);
  std::vector<std::uint8_t> wire_frame(const Sending& s) const;
  bool own_loop() const { return config_.loopback() || phy_.loopback(); }

  // i8255x_receive.cpp
  void ru_start(Time now);
  void ru_resume(Time now);
  void ru_abort(Time now);
  void rbd_resume(Time now);
  bool address_matches(const net::Reception& r, std::uint16_t& status) const;
  void frame_begins(const net::Reception& r, Time now) override;
  void receive_step(Time now);
  void frame_ends(const net::Reception& r, Time now) override;
  void take_frame(const net::Reception& r, Time now);
  void sync(Time now);
  void take_in(const net::Reception& r, std::size_t arrived);
  std::uint32_t receive_room() const;
  void append_checksum(std::vector<std::uint8_t>& frame) const;
  void reclaim(Time now);
  void drain(Time now);
  void ru_done(Time now);
  void read_for(RuJob job, std::uint32_t address, std::uint32_t bytes, Time now);
  void write_for(RuJob job, std::uint32_t address, std::span<const std::uint8_t> data, Time now);
  void begin_rbds(std::uint32_t address, Time now);
  void close_rbd(std::uint16_t end_of_frame, Time now);
  void write_count(Time now);
  void frame_stored(Time now);
  void link_changed(bool, Time now) override { phy_.medium_changed(now); }
  std::uint32_t payload(const Received& r) const;
  // the 82555's own registers
  std::uint16_t vendor_peek(unsigned reg) const override;

  BurstHost& host_;
  const I8255xTiming timing_;

  // SCB and the other registers
  std::uint8_t stat_ack_ = 0, command_ = 0, mask_ = 0;
  std::uint32_t pointer_ = 0, port_value_ = 0, mdi_ = 0;
  std::array<std::uint8_t, 8> kept_{};  // 18h to 1Fh
  std::uint8_t eeprom_pins_ = 0;        // as written
  bool interrupt_ = false;
  I8255xConfiguration config_;
  net::MacAddress address_{};
  std::uint64_t hash_ = 0;
  std::array<std::uint32_t, statistics> statistics_{};
  std::uint32_t counters_address_ = 0;
  ScbJob scb_job_ = ScbJob::none;

  // command unit
  Cu cu_state_ = Cu::idle;
  CuJob cu_job_ = CuJob::none;
  std::uint32_t cu_base_ = 0, cb_ = 0, cb_link_ = 0;
  std::uint16_t cb_command_ = 0, cb_status_ = 0;
  bool resume_ = false;  // requested since the current block was fetched
  std::vector<std::uint8_t> block_;

  // transmitter: of frames_ the last may still be filling, the first may be leaving
  std::deque<Sending> frames_;
  std::deque<Buffer> buffers_;  // of the last
  std::uint32_t tbd_ = 0, tbds_left_ = 0;
  bool sending_ = false, inside_ = false;  // the first is with the port; is looped back in the chip
  bool orphan_ = false;                    // a reset cut the frame on the wire: its outcome is ignored

  // receive unit
  Ru ru_state_ = Ru::idle;
  RuJob ru_job_ = RuJob::none;
  std::uint32_t ru_base_ = 0, rfd_ = 0, rfd_link_ = 0, rfd_size_ = 0;
  std::uint16_t rfd_command_ = 0;
  bool rfd_read_ = false;
  Rbd rbd_;                      // flexible mode: the position in the list of buffers
  std::uint32_t rbd_first_ = 0;  // of the current frame
  std::deque<Received> fifo_;    // the last may still be arriving
  bool listening_ = false;       // to the frame on the wire, which enters the FIFO when its address has matched
  bool arriving_ = false;        // it is the last of fifo_
  bool overrun_ = false;

  Counters counters_;
  net::EthernetPort port_;
  MiiPhy phy_;
  At93c46 eeprom_;
  DmaEngines engines_;
  DmaEngine ru_dma_, transmit_dma_, cu_dma_, scb_dma_;  // in order of priority
  Event accept_, reset_over_, self_tested_, mdi_done_, cna_, run_dry_, drained_, looped_, receive_step_;
};

}  // namespace planar::ethernet
