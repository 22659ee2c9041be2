// SPDX-License-Identifier: GPL-2.0-or-later
// Novell NE/2: a DP8390 with an I/O data port, with the POS decode that Arco AE/2 and Compex ENET16-MC/P share.
// Source of behaviour: Linux 2.2 ne2.c and 8390.c, NetBSD's decode (docs/hardware/dp8390.md#novell-ne2).
//
//   POS 0,1  adapter ID: 7154h, or by setting 6354h (AE/2), 70DEh (ENET16-MC/P)
//   POS 2    bit 0 enable; bits 3:1 I/O base: 1 to 7 = 1000h 2020h 8020h A0A0h B0B0h C0C0h C3D0h (0: none);
//            bit 4 boot ROM off; bits 6:5 interrupt 3, 4, 5, 9
//
//   base +00..0F  DP8390 registers (8 bits)
//        +10..1F  data port: the I/O latch of remote DMA (16 bits)
//        +20..2F  reset: any access resets the chip
//
//   chip address  0000h  station address PROM, every byte twice (byte n at 2n and 2n+1), as Linux reads it
//                 0400h  the same bytes packed, as NetBSD reads them
//                 4000h  packet RAM, 16 KB, to 7FFFh
#pragma once

#include "devices/ethernet/common/remote_dma_card.hpp"

namespace planar::ethernet {

class Ne2 final : public RemoteDmaCard {
 public:
  static const McaEntry entry;  ///< its row of the registry
  explicit Ne2(const McaContext& context);

 private:
  // RemoteDmaCard
  std::uint16_t io_base(std::uint8_t pos2) const override;
  unsigned irq_line() const override;
  std::uint8_t prom(std::uint16_t address) const override;
  void claim_card_ports(std::uint16_t base) override;
};

}  // namespace planar::ethernet
