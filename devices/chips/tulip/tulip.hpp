// SPDX-License-Identifier: GPL-2.0-or-later
// Fast Ethernet controllers of the 21140 family, such as the Lite-On/Macronix LC82C115 (PNIC-II): descriptor lists in
// host memory, a FIFO in each direction, and on chip the transceivers and auto-negotiation of the 21143.
//
// Registers, CSRn at 8n, doublewords; a narrower access reaches its bytes:
//
//   CSR0   bus mode       0 reset, 6:2 doublewords between descriptors, 13:8 burst in doublewords (0: what the FIFO
//                         allows), 15:14 alignment of bursts: none, 8, 16, 32 doublewords, 19:17 transmit polling,
//                         21, 23, 24 memory read multiple, read line, write and invalidate
//   CSR1, 2 transmit, receive poll demand           CSR3, 4 receive, transmit list
//   CSR5   status         causes, write 1 clears; 15 and 16 sums of abnormal and normal causes that CSR7 enables,
//                         19:17 and 22:20 states of the receive and transmit process, 25:23 kind of bus error
//   CSR6   operation      1, 13 start receive, transmit; 15:14 transmit threshold, 21 store and forward, 22 thresholds
//                         of 10 Mbit/s, 18 and 24 port, 9 full duplex, 11:10 loopback, 3 bad frames, 6 promiscuous,
//                         7 all group addresses; 0, 2, 4 read what the setup frame chose
//   CSR7   interrupt mask                           CSR8   27:17 frames lost to the FIFO, 15:0 to missing descriptors
//   CSR9   0 to 3 SROM, 11 selects it, 16 to 19 MII management
//   CSR11  timer          15:0 count, 16 repeats    CSR12 to 15 tulip_nway.hpp
//
// Descriptors are 16 bytes: status, control, two buffers; bit 31 of the status says that the chip owns it. Control 25
// ends the ring, 24 makes the second buffer the address of the next descriptor.
//
// Transmit: the process fetches descriptors and fills the FIFO in bursts; it continues with a second frame while the
// first one is being sent. A frame starts when the threshold, or all of it, is in the FIFO; if data then come too late,
// it ends (underflow: UNF, and the process is suspended). Its status is written when it has been sent, after bursts of
// the following frame. A descriptor that the host owns suspends the process (TU) as soon as it is fetched, although
// frames before it may still be on the way [inferred: the STM32's Ethernet DMA, which has the 21143's descriptors and
// states, does so: RM0090, "operate on second frame"]. A setup frame (control 27, neither first nor last) loads the
// address filter and never leaves the chip.
//
// Receive: a descriptor is fetched ahead. Once 64 bytes have arrived and the address has passed the filter, the FIFO is
// emptied in bursts while the frame arrives. Without a descriptor the process is suspended (RU, once), and frames are
// counted in CSR8 and dropped; it checks again at each frame and at a poll demand. A frame without room in the FIFO is
// dropped and counted; if it has been partly stored, it is taken back if it is still in its first descriptor. Frames of
// more than 2560 bytes are cut (watchdog).
//
// A frame of several descriptors starts when the last of them has been fetched [inferred: the real chip need not wait];
// one that then fills the FIFO is cut and reported as jabber.
//
// Differences of the PNIC-II from the 21143: the reset bit of CSR0 clears itself, no power-down in configuration space,
// no interrupt mitigation in CSR11, no "receive all" (CSR6<30>), other bits that read 1; the SROM's layout is the
// card's.
//
// Not modelled: big endian buffers (CSR0 bits 7 and 20), boot ROM, wake-up registers from +80h on (read 0), early
// interrupts, the stop of the backoff counter, capture effect, signal quality test, jabber timer.
// Sources: Linux 2.2.16 tulip.c 0.91g-ppc and pnic2.c, FreeBSD if_dcreg.h and if_dc.c; Digital 21140A and Intel 21143
// hardware reference manuals (recalled).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/chips/at93c46/at93c46.hpp"
#include "devices/chips/dma/dma_engines.hpp"
#include "devices/chips/tulip/tulip_filter.hpp"
#include "devices/chips/tulip/tulip_nway.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

struct TulipConfig {
  std::uint32_t transmit_fifo = 2048;  ///< bytes
  std::uint32_t receive_fifo = 2048;   ///< bytes
  /// Bytes of room or data in a FIFO at which it requests the bus.
  std::uint32_t request = 64;
  std::array<std::uint32_t, 4> thresholds_100{128, 256, 512, 1024};  ///< bytes, by CSR6<15:14>
  std::array<std::uint32_t, 4> thresholds_10{72, 96, 128, 160};      ///< with CSR6<22>
  Time reset{};                                                      ///< how long CSR0<0> reads 1
  TulipNwayConfig nway;
};

class Tulip final : private net::EthernetStation, private TulipNwayUser {
 public:
  static constexpr std::uint32_t window_bytes = 256;
  /// The watchdog cuts longer frames. [recalled] 21143 hardware reference: after 2048 to 2560 bytes
  static constexpr std::uint32_t longest_received = 2560;
  enum Csr0 : std::uint32_t { SWR = 1, DSL = 0x7C, PBL = 0x3F00, CAL = 0xC000, TAP = 0xE0000, RME = 1u << 21 };
  enum Csr0Commands : std::uint32_t { RLE = 1u << 23, WIE = 1u << 24 };
  enum Csr5 : std::uint32_t {
    // clang-format off
    TI = 1u << 0, TPS = 1u << 1, TU = 1u << 2, TJT = 1u << 3, LNP = 1u << 4, UNF = 1u << 5, RI = 1u << 6, RU = 1u << 7,
    RPS = 1u << 8, RWT = 1u << 9, GTE = 1u << 11, LNF = 1u << 12, FBE = 1u << 13, AIS = 1u << 15, NIS = 1u << 16,
    MASTER_ABORT = 1u << 23, LC = 1u << 27,
    // clang-format on
    normal_causes = TI | TU | RI | GTE,
    abnormal_causes = TPS | TJT | LNP | UNF | RU | RPS | RWT | LNF | FBE | LC,
    causes = normal_causes | abnormal_causes,
  };
  enum Csr6 : std::uint32_t {
    // clang-format off
    HP = 1u << 0, SR = 1u << 1, HO = 1u << 2, PB = 1u << 3, IF = 1u << 4, PR = 1u << 6, PM = 1u << 7, FD = 1u << 9,
    OM = 3u << 10, INTERNAL_LOOPBACK = 1u << 10, EXTERNAL_LOOPBACK = 2u << 10, ST = 1u << 13, TR = 3u << 14,
    PS = 1u << 18, SF = 1u << 21, TTM = 1u << 22, SCR = 1u << 24,
    // clang-format on
  };
  enum Csr9 : std::uint32_t {
    // clang-format off
    SROM_CS = 1, SROM_SK = 2, SROM_DI = 4, SROM_DO = 8, SROM_SELECT = 0x800, SROM_READ = 0x4000,
    MDC = 0x10000, MDO = 0x20000, MII_READ = 0x40000, MDI = 0x80000,
    // clang-format on
  };
  static constexpr std::uint32_t OWN = 1u << 31;
  enum Tdes0 : std::uint32_t {
    // clang-format off
    T_DE = 1u << 0, T_UF = 1u << 1, T_LF = 1u << 2, T_EC = 1u << 8, T_LC = 1u << 9, T_NC = 1u << 10, T_LO = 1u << 11,
    T_TO = 1u << 14, T_ES = 1u << 15,
    // clang-format on
    setup_done = 0x7FFFFFFF,  // the status of a setup frame's descriptor
  };
  enum Tdes1 : std::uint32_t {
    // clang-format off
    T_SIZES = 0x3FFFFF, T_FT0 = 1u << 22, T_DPD = 1u << 23, T_CHAINED = 1u << 24, T_END = 1u << 25, T_AC = 1u << 26,
    T_SET = 1u << 27, T_FT1 = 1u << 28, T_FS = 1u << 29, T_LS = 1u << 30, T_IC = 1u << 31,
    // clang-format on
  };
  enum Rdes0 : std::uint32_t {
    // clang-format off
    R_OF = 1u << 0, R_CE = 1u << 1, R_DB = 1u << 2, R_RW = 1u << 4, R_FT = 1u << 5, R_CS = 1u << 6, R_TL = 1u << 7,
    R_LS = 1u << 8, R_FS = 1u << 9, R_MF = 1u << 10, R_RF = 1u << 11, R_LOOP_INTERNAL = 1u << 12,
    R_LOOP_EXTERNAL = 2u << 12, R_DE = 1u << 14, R_ES = 1u << 15,
    // clang-format on
  };

  struct Counters {
    std::uint64_t sent = 0, received = 0, collisions = 0, overruns = 0;
    std::uint64_t transmit_errors = 0, receive_errors = 0, underflows = 0;
    std::uint64_t late_bus = 0;  ///< overruns of the FIFO
  };

  Tulip(Scheduler& scheduler, const std::string& name, BurstHost& host, const TulipConfig& config,
        const std::array<std::uint16_t, At93c46::words>& srom, std::uint64_t seed);

  /// `bytes` 1, 2 or 4 at any aligned offset below `window_bytes`.
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now);
  std::uint32_t peek(std::uint32_t offset, unsigned bytes) const;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now);
  static std::string_view register_name(std::uint32_t offset);
  /// The reset pin.
  void reset(Time now);

  bool interrupt() const { return asserted_; }
  DmaEngines& dma() { return dma_; }
  net::EthernetPort& port() { return port_; }
  const Counters& counters() const { return counters_; }
  /// Registers and state; changes nothing.
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  struct Descriptor {
    std::uint32_t address = 0, status = 0, control = 0, buffer1 = 0, buffer2 = 0;
    bool valid = false;  // fetched, owned, and not closed yet
    std::uint32_t size1() const { return control & 0x7FF; }
    std::uint32_t size2() const { return control & T_CHAINED ? 0 : control >> 11 & 0x7FF; }
    void archive(Archive& a) { a(address, status, control, buffer1, buffer2, valid); }
  };
  /// A frame in the transmit FIFO.
  struct Sending {
    std::vector<std::uint8_t> data;  // all that was put into the FIFO, also what has been sent
    std::uint32_t control = 0;       // of its first descriptor
    std::uint32_t length = 0;        // of the data, once the last descriptor has been fetched
    std::uint32_t last = 0;          // its address
    bool known = false;              // length and last
    bool interrupts = false;         // after it has been sent
    bool started = false;            // given to the port
    bool internal = false;           // on no wire: loopback, or the port has no link
    bool complete() const { return known && data.size() == length; }
    void archive(Archive& a) { a(data, control, length, last, known, interrupts, started, internal); }
  };
  struct Closing {
    std::uint32_t address = 0, status = 0;
    bool interrupts = false;
    void archive(Archive& a) { a(address, status, interrupts); }
  };
  /// A frame in the receive FIFO.
  struct Received {
    std::vector<std::uint8_t> data;  // once it has ended
    std::uint32_t moved = 0;         // to memory
    std::uint32_t status = 0;        // RDES0 without length, once it has ended
    bool ended = false;
    bool dropped = false;  // to be removed
    void archive(Archive& a) { a(data, moved, status, ended, dropped); }
  };
  enum class TransmitWork : std::uint8_t { none, fetch, data, setup, close_middle, close, close_setup };
  enum class ReceiveWork : std::uint8_t { none, fetch, fetch_next, data, close_middle, close };

  // tulip.cpp
  std::uint32_t value(unsigned csr) const;
  void write_csr(unsigned csr, std::uint32_t value, std::uint32_t lanes, Time now);
  void write_mode(std::uint32_t value, Time now);
  void select_port(Time now);
  void clear(Time now);
  void raise(std::uint32_t raised, Time now);
  void update_interrupt(Time now);
  void bus_error(Time now);
  Time timer_tick() const;
  void start_timer(Time now);
  void timer_due(Time now);
  void reset_done(Time) {}
  void link_event(LinkEvent event, Time now) override;
  void link_changed(bool up, Time now) override { nway_.medium_changed(up, now); }
  bool looping() const { return csr6_ & OM; }
  std::uint32_t alignment() const;
  std::uint32_t burst_limit() const;
  BurstCommand read_command(std::uint32_t bytes) const;
  BurstCommand write_command(std::uint32_t address, std::uint32_t bytes) const;
  std::uint32_t next_address(const Descriptor& d, std::uint32_t base) const;
  static Descriptor fetched(const DmaEngine& engine);

  // tulip_transmit.cpp
  void transmit_run(Time now);
  void transmit_moved(Time now);
  void transmit_fetched(Time now);
  void fill(Time now);
  void await_room(std::uint32_t need, Time now);
  void transmit_buffer(std::uint32_t& address, std::uint32_t& bytes) const;
  void descriptor_read(Time now);
  void cut_open_frame(Time now);
  void load_setup(Time now);
  void suspend_transmit(std::uint32_t cause, Time now);
  std::uint32_t threshold() const;
  std::uint32_t transmit_level(Time now) const;
  std::uint32_t bytes_left_chip(Time now) const;
  void start_frame(bool full, Time now);
  void frame_grew(std::size_t before, Time now);
  void watch_underflow();
  void underflow(Time now);
  void poll_due(Time now);
  void internal_end(Time now);
  void loop_back(Time now);
  void frame_done(std::uint32_t status, Time now);
  void flush_transmit(Time now);
  void transmit_begins(Time now) override;
  void transmit_ends(const net::TransmitOutcome& outcome, Time now) override;
  unsigned transmit_state() const;

  // tulip_receive.cpp
  void receive_run(Time now);
  void receive_moved(Time now);
  void drain(Time now);
  void fetch_receive(ReceiveWork work, std::uint32_t address, Time now);
  void close_receive(ReceiveWork work, std::uint32_t status, Time now);
  void suspend_receive(Time now);
  void end_arrival();
  void lose_to_fifo(Time now);
  std::uint32_t arrived(const Received& f, Time now) const;
  std::uint32_t receive_level(Time now) const;
  bool accepts(const net::Reception& r, std::uint32_t& status) const;
  void receive_watch(Time now);
  void watch_receive(const net::Reception& r, Time now);
  void take_frame(const net::Reception& r, std::uint32_t status, Time now);
  void frame_begins(const net::Reception& r, Time now) override;
  void frame_ends(const net::Reception& r, Time now) override;
  unsigned receive_state() const;

  Scheduler& scheduler_;
  BurstHost& host_;
  const TulipConfig config_;
  At93c46 srom_;
  DmaEngines dma_;

  std::uint32_t csr0_ = 0, csr3_ = 0, csr4_ = 0, csr5_ = 0, csr6_ = 0, csr7_ = 0, csr9_ = 0, csr10_ = 0, csr11_ = 0;
  std::uint32_t missed_ = 0, fifo_lost_ = 0;  // CSR8
  bool asserted_ = false, bus_failed_ = false;
  TulipFilter filter_;

  // Transmit process.
  bool transmit_running_ = false, transmit_suspended_ = false;
  bool transmit_polled_ = false;  // by itself (TAP), and no descriptor has been found yet
  bool transmit_demand_ = false;  // CSR1 was written since the latest fetch began
  TransmitWork transmit_work_ = TransmitWork::none;
  std::uint32_t transmit_next_ = 0;  // address of the next descriptor
  Descriptor transmit_descriptor_;
  std::uint32_t transmit_offset_ = 0;  // bytes of its buffers that have been read
  bool frame_open_ = false;            // the last of sending_ needs more descriptors
  std::vector<std::uint8_t> setup_;
  std::deque<Sending> sending_;  // at most two
  std::deque<Closing> closing_;
  bool orphan_ = false;  // a reset cut the frame on the wire: its outcome is ignored

  // Receive process.
  bool receive_running_ = false, receive_suspended_ = false;
  ReceiveWork receive_work_ = ReceiveWork::none;
  std::uint32_t receive_next_ = 0;  // address of the next descriptor
  Descriptor receive_descriptor_, receive_ahead_;
  std::uint32_t receive_offset_ = 0;  // bytes of its buffers that are filled
  bool frame_first_ = true;           // no descriptor of the frame has been closed
  std::deque<Received> received_;     // the last one may still be arriving
  bool listening_ = false;            // to the frame that arrives
  bool accepted_ = false;             // it is the last of received_

  Counters counters_;
  net::EthernetPort port_;
  TulipNway nway_;
  DmaEngine receive_dma_, transmit_dma_;  // the first has priority
  Event room_, underflow_, internal_, poll_, receive_watch_, timer_, reset_done_;
};

}  // namespace planar::ethernet
