// SPDX-License-Identifier: GPL-2.0-or-later
// Novell NE/2: a DP8390 behind an I/O data port, with the POS decode that Arco AE/2 and Compex ENET16-MC/P share.
// Source of behaviour: Linux 2.2 ne2.c and 8390.c, NetBSD's decode (facts: ethernet/adapter-ne2.md).
//
//   POS 0,1  adapter ID: 7154h, or by setting 6354h (AE/2), 70DEh (ENET16-MC/P)
//   POS 2    bit 0 enable; bits 3:1 I/O base: 1 to 7 = 1000h 2020h 8020h A0A0h B0B0h C0C0h C3D0h (0: none);
//            bit 4 boot ROM off; bits 6:5 interrupt 3, 4, 5, 9
//
//   base +00..0F  DP8390 registers (8 bits)
//        +10..1F  data port: the I/O latch of remote DMA (16 bits)
//        +20..2F  reset: any access resets the chip
//
//   chip address  0000h  station address PROM, every byte twice (byte n at 2n and 2n+1), as Linux reads it
//                 0400h  the same bytes packed, as NetBSD reads them
//                 4000h  packet RAM, 16 KB, to 7FFFh
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bus/slot.hpp"
#include "devices/adapter_registry.hpp"
#include "devices/ethernet/dp8390.hpp"
#include "devices/timing_profile.hpp"

namespace planar::ethernet {

class Ne2 final : public NetworkAdapter, private Dp8390Board {
 public:
  static constexpr std::uint16_t novell_id = 0x7154;
  static const AdapterEntry entry;  ///< its row of the registry

  Ne2(bus::Slot& slot, std::uint16_t adapter_id, const net::MacAddress& mac, const TimingProfile& profile,
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

  Dp8390& chip() { return chip_; }
  const net::MacAddress& mac() const { return mac_; }

 private:
  struct Registers final : Slave {
    explicit Registers(Ne2& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned, Time now) override { return card.chip_.read(offset, now); }
    void write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) override {
      card.chip_.write(offset, static_cast<std::uint8_t>(value), now);
    }
    std::uint32_t peek(std::uint32_t offset, unsigned) const override { return card.chip_.peek(offset); }
    Ne2& card;
  };
  struct DataPort final : Slave {
    explicit DataPort(Ne2& c) : card(c) {}
    std::uint32_t read(std::uint32_t, unsigned bytes, Time now) override {
      return card.chip_.remote_read(now) & (bytes == 1 ? 0xFF : 0xFFFF);
    }
    void write(std::uint32_t, unsigned, std::uint32_t value, Time now) override {
      card.chip_.remote_write(static_cast<std::uint16_t>(value), now);
    }
    std::uint32_t peek(std::uint32_t, unsigned bytes) const override {
      return card.chip_.remote_peek() & (bytes == 1 ? 0xFF : 0xFFFF);
    }
    Time ready(std::uint32_t, unsigned, Direction, Time start) override { return card.chip_.remote_ready(start); }
    Ne2& card;
  };
  struct ResetPort final : Slave {
    explicit ResetPort(Ne2& c) : card(c) {}
    std::uint32_t read(std::uint32_t, unsigned, Time now) override {
      card.chip_.reset(now);
      return 0xFF;
    }
    void write(std::uint32_t, unsigned, std::uint32_t, Time now) override { card.chip_.reset(now); }
    std::uint32_t peek(std::uint32_t, unsigned) const override { return 0xFF; }
    Ne2& card;
  };

  // Dp8390Board
  std::uint8_t buffer_read(std::uint16_t address) const override;
  void buffer_write(std::uint16_t address, std::uint8_t value) override;
  void interrupt(bool asserted, Time now) override;

  void decode(Time now);
  void claim_ports();
  unsigned irq_line() const;

  bus::Slot& slot_;
  std::uint16_t adapter_id_;
  net::MacAddress mac_;
  CycleSpec register_cycle_, data_cycle_, reset_cycle_;
  std::uint8_t pos2_ = 0;
  bool interrupt_ = false;
  std::vector<std::uint8_t> ram_;
  Dp8390 chip_;
  Registers registers_{*this};
  DataPort data_port_{*this};
  ResetPort reset_port_{*this};
  IoClaim register_claim_, data_claim_, reset_claim_;
};

}  // namespace planar::ethernet
