// SPDX-License-Identifier: GPL-2.0-or-later
// IBM EtherStreamer MC 32: the LANStreamer design on Ethernet, a 32-bit bus master.
//
// HYPOTHETICAL INTERFACE: ID, POS bits and registers are unknown (docs/hardware/streamer.md#etherstreamer-mc-32). What
// is here is planar's own declaration, after the registers of a Token-Ring relative (streamer.hpp).
//
//   POS 0,1  adapter ID: 8FA7h (our choice, among those of its relatives)
//   POS 2    bit 0 enable; bits 2:1 interrupt 5, 9, 10, 11; bits 7:4 I/O base in units of 1000h (0: none)
//   POS 3    bits 3:0 arbitration level, bit 4 fairness, bit 5 streaming data
//
//   base +00..FF  registers; 16 bits, the descriptor addresses 32
//
// In a 32-bit slot an access of 32 bits is one cycle, in a 16-bit slot two. Byte accesses: a read gives its half of the
// word, with the word's effects, a write changes nothing.
#pragma once

#include <cstdint>
#include <span>

#include "bus/mca/slot.hpp"
#include "devices/adapter/burst_master.hpp"
#include "devices/adapter/timing_profile.hpp"
#include "devices/chips/streamer/streamer.hpp"
#include "devices/registry/adapter_registry.hpp"

namespace planar::ethernet {

class EtherStreamer final : public NetworkAdapter, private StreamerBoard, private BurstClient {
 public:
  static constexpr std::uint16_t declared_id = 0x8FA7;
  static const AdapterEntry entry;  ///< its row of the registry

  EtherStreamer(bus::Slot& slot, const net::MacAddress& mac, const TimingProfile& profile, std::uint64_t seed);

  // bus::Adapter
  std::string_view name() const override { return entry.name; }
  std::uint16_t adapter_id() const override { return declared_id; }
  void pos_write(unsigned reg, std::uint8_t value, Time now) override;
  std::uint8_t pos_peek(unsigned reg) const override;
  void channel_reset(Time now) override;
  void archive(Archive& a) override;
  std::span<const std::string_view> limits() const override { return entry.limits; }
  NetCounters counters() const override;

  Streamer& chip() { return chip_; }

 private:
  struct Registers final : Slave {
    explicit Registers(Streamer& c) : chip(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes) const override;
    Streamer& chip;
  };

  // StreamerBoard
  void interrupt(bool asserted, Time now) override;
  void start_transfer(std::uint32_t address, std::uint32_t bytes, Direction direction, Time now) override {
    master_.start(address, bytes, direction, now);
  }
  void cancel_transfer(Time now) override { master_.cancel(now); }
  // BurstClient
  std::span<std::uint8_t> transfer_buffer() override { return chip_.transfer_buffer(); }
  void transfer_done(Time now) override { chip_.transfer_done(now); }

  void claim();
  void configure_master() { master_.configure(pos3_ & 15, pos3_ & 0x10, pos3_ & 0x20); }
  bool enabled() const { return pos2_ & 1; }
  unsigned irq_line() const;

  bus::Slot& slot_;
  CycleSpec cycle_;
  std::uint8_t pos2_ = 0, pos3_ = 0;
  Streamer chip_;
  Registers registers_{chip_};
  IoClaim claim_;
  BurstMaster master_;
};

}  // namespace planar::ethernet
