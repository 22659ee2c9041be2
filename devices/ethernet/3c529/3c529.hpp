// SPDX-License-Identifier: GPL-2.0-or-later
// 3Com 3C529 EtherLink III/MC: the EtherLink III chip on the Micro Channel, a 16-bit slave of sixteen ports.
// Source of behaviour: the MCA parts of Linux 2.2 3c509.c and NetBSD if_ep_mca.c
// (docs/hardware/etherlink3.md#3com-3c529).
//
//   POS 0,1  adapter ID: 627Ch (coax, AUI); by setting 627Dh (TP, AUI), 62DBh (all three), 62F6h (TP, coax), 62F7h (TP)
//   POS 2    bit 0 enable
//   POS 3    boot ROM range (no ROM fitted)
//   POS 4    bits 7:2 I/O base 0200h + n x 0400h; bits 1:0 transceiver 0 TP, 1 AUI, 3 coax
//   POS 5    bits 3:0 interrupt line in binary
#pragma once

#include <array>
#include <cstdint>

#include "bus/mca/slot.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "devices/chips/etherlink3/etherlink3.hpp"
#include "devices/registry/adapter_registry.hpp"

namespace planar::ethernet {

class ThreeC529 final : public NetworkAdapter, private EtherLink3Board {
 public:
  static constexpr std::uint16_t coax_id = 0x627C;
  static const AdapterEntry entry;  ///< its row of the registry

  ThreeC529(bus::Slot& slot, std::uint16_t adapter_id, const net::MacAddress& mac, const TimingProfile& profile,
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

  EtherLink3& chip() { return chip_; }

 private:
  struct Ports final : Slave {
    explicit Ports(EtherLink3& c) : chip(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override {
      return chip.read(offset, bytes, now);
    }
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override {
      chip.write(offset, bytes, value, now);
    }
    std::uint32_t peek(std::uint32_t offset, unsigned bytes) const override { return chip.peek(offset, bytes); }
    EtherLink3& chip;
  };

  void interrupt(bool asserted, Time now) override;
  void decode(Time now);
  void claim_ports();
  bool enabled() const { return pos_[0] & 1; }
  unsigned irq_line() const { return pos_[3] & 15; }

  bus::Slot& slot_;
  std::uint16_t adapter_id_;
  CycleSpec cycle_;
  std::array<std::uint8_t, 4> pos_{};  // POS 2 to 5
  bool interrupt_ = false;
  EtherLink3 chip_;
  Ports ports_{chip_};
  IoClaim claim_;
};

}  // namespace planar::ethernet
