// SPDX-License-Identifier: GPL-2.0-or-later
// Madge Smart 16/4 MC Ringnode and Smart 16/4 MC 32 Ringnode: a TMS380 and Madge's own bus chips.
// Source of behaviour: Linux 2.4.0 madgemc.c and madgemc.h (docs/hardware/tms380.md#madge-cards).
//
//   POS 0,1  adapter ID: 002Dh; MC 32 0074h, or by setting 002Dh
//   POS 2    bit 0 enable; bits 3:1 arbitration level - 8; bit 5 I/O base + 1000h; bits 7:6 interrupt -, 3, 9, 10
//   POS 3    bit 2 no ring speed chosen; bit 6 cable 0 UTP, 1 STP; MC 32 bit 0 streaming data (planar's choice)
//   POS 4    bit 2 I/O base + 0400h; bit 4 fairness off; bit 5 16 Mbit/s; bits 7:6 burst mode (madge_master.hpp)
//   POS 5    bit 5 I/O base + 2000h
//
//   base 0A20h and what POS adds; 16 of the 32 ports
//   +0 control 0  40 interrupt latched (read), 10 test interrupt, 08 page of the ID ROM, 04 SIF at +8 (else ID ROM)
//   +1 control 1  80 16 Mbit/s, 40 SRSX: upper half of the SIF, 04 run (0 resets the chip), 01 interrupts on
//   +2..+4        copies of POS 2 to 4
//   +7 cable      1 UTP, 0 STP
//   +8..+F        SIF (tms380.hpp), or a page of the ID ROM: 0: 4Dh, card type, revision, POS 2 to 4;
//                 1: -, the burnt-in address
//
// The interrupt is latched at the chip's rising edge and released by control 1 bit 0 = 0.
//
// The MC 32's POS is not public: what is here is the MC 16's with streaming data added, planar's own declaration.
#pragma once

#include <cstdint>
#include <span>

#include "devices/adapter/mca/mca_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/chips/tms380/tms380.hpp"
#include "devices/tokenring/madge/madge_master.hpp"

namespace planar::tokenring {

class MadgeMc final : public McaNetworkCard, private Tms380Host, private MadgeMasterClient {
 public:
  static constexpr std::uint16_t mc16_id = 0x002D, mc32_id = 0x0074;
  static const McaEntry mc16, mc32;  ///< their rows of the registry

  enum Control0 : std::uint8_t { SINTR = 0x40, TEST_INTERRUPT = 0x10, PAGE = 0x08, SIFSEL = 0x04 };
  enum Control1 : std::uint8_t { SPEED_16 = 0x80, SRSX = 0x40, NSRESET = 0x04, INTERRUPTS = 0x01 };

  MadgeMc(const McaContext& context, const McaEntry& entry);

  // bus::Adapter
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override;
  net::Port& port() override { return chip_.port(); }

  Tms380& chip() { return chip_; }

 private:
  struct Ports final : Slave {
    explicit Ports(MadgeMc& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return peek(offset, bytes, now); }
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    MadgeMc& card;
  };
  struct Sif final : Slave {
    explicit Sif(MadgeMc& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    MadgeMc& card;
  };

  MadgeMc(const McaContext& context, const McaEntry& entry, const ethernet::StationOptions& options);

  // Tms380Host
  void interrupt(bool asserted, Time now) override;
  void start_transfer(std::uint32_t address, unsigned burst, Direction direction, Time now) override {
    master_.start(address, burst, direction, now);
  }
  void cancel_transfer(Time now) override { master_.cancel(now); }
  // MadgeMasterClient
  std::span<std::uint8_t> transfer_buffer() override { return chip_.transfer_buffer(); }
  bool transferring() const override { return chip_.transferring(); }
  void transfer_done(Time now) override { chip_.transfer_done(now); }
  void transfer_failed(bool timeout, Time now) override {
    chip_.transfer_failed(timeout ? DmaFault::timeout : DmaFault::bus_error, now);
  }

  // McaCard
  unsigned irq_line() const override;
  void apply_pos() override;
  void reset_board(Time now) override;
  void describe_board(Description& d) const override;

  bool is_mc32() const { return &entry_ == &mc32; }
  std::uint8_t id_rom(unsigned at) const;
  bool chip_held() const { return !(control1_ & NSRESET); }
  unsigned sif_register(unsigned offset) const { return offset | (control1_ & SRSX ? 8 : 0); }
  void write_control0(std::uint8_t value, Time now);
  void write_control1(std::uint8_t value, Time now);
  void latch(Time now);

  net::MacAddress mac_;
  std::uint32_t ram_bytes_;
  CycleSpec port_cycle_, sif_cycle_;
  std::uint8_t control0_ = 0, control1_ = 0, cable_ = 0;
  bool latched_ = false;
  Tms380 chip_;
  MadgeMaster master_;
  Ports ports_{*this};
  Sif sif_{*this};
  IoClaim port_claim_, sif_claim_;
};

}  // namespace planar::tokenring
