// SPDX-License-Identifier: GPL-2.0-or-later
// IBM LANStreamer: a Token-Ring bus master without a frame store. Frames pass between ring and host memory through
// small FIFOs while they are on the ring; a microprocessor runs the ring's protocol and answers the host's requests.
//
// Registers, mailboxes and descriptors are those of the family's PCI adapter as its driver in Linux uses them
// (docs/hardware/streamer.md#the-relatives-registers). That the Micro Channel chip set has them too is planar's
// assumption; what the driver does not show is marked (D) here and is planar's own.
//
//   Window of 256 bytes, 16-bit registers, descriptor addresses 32 bits. _SUM, _RUM: registers.hpp.
//   +10 12 14  LISR       to the microprocessor: 0020 SRB command, 0010 ASB reply, 0004 ASB free request,
//                         0002 ARB free, 0001 TRB frame. A bit acts when it is written; it reads 1 until it is
//                         served (D)
//   +16 18 1A  SISR       to the host: 8000 something stands in MISR under its mask (computed, D), 0200 LAP access
//                         error, 0020 SRB reply, 0010 ASB free, 0008 ARB command, 0004 TRB reply
//   +4A        GPR        0008 16 Mbit/s, 0004 autosense; after a reset what POS says (D)
//   +50 52     BMCTL      4000 TX1 disable, 0400 TX2 disable, 0040 RX disable, 0020 receiver enabled (computed)
//   +54 56 58  SISR_MASK  8000 interrupts on; the other bits let theirs through
//   +5A        MISR       RUM: for TX2 8000 idle, 2000 halt, 1000 end of frame; for TX1 0800, 0200, 0100; 0020 RX no
//                         buffer, 0010 RX end of buffer, 0001 RX end of frame
//   +5C 5E     MISR_MASK  RUM
//   +60        BCTL       8000 soft reset, held while 1; 0008, 0002 FIFO sizes of later drivers: latches
//   +62 64     LAPA, LAPE address in the adapter's 8 KB; LAPE is a latch (D)
//   +66 68     LAPD, LAPDINC  two bytes there, in address order; the same, then LAPA += 2
//   +6A 6C     LAPWWO, LAPWWC first byte that the host may write, first after it (D); the first SRB lies at LAPWWO.
//                         Other writes, and addresses beyond the memory, change nothing and raise LAP access error (D)
//   +6E        LAPCTL     a latch (D)
//   +90 94     RXLBDA, RXBDA   last buffer descriptor that the adapter may use; the first
//   +98 9C     RXSTAT, RXDBA   the status that was written last; the address in hand (D)
//   +A0 A4     TX1LFDA, TX1FDA  last frame descriptor to be sent; the next one (D)
//   +A8 AC     of channel 1: status, data address
//   +B0..BC    the same four for channel 2. A write of the upper half acts
//
// Files: registers.cpp, mailboxes.cpp (SRB, ARB, ASB, local memory), open.cpp (ring and microprocessor), transmit.cpp,
// receive.cpp, state.cpp.
//
// Not modelled: parity and adapter checks, the timer, microcode update, bridge functions, wrap modes, TRB commands
// (answered "unrecognised"), more than one group address.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/chips/lanstreamer/local_memory.hpp"
#include "devices/chips/lanstreamer/transmit_frame.hpp"
#include "devices/chips/streamer/chip_set.hpp"
#include "devices/medium/ring/ring_port.hpp"

namespace planar::tokenring {

struct LanStreamerConfig : streamer::ChipSetConfig {
  bool full_duplex = false, autosense = false;  ///< capabilities of the ring chip and its microcode
  std::array<std::uint8_t, 10> microcode{};     ///< level, as the ring's manager sees it
  std::array<std::uint8_t, 18> product{};       ///< product instance ID
};

class LanStreamer final : public streamer::ChipSet, private net::RingStation {
 public:
  enum Srb : std::uint8_t {
    SRB_NO_OPERATION = 0x00,
    SRB_MODIFY_OPEN_OPTIONS = 0x01,
    SRB_RESET_GROUP = 0x02,
    SRB_OPEN = 0x03,
    SRB_CLOSE = 0x04,
    SRB_SET_GROUP = 0x06,
    SRB_SET_FUNCTIONAL = 0x07,
    SRB_READ_LOG = 0x08,
    SRB_MODIFY_RECEIVE_OPTIONS = 0x17
  };
  enum Arb : std::uint8_t { ARB_RECEIVE_DATA = 0x81, ARB_LAN_STATUS = 0x84 };
  /// Return codes. The host presets FEh.
  enum Rc : std::uint8_t {
    RC_GOOD = 0x00,
    RC_UNKNOWN = 0x01,
    RC_OPEN = 0x03,
    RC_CLOSED = 0x04,
    RC_FAILED = 0x07,  ///< OPEN: see the error code
    RC_BUFFER = 0x26,  ///< ASB: not one of our buffers
    RC_BAD_NODE = 0x32,
    RC_NO_GROUP = 0x39,
    RC_BAD_GROUP = 0x3C,
    RC_GROUPS_FULL = 0x3E,
    RC_GROUP_SET = 0x55,
    RC_ACCEPTED = 0xFF  ///< ASB
  };
  enum OpenOption : std::uint16_t {
    EXTERNAL_WRAP = 0x8000,
    PASS_ADAPTER_MAC = 0x1000,
    PASS_ATTENTION_MAC = 0x0800,
    CONTENDER = 0x0100,
    PASS_BEACON = 0x0080,
    ENABLE_FDX = 0x0040,
    INHIBIT_ETR = 0x0010,
    INTERNAL_WRAP = 0x0008
  };
  enum OpenedAs : std::uint8_t { OPENED_16MBPS = 0x01, OPENED_FDX = 0x08 };
  enum LanStatus : std::uint16_t { LSC_FDX_MODE = 0x0004 };
  /// Copy-all options of MODIFY RECEIVE OPTIONS: MAC frames go through the receive channel, not to local buffers; LLC
  /// frames for other stations are received, too.
  enum CopyAll : std::uint8_t { COPY_MAC = 0x40, COPY_LLC = 0x20 };

  static constexpr std::uint32_t least_buffer = 64;  ///< a receive buffer with less cuts the frame (D)

  struct Counters {
    std::uint64_t sent = 0, received = 0, overruns = 0, underruns = 0, lost = 0, congested = 0;
  };

  /// `node`: the burnt-in address, as sent on the ring.
  LanStreamer(Scheduler& scheduler, const std::string& name, BusMasterHost& host, const LanStreamerConfig& config,
              const net::MacAddress& node, std::uint64_t seed);

  /// The selection of the board's POS bits: GPR after a reset, and whether early token release is inhibited.
  void configure(std::uint16_t gpr, bool inhibit_early_release);

  void reset(Time now) override;

  net::RingPort& port() { return port_; }
  const Counters& counters() const { return counters_; }
  /// Registers and state; changes nothing.
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  static constexpr Job tx_wire{5}, tx_next{6}, tx_status{7};  // the transmitter's transfers
  enum class Ring : std::uint8_t { closed, opening, open };

  // registers.cpp
  bool open() const override { return ring_ == Ring::open; }
  std::uint16_t local(std::uint16_t at) const override;
  void put_local(std::uint16_t at, std::uint16_t value, Time now) override;
  void local_read(Time now) override;
  std::uint16_t peek_own(std::uint32_t offset) const override;
  void written(std::uint32_t offset, std::uint16_t value, Time now) override;

  // mailboxes.cpp
  void ring_doorbell(std::uint16_t bits, Time now);
  void serve(Time now);
  void reply(std::uint8_t code, Time now);
  std::optional<std::uint8_t> execute(Time now);
  std::uint8_t set_group(std::uint32_t group);
  std::uint8_t reset_group(std::uint32_t group);
  void read_log();
  std::uint8_t take_asb();
  bool pass_to_local_buffers(const net::RingReception& r, Time now);
  void offer_arb(Time now);

  // open.cpp
  void self_tested(Time now);
  std::optional<std::uint8_t> open_adapter(Time now);
  void close(Time now);
  void pass_mac();
  void insertion_ends(const net::InsertionOutcome& outcome, Time now) override;
  void ring_status_changed(std::uint16_t bits, Time now) override;

  // transmit.cpp
  std::optional<unsigned> waiting_channel() const;
  void transmit_pump(Time now) override;
  void transmit_transfer_done(Job job, Time now) override;
  std::uint32_t fill_wanted(const TransmitFrame& f, Time now);
  std::uint32_t left(Time now) const;
  void took_descriptor(Time now);
  void filled(bool on_ring, Time now);
  void start_frame(Time now);
  void finish(TransmitFrame& f, std::uint32_t status);
  void status_written(Time now);
  void stop_transmit(unsigned channel, Time now);
  void stop_transmit_channels(std::uint16_t stopped, Time now) override;
  void transmit_begins(Time now) override;
  void transmit_ends(const net::RingTransmitOutcome& outcome, Time now) override;

  // state.cpp
  bool sound() const;

  // receive.cpp
  void frame_begins(const net::RingReception& r, Time now) override;
  bool frame_ends(const net::RingReception& r, Time now) override;
  void more_arrived(Time now);
  void cut_short(Time now);
  void expect_more(Time now) override;
  void buffer_returned(bool last, Time now) override;
  void catch_up(Time now) override;
  void overrun() override { ++counters_.overruns; }
  void no_buffer(Time now) override;
  void frame_cut() override { ++counters_.congested; }
  void frame_stored() override { ++counters_.received; }

  const LanStreamerConfig config_;
  const net::MacAddress node_;
  std::uint16_t board_gpr_ = 0;  // from POS
  bool board_inhibits_etr_ = false;

  // registers
  std::uint16_t gpr_ = 0, lape_ = 0, lapctl_ = 0;

  // microprocessor
  LocalMemory memory_;
  std::uint16_t rung_ = 0;  // doorbells not served yet
  Ring ring_ = Ring::closed;
  std::uint16_t open_options_ = 0, lan_status_ = 0;
  std::uint8_t copy_all_ = 0;
  std::uint32_t functional_ = 0, group_ = 0;
  net::MacAddress address_;
  bool arb_busy_ = false;             // the ARB belongs to the host
  std::uint16_t status_pending_ = 0;  // LAN status that waits for the ARB
  std::deque<MacBuffer> mac_frames_;  // in local buffers; the first `mac_offered_` have been offered
  std::uint32_t mac_offered_ = 0;

  // transmitter
  std::array<TransmitChannel, 2> channels_;
  std::uint8_t fetching_ = 0;                 // channel whose descriptor is on its way
  std::optional<TransmitFrame> wire_, next_;  // handed to the port; after it in the FIFO
  bool sending_ = false;                      // the frame at the port is on the ring
  std::deque<TransmitFrame> ended_;           // status is to be written
  std::array<std::uint32_t, 2> tx_statuses_{};

  // receiver
  std::uint32_t rx_status_ = 0;

  Counters counters_;
  net::RingPort port_;
  Event self_test_, firmware_, room_, more_;
};

}  // namespace planar::tokenring
