// SPDX-License-Identifier: GPL-2.0-or-later
// 3Com 3C527 EtherLink/MC 32: a mailbox processor, its RAM in a memory window, and a bus master.
// Source of behaviour: Linux 2.2.26, 2.4.0 and 2.6 3c527.c (docs/hardware/3c527.md#pos).
//
//   POS 0,1  adapter ID: 0041h, or by setting 8EF5h (IBM High Performance LAN Adapter)
//   POS 2    bit 0 enable; bits 3:1 I/O base 7280h, 7290h, 7680h ... 7E90h; bits 6:4 window C0000h + n x 4000h
//   POS 3    the byte of the identity ROM that POS 6 names while POS 7 is 0 (12 to 17: station address)
//   POS 4    bit 0 window on; bit 1 1 = BNC, 0 = AUI; bits 5:2 arbitration level, bit 6 fairness (both inferred)
//   POS 5    bits 3:2 interrupt 9 to 12; bits 5:4 window of 16, 32, 48 KB
#pragma once

#include <array>
#include <cstdint>

#include "devices/adapter/mca/bus_master_card.hpp"
#include "devices/chips/mc32/mc32.hpp"

namespace planar::ethernet {

class ThreeC527 final : public BusMasterCard<Mc32> {
 public:
  static constexpr std::uint16_t threecom_id = 0x0041;
  static const McaEntry entry;  ///< its row of the registry

  explicit ThreeC527(const McaContext& context);

  // bus::Adapter
  std::uint8_t pos_peek(unsigned reg) const override;
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override { return ethernet_counters(chip_.counters()); }

 private:
  struct Ports final : Slave {
    explicit Ports(ThreeC527& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned, Time now) override { return card.chip_.read(offset, now); }
    void write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) override {
      card.chip_.write(offset, static_cast<std::uint8_t>(value), now);
    }
    std::uint32_t peek(std::uint32_t offset, unsigned, Time) const override { return card.chip_.peek(offset); }
    ThreeC527& card;
  };
  struct Window final : Slave {
    explicit Window(ThreeC527& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return peek(offset, bytes, now); }
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    ThreeC527& card;
  };

  ThreeC527(const McaContext& context, const StationOptions& options);

  // McaCard
  unsigned irq_line() const override { return 9 + (pos_[5] >> 2 & 3); }
  void apply_pos() override;
  void reset_board(Time now) override;
  void describe_board(Description& d) const override;
  void pos_changed(unsigned reg, Time now) override;

  net::MacAddress mac_;
  CycleSpec port_cycle_, window_cycle_;
  Ports ports_{*this};
  Window window_{*this};
  IoClaim io_claim_;
  MemoryClaim window_claim_;
};

}  // namespace planar::ethernet
