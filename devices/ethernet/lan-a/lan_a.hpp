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

#include <array>
#include <cstdint>
#include <vector>

#include "bus/mca/slot.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "devices/chips/sonic/sonic.hpp"
#include "devices/registry/adapter_registry.hpp"

namespace planar::ethernet {

class LanA final : public NetworkAdapter, private SonicBoard {
 public:
  static constexpr std::uint16_t ibm_id = 0xFFE0;
  static const AdapterEntry entry;  ///< its row of the registry

  /// Bits of the board control register.
  enum Bcm : std::uint8_t { IEN = 0x01, RAMWIN = 0x02, BIT16 = 0x04, RESET = 0x08, IPEND = 0x40, RAMEN = 0x80 };

  LanA(bus::Slot& slot, std::uint16_t adapter_id, const net::MacAddress& mac, const TimingProfile& profile,
       std::uint64_t seed);

  // bus::Adapter
  std::string_view name() const override { return entry.name; }
  std::uint16_t adapter_id() const override { return adapter_id_; }
  void pos_write(unsigned reg, std::uint8_t value, Time now) override;
  std::uint8_t pos_peek(unsigned reg) const override;
  void channel_reset(Time now) override;
  void archive(Archive& a) override;
  std::span<const std::string_view> limits() const override { return entry.limits; }
  NetCounters counters() const override;

  Sonic& chip() { return chip_; }
  const net::MacAddress& mac() const { return mac_; }

 private:
  struct Registers final : Slave {
    explicit Registers(LanA& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes) const override;
    LanA& card;
  };
  struct BoardControl final : Slave {
    explicit BoardControl(LanA& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time) override { return peek(offset, bytes); }
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes) const override;
    LanA& card;
  };
  struct Window final : Slave {
    explicit Window(LanA& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes) const override;
    Time ready(std::uint32_t offset, unsigned bytes, Direction direction, Time start) override;
    LanA& card;
  };

  // SonicBoard
  std::uint8_t memory_read(std::uint32_t address) const override { return ram_[address]; }
  void memory_write(std::uint32_t address, std::uint8_t value) override { ram_[address] = value; }
  void interrupt(bool asserted, Time now) override;

  void claim_ports();
  void claim_window();
  void update_interrupt(Time now);
  void write_control(std::uint8_t value, Time now);
  unsigned irq_line() const;
  bool enabled() const { return pos2_ & 1; }
  bool held_in_reset() const { return bcm_ & RESET; }

  bus::Slot& slot_;
  std::uint16_t adapter_id_;
  net::MacAddress mac_;
  CycleSpec register_cycle_, window_cycle_;
  Time ram_access_;
  std::uint8_t pos2_ = 0, pos3_ = 0, bcm_ = 0;
  std::vector<std::uint8_t> ram_;
  Sonic chip_;
  Registers registers_{*this};
  BoardControl control_{*this};
  Window window_{*this};
  IoClaim register_claim_, control_claim_;
  MemoryClaim window_claim_;
};

}  // namespace planar::ethernet
