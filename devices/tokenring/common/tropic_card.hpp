// SPDX-License-Identifier: GPL-2.0-or-later
// IBM's shared-RAM Token Ring adapters for the Micro Channel: the 4 Mbit/s Adapter/A and three generations of the 16/4
// Adapter/A. One board; what differs is declared: identification codes, RAM, fast path, times.
//
//   POS 2  bit 0 enable; bits 7:1 shared RAM at address bits 19:13
//   POS 3  bit 0 alternate (ports A24h instead of A20h); bit 1 ring at 16 Mbit/s; bits 3:2 RAM window 8, 16, 32, 64 KB;
//          bits 6:4 always 010; bit 7 interrupt, lower bit
//   POS 4  bit 0 interrupt, upper bit (9, 3, 10, 11); bits 7:1 MMIO at address bits 19:13, 8 KB
//   POS 5  bit 6 take the speed of the ring that is there; bit 0 early token release off
//
//   port +0 where MMIO is, and the interrupt    +1 reset    +2 where the RAM is; write: reset off    +3 nothing
//
// Source: Linux 2.2 and 2.4 ibmtr, NetBSD if_tr_mca.c (docs/hardware/tropic.md#micro-channel-boards). POS 5 bit 0 is
// planar's own choice, the POS of the 4 Mbit/s board is taken as that of the others without speed and window size.
#pragma once

#include <cstdint>

#include "devices/adapter/mca/mca_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/chips/tropic/tropic.hpp"

namespace planar::tokenring {

/// What distinguishes one of the boards from the others.
struct TropicBoard {
  TropicIdentification identification;
  std::uint32_t ram_bytes;
  bool fast_path;
  bool fixed_window;  ///< 16 KB, and 4 Mbit/s only
  std::array<std::uint8_t, 10> microcode;
};

class TropicCard final : public McaNetworkCard, private TropicHost {
 public:
  static const McaEntry tr4_a;  ///< rows of the registry
  static const McaEntry tr16_4a_1989, tr16_4a_1990, tr16_4a_1994;

  TropicCard(const McaContext& context, const McaEntry& row, const TropicBoard& board);

  // bus::Adapter
  std::uint8_t pos_peek(unsigned reg) const override;
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override;
  net::Port& port() override { return chip_.port(); }

  Tropic& chip() { return chip_; }

 private:
  struct Ports final : Slave {
    explicit Ports(TropicCard& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return peek(offset, bytes, now); }
    void write(std::uint32_t offset, unsigned, std::uint32_t, Time now) override { card.chip_.port_write(offset, now); }
    std::uint32_t peek(std::uint32_t offset, unsigned, Time) const override { return card.chip_.port_peek(offset); }
    TropicCard& card;
  };
  struct Mmio final : Slave {
    explicit Mmio(TropicCard& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return peek(offset, bytes, now); }
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    TropicCard& card;
  };
  struct Window final : Slave {
    explicit Window(TropicCard& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return peek(offset, bytes, now); }
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    Time ready(std::uint32_t offset, unsigned bytes, Direction direction, Time start) override;
    TropicCard& card;
  };

  TropicCard(const McaContext& context, const McaEntry& row, const TropicBoard& board,
             const ethernet::StationOptions& options);

  // TropicHost
  void interrupt(bool asserted, Time now) override { irq_.set(asserted, now); }
  void channel_check(bool asserted, Time now) override { slot_.set_channel_check(asserted, now); }
  // McaCard
  unsigned irq_line() const override;
  void apply_pos() override;
  void reset_board(Time now) override;
  void describe_board(Description& d) const override;

  TropicStraps straps() const;

  const bool fixed_window_;
  CycleSpec register_cycle_;
  Time host_access_;
  Tropic chip_;
  Ports ports_{*this};
  Mmio mmio_{*this};
  Window window_{*this};
  IoClaim port_claim_;
  MemoryClaim mmio_claim_, window_claim_;
};

}  // namespace planar::tokenring
