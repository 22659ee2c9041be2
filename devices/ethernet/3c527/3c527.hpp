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
#include <span>

#include "bus/mca/slot.hpp"
#include "devices/adapter/burst_master.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "devices/chips/mc32/mc32.hpp"
#include "devices/registry/adapter_registry.hpp"

namespace planar::ethernet {

class ThreeC527 final : public NetworkAdapter, private Mc32Board, private BurstClient {
 public:
  static constexpr std::uint16_t threecom_id = 0x0041;
  static const AdapterEntry entry;  ///< its row of the registry

  ThreeC527(bus::Slot& slot, std::uint16_t adapter_id, const net::MacAddress& mac, const TimingProfile& profile,
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

  Mc32& chip() { return chip_; }
  const net::MacAddress& mac() const { return mac_; }

 private:
  struct Ports final : Slave {
    explicit Ports(ThreeC527& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned, Time now) override { return card.chip_.read(offset, now); }
    void write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) override {
      card.chip_.write(offset, static_cast<std::uint8_t>(value), now);
    }
    std::uint32_t peek(std::uint32_t offset, unsigned) const override { return card.chip_.peek(offset); }
    ThreeC527& card;
  };
  struct Window final : Slave {
    explicit Window(ThreeC527& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time) override { return peek(offset, bytes); }
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes) const override;
    ThreeC527& card;
  };

  // Mc32Board
  void interrupt(bool asserted, Time now) override;
  void start_transfer(std::uint32_t address, std::uint32_t bytes, Direction direction, Time now) override;
  void cancel_transfer(Time now) override;
  // BurstClient
  std::span<std::uint8_t> transfer_buffer() override { return chip_.transfer_buffer(); }
  void transfer_done(Time now) override { chip_.transfer_done(now); }

  void decode(Time now);
  void claim();
  bool enabled() const { return pos_[0] & 1; }
  unsigned irq_line() const { return 9 + (pos_[3] >> 2 & 3); }
  unsigned arbitration_level() const { return pos_[2] >> 2 & 15; }

  bus::Slot& slot_;
  std::uint16_t adapter_id_;
  net::MacAddress mac_;
  CycleSpec port_cycle_, window_cycle_;
  std::array<std::uint8_t, 6> pos_{};  // POS 2 to 7
  bool interrupt_ = false;

  Mc32 chip_;
  Ports ports_{*this};
  Window window_{*this};
  IoClaim io_claim_;
  MemoryClaim window_claim_;
  BurstMaster master_;
};

}  // namespace planar::ethernet
