// SPDX-License-Identifier: GPL-2.0-or-later
// Realtek RTL8139 (revision A, not C+): 10/100 Mbit/s Ethernet controller with PHY, a PCI bus master.
//
//   00 IDR0-5   station address (written as doublewords)    08 MAR0-7   filter of group addresses (the same)
//   10 TSD0-3   transmit slots: status and start            20 TSAD0-3  where their frames are
//   30 RBSTART  receive ring      37 CR  command            38 CAPR     driver's place less 16   3A CBR  the chip's
//   3C IMR      3E ISR            40 TCR                    44 RCR      48 TCTR timer   4C MPC missed frames
//   50 9346CR   EEPROM, lock of the configuration           51 CONFIG0  52 CONFIG1      54 TimerInt
//   58 MSR      media status      5B HLTCLK                 5C MULINT   5E PCI revision 60 TSAD  all slots' status
//   62 BMCR  64 BMSR  66 ANAR  68 ANLPAR  6A ANER           74 CSCR     70, 78, 7C transceiver parameters
//
// Transmit: the four slots are sent in strict rotation, whatever order they are written in. Writing a TSD with OWN 0
// hands the slot over; the chip reads the frame in bursts (TCR.MXDMA) into its FIFO, starts to send it when the slot's
// threshold is reached, and sets OWN when it has read all of it. No padding: a short frame is a runt on the wire. If
// the wire overtakes the bus, the frame is cut and read again (TUN), once, then as a whole. After 16 collisions (TABT)
// nothing more is sent until TCR.CLRABT, which sends the frame again. The next frame is read only
// `next_frame_fetch_after` after the current one has been sent.
//
// Receive: frames pass through the FIFO into one ring in memory while they arrive, in bursts (RCR.MXDMA) once a
// threshold is reached (RCR.RXFTH). When a frame is complete, a header of status and length is written before it, then
// CBR advances. A frame that does not fit before CAPR + 16 stays in the FIFO (RXOVW) until ISR.RXOVW is written. If a
// byte finds the FIFO full, its frame and all later ones are lost (FOVW, MPC), again until ISR.RXOVW is written or the
// receiver restarts.
//
// RCR accepts no writes without CR.RE, TCR none without CR.TE, and both keep their values when it is cleared.
// rtl8139.c: "must enable Tx/Rx before setting transfer thresholds"; FreeBSD if_re.c says of this family that receiver
// and transmitter should be enabled before their configuration. No source says to which bits this applies: here to all
// [inferred]. The drivers consulted write both registers after the enables.
//
// Not modelled: early receive interrupts (MULINT is kept; ERBCR and ERSR read 0), flow control, wake-up, cable length,
// error counters of the transceiver (6C, 6E, 72 read 0) and its parameters (kept), other interframe gaps (TCR.IFG),
// SQE, the placeholder length FFF0h of a frame on its way in some revisions, EEPROM writes. Sources: Linux 2.2.16
// rtl8139.c 1.07 and 2.3 8139too.c, FreeBSD if_rlreg.h, Realtek's programming guide of the RTL8100 (FIFO, order of
// slots, header), its data sheets; docs of single points in the code. [inferred] marks the rest.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/chips/at93c46/at93c46.hpp"
#include "devices/chips/chip_host.hpp"
#include "devices/chips/dma/dma_engines.hpp"
#include "devices/chips/mii/mii_phy.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

/// The chip's values in the card's profile.
struct Rtl8139Config {
  std::uint32_t transmit_fifo = 2048, receive_fifo = 2048;  ///< bytes
  Time reset{};                                             ///< how long CR.RST reads 1
  /// From the end of a frame on the wire to the first burst of the next one.
  Time next_frame_fetch_after{};
  Time timer_clock = 30_ns;  ///< of TCTR: the PCI clock
  MiiPhyConfig phy;
};

class Rtl8139 final : private net::EthernetStation, private MiiPhyUser {
 public:
  static constexpr unsigned window_bytes = 0x100;
  static constexpr std::uint8_t revision = 0x10;
  static constexpr unsigned slots = 4;
  static constexpr std::uint32_t longest_received = 4096;  ///< RSR.LONG beyond it, and the rest is not stored

  /// Doublewords of the register window; for a register that is part of one, the offset is given.
  enum Register : unsigned {
    // clang-format off
    IDR0 = 0x00, IDR4 = 0x04, MAR0 = 0x08, MAR4 = 0x0C, TSD0 = 0x10, TSAD0 = 0x20, RBSTART = 0x30,
    ERBCR = 0x34,   // CR is its byte 37h
    CAPR = 0x38,    // CBR 3Ah
    IMR = 0x3C,     // ISR 3Eh
    TCR = 0x40, RCR = 0x44, TCTR = 0x48, MPC = 0x4C,
    CR9346 = 0x50,  // CONFIG0 51h, CONFIG1 52h
    TIMERINT = 0x54,
    MSR = 0x58,     // HLTCLK 5Bh
    MULINT = 0x5C,  // PCI revision 5Eh
    TSAD = 0x60,    // BMCR 62h
    BMSR = 0x64,    // ANAR 66h
    ANLPAR = 0x68,  // ANER 6Ah
    NWAYTR = 0x70, CSCR = 0x74, PHY1_PARM = 0x78, TW_PARM = 0x7C,
    // clang-format on
  };
  enum Tsd : std::uint32_t {
    SIZE = 0x1FFF,
    OWN = 0x2000,
    TUN = 0x4000,
    TOK = 0x8000,
    ERTXTH = 0x3F0000,
    NCC = 0x0F000000,
    OWC = 0x20000000,
    TABT = 0x40000000,
    CRS = 0x80000000,
  };
  enum Cr : std::uint8_t { BUFE = 0x01, TE = 0x04, RE = 0x08, RST = 0x10 };
  enum Isr : std::uint16_t {
    // clang-format off
    ROK = 0x0001, RER = 0x0002, TOK_INT = 0x0004, TER = 0x0008, RXOVW = 0x0010, PUN = 0x0020, FOVW = 0x0040,
    TIMEOUT = 0x4000, SERR = 0x8000,
    // clang-format on
  };
  enum Tcr : std::uint32_t { CLRABT = 0x1, TXRR = 0xF0, CRC_OFF = 0x10000, LBK = 0x60000, HWVERID = 0x7C800000 };
  enum Rcr : std::uint32_t { AAP = 1, APM = 2, AM = 4, AB = 8, AR = 0x10, AER = 0x20, NOWRAP = 0x80 };
  enum Rsr : std::uint16_t {
    // clang-format off
    RSR_ROK = 0x0001, FAE = 0x0002, CRC = 0x0004, LONG = 0x0008, RUNT = 0x0010,
    BAR = 0x2000, PAM = 0x4000, MAR = 0x8000,
    // clang-format on
  };
  enum Cr9346 : std::uint8_t { EEDO = 1, EEDI = 2, EESK = 4, EECS = 8, EEM = 0xC0 };
  enum EepromMode : std::uint8_t { NORMAL = 0x00, AUTOLOAD = 0x40, PROGRAM = 0x80, CONFIG_WRITE = 0xC0 };
  enum Config1 : std::uint8_t { PWRDN = 0x01, SLEEP = 0x02, IOMAP = 0x04, MEMMAP = 0x08, DVRLOAD = 0x20 };
  enum Msr : std::uint8_t { LINKB = 0x04, SPEED_10 = 0x08 };
  enum Cscr : std::uint16_t { LINK_OK = 0x0400, LINK_CHANGE = 0x0800 };

  struct Counters {
    std::uint64_t sent = 0, received = 0, collisions = 0, overruns = 0;
    std::uint64_t fifo = 0;  ///< overruns of the FIFO with room in the ring
    std::uint64_t underruns = 0, transmit_errors = 0, receive_errors = 0;
  };

  /// `mac` is what its EEPROM holds.
  Rtl8139(Scheduler& scheduler, const std::string& name, BurstHost& host, const Rtl8139Config& config,
          const net::MacAddress& mac, std::uint64_t seed);

  /// An access of 1, 2 or 4 bytes within a doubleword of the window.
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now);
  std::uint32_t peek(std::uint32_t offset, unsigned bytes) const;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now);
  static std::string_view register_name(std::uint32_t offset);
  /// The reset pin.
  void reset(Time now);

  BurstClient& bursts() { return dma_; }
  bool interrupt() const { return isr_ & imr_; }
  net::EthernetPort& port() { return port_; }
  const Counters& counters() const { return counters_; }
  /// Registers and state; changes nothing.
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  /// A frame in the receive FIFO.
  struct Received {
    std::vector<std::uint8_t> data;  // what has arrived, FCS included
    std::uint32_t moved = 0;         // of it, into the ring
    std::uint16_t status = 0;        // RSR
    bool ended = false;
    bool dropped = false;  // to be removed as soon as no burst works on it
    std::uint32_t held() const { return static_cast<std::uint32_t>(data.size()) - moved; }
    void archive(Archive& a) { a(data, moved, status, ended, dropped); }
  };

  // rtl8139.cpp
  std::uint32_t doubleword(unsigned at) const;
  void write_lanes(unsigned at, std::uint32_t value, std::uint32_t lanes, Time now);
  void write_phy(MiiPhy::Register reg, std::uint32_t value, std::uint32_t lanes, Time now);
  void command(std::uint8_t value, Time now);
  void write_config(std::uint32_t value, std::uint32_t lanes, Time now);
  void autoload();
  void clear(Time now);
  void reset_done(Time) {}
  void raise(unsigned causes, Time now);
  void update_interrupt(Time now);
  std::uint32_t timer(Time now) const;
  void set_timer(Time now);
  void timer_due(Time now);
  bool unlocked() const { return (eecmd_ & EEM) == CONFIG_WRITE; }
  bool asleep() const { return config1_ & (PWRDN | SLEEP); }
  bool looping() const { return (tcr_ & LBK) == LBK; }
  void link_changed(bool, Time now) override { phy_.medium_changed(now); }
  void phy_link_changed(bool up, Time now) override;

  // rtl8139_transmit.cpp
  void write_tsd(unsigned slot, std::uint32_t value, Time now);
  void write_tcr(std::uint32_t value, std::uint32_t lanes, Time now);
  void disable_transmitter(Time now);
  void stop_transmitter(Time now);
  void start_next(Time now);
  void begin_frame(Time now);
  void transmit_due(Time now);
  void fetch(Time now);
  void fetched(Time now);
  void patch(std::uint32_t first, Time now);
  void leave(Time now);
  std::uint32_t left(Time now) const;
  void watch_fifo(Time now);
  void starved(Time now) { port_.underrun(now); }
  void inside_ends(Time now);
  void underrun(Time now);
  void finish(std::uint32_t status, Isr cause, Time now);
  void transmit_begins(Time now) override;
  void transmit_ends(const net::TransmitOutcome& outcome, Time now) override;

  // rtl8139_receive.cpp
  std::uint32_t ring_bytes() const { return 8192u << (rcr_ >> 11 & 3); }
  bool empty() const { return used() == 0; }
  std::uint32_t used() const { return (cbr_ - capr_ - 16u) & (ring_bytes() - 1); }
  void write_capr(std::uint16_t value, Time now);
  void write_rcr(std::uint32_t value, Time now);
  void stop_receiver(Time now);
  void start_receiver();
  void dismiss_overflow(Time now);
  std::uint32_t fifo_used() const;
  std::uint32_t fifo_room() const;
  bool hears() const;
  std::optional<std::uint16_t> match(const net::Reception& r) const;
  void begin_reception();
  void absorb(const net::Reception& r, std::size_t arrived, Time now);
  void drop_last();
  void lose(Time now);
  void end_reception(const net::Reception& r, Time now);
  void schedule_receive(Time now);
  void receive_due(Time now);
  void move(Time now);
  void moved(Time now);
  void frame_begins(const net::Reception& r, Time now) override;
  void frame_ends(const net::Reception& r, Time now) override;

  Scheduler& scheduler_;
  BurstHost& host_;
  const Rtl8139Config config_;
  At93c46 eeprom_;
  std::array<std::uint16_t, 3> eeprom_address_;  // words 7 to 9

  std::array<std::uint32_t, 2> idr_{}, mar_{};
  std::array<std::uint32_t, slots> tsd_{}, tsad_{};
  std::uint32_t rbstart_ = 0, tcr_ = 0, rcr_ = 0, mpc_ = 0, timer_int_ = 0;
  std::uint16_t capr_ = 0, imr_ = 0, isr_ = 0, mulint_ = 0, cscr_ = 0;
  std::uint32_t cbr_ = 0;
  std::uint8_t cr_ = 0, eecmd_ = 0, config1_ = 0;
  std::uint32_t nwaytr_ = 0, phy1_parm_ = 0, tw_parm_ = 0;
  bool clock_halted_ = false, link_change_ = false, asserted_ = false;
  Time timer_start_{};

  // The transmitter. `turn_` is the slot whose frame is the current or the next one.
  std::uint8_t turn_ = 0;
  bool sending_ = false;             // the slot's frame is being read or sent
  bool given_ = false;               // ... and has been given to the port
  bool again_ = false;               // ... after an underrun
  bool aborted_ = false;             // waits for CLRABT
  bool orphan_ = false;              // a reset cut the frame on the wire: its outcome is ignored
  std::vector<std::uint8_t> frame_;  // as long as the slot says, without FCS
  std::uint32_t fetched_ = 0, threshold_ = 0;
  Time fetch_from_{};  // not before

  // The receiver. The last frame in the FIFO is the arriving one, if there is one.
  std::deque<Received> fifo_;
  bool arriving_ = false, addressed_ = false, header_ = false;
  bool ring_full_ = false, overflowed_ = false;

  Counters counters_;
  net::EthernetPort port_;
  MiiPhy phy_;
  DmaEngines dma_;
  DmaEngine receive_dma_, transmit_dma_;
  Event reset_done_, timer_due_, transmit_due_, starved_, inside_ends_, receive_due_;
};

}  // namespace planar::ethernet
