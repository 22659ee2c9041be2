// SPDX-License-Identifier: GPL-2.0-or-later
// What the cards with a DP8390 and an I/O data port share (NE/2 and its sisters, DE-320): the chip, 16 KB of packet
// RAM, the data port with its ready delay, the reset port, interrupt and snapshot. A card adds its POS decode, its
// address PROM and anything else that it decodes.
//
//   POS 0,1  adapter ID        POS 2  bit 0 enable; the rest is the card's
//
//   base +00..0F  DP8390 registers (8 bits)
//        +10..1F  data port: the I/O latch of remote DMA (16 bits); the card may keep some of these ports for itself
//
//   chip address 4000h to 7FFFh  packet RAM; below, what the card says (address PROM). A15 is not decoded: RAM and PROM
//                                stand again at C000h and 8000h. Source: the NE/2's DOS packet driver loads a frame at
//                                4000h and has it sent from page C0h; for the DE-320 this is inferred.
#pragma once

#include <cstdint>
#include <vector>

#include "devices/adapter/mca/mca_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/chips/dp8390/dp8390.hpp"

namespace planar::ethernet {

/// What these cards do not model; a card's row of the registry adds its own.
inline constexpr std::string_view remote_dma_limits[] = {
    "A data port access without a remote DMA ends at once; on the real card it may hold the channel until it times "
    "out.",
    "The transceiver is taken to deliver the collision heartbeat; there is no jabber cut-off.",
    "Chip: no 32-bit DMA addresses; after a ring overflow the receiver stays off until it is stopped and started.",
};

class RemoteDmaCard : public McaNetworkCard, private Dp8390Host {
 public:
  // bus::Adapter
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override { return ethernet_counters(chip_.counters()); }
  net::Port& port() override { return chip_.port(); }

  Dp8390& chip() { return chip_; }
  const net::MacAddress& mac() const { return options_.mac; }

 protected:
  /// Timing values: data_port.ready_delay, register.ready_delay, chip.* (see the cards' profiles).
  RemoteDmaCard(const McaContext& context, const McaEntry& entry, StationOptions options);

  /// I/O base that POS 2 selects; 0: none.
  virtual std::uint16_t io_base(std::uint8_t pos2) const = 0;
  /// What the chip reads outside its packet RAM (A14 low).
  virtual std::uint8_t prom(std::uint16_t address) const = 0;
  /// Claims the ports of the card at `base`, with the functions below; the chip's registers are claimed here.
  virtual void claim_card_ports(std::uint16_t base) = 0;
  /// State of the card other than chip, RAM and POS.
  virtual void archive_card(Archive&) {}
  virtual void describe_card(Description&) const {}

  void claim_data_port(std::uint16_t first, std::uint16_t last);
  /// Any access to these ports resets the chip.
  void claim_reset_port(std::uint16_t first, std::uint16_t last, const CycleSpec& cycle);
  /// One range for a slave of the card's own.
  void claim_own_ports(std::uint16_t first, std::uint16_t last, Slave& slave, const CycleSpec& cycle);
  const CycleSpec& register_cycle() const { return register_cycle_; }

 private:
  struct Registers final : Slave {
    explicit Registers(Dp8390& c) : chip(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned, Time now) override { return chip.read(offset, now); }
    void write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) override {
      chip.write(offset, static_cast<std::uint8_t>(value), now);
    }
    std::uint32_t peek(std::uint32_t offset, unsigned, Time) const override { return chip.peek(offset); }
    std::string_view register_name(std::uint32_t offset, Direction direction) const override {
      return chip.register_name(offset, direction);
    }
    Dp8390& chip;
  };
  struct DataPort final : Slave {
    explicit DataPort(Dp8390& c) : chip(c) {}
    std::uint32_t read(std::uint32_t, unsigned bytes, Time now) override {
      return chip.remote_read(now) & (bytes == 1 ? 0xFF : 0xFFFF);
    }
    void write(std::uint32_t, unsigned, std::uint32_t value, Time now) override {
      chip.remote_write(static_cast<std::uint16_t>(value), now);
    }
    std::uint32_t peek(std::uint32_t, unsigned bytes, Time) const override {
      return chip.remote_peek() & (bytes == 1 ? 0xFF : 0xFFFF);
    }
    Time ready(std::uint32_t, unsigned, Direction, Time start) override { return chip.remote_ready(start); }
    PortRun port_run(std::uint32_t, unsigned bytes, Direction direction) override {
      return chip.remote_run(bytes, direction);
    }
    void run_written(std::uint32_t, std::span<const std::uint8_t> data, PortRun& run, Time end) override {
      chip.remote_run_written(data, run, end);
    }
    void run_read(std::uint32_t, std::span<std::uint8_t> data, PortRun& run, Time end) override {
      chip.remote_run_read(data, run, end);
    }
    std::string_view register_name(std::uint32_t, Direction) const override { return "data port"; }
    Dp8390& chip;
  };

  struct ResetPort final : Slave {
    explicit ResetPort(Dp8390& c) : chip(c) {}
    std::uint32_t read(std::uint32_t, unsigned, Time now) override {
      chip.reset(now);
      return 0xFF;
    }
    void write(std::uint32_t, unsigned, std::uint32_t, Time now) override { chip.reset(now); }
    std::uint32_t peek(std::uint32_t, unsigned, Time) const override { return 0xFF; }
    Dp8390& chip;
  };

  // McaCard
  void apply_pos() override;
  void reset_board(Time now) override { chip_.reset(now); }
  void describe_board(Description& d) const override;
  // Dp8390Host: what lies beside the RAM, which the chip has itself
  std::uint8_t buffer_read(std::uint16_t address) const override { return prom(address); }
  void buffer_write(std::uint16_t, std::uint8_t) override {}
  void interrupt(bool asserted, Time now) override { irq_.set(asserted, now); }

  StationOptions options_;
  CycleSpec register_cycle_, data_cycle_;
  std::vector<std::uint8_t> ram_;
  Dp8390 chip_;
  Registers registers_{chip_};
  DataPort data_port_{chip_};
  ResetPort reset_port_{chip_};
  IoClaim register_claim_, data_claim_, reset_claim_, own_claim_;
};

}  // namespace planar::ethernet
