// SPDX-License-Identifier: GPL-2.0-or-later
// Olicom OC-2335 Fast Ethernet for Micro Channel: a DP83800 behind a 16-bit slave port.
//
// HYPOTHETICAL INTERFACE: only the card's name, its 100 Mbit/s, the name of its controller and that it masters nothing
// are known (docs/hardware/oc2335.md). ID, POS, ports and registers are planar's own declaration.
//
//   POS 0,1  adapter ID: 6F35h (our choice; no list known to us has it)
//   POS 2    bit 0 enable; bits 2:1 interrupt 5, 9, 10, 11; bits 7:4 I/O base in units of 1000h (0: none)
//
//   base +00..2F  DP83800 registers, a word each (dp83800.hpp)
//
// A byte read gives its half of the word, with the word's effects; a byte write changes nothing.
#pragma once

#include <cstdint>

#include "bus/mca/slot.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "devices/chips/dp83800/dp83800.hpp"
#include "devices/registry/adapter_registry.hpp"

namespace planar::ethernet {

class Oc2335 final : public NetworkAdapter, private Dp83800Board {
 public:
  static constexpr std::uint16_t declared_id = 0x6F35;
  static const AdapterEntry entry;  ///< its row of the registry

  Oc2335(bus::Slot& slot, const net::MacAddress& mac, const TimingProfile& profile, std::uint64_t seed);

  // bus::Adapter
  std::string_view name() const override { return entry.name; }
  std::uint16_t adapter_id() const override { return declared_id; }
  void pos_write(unsigned reg, std::uint8_t value, Time now) override;
  std::uint8_t pos_peek(unsigned reg) const override;
  void channel_reset(Time now) override;
  void archive(Archive& a) override;
  std::span<const std::string_view> limits() const override { return entry.limits; }
  NetCounters counters() const override;

  Dp83800& chip() { return chip_; }

 private:
  struct Registers final : Slave {
    explicit Registers(Dp83800& c) : chip(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes) const override;
    Dp83800& chip;
  };

  // Dp83800Board
  void interrupt(bool asserted, Time now) override;

  void claim();
  bool enabled() const { return pos2_ & 1; }
  unsigned irq_line() const;

  bus::Slot& slot_;
  CycleSpec cycle_;
  std::uint8_t pos2_ = 0;
  Dp83800 chip_;
  Registers registers_{chip_};
  IoClaim claim_;
};

}  // namespace planar::ethernet
