// SPDX-License-Identifier: GPL-2.0-or-later
// Western Digital (later SMC) 83C583/83C584: the bus interface of an 83C690, as found on Micro Channel boards.
// Source of behaviour: NetBSD's register list and its finding on the interrupt enable, what Linux 2.2 smc-mca.c
// accesses (docs/hardware/wd83c58x.md#bus-interface).
//
//   0  MSR   7 reset, 6 RAM enable, 5:0 RAM address 18:13 (Micro Channel: what POS says, writes ignored)
//   1  ICR   0 sixteen-bit (Micro Channel: reads 1)
//   4  IRR   7 interrupt enable of ISA boards (no effect here: Linux leaves it 0)
//   5  LAAR  4:0 RAM address 23:19; 2 interrupt enable on Micro Channel boards
//   6        an interrupt enable of the later 83C790; a latch here
//   7        interface chip ID
//   8..D     station address     E  board ID (7 Micro Channel, 6 large RAM, 5 soft configuration, 4:0 type)
//   F        checksum: 8..F add to FFh. Writes to 8..F are ignored: they would damage the address (the probe makes
//            some)
//
// Not modelled: EEPROM recall and store (ICR 7:4), boot ROM windows, zero-wait options (IRR 0, LAAR 5). A write of
// reset is a pulse and does not change the RAM enable: what a real board does after the driver's reset, which never
// clears the bit, is not known.
#pragma once

#include <array>
#include <cstdint>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "devices/medium/ethernet/ethernet_frame.hpp"

namespace planar::ethernet {

class Wd83c58x {
 public:
  static constexpr unsigned registers = 16;
  enum Msr : std::uint8_t { RST = 0x80, MENB = 0x40, address_mask = 0x3F };
  enum Laar : std::uint8_t { IEN = 0x04 };

  Wd83c58x(const net::MacAddress& mac, std::uint8_t board_id);

  std::uint8_t read(unsigned reg) const;
  /// True if the write pulsed reset.
  bool write(unsigned reg, std::uint8_t value);
  /// CHRESET and power-on.
  void reset();
  /// RAM address 18:13 from POS.
  void set_ram_address(std::uint8_t bits) { address_ = bits & address_mask; }

  bool ram_enabled() const { return msr_ & MENB; }
  bool interrupts_enabled() const { return laar_ & IEN; }
  void describe(Description& d) const {
    d.reg("MSR", read(0), 8).reg("ICR", read(1), 8).reg("IRR", read(4), 8).reg("LAAR", read(5), 8);
    d.reg("register 6", read(6), 8).reg("board ID", read(0xE), 8);
    d.flag("RAM enabled", ram_enabled()).flag("interrupts enabled", interrupts_enabled());
  }
  void archive(Archive& a) { a(prom_, address_, msr_, icr_, irr_, laar_, register6_); }

 private:
  std::array<std::uint8_t, 8> prom_;  // registers 8 to F
  std::uint8_t address_ = 0;
  std::uint8_t msr_ = 0, icr_ = 0, irr_ = 0, laar_ = 0, register6_ = 0;
};

}  // namespace planar::ethernet
