// SPDX-License-Identifier: GPL-2.0-or-later
// IBM LAN Adapter/A for Ethernet: a SONIC-T on its own 32 KB of shared RAM.
// Source of behaviour: Linux 2.4 ibmlana.c and ibmlana.h (docs/hardware/sonic.md#lan-adaptera).
//
//   POS 0,1  adapter ID: FFE0h, or by setting FEE6h (the board of the 5494 controller, without RPL ROM)
//   POS 2    bit 0 enable; bits 2:1 interrupt 5, 15, 10, 11; bits 4:3 medium 10BaseT, AUI, -, 10Base2;
//            bits 7:5 I/O base in units of 1000h (0: none)
//   POS 3    bit 0 window 0 = 16 KB, 1 = 32 KB; bits 7:4 window at C0000h in units of 2000h
//
//   base +00..7F  SONIC registers, a word each
//        +80      board control: 7 RAM in the window, 6 interrupt pending (read), 3 reset the board, 2 in a 16-bit slot
//                 (read), 1 window on, 0 interrupts on
//        +90..9F  identification PROM: station address at +92h
//
// The RAM is 8K x 32 bits. In a 32-bit slot the window answers with -CD DS 32, in a 16-bit slot with -CD DS 16.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "devices/adapter/mca/mca_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/chips/shared_ram.hpp"
#include "devices/chips/sonic/sonic.hpp"

namespace planar::ethernet {

class LanA final : public McaNetworkCard, private SonicHost {
 public:
  static constexpr std::uint16_t ibm_id = 0xFFE0;
  static const McaEntry entry;  ///< its row of the registry

  /// Bits of the board control register.
  enum Bcm : std::uint8_t { IEN = 0x01, RAMWIN = 0x02, BIT16 = 0x04, RESET = 0x08, IPEND = 0x40, RAMEN = 0x80 };

  explicit LanA(const McaContext& context);

  // bus::Adapter
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override { return ethernet_counters(chip_.counters()); }
  net::Port& port() override { return chip_.port(); }

 private:
  struct Registers final : Slave {
    explicit Registers(LanA& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    std::string_view register_name(std::uint32_t offset, Direction) const override {
      return Sonic::register_name(offset / 2);
    }
    LanA& card;
  };
  struct BoardControl final : Slave {
    explicit BoardControl(LanA& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return peek(offset, bytes, now); }
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    LanA& card;
  };
  struct Window final : SharedRam<Sonic> {
    explicit Window(LanA& c) : SharedRam(c.ram_, c.chip_, c.slot_.scheduler(), c.ram_access_), card(c) {}
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    PortRun port_run(std::uint32_t offset, unsigned bytes, Direction direction) override;
    LanA& card;
  };

  LanA(const McaContext& context, const StationOptions& options);

  // SonicHost
  std::uint8_t memory_read(std::uint32_t address) const override { return ram_[address]; }
  void memory_write(std::uint32_t address, std::uint8_t value) override { ram_[address] = value; }
  void memory_copy(std::uint32_t address, std::span<std::uint8_t> to) const override {
    std::copy_n(ram_.begin() + address, to.size(), to.begin());
  }
  void interrupt(bool asserted, Time now) override { irq_.set(asserted, now); }

  // McaCard
  unsigned irq_line() const override;
  void apply_pos() override;
  void reset_board(Time now) override;
  void describe_board(Description& d) const override;

  void claim_window();
  void write_control(std::uint8_t value, Time now);
  bool held_in_reset() const { return bcm_ & RESET; }

  net::MacAddress mac_;
  CycleSpec register_cycle_, window_cycle_;
  Time ram_access_;
  std::uint8_t bcm_ = 0;
  std::vector<std::uint8_t> ram_;
  Sonic chip_;
  Registers registers_{*this};
  BoardControl control_{*this};
  Window window_{*this};
  IoClaim register_claim_, control_claim_;
  MemoryClaim window_claim_;
};

}  // namespace planar::ethernet
