// SPDX-License-Identifier: GPL-2.0-or-later
// Schneider & Koch (SysKonnect) SKnet MC2+ and Junior MC2: an Am7990 behind a 16 KB memory window, no I/O ports.
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

#include "bus/mca/slot.hpp"
#include "devices/ethernet/common/lance_ram.hpp"
#include "devices/registry/adapter_registry.hpp"

namespace planar::ethernet {

class SkNet final : public NetworkAdapter, public LanceRam {
 public:
  static constexpr std::uint16_t mc2_plus_id = 0x6AFD, junior_id = 0x6BE9;
  static const AdapterEntry entry;  ///< its row of the registry

  SkNet(bus::Slot& slot, std::uint16_t adapter_id, const net::MacAddress& mac, const TimingProfile& profile,
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

 private:
  struct Window final : Slave {
    explicit Window(SkNet& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes) const override;
    Time ready(std::uint32_t offset, unsigned, Direction, Time start) override {
      return offset < registers ? card.ram_ready(start) : start;
    }
    SkNet& card;
  };
  static constexpr std::uint32_t registers = 0x3FC0;  // and what lies above

  void interrupt(bool asserted, Time now) override;

  bool junior() const { return adapter_id_ == junior_id; }
  std::uint8_t register_byte(std::uint32_t offset) const;
  void write_register_byte(std::uint32_t offset, std::uint8_t value, Time now);
  void transfer_done(Time now);
  bool enabled() const { return pos_[0] & 1; }
  unsigned irq_line() const;
  void decode(Time now);
  void claim_window();

  bus::Slot& slot_;
  std::uint16_t adapter_id_;
  net::MacAddress mac_;
  Time transfer_time_;
  std::uint8_t pos_[3] = {0, 0x30, 0};  // POS 2 to 4
  std::uint8_t control_ = 0;
  std::uint16_t latch_ = 0;
  bool interrupt_ = false;
  Event transfer_done_;
  Window window_{*this};
  MemoryClaim claim_;
};

}  // namespace planar::ethernet
