// SPDX-License-Identifier: GPL-2.0-or-later
// Intel EtherExpress/MC (EtherExpress 16 for the Micro Channel): an 82586 with its own RAM, accessed through an ASIC's
// ports.
//
//   POS 2   bit 0 enable; 2 on-board transceiver
//   POS 3   3:0 I/O base 270h down to 200h, 370h down to 300h; 6:4 interrupt 12 9 3 4 5 10 11 15; 7 BNC (1) or TP (0)
//   I/O     +0 data port; +2 write pointer; +4 read pointer; +6 channel attention
//           +7 interrupt select: 2:0 code, 3 enable
//           +8 shadow pointer; +A to +C shared-memory mode; +D 1 loopback, 2 16-bit mode
//           +E 0 EEPROM clock, 1 select, 2 data to it, 3 data from it, 6 ASIC reset, 7 82586 in reset; +F board ID
//           +300E connector; +4000 to +400F RAM at the shadow pointer, +8000 to +800F the next 16 bytes,
//           +C000 to +C007 those again, +C008 to +C00F RAM at 8 to F: the SCB
//
// Behaviour: Linux 2.4 eexpress.c, whose author explains the windows (docs/hardware/i82586.md#intel-etherexpressmc).
#pragma once

#include <array>
#include <vector>

#include "devices/adapter/mca/mca_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/chips/at93c46/at93c46.hpp"
#include "devices/chips/i82586/i82586.hpp"

namespace planar::ethernet {

class EtherExpress final : public McaNetworkCard, private ChipHost {
 public:
  static constexpr std::uint16_t id = 0x628B;
  static const McaEntry entry;

  /// Throws Error for a RAM size that is not a power of two from 16 to 64 KB.
  explicit EtherExpress(const McaContext& context);

  // bus::Adapter
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override { return ethernet_counters(chip_.counters()); }
  net::Port& port() override { return chip_.port(); }

  I82586& chip() { return chip_; }

 private:
  /// Ports +0 to +F.
  struct Registers final : Slave {
    explicit Registers(EtherExpress& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    Time ready(std::uint32_t offset, unsigned, Direction, Time start) override;
    EtherExpress& card;
  };
  /// One of the three windows of 16 ports into the RAM.
  struct Shadow final : Slave {
    Shadow(EtherExpress& c, unsigned n) : card(c), number(n) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    Time ready(std::uint32_t, unsigned, Direction, Time start) override { return card.ram_ready(start); }
    std::uint32_t address(std::uint32_t offset) const;
    EtherExpress& card;
    unsigned number;
  };
  struct Connector final : Slave {
    explicit Connector(EtherExpress& c) : card(c) {}
    std::uint32_t read(std::uint32_t, unsigned, Time) override { return card.connector_; }
    void write(std::uint32_t, unsigned, std::uint32_t value, Time) override {
      card.connector_ = static_cast<std::uint8_t>(value);
    }
    std::uint32_t peek(std::uint32_t, unsigned, Time) const override { return card.connector_; }
    EtherExpress& card;
  };

  EtherExpress(const McaContext& context, const StationOptions& options);

  void interrupt(bool asserted, Time now) override { irq_.set(asserted, now); }
  // McaCard
  unsigned irq_line() const override;
  void apply_pos() override;
  void reset_board(Time now) override;
  void describe_board(Description& d) const override;

  std::uint8_t peek_register(unsigned reg) const;
  void write_register(unsigned reg, std::uint8_t value, Time now);
  void write_control(std::uint8_t value, Time now);
  std::uint32_t ram_peek(std::uint32_t at, unsigned bytes) const;
  void ram_write(std::uint32_t at, unsigned bytes, std::uint32_t value, Time now);
  Time ram_ready(Time start) const;
  void reset_asic(Time now);

  CycleSpec register_cycle_, ram_cycle_;
  std::vector<std::uint8_t> ram_;
  std::uint16_t read_pointer_ = 0, write_pointer_ = 0, shadow_pointer_ = 0;
  std::uint8_t irq_select_ = 0, config_ = 0, control_ = 0, connector_ = 0, id_step_ = 0;
  std::array<std::uint8_t, 3> memory_mode_{};
  At93c46 eeprom_;
  I82586 chip_;
  Registers registers_{*this};
  Shadow low_{*this, 0}, high_{*this, 1}, scb_{*this, 2};
  Connector connector_port_{*this};
  IoClaim data_claim_, register_claim_, low_claim_, high_claim_, scb_claim_, connector_claim_;
};

}  // namespace planar::ethernet
