// SPDX-License-Identifier: GPL-2.0-or-later
// Digital EtherWORKS MC (DE210, DE212): an Am7990 with 64 KB of RAM in a memory window and 16 I/O ports.
// Source of behaviour: Linux 2.2 depca.c, which quotes Digital's ADF (docs/hardware/am7990.md#digital-de-210).
//
//   POS 0,1  adapter ID 6DEFh, or by setting 628Dh (unknown to Linux 2.2)
//   POS 2    0 enable; 2:1 I/O base 2C00h + n x 10h; 4:3 memory C0000h, D0000h, E0000h; 5 = 1: only its upper 32 KB
//   POS 3    3:0 interrupt, one hot: 1 = 9, 2 = 5, 4 = 10, 8 = 11
//
//   base +0 NICSR    0 LED 1 IEN 2 IM 3 AAC 4 RBE 5 BUF (1 = 32 KB, as POS 2) 6 BS 7 SHE
//        +4 RDP  +6 RAP (words)
//        +C station address PROM: each read gives the next of 32 bytes
//        +2, +E  index and start of the 2 KB buffer mode: kept, without effect
//
//   memory  RAM; while SHE is 0 the upper 16 KB show the ROM instead. LANCE address = low 16 bits of the host's.
#pragma once

#include <array>
#include <cstdint>

#include "devices/adapter/mca/mca_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/ethernet/common/lance_ram.hpp"

namespace planar::ethernet {

class De210 final : public McaNetworkCard, public LanceRam {
 public:
  static constexpr std::uint16_t de212_id = 0x6DEF, de210_id = 0x628D;
  static const McaEntry entry;  ///< its row of the registry

  explicit De210(const McaContext& context);

  // bus::Adapter
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override { return ethernet_counters(chip_.counters()); }
  net::Port& port() override { return chip_.port(); }

 private:
  struct Window final : SharedRam<Am7990> {
    explicit Window(De210& c) : SharedRam(c.ram_, c.chip_, c.slot_.scheduler(), c.ready_delay_), card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    Time ready(std::uint32_t offset, unsigned bytes, Direction direction, Time start) override {
      return card.shows_rom(offset) ? start : SharedRam::ready(offset, bytes, direction, start);
    }
    PortRun port_run(std::uint32_t, unsigned, Direction) override { return {}; }  // it may show the ROM
    De210& card;
  };
  struct Ports final : Slave {
    explicit Ports(De210& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    /// The LANCE answers as a slave only when it is not master of its bus.
    Time ready(std::uint32_t offset, unsigned, Direction, Time start) override;
    De210& card;
  };

  De210(const McaContext& context, const StationOptions& options);

  void interrupt(bool asserted, Time now) override { irq_.set(asserted, now); }
  // McaCard
  unsigned irq_line() const override;
  void apply_pos() override;
  void reset_board(Time now) override;
  void describe_board(Description& d) const override;

  std::uint32_t window_offset() const { return pos_[2] & 0x20 ? 0x8000 : 0; }  // of the window in the RAM
  bool shows_rom(std::uint32_t offset) const;
  std::uint8_t rom_byte(std::uint32_t offset) const;
  std::uint8_t nicsr() const;

  CycleSpec port_cycle_;
  std::uint8_t nicsr_ = 0;
  std::uint16_t rbi_ = 0, rbsa_ = 0;
  std::array<std::uint8_t, 32> prom_{};
  std::uint8_t prom_at_ = 0;
  Window window_{*this};
  Ports ports_{*this};
  MemoryClaim memory_claim_;
  IoClaim port_claim_;
};

}  // namespace planar::ethernet
