// SPDX-License-Identifier: GPL-2.0-or-later
// The Micro Channel boards of Western Digital and SMC, and IBM's under its own name: an 83C690 (DP8390 core) with 16 KB
// of RAM shared with the host, and an 83C58x. There are two POS layouts, distinguished by the adapter ID:
//
//   8013 boards (61C8, 61C9, EFD4, EFD5)              8003 boards (6FC0 to 6FC2, EFE5)
//   POS 2  0 enable; 7:4 I/O base 0800h + n * 1000h   0 enable; 7:1 I/O address bits 11:5 (200h to 2E0h)
//   POS 3  3:0 RAM at C0000h + n * 2000h; 4 size      7:2 RAM address bits 19:14 (C0000h to DC000h, 16 KB)
//          8 or 16 KB; 7 adds F00000h
//   POS 4  boot ROM (kept, without effect)            the same
//   POS 5  7 no channel check; 3:2 interrupt 3, 4,    7 no channel check; 1:0 interrupt 3, 4, 10, 15
//          10, 14; 1:0 medium
//
//   base +00..0F  83C58x    +10..1F  83C690
//
// Source of behaviour: Linux 2.2 smc-mca.c and 8390.c, NetBSD if_we_mca.c (docs/hardware/wd83c58x.md#8013-boards,
// docs/hardware/wd83c58x.md#ibm-adaptera-for-ethernet).
#pragma once

#include <cstdint>
#include <vector>

#include "devices/adapter/mca/mca_card.hpp"
#include "devices/adapter/station_options.hpp"
#include "devices/chips/dp8390/dp8390.hpp"
#include "devices/chips/shared_ram.hpp"
#include "devices/chips/wd83c58x/wd83c58x.hpp"

namespace planar::ethernet {

class WdCard final : public McaNetworkCard, private Dp8390Host {
 public:
  static const McaEntry smc8013;  ///< rows of the registry
  static const McaEntry ethernet_a;

  /// `host_bits`: width of the path to the RAM, 8 or 16.
  WdCard(const McaContext& context, const McaEntry& entry, StationOptions options, unsigned host_bits);

  // bus::Adapter
  void archive(Archive& a) override;
  // NetworkAdapter
  NetCounters counters() const override { return ethernet_counters(chip_.counters()); }
  net::Port& port() override { return chip_.port(); }

 private:
  struct Registers final : Slave {
    explicit Registers(WdCard& c) : card(c) {}
    std::uint32_t read(std::uint32_t offset, unsigned, Time now) override;
    void write(std::uint32_t offset, unsigned, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned, Time now) const override;
    std::string_view register_name(std::uint32_t offset, Direction direction) const override {
      return offset < Wd83c58x::registers ? std::string_view()
                                          : card.chip_.register_name(offset - Wd83c58x::registers, direction);
    }
    WdCard& card;
  };

  // Dp8390Host
  std::uint8_t buffer_read(std::uint16_t address) const override {
    return address < ram_.size() ? ram_[address] : 0xFF;
  }
  void buffer_write(std::uint16_t address, std::uint8_t value) override {
    if (address < ram_.size()) ram_[address] = value;
  }
  void interrupt(bool asserted, Time now) override { irq_.set(asserted, now); }
  // McaCard
  unsigned irq_line() const override;
  void apply_pos() override;
  void reset_board(Time now) override;
  void describe_board(Description& d) const override;

  bool is_8003() const;
  std::uint16_t io_base() const;
  std::uint32_t ram_base() const;
  std::uint32_t ram_window() const;
  void claim();

  StationOptions options_;
  CycleSpec register_cycle_, window_cycle_;
  Time ram_access_;
  std::vector<std::uint8_t> ram_;
  Wd83c58x asic_;
  Dp8390 chip_;
  Registers registers_{*this};
  SharedRam<Dp8390> window_{ram_, chip_, slot_.scheduler(), ram_access_};
  IoClaim register_claim_;
  MemoryClaim window_claim_;
};

}  // namespace planar::ethernet
