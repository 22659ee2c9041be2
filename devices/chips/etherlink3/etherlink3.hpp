// SPDX-License-Identifier: GPL-2.0-or-later
// 3Com EtherLink III: the single-chip controller of the 3C509, 3C529 and 3C579, first generation.
//
// The chip knows its registers, its two FIFOs, its EEPROM, its network port, and time; it knows no bus. Source of
// behaviour: 3Com's technical reference as quoted by NetBSD's elink3reg.h and Microsoft's elnk3 header, and what Linux
// 2.2 3c509.c and NetBSD elink3.c rely on (docs/hardware/etherlink3.md); names are 3Com's. Files by chapter:
// etherlink3.cpp registers, commands, interrupts, EEPROM; etherlink3_transmit.cpp and etherlink3_receive.cpp the two
// FIFOs.
//
// Sixteen ports; +0E is Command (written) and Status (read) in every window, a command selects the window.
//
//   port  0 setup        1 operating      2 address   3 FIFO   4 diagnostics  5 read-back        6 statistics
//   00    Manufacturer   TX/RX FIFO       Address 0,1                         TX Start Thr.      Carrier Lost, No SQE
//   02    Product ID     TX/RX FIFO       Address 2,3                         TX Available Thr.  Multiple, Single Coll.
//   04    Config Control                  Address 4,5          FIFO Diag.                        Late Coll., RX Overr.
//   06    Address Config                                       Net Diag.      RX Early Thr.      Frames Sent, Received
//   08    Resource Conf. RX Status                                            RX Filter          Deferrals
//   0A    EEPROM Command Timer, TX Status           RX Free    Media Status   Interrupt Mask     RX Octets
//   0C    EEPROM Data    TX Free                    TX Free                   Read Zero Mask     TX Octets
//
// A packet in the TX FIFO consists of two words (length and flags, then zero) and data padded to a multiple of four
// bytes. The frame is sent when all of it, or TX Start Threshold bytes, are there; its room is freed when it has
// finally been sent. A received frame's bytes enter the RX FIFO as they arrive, without FCS; the host removes it with
// RX Discard.
//
// Known to be simplified: the FIFO's self test bits read 0; the three internal loopbacks (FIFO, controller, ENDEC) all
// take wire time and cross the whole MAC; no jabber cut-off (no frame that fits the FIFO is long enough); heartbeat is
// always heard; EEPROM contents change registers only where software copies them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory/port_run.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "core/time/time.hpp"
#include "devices/chips/chip_host.hpp"
#include "devices/chips/etherlink/etherlink_eeprom.hpp"
#include "devices/chips/etherlink/loopback.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

/// The board may change them; the values here are the chip's own.
struct EtherLink3Timing {
  Time transmit_start = 400_ns;  ///< from the word that lets a frame start to the first preamble bit; inferred
  Time discard_dword = 100_ns;   ///< RX Discard, per four bytes not read; inferred
  Time eeprom_read = 162_us;     ///< datasheet
  Time eeprom_write = 10_ms;     ///< erase or write of a 93C46-class part; datasheet of such parts
  Time global_reset = 310_us;    ///< until the EEPROM has been read again; datasheet
};

class EtherLink3 final : public net::EthernetStation {
 public:
  /// Usable bytes of each half of the 4 KB packet memory: a threshold of 2044 is never met (NetBSD), so neither FIFO
  /// ever has that much room. Inferred.
  static constexpr unsigned fifo_bytes = 2040;
  static constexpr unsigned rx_packets = 8;  ///< NetBSD elink3reg.h: "already 8 packets" is status overrun
  static constexpr unsigned tx_status_depth = 31;
  static constexpr unsigned visible_bytes = 60;  ///< of a reception before the host sees it: fragments vanish
  static constexpr unsigned max_data_bytes = 1514;
  static constexpr unsigned stored_bytes = 1792;  ///< of an oversize frame; RX Early cannot be set beyond it
  static constexpr std::uint16_t threshold_off = 2044;

  enum Command : std::uint8_t {
    GlobalReset,
    SelectWindow,
    StartCoax,
    RxDisable,
    RxEnable,
    RxReset,
    RxDiscard = 8,
    TxEnable,
    TxDisable,
    TxReset,
    RequestInterrupt,
    AcknowledgeInterrupt,
    SetInterruptMask,
    SetReadZeroMask,
    SetRxFilter,
    SetRxEarly,
    SetTxAvailable,
    SetTxStart,
    StatisticsEnable = 21,
    StatisticsDisable,
    StopCoax
  };
  enum Status : std::uint16_t {
    InterruptLatch = 0x01,
    AdapterFailure = 0x02,
    TxComplete = 0x04,
    TxAvailable = 0x08,
    RxComplete = 0x10,
    RxEarly = 0x20,
    InterruptRequested = 0x40,
    UpdateStatistics = 0x80,
    CommandInProgress = 0x1000
  };
  enum RxFilter : std::uint8_t { Individual = 1, Group = 2, Broadcast = 4, Promiscuous = 8 };
  enum RxStatus : std::uint16_t {
    RxIncomplete = 0x8000,
    RxError = 0x4000,
    Overrun = 0x4000,
    Oversize = 0x4800,
    Dribble = 0x1000,
    Runt = 0x5800,
    Alignment = 0x6000,
    CrcError = 0x6800
  };
  enum TxStatus : std::uint8_t {
    TsComplete = 0x80,
    TsNotify = 0x40,
    TsUnderrun = 0x10,
    TsMaxCollisions = 0x08,
    TsOverflow = 0x04
  };
  enum Preamble : std::uint16_t { Notify = 0x8000, NoCrc = 0x2000, Length = 0x07FF };
  enum FifoDiagnostics : std::uint16_t {
    RxReceiving = 0x8000,
    RxUnderrun = 0x2000,
    RxStatusOverrun = 0x1000,
    RxOverrun = 0x0800,
    TxOverrun = 0x0400
  };
  enum NetDiagnostics : std::uint16_t {
    ExternalLoopback = 0x8000,
    InternalLoopback = 0x7000,
    TxEnabled = 0x0800,
    RxEnabled = 0x0400,
    TxTransmitting = 0x0200,
    TxResetRequired = 0x0100,
    StatisticsEnabled = 0x0080
  };
  enum MediaStatus : std::uint16_t {
    TpEnabled = 0x8000,
    CoaxEnabled = 0x4000,
    LinkBeatDetect = 0x0800,
    LinkBeatEnable = 0x80,
    JabberEnable = 0x40,
    CarrierSense = 0x20,
    SqeEnable = 0x08
  };
  /// Configuration Control: which transceivers the board has, and the adapter's enable and reset bits.
  enum ConfigControl : std::uint16_t {
    HasAui = 0x2000,
    HasCoax = 0x1000,
    HasTp = 0x0200,
    ConfigReset = 0x04,
    ConfigEnable = 0x01
  };
  /// Transceiver codes of Address Configuration 15:14 (and of the 3C529's POS 4).
  enum Transceiver : std::uint8_t { TwistedPair, Aui, Undefined, Coax };

  using Eeprom = EtherLinkEeprom::Contents;
  struct Counters {
    static constexpr bool fifo_overruns = true;
    std::uint64_t sent = 0, received = 0, collisions = 0, overruns = 0, receive_errors = 0, transmit_errors = 0;
  };

  /// `name` prefixes its events; `media` are the transceivers present (ConfigControl); `seed` starts the backoff
  /// generator.
  EtherLink3(Scheduler& scheduler, const std::string& name, ChipHost& host, const EtherLink3Timing& timing,
             const Eeprom& eeprom, std::uint16_t media, std::uint64_t seed);

  /// The RESET pin; takes effect at once. A frame on the wire is cut.
  void reset(Time now);
  /// The transceiver that the bus configuration selects; sets Address Configuration 15:14.
  void select_transceiver(Transceiver t);

  /// Port `offset` 0 to 15, `bytes` 1 or 2 (within one word).
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now);
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now);
  std::uint32_t peek(std::uint32_t offset, unsigned bytes) const;

  net::EthernetPort& port() { return port_; }
  const Counters& counters() const { return counters_; }
  /// Registers and state; changes nothing.
  void describe(Description& d) const;
  /// The manual's name of the register at `offset` of the selected window.
  std::string_view register_name(std::uint32_t offset, Direction direction) const;
  void archive(Archive& a);

  // net::EthernetStation
  void frame_begins(const net::Reception& reception, Time now) override;
  void frame_ends(const net::Reception& reception, Time now) override;
  void transmit_begins(Time now) override;
  void transmit_ends(const net::TransmitOutcome& outcome, Time now) override;

 private:
  enum Statistic : unsigned {
    // clang-format off
    CarrierLost, SqeErrors, MultipleCollisions, SingleCollisions, LateCollisions, RxOverruns, FramesSent,
    FramesReceived, Deferrals, RxOctets = 10, TxOctets = 12
  };
  struct TxPacket {
    std::uint32_t header = 0;         // first word, second word
    std::uint8_t header_bytes = 0;    // of four
    std::vector<std::uint8_t> data;   // as far as it was written, padding included
    bool over = false;                // its transmission ended before the host had written all of it
    // clang-format on
    unsigned length() const { return header & Length; }
    unsigned padded() const { return (length() + 3) & ~3u; }
    bool complete() const { return header_bytes == 4 && data.size() == padded(); }
    void archive(Archive& a) { a(header, header_bytes, data, over); }
  };
  struct RxPacket {
    std::vector<std::uint8_t> data;
    std::uint16_t status = RxIncomplete;
    std::uint32_t read = 0;  // bytes taken by the host, padding included
    bool complete = false;
    bool overrun = false;
    std::uint32_t padded() const { return (static_cast<std::uint32_t>(data.size()) + 3) & ~3u; }
    std::uint32_t unread() const { return read < data.size() ? static_cast<std::uint32_t>(data.size()) - read : 0; }
    void archive(Archive& a) { a(data, status, read, complete, overrun); }
  };

  // registers and commands
  std::uint16_t peek_word(unsigned reg) const;
  std::uint16_t peek_setup(unsigned reg) const;
  std::uint16_t peek_operating(unsigned reg) const;
  std::uint16_t peek_diagnostics(unsigned reg) const;
  std::uint16_t peek_readback(unsigned reg) const;
  std::uint16_t status() const;
  void write_word(unsigned reg, std::uint16_t value, Time now);
  void write_byte(unsigned reg, std::uint8_t value, Time now);
  void write_setup(unsigned reg, std::uint16_t value, Time now);
  void command(std::uint16_t value, Time now);
  void acknowledge(std::uint16_t bits);
  bool in_progress() const;

  // interrupts and statistics
  std::uint16_t causes() const;
  void update(Time now);
  void count(Statistic s, unsigned n = 1);
  bool statistics_alarm() const;

  // transmitter
  void tx_write(std::uint8_t byte, Time now);
  unsigned tx_free() const { return fifo_bytes - tx_used_; }
  bool may_start(const TxPacket& packet) const;
  void start_next(Time now);
  void transmit_start(Time now);
  void starved(Time now);
  void watch_fifo(Time now);
  void transmit_finished(const net::TransmitOutcome& outcome, Time now);
  void push_tx_status(std::uint8_t status);
  void release_head();
  void tx_reset(Time now);
  void check_available();
  std::vector<std::uint8_t> assemble(const TxPacket& packet) const;
  bool transceiver_on() const;
  bool goes_to_wire() const { return !(loopback() & InternalLoopback) && transceiver_on(); }
  std::uint16_t loopback() const { return net_diagnostics_ & (ExternalLoopback | InternalLoopback); }

  // receiver
  void hear(Time now);
  void receive_step(Time now);
  void plan_rx_early(Time now);
  void sync_receive(Time now);
  void store(std::size_t count, const net::Reception& r);
  void receive_ends(const net::Reception& r, Time now);
  void loop_ends(Time now);
  bool accepts(const net::Reception& r) const;
  void finish_packet(std::uint16_t status, Time now);
  void drop_arriving();
  void stop_loop();
  bool exposed(const RxPacket& packet) const;
  void rx_discard(Time now);
  void rx_reset();
  std::uint8_t rx_read();
  unsigned rx_free() const { return rx_used_ < fifo_bytes ? fifo_bytes - rx_used_ : 0; }
  bool rx_hidden() const { return discard_done_.pending() || discarding_rest_; }
  std::uint16_t rx_status() const;

  Scheduler& scheduler_;
  ChipHost& host_;
  EtherLink3Timing timing_;
  std::uint16_t media_;

  std::uint8_t window_ = 0, command_low_ = 0;
  std::uint8_t interrupt_mask_ = 0, read_zero_mask_ = 0, rx_filter_ = 0;
  std::uint16_t tx_start_threshold_ = threshold_off, tx_available_threshold_ = threshold_off;
  std::uint16_t rx_early_threshold_ = threshold_off;
  std::uint16_t config_control_ = ConfigEnable, address_config_ = 0, resource_config_ = 0x0F00;
  std::uint16_t net_diagnostics_ = 0, media_status_ = 0;
  std::array<std::uint8_t, 6> address_{};
  std::array<std::uint8_t, 14> statistics_{};
  bool tx_enabled_ = false, rx_enabled_ = false, statistics_enabled_ = false, coax_on_ = false;
  Time reset_done_{};

  bool latch_ = false, interrupt_ = false;
  bool tx_available_ = false, tx_available_armed_ = false, rx_early_ = false, requested_ = false;
  Time latched_at_{};

  std::deque<TxPacket> tx_fifo_;
  std::uint32_t tx_used_ = 0;
  std::deque<std::uint8_t> tx_status_;
  bool sending_ = false;  // the packet at the head is with the transmitter
  bool orphan_ = false;   // a reset cut the frame on the wire: its outcome is ignored
  bool tx_overrun_ = false, tx_reset_required_ = false;

  std::deque<RxPacket> rx_fifo_;
  std::uint32_t rx_used_ = 0;
  bool listening_ = false;        // the frame that is arriving began while the receiver was on
  bool storing_ = false;          // ... and its bytes enter the packet at the FIFO's end
  bool discarding_rest_ = false;  // RX Discard took the packet that is still arriving
  bool rx_underrun_ = false;

  Counters counters_;
  net::EthernetPort port_;
  Loopback loop_{port_};
  EtherLinkEeprom eeprom_;
  Event transmit_start_;  // the frame at the head reaches the serialiser
  Event starved_;         // the wire needs a byte that the host has not written
  Event loop_end_;        // a frame that does not use the wire has ended
  Event receive_step_;    // the destination address is complete, or RX Early is due
  Event discard_done_;
};

}  // namespace planar::ethernet
