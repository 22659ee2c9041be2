// SPDX-License-Identifier: GPL-2.0-or-later
// 3Com "Cyclone": the single-chip controller of the 3C905B, EtherLink XL with the Boomerang programming model.
//
// The chip knows its registers, its two FIFOs, the lists in memory that it processes, its EEPROM, its PHY, its network
// port, and time; it knows no bus. Source of behaviour: Linux 2.2.17 3c59x.c, FreeBSD's if_xl and its header, Darwin's
// and Solaris's headers for the 3C90xB, which quote 3Com's technical reference (devices/ethernet/3c905b/3c905b.md);
// names are 3Com's. Files by chapter: cyclone.cpp commands, interrupts, statistics; cyclone_registers.cpp windows and
// fixed registers; cyclone_download.cpp the list of frames to send; cyclone_transmit.cpp the transmit FIFO and the
// wire; cyclone_receive.cpp the wire and the receive FIFO; cyclone_upload.cpp the list of buffers.
//
// 128 ports. 0E is Command (written) and IntStatus (read) in every window; a command selects the window of 00 to 0D.
//
//   0  EEPROM      0A EepromCommand, 0C EepromData
//   2  address     00 StationAddress, 06 StationMask, 0C ResetOptions
//   3  options     00 InternalConfig, 04 MaxPktSize, 06 MacControl, 08 MediaOptions, 0A RxFree, 0C TxFree
//   4  diagnostics 04 FifoDiagnostic, 06 NetworkDiagnostic, 08 PhysicalMgmt, 0A MediaStatus, 0C BadSSD, 0D UpperBytesOk
//   5  read-back   00 TxStartThresh, 06 RxEarlyThresh, 08 RxFilter, 09 TxReclaimThresh, 0A InterruptEnable,
//                  0C IndicationEnable
//   6  statistics  00 to 0D, cleared when they are read
//
//   18 TxPktId  1A Timer  1B TxStatus  1E IntStatusAuto  20 DmaCtrl  24 DnListPtr  2A DnBurstThresh  2D DnPoll
//   30 UpPktStatus  34 FreeTimer  36 Countdown  38 UpListPtr  3D UpPoll  3E UpBurstThresh  78 DnMaxBurst  7A UpMaxBurst
//
//   DPD: DnNextPtr, FrameStartHeader, up to 63 x (address, length)    UPD: UpNextPtr, UpPktStatus, up to 63 x (same)
//
// A frame is downloaded as the transmit FIFO has room, and sent when all of it, or TxStartThresh bytes, are there; once
// TxReclaimThresh bytes have been sent, their space is freed while the rest is sent. A received frame is uploaded,
// UpBurstThresh bytes at a time, as soon as it can no longer be a fragment of a collision, while the rest of it
// arrives.
//
// Known to be simplified: type 1 DPDs (scheduled frames), RealTimeCnt, wake-up, VLAN tagging, PAUSE frames, the
// priority thresholds (uploads go first) and FIFO self tests are missing; a frame of several fragments starts early
// only once its last one is known. All internal loopbacks take wire time and cross the whole MAC.
#pragma once

#include <algorithm>
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
#include "core/time/time.hpp"
#include "devices/chips/chip_host.hpp"
#include "devices/chips/dma/dma_engines.hpp"
#include "devices/chips/etherlink/etherlink_eeprom.hpp"
#include "devices/chips/etherlink/loopback.hpp"
#include "devices/chips/mii/mdio_port.hpp"
#include "devices/chips/mii/mii_phy.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

/// FIFOs and times; all from the card's profile.
struct CycloneTiming {
  std::uint32_t transmit_fifo = 2048, receive_fifo = 2048;  ///< bytes
  Time transmit_start{};  ///< from the byte that lets a frame start to the first preamble bit
  Time reset{};           ///< TxReset, RxReset, GlobalReset without the EEPROM
  Time global_reset{};    ///< GlobalReset with the EEPROM
  Time eeprom_read{}, eeprom_write{};
};

class Cyclone final : public net::EthernetStation, private MiiPhyUser {
 public:
  static constexpr unsigned fragments_most = 63;   ///< of a descriptor [driver: if_xlreg.h]
  static constexpr unsigned tx_status_depth = 31;  ///< [recalled] 3Com's technical reference
  /// Bytes after which a reception counts, so that fragments of collisions vanish. [recalled] the same
  static constexpr unsigned visible_bytes = 60;
  static constexpr unsigned length_most = 0x1FFF;  ///< of a fragment, and of a received frame
  static constexpr unsigned phy_address = 24;
  static constexpr std::uint16_t whole_frame = 0x1FFC;  ///< thresholds after a reset [inferred]
  static constexpr Time poll_unit = 320_ns;             ///< of DnPoll and UpPoll [secondary] drivers' headers

  enum Command : std::uint8_t {
    GlobalReset,
    SelectRegisterWindow,
    EnableDcConverter,
    RxDisable,
    RxEnable,
    RxReset,
    StallControl,
    RxDiscard = 8,
    TxEnable,
    TxDisable,
    TxReset,
    RequestInterrupt,
    AcknowledgeInterrupt,
    SetInterruptEnable,
    SetIndicationEnable,
    SetRxFilter,
    SetRxEarlyThresh,
    SetTxStartThresh = 19,
    StatisticsEnable = 21,
    StatisticsDisable,
    DisableDcConverter,
    SetTxReclaimThresh,
    SetHashFilterBit
  };
  enum Stall : std::uint8_t { UpStall, UpUnStall, DnStall, DnUnStall };
  /// What a reset does not affect.
  enum ResetMask : std::uint16_t { KeepNetwork = 0x004, KeepFifo = 0x008, KeepEeprom = 0x010, KeepDma = 0x100 };
  static constexpr std::uint16_t KeepHost = 0x020, KeepUpDown = 0x080;  // of GlobalReset
  enum IntStatus : std::uint16_t {
    InterruptLatch = 0x0001,
    HostError = 0x0002,
    TxComplete = 0x0004,
    RxComplete = 0x0010,
    RxEarly = 0x0020,
    IntRequested = 0x0040,
    UpdateStats = 0x0080,
    LinkEvent = 0x0100,
    DnComplete = 0x0200,
    UpComplete = 0x0400,
    CmdInProgress = 0x1000
  };
  enum DmaCtrl : std::uint32_t {
    DnCmplReq = 0x00000002,
    DnStalled = 0x00000004,
    UpCompleteDma = 0x00000008,
    DnCompleteDma = 0x00000010,
    UpRxEarlyEnable = 0x00000020,
    ArmCountdown = 0x00000040,
    DnInProg = 0x00000080,
    CounterSpeed = 0x00000100,
    CountdownMode = 0x00000200,
    UpAltSeqDisable = 0x00010000,
    DefeatMwi = 0x00100000,
    DefeatMrl = 0x00200000,
    UpOverDiscDisable = 0x00400000,
    MasterAbort = 0x80000000
  };
  /// FrameStartHeader of a DPD.
  enum FrameStart : std::uint32_t {
    RoundUp = 0x00000003,
    PktId = 0x000003FC,
    CrcAppendDisable = 0x00002000,
    TxIndicate = 0x00008000,
    DnCompleteBit = 0x00010000,
    AddIpChecksum = 0x02000000,
    AddTcpChecksum = 0x04000000,
    AddUdpChecksum = 0x08000000,
    RoundUpDefeat = 0x10000000,
    DpdEmpty = 0x20000000,
    DnIndicate = 0x80000000
  };
  static constexpr std::uint32_t last_fragment = 0x80000000;
  enum UpPktStatus : std::uint32_t {
    UpPktLen = 0x00001FFF,
    UpStalled = 0x00002000,
    UpError = 0x00004000,
    UpCompleteBit = 0x00008000,
    UpOverrun = 0x00010000,
    RuntFrame = 0x00020000,
    AlignmentError = 0x00040000,
    CrcError = 0x00080000,
    OversizedFrame = 0x00100000,
    DribbleBits = 0x00800000,
    UpOverflow = 0x01000000,
    ImpliedBufferEnable = 0x10000000
  };
  static constexpr std::uint32_t implied_buffer_bytes = 1528;
  enum TxStatus : std::uint8_t {
    TsComplete = 0x80,
    TsInterruptRequested = 0x40,
    TsJabber = 0x20,
    TsUnderrun = 0x10,
    TsMaxCollisions = 0x08,
    TsOverflow = 0x04,
    TsReclaimError = 0x02
  };
  enum RxFilter : std::uint8_t { Individual = 1, AllMulticast = 2, Broadcast = 4, AllFrames = 8, MulticastHash = 16 };
  enum FifoDiagnostic : std::uint16_t { RxReceiving = 0x8000, RxOverrunDiag = 0x0800 };
  enum NetworkDiagnostic : std::uint16_t {
    ExternalLoopback = 0x8000,
    InternalLoopback = 0x7000,
    TxEnabled = 0x0800,
    RxEnabled = 0x0400,
    TxTransmitting = 0x0200,
    TxFatalError = 0x0100,
    StatisticsEnabled = 0x0080,
    UpperBytesEnable = 0x0040
  };
  enum MediaStatus : std::uint16_t {
    AuiDisable = 0x8000,
    TxInProg = 0x1000,
    LinkDetect = 0x0800,
    LinkBeatEnable = 0x0080,
    JabberGuardEnable = 0x0040,
    CarrierSense = 0x0020,
    EnableSqeStats = 0x0008,
    CrcStripDisable = 0x0004,
    DataRate100 = 0x0002
  };
  enum MacControl : std::uint16_t { FullDuplexEnable = 0x0020, AllowLargePackets = 0x0040 };
  enum PhysicalMgmt : std::uint16_t { MgmtClk = 1, MgmtData = 2, MgmtDir = 4 };

  using Eeprom = EtherLinkEeprom::Contents;
  /// What the chip loads from its EEPROM.
  static constexpr unsigned internal_config_word = 0x12, media_options_word = 0x19;
  struct Counters {
    static constexpr bool fifo_overruns = true;
    std::uint64_t sent = 0, received = 0, collisions = 0, overruns = 0, receive_errors = 0, transmit_errors = 0;
  };

  /// `name` prefixes its events; `seed` starts the backoff generator.
  Cyclone(Scheduler& scheduler, const std::string& name, BurstHost& host, const CycloneTiming& timing,
          const Eeprom& eeprom, const MiiPhyConfig& phy, std::uint64_t seed);

  /// The RST# pin; takes effect at once. A frame on the wire is cut.
  void reset(Time now);
  /// Memory commands as set in configuration space: bytes per cache line (0: unknown), and whether whole lines may be
  /// written with write_invalidate.
  void set_lines(unsigned bytes, bool write_invalidate);

  /// Port `offset` 0 to 127; `bytes` 1, 2 or 4 at an aligned offset.
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now);
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now);
  std::uint32_t peek(std::uint32_t offset, unsigned bytes) const;
  /// The manual's name of the register at `offset`, in the selected window.
  std::string_view register_name(std::uint32_t offset, Direction direction) const;

  BurstClient& bursts() { return engines_; }
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
  void link_changed(bool, Time now) override { phy_.medium_changed(now); }

 private:
  /// By register of window 6; octet counters have 20 bits, frame counters 10.
  enum Statistic : unsigned {
    // clang-format off
    CarrierLost, SqeErrors, MultipleCollisions, SingleCollisions, LateCollisions, RxOverruns, FramesXmittedOk,
    FramesRcvdOk, FramesDeferred, BytesRcvdOk, BytesXmittedOk, statistics
    // clang-format on
  };
  struct TxPacket {
    std::uint32_t header = 0;        // FrameStartHeader
    std::vector<std::uint8_t> data;  // as far as it was downloaded
    std::uint32_t length = 0;        // once its last fragment is known
    bool complete = false;           // all of it was downloaded
    bool over = false;               // abandoned before that
    void archive(Archive& a) { a(header, data, length, complete, over); }
  };
  struct RxPacket {
    std::vector<std::uint8_t> data;  // as far as it has arrived
    std::uint32_t taken = 0;         // bytes uploaded
    std::uint32_t status = 0;        // of UpPktStatus: how it ended
    bool complete = false, overrun = false;
    void archive(Archive& a) { a(data, taken, status, complete, overrun); }
  };
  /// An engine's next or current step.
  enum class Step : std::uint8_t { idle, header, fragment, data, skip, status, next, poll };
  /// What an engine has read of its list.
  struct ListEntry {
    Step step = Step::idle;
    std::uint32_t at = 0;                 // where the descriptor is
    std::uint32_t header = 0;             // FrameStartHeader or UpPktStatus as read
    std::uint32_t next = 0;               // its next pointer as read
    std::uint32_t address = 0, left = 0;  // of the current fragment
    std::uint8_t fragment = 0;            // its number
    bool last = false;                    // it is the last one
    /// The next fragment, by the two doublewords of its descriptor.
    void begin_fragment(std::uint32_t where, std::uint32_t length) {
      address = where;
      left = length & length_most;
      last = length & last_fragment || fragment + 1 == fragments_most;
      ++fragment;
      step = Step::data;
    }
    void archive(Archive& a) { a(step, at, header, next, address, left, fragment, last); }
  };

  // registers
  std::uint16_t peek_word(unsigned reg) const;
  std::uint16_t peek_window(unsigned reg) const;
  std::uint16_t peek_diagnostics(unsigned reg) const;
  std::uint32_t dma_control() const;
  std::uint32_t up_packet_status() const;
  std::uint16_t int_status() const;
  bool pair_register(unsigned reg) const;
  void write_pair(unsigned reg, std::uint32_t value, Time now);
  void write_word(unsigned reg, std::uint16_t value, Time now);
  void write_byte(unsigned reg, std::uint8_t value, Time now);
  void write_window(unsigned reg, std::uint16_t value, Time now);
  void write_physical_management(std::uint16_t value, Time now);
  void read_effects(unsigned reg, Time now);
  Time timer_tick() const;
  void write_countdown(std::uint16_t value, Time now);
  void countdown_over(Time now);
  void describe_engines(Description& d) const;

  // commands and resets
  void command(std::uint16_t value, Time now);
  void stall(unsigned which, Time now);
  void global_reset(std::uint16_t keep, Time now);
  void rx_reset(std::uint16_t keep, Time now);
  void tx_reset(std::uint16_t keep, Time now);
  bool in_progress() const;

  // interrupts and statistics
  void acknowledge(std::uint16_t bits);
  std::uint16_t causes() const;
  void update(Time now);
  void host_error(Time now);
  void acknowledge_all(Time now);
  void count(Statistic s, unsigned n = 1);
  bool statistics_alarm() const;
  std::uint8_t statistics_byte(unsigned reg) const;
  void statistics_read(unsigned reg);

  // download
  void dn_run(Time now);
  void dn_done(Time now);
  void dn_fragment(std::uint32_t address, std::uint32_t length);
  void dn_data(Time now);
  void dn_packet_complete(Time now);
  void dn_next(Time now);
  void dn_poll(Time now);
  static constexpr std::uint32_t burst_unit = 32;  // bytes, of DnBurstThresh and UpBurstThresh [driver: if_xlreg.h]
  std::uint32_t dn_burst() const { return burst_unit * std::max<std::uint32_t>(dn_burst_thresh_, 1); }
  BurstCommand read_command(std::uint32_t address, std::uint32_t bytes) const;
  BurstCommand write_command(std::uint32_t address, std::uint32_t& bytes) const;

  // transmitter
  std::uint32_t tx_free(Time now) const;
  std::uint32_t tx_left(Time now) const;
  bool may_start(const TxPacket& packet) const;
  void start_next(Time now);
  void transmit_start(Time now);
  void starved(Time now);
  void watch_fifo(Time now);
  void tx_append(std::span<const std::uint8_t> bytes, Time now);
  void transmit_finished(const net::TransmitOutcome& outcome, Time now);
  void push_tx_status(std::uint8_t status, std::uint32_t header);
  std::vector<std::uint8_t> assemble(const TxPacket& packet) const;
  bool loops_inside() const { return network_diagnostic_ & InternalLoopback || phy_.loopback(); }
  bool goes_to_wire() const { return !loops_inside() && phy_.connected(); }
  void loop_ends(Time now);

  // receiver
  void hear(Time now);
  void listen(Time now);
  void receive_step(Time now);
  void sync_receive(Time now);
  void store(std::size_t total, const net::Reception& r);
  void receive_ends(const net::Reception& r, Time now);
  bool accepts(const net::Reception& r) const;
  std::size_t visible_from() const;
  std::size_t data_bytes(std::size_t arrived) const;
  std::uint32_t receive_errors(const net::Reception& r, const RxPacket& packet) const;
  void drop_arriving();
  void stop_loop();
  void rx_discard(Time now);
  void rx_drop_head();
  std::uint32_t rx_free() const { return rx_used_ < timing_.receive_fifo ? timing_.receive_fifo - rx_used_ : 0; }

  // upload
  void up_run(Time now);
  void up_done(Time now);
  void up_data(Time now);
  bool up_at_work() const { return up_.step != Step::idle && up_.step != Step::next; }
  void up_poll(Time now);
  std::uint32_t up_burst() const { return burst_unit * std::max<std::uint32_t>(up_burst_thresh_, 1); }

  void check_loaded();

  // MiiPhyUser
  void phy_link_changed(bool up, Time now) override;
  void phy_register_read(unsigned reg, Time now) override;

  Scheduler& scheduler_;
  BurstHost& host_;
  const CycloneTiming timing_;
  unsigned line_bytes_ = 0;
  bool write_invalidate_ = false;

  std::uint8_t window_ = 0, command_low_ = 0;
  std::uint16_t interrupt_enable_ = 0, indication_enable_ = 0;
  std::uint8_t rx_filter_ = 0, tx_reclaim_thresh_ = 0;
  std::uint16_t tx_start_thresh_ = 0, rx_early_thresh_ = 0;
  std::array<std::uint8_t, 6> station_address_{}, station_mask_{};
  std::array<std::uint8_t, 32> hash_filter_{};
  std::uint16_t reset_options_ = 0, mac_control_ = 0;
  std::uint16_t longest_frame_ = 0;  ///< MaxPktSize, which does not count the FCS, and the FCS
  std::uint32_t internal_config_ = 0;
  std::uint16_t network_diagnostic_ = 0, media_status_ = 0, physical_mgmt_ = 0;
  std::array<std::uint32_t, statistics> statistics_{};
  std::uint8_t upper_frames_ = 0, upper_bytes_ = 0;  // of the counters read last
  bool tx_enabled_ = false, rx_enabled_ = false, statistics_enabled_ = false, dc_converter_ = false;
  Time reset_done_{};

  std::uint32_t dma_ctrl_ = 0;  // the bits that software writes
  std::uint8_t dn_burst_thresh_ = 0, dn_priority_thresh_ = 0, dn_poll_interval_ = 0;
  std::uint8_t up_burst_thresh_ = 0, up_priority_thresh_ = 0, up_poll_interval_ = 0;
  std::uint16_t dn_max_burst_ = 0, up_max_burst_ = 0;
  std::uint32_t dn_list_ptr_ = 0, up_list_ptr_ = 0;
  bool dn_stall_ = false, up_stall_ = false;  // by command
  bool up_full_ = false;                      // stalled at a descriptor that is complete
  ListEntry dn_, up_;
  std::uint32_t up_status_ = 0;  // UpPktStatus of the frame uploaded last

  bool latch_ = false, interrupt_ = false;
  bool host_error_ = false, rx_early_ = false, requested_ = false, link_event_ = false;
  bool dn_complete_ = false, up_complete_ = false;
  Time latched_at_{};

  struct TxStatusEntry {
    std::uint8_t status = 0, packet_id = 0;
    void archive(Archive& a) { a(status, packet_id); }
  };
  std::deque<TxPacket> tx_fifo_;
  std::deque<TxStatusEntry> tx_status_;
  bool sending_ = false;  // the packet at the head is with the transmitter
  bool orphan_ = false;   // a reset cut the frame on the wire: its outcome is ignored
  bool tx_fatal_ = false;

  std::deque<RxPacket> rx_fifo_;
  std::uint32_t rx_used_ = 0;
  bool listening_ = false;  // the frame that is arriving began while the receiver was on
  bool storing_ = false;    // ... and its bytes enter the packet at the FIFO's end

  Counters counters_;
  net::EthernetPort port_;
  Loopback loop_{port_};
  MiiPhy phy_;
  MdioPort mdio_;
  EtherLinkEeprom eeprom_;
  DmaEngines engines_;
  DmaEngine up_dma_, dn_dma_;  // uploads go first
  Event transmit_start_;       // the frame at the head reaches the serialiser
  Event starved_;              // the wire needs a byte that is not there
  Event room_;                 // enough has left the FIFO for a burst
  Event loop_end_;             // a frame that does not use the wire has ended
  Event receive_step_;         // enough of the arriving frame is there for the next decision
  Event dn_poll_, up_poll_, countdown_;
};

}  // namespace planar::ethernet
