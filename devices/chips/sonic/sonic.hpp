// SPDX-License-Identifier: GPL-2.0-or-later
// National DP83932 SONIC and DP83934 SONIC-T: Ethernet controllers that master a 16 or 32-bit memory bus.
//
// The chip knows its 64 registers, the memory that it masters (SonicHost), its network port, and time; it knows no
// system bus. Source of behaviour: the DP83932C data sheet (register names and chapters; passages recalled or quoted by
// others: docs/hardware/sonic.md), Linux 2.4 ibmlana.c and sonic.c for what drivers rely on. Files by chapter:
// sonic.cpp registers, commands, CAM, timer and the bus; sonic_transmit.cpp; sonic_receive.cpp.
//
//   00 CR    08 TPS   10 CRBA1  18 RWP    20 TTDA  28 SR
//   01 DCR   09 TFC   11 RBWC0  19 TRBA0  21 CEP   29 WT0
//   02 RCR   0A TSA0  12 RBWC1  1A TRBA1  22 CAP2  2A WT1
//   03 TCR   0B TSA1  13 EOBC   1B TBWC0  23 CAP1  2B RSC
//   04 IMR   0C TFS   14 URRA   1C TBWC1  24 CAP0  2C CRCT
//   05 ISR   0D URDA  15 RSA    1D ADDR0  25 CE    2D FAET
//   06 UTDA  0E CRDA  16 REA    1E ADDR1  26 CDP   2E MPT
//   07 CTDA  0F CRBA0 17 RRP    1F LLFA   27 CDC   2F MDT      3F DCR2
//
// Memory structures; a field is one bus word: 16 bits, or in 32-bit mode 32 bits of which the low half counts.
//   CAM descriptor (URRA:CDP)        entry, address words 0 to 2 (first byte low) for each of CDC; then the enable mask
//   receive resource (URRA:RRP)      buffer address low, high, size in 16-bit words low, high
//   receive descriptor (URDA:CRDA)   status, byte count, packet address low, high, sequence, link (bit 0 EOL), in use
//   transmit descriptor (UTDA:CTDA)  status, config, packet size, fragment count, {address low, high, size}..., link
//
// Chosen where sources leave it open: clearing ISR.RBE makes the chip read the next resource at once, or after the
// frame that it is storing, and abandon the rest of the current buffer; an abort (BCM, EXC, FU, EXD) sets TXER and TXDN
// and leaves CTDA at the descriptor; PKTRX comes with every stored frame, including the one whose link is EOL and which
// the chip keeps (in use stays) until the link has been extended and the next frame arrives.
//
// Known to be simplified: little-endian bus only (BMODE = 0); TCR.POWC, TCR.PMB and DCR2's transceiver bits have no
// effect; the heartbeat is always heard (no HBL); no bus retries (no BR); the packet compression pins are not
// connected; later fragments of a frame are looked up together with the first.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "core/time/time.hpp"
#include "devices/chips/chip_host.hpp"
#include "devices/chips/window_run.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

/// What the chip can access: the memory that it masters, and its interrupt pin.
class SonicHost : public ChipHost {
 public:
  /// `address` has been masked with SonicConfig::address_mask.
  virtual std::uint8_t memory_read(std::uint32_t address) const = 0;
  virtual void memory_write(std::uint32_t address, std::uint8_t value) = 0;
  /// Fills `to` with the bytes from `address` on; they do not extend beyond the mask.
  virtual void memory_copy(std::uint32_t address, std::span<std::uint8_t> to) const = 0;

 protected:
  ~SonicHost() = default;
};

/// Straps and timing. Unit: bus clocks (BSCK) unless said.
struct SonicConfig {
  std::uint64_t bus_clock_hz = 20'000'000;
  unsigned cycle_clocks = 3;        ///< asynchronous memory cycle without wait states; datasheet (synchronous: 2)
  unsigned arbitration_clocks = 4;  ///< HOLD to the first cycle; inferred
  unsigned command_clocks = 4;      ///< register write to HOLD; inferred
  std::uint32_t address_mask = UINT32_MAX;  ///< the address lines that the board decodes; the rest is not connected
  std::uint16_t revision =
      0x0101;  ///< SR. 4 and 6 are the DP83932; Linux macsonic.c meets 0101h on later parts [inferred]
};

class Sonic final : public net::EthernetStation {
 public:
  enum Reg : std::uint8_t {
    // clang-format off
    CR, DCR, RCR, TCR, IMR, ISR, UTDA, CTDA, TPS, TFC, TSA0, TSA1, TFS, URDA, CRDA, CRBA0,
    CRBA1, RBWC0, RBWC1, EOBC, URRA, RSA, REA, RRP, RWP, TRBA0, TRBA1, TBWC0, TBWC1, ADDR0, ADDR1, LLFA,
    TTDA, CEP, CAP2, CAP1, CAP0, CE, CDP, CDC, SR, WT0, WT1, RSC, CRCT, FAET, MPT, MDT,
    DCR2 = 0x3F
  };
  enum CrBit : std::uint16_t { HTX = 0x001, TXP = 0x002, RXDIS = 0x004, RXEN = 0x008, STP = 0x010, ST = 0x020,
                               RST = 0x080, RRRA = 0x100, LCAM = 0x200 };
  enum DcrBit : std::uint16_t { TFT = 0x0003, RFT = 0x000C, BMS = 0x0010, DW = 0x0020, WC = 0x00C0, SBUS = 0x0400,
                                LBR = 0x2000, EXBUS = 0x8000 };
  enum RcrBit : std::uint16_t { PRX = 0x0001, LBK = 0x0002, FAER = 0x0004, CRCR = 0x0008, COL = 0x0010, CRS = 0x0020,
                                LPKT = 0x0040, BC = 0x0080, MC = 0x0100, LB = 0x0600, AMC = 0x0800, PRO = 0x1000,
                                BRD = 0x2000, RNT = 0x4000, ERR = 0x8000 };
  enum TcrBit : std::uint16_t { PTX = 0x0001, BCM = 0x0002, FU = 0x0004, PMB = 0x0008, OWC = 0x0020, EXC = 0x0040,
                                CRSL = 0x0080, NCRS = 0x0100, DEF = 0x0200, EXD = 0x0400, EXDIS = 0x1000, CRCI = 0x2000,
                                POWC = 0x4000, TCR_PINT = 0x8000 };
  enum IsrBit : std::uint16_t { RFO = 0x0001, MP = 0x0002, FAE = 0x0004, CRC = 0x0008, RBAE = 0x0010, RBE = 0x0020,
                                RDE = 0x0040, TC = 0x0080, TXER = 0x0100, TXDN = 0x0200, PKTRX = 0x0400, PINT = 0x0800,
                                LCD = 0x1000, HBL = 0x2000, BR = 0x4000 };
  // clang-format on
  enum Dcr2Bit : std::uint16_t { RJCM = 0x0001 };

  struct Counters {
    static constexpr bool fifo_overruns = true;
    std::uint64_t sent = 0, received = 0, collisions = 0, overruns = 0, missed = 0, receive_errors = 0,
                  transmit_errors = 0;
    std::uint64_t without_buffer() const { return missed - overruns; }  // an overrun is a missed frame too
  };

  /// `name` prefixes its events; `seed` starts the backoff generator.
  Sonic(Scheduler& scheduler, const std::string& name, SonicHost& host, const SonicConfig& config, std::uint64_t seed);

  /// The RESET pin; takes effect at once. A frame on the wire is cut.
  void reset(Time now);
  /// Register `reg` 0 to 63.
  std::uint16_t read(unsigned reg, Time now);
  /// `lanes` are the bits that the access drives: FFFFh, or 00FFh and FF00h for bytes. The others keep their value.
  void write(unsigned reg, std::uint16_t value, Time now, std::uint16_t lanes = 0xFFFF);
  std::uint16_t peek(unsigned reg) const;

  /// Brings memory up to date with what has arrived, before anyone else reads it.
  void sync(Time now) { sync_receive(now); }
  /// Someone else wrote memory: data that the transmitter has not fetched yet change with it.
  void memory_written(std::uint32_t address, std::uint8_t value, Time now);
  /// When someone else's access to memory, wanted at `t`, can begin: the chip keeps the bus for a burst.
  Time local_bus_free(Time t) const;
  /// When that and sync() next matter.
  Undisturbed undisturbed(Time now) const;
  /// How many bytes from `address` on do not belong to the frame on the wire (memory_written()).
  std::uint32_t not_on_wire(std::uint32_t address) const;
  /// The board kept the chip off the bus from `from` until now: the FIFOs may have run over or dry.
  void bus_denied(Time from, Time now);

  net::EthernetPort& port() { return port_; }
  const Counters& counters() const { return counters_; }
  /// Registers and state; changes nothing.
  void describe(Description& d) const;
  /// The data sheet's name of a register; empty for a reserved one.
  static std::string_view register_name(unsigned reg);
  bool interrupt() const { return interrupt_; }
  void archive(Archive& a);

  // net::EthernetStation
  void frame_begins(const net::Reception& reception, Time now) override;
  void frame_ends(const net::Reception& reception, Time now) override;
  void transmit_begins(Time now) override;
  void transmit_ends(const net::TransmitOutcome& outcome, Time now) override;

 private:
  static constexpr std::uint16_t EOL = 1;  // of every link field
  static constexpr unsigned fifo_bytes = 32;

  // control
  void command(std::uint16_t value, Time now);
  void enter_reset(Time now);
  void acknowledge(std::uint16_t bits, Time now);
  void raise(std::uint16_t isr_bits, Time now);
  void update_interrupt(Time now);
  void tally(Reg counter, IsrBit rollover, Time now);
  void cam_loaded(Time now);
  std::uint16_t access_mask(unsigned reg) const;
  unsigned loopback() const { return (regs_[RCR] & LB) >> 9; }

  // timer
  std::uint32_t timer(Time now) const;
  void set_timer(std::uint32_t value, Time now);
  void run_timer(bool on, Time now);
  void timer_expired(Time now);

  // bus
  unsigned width() const { return regs_[DCR] & DW ? 4 : 2; }
  Time clocks(std::int64_t n) const { return clock_time_ * n; }
  Time cycle() const;
  Time burst(unsigned bytes) const {
    return clocks(config_.arbitration_clocks) + cycle() * ((bytes + width() - 1) / width());
  }
  /// Bytes for each burst that fills the transmit FIFO.
  unsigned transmit_burst() const {
    return regs_[DCR] & BMS ? transmit_threshold() : fifo_bytes - transmit_threshold();
  }
  Time claim_bus(unsigned accesses, Time now);
  std::uint32_t at(Reg upper, std::uint16_t low) const { return std::uint32_t{regs_[upper]} << 16 | low; }
  std::uint32_t field_at(Reg upper, std::uint16_t base, unsigned n) const;
  std::uint16_t load(std::uint32_t address) const;
  void store(std::uint32_t address, std::uint16_t value, Time now);
  void store_byte(std::uint32_t address, std::uint8_t value, Time now);

  // transmitter
  void begin_transmit(Time now);
  void descriptor_read(Time now);
  bool fetch_frame(std::vector<std::uint8_t>& frame);
  void finish_transmit(std::uint16_t status, Time now);
  void transmit_done(Time now);
  void deferred_too_long(Time now);
  void looped(Time now);
  unsigned transmit_threshold() const;

  // receiver
  void receive_step(Time now);
  bool address_matches(const net::Reception& reception);
  void begin_storing(Time now);
  bool take_descriptor(Time now);
  void store_arrived(std::size_t count, const net::Reception& reception, Time now);
  void sync_receive(Time now);
  void buffer_exceeded(Time now);
  void end_reception(const net::Reception& reception, Time now);
  void receive_done(Time now);
  void missed(Time now);
  void next_resource(Time now);
  void resource_read(Time now);
  unsigned receive_threshold() const;
  std::uint32_t buffer_words() const { return at(RBWC1, regs_[RBWC0]); }

  Scheduler& scheduler_;
  SonicHost& host_;
  SonicConfig config_;
  Time clock_time_;

  std::array<std::uint16_t, 64> regs_{};
  std::array<std::array<std::uint16_t, 3>, 16> cam_{};
  bool interrupt_ = false;
  std::uint32_t timer_value_ = 0;  // at timer_since_
  Time timer_since_{};
  Time job_start_{}, job_end_{};  // when the latest descriptor transfers had the bus

  bool orphan_ = false;                                  // a reset cut the frame on the wire: its outcome is ignored
  bool carrier_seen_ = false;                            // when the frame on the wire began
  bool mismatch_ = false;                                // packet size and fragments disagree
  std::uint16_t status_ = 0;                             // to be written to the descriptor
  std::vector<std::array<std::uint32_t, 3>> fragments_;  // masked address, offset in the frame, bytes
  std::vector<std::uint8_t> loop_frame_;

  bool listening_ = false;  // the frame on the wire began while the receiver was on
  bool matched_ = false;
  bool storing_ = false;  // its bytes go into the buffer
  bool overrun_ = false;
  bool exhausted_ = false;      // the last resource is used up
  bool resource_owed_ = false;  // RBE was cleared while a frame was being stored
  std::uint32_t stored_ = 0;
  std::uint16_t frame_status_ = 0;

  Counters counters_;
  net::EthernetPort port_;
  Event cam_loaded_;
  Event timer_expired_;
  Event descriptor_read_;  // a transmit descriptor, and the FIFO up to its threshold
  Event deferral_;
  Event transmit_done_;  // status is in the descriptor, the link has been read
  Event looped_;
  Event receive_done_;  // status is in the descriptor
  Event resource_read_;
  Event receive_step_;  // the destination address is complete; last: it waits for the two above at their time
};

}  // namespace planar::ethernet
