// SPDX-License-Identifier: GPL-2.0-or-later
// Schneider & Koch (SysKonnect) SKnet MC2+ and Junior MC2: an Am7990 with a 16 KB memory window, no I/O ports.
// Source of behaviour: Linux 2.2 sk_mca.c, NetBSD's header for the same boards
// (docs/hardware/am7990.md#sknet-mc2-and-mc2).
//
//   MC2+ (6AFD)    POS 2  0 enable; 1 boot EPROM off; 4:2 EPROM address
//                  POS 3  2:0 window at C0000h + n x 4000h; 7:4 read 0011
//                  POS 4  1:0 must be 0 for a window below 1 MB; 3:2 interrupt 3, 5, 10, 11; 7:6 medium BNC, UTP, AUI
//   Junior (6BE9)  POS 2  0 enable; 3:1 window at C0000h + n x 4000h; 4 interrupt 10, 11
//
//   window 0000..3FBF  RAM (all 16 KB of it are the LANCE's, its address 0 is the window's)
//          3FC0..3FCA  station address, a byte at each even offset
//          3FF0        data latch of register transfers (word)
//          3FF2        control: 0 RAP, else RDP; 1 read, else write; 3 = 0 holds the board in reset
//                      status:  as written, 4 = 0 interrupt pending, 5 transfer busy
//          3FF3        command: 80h starts the transfer between latch and LANCE
#pragma once

#include <cstdint>

#include "devices/adapter/mca/mca_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/ethernet/common/lance_ram.hpp"

namespace planar::ethernet {

class SkNet final : public McaNetworkCard, public LanceRam {
 public:
  static constexpr std::uint16_t mc2_plus_id = 0x6AFD, junior_id = 0x6BE9;
  static const McaEntry entry;  ///< its row of the registry

  explicit SkNet(const McaContext& context);

  // bus::Adapter
  void pos_write(unsigned reg, std::uint8_t value, Time now) override;
  std::uint8_t pos_peek(unsigned reg) const override;
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override { return ethernet_counters(chip_.counters()); }
  net::Port& port() override { return chip_.port(); }

 private:
  struct Window final : SharedRam<Am7990> {
    explicit Window(SkNet& c) : SharedRam(c.ram_, c.chip_, c.slot_.scheduler(), c.ready_delay_), card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    Time ready(std::uint32_t offset, unsigned bytes, Direction direction, Time start) override {
      return offset < registers ? SharedRam::ready(offset, bytes, direction, start) : start;
    }
    PortRun port_run(std::uint32_t offset, unsigned bytes, Direction) override {
      return offset < registers ? run_within(registers - offset, offset, bytes) : PortRun{};
    }
    SkNet& card;
  };
  static constexpr std::uint32_t registers = 0x3FC0;  // and what lies above

  SkNet(const McaContext& context, const StationOptions& options);

  void interrupt(bool asserted, Time now) override { irq_.set(asserted, now); }
  // McaCard
  unsigned irq_line() const override;
  void apply_pos() override;
  void reset_board(Time now) override;
  void describe_board(Description& d) const override;

  bool junior() const { return adapter_id_ == junior_id; }
  std::uint8_t register_byte(std::uint32_t offset) const;
  void write_register_byte(std::uint32_t offset, std::uint8_t value, Time now);
  void transfer_done(Time now);

  net::MacAddress mac_;
  Time transfer_time_;
  std::uint8_t control_ = 0;
  std::uint16_t latch_ = 0;
  Event transfer_done_;
  Window window_{*this};
  MemoryClaim claim_;
};

}  // namespace planar::ethernet
