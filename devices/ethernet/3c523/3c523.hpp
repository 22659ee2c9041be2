// SPDX-License-Identifier: GPL-2.0-or-later
// 3Com 3C523 EtherLink/MC: an 82586 with 16 KB of RAM that is mapped into the host's memory, and eight ports.
//
//   POS 2   bit 0 enable; 2:1 I/O base 300h 1300h 2300h 3300h; 4:3 RAM at C0000h C8000h D0000h D8000h;
//           5 on-board transceiver off; 7:6 read-only: the interrupt in force, 0 to 3 = 12, 7, 3, 9
//   POS 3   3:0 one-hot interrupt select: 1 = 12, 2 = 7, 4 = 3, 8 = 9
//   I/O     +0 to +5 station address; +6 control; +7 revision in bits 3:0
//   control 1:0 RAM bank; 2 interrupt enable; 3 interrupt active, cleared by reading; 5 loopback; 6 channel attention
//           (the chip sees its falling edge); 7 low: 82586 in reset
//
// Behaviour: Linux 2.2 3c523.c/.h, which quotes 3Com's technical reference, and NetBSD if_elmc_mca.c
// (docs/hardware/i82586.md#3com-3c523). The old revision is the same class with another profile.
#pragma once

#include <vector>

#include "devices/adapter/mca/mca_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/chips/i82586/i82586.hpp"

namespace planar::ethernet {

class EtherLinkMc final : public McaNetworkCard, private ChipHost {
 public:
  static constexpr std::uint16_t id = 0x6042;
  static const McaEntry entry;      ///< "3c523"
  static const McaEntry old_entry;  ///< "3c523-old"

  EtherLinkMc(const McaContext& context, const McaEntry& row, std::uint8_t revision);

  // bus::Adapter
  std::uint8_t pos_peek(unsigned reg) const override;
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override { return ethernet_counters(chip_.counters()); }
  net::Port& port() override { return chip_.port(); }

  I82586& chip() { return chip_; }

 private:
  struct Ports final : Slave {
    explicit Ports(EtherLinkMc& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned, Time now) override;
    void write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned, Time now) const override;
    std::string_view register_name(std::uint32_t offset, Direction) const override {
      return offset < 6 ? "station address" : offset == 6 ? "control" : "revision";
    }
    EtherLinkMc& card;
  };
  struct Window final : Slave {
    explicit Window(EtherLinkMc& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    Time ready(std::uint32_t offset, unsigned bytes, Direction direction, Time start) override;
    EtherLinkMc& card;
  };

  EtherLinkMc(const McaContext& context, const McaEntry& row, std::uint8_t revision, const StationOptions& options);

  void interrupt(bool asserted, Time now) override;
  // McaCard
  unsigned irq_line() const override;
  void apply_pos() override;
  void reset_board(Time now) override;
  void describe_board(Description& d) const override;
  void pos_changed(unsigned reg, Time now) override;

  void write_control(std::uint8_t value, Time now);
  int irq_choice() const;
  bool bank_is_there() const;

  std::uint8_t revision_;
  net::MacAddress mac_;
  CycleSpec register_cycle_, ram_cycle_;
  unsigned synchroniser_clocks_;
  Time clock_;
  std::uint8_t control_ = 0;
  bool latch_ = false;
  std::vector<std::uint8_t> ram_;
  I82586 chip_;
  Ports ports_{*this};
  Window window_{*this};
  IoClaim port_claim_;
  MemoryClaim ram_claim_;
};

}  // namespace planar::ethernet
