// SPDX-License-Identifier: GPL-2.0-or-later
// D-Link DE-320CT: basically an NE/2, with a serial EEPROM for the address and the ISA card's block of 32 ports.
// Source of behaviour: Linux 2.4 ne2.c (docs/hardware/dp8390.md#d-link-de-320ct).
//
//   POS 0,1  adapter ID 56EAh
//   POS 2    bit 0 enable; bits 4:2 interrupt 3, 4, 5, 9, 10, 11, 14, 15; bits 6:5 I/O base 300h, 320h, 340h, 360h
//
//   base +00..0F  DP8390 registers (8 bits)
//        +10..1D  data port: the I/O latch of remote DMA (16 bits)
//        +1E      EEPROM (8 bits): 0 DO, 1 DI, 2 SK, 3 CS, 7 a clock of about 50 kHz for delays
//        +1F      reset: any access resets the chip (the ISA NE2000's place; inferred)
//
// The driver tries to reset at +20h, as on the NE/2: nothing answers there, and the chip keeps its state.
#pragma once

#include "devices/chips/at93c46/at93c46.hpp"
#include "devices/ethernet/common/remote_dma_card.hpp"

namespace planar::ethernet {

class De320 final : public RemoteDmaCard {
 public:
  static const McaEntry entry;  ///< its row of the registry
  explicit De320(const McaContext& context);

 private:
  De320(const McaContext& context, const StationOptions& options);

  struct EepromPort final : Slave {
    explicit EepromPort(De320& c) : card(c) {}
    std::uint32_t read(std::uint32_t, unsigned, Time now) override { return card.eeprom_port(now); }
    void write(std::uint32_t, unsigned, std::uint32_t value, Time now) override;
    /// A peek takes no time: the delay clock reads low.
    std::uint32_t peek(std::uint32_t, unsigned, Time) const override { return card.eeprom_port(Time{}); }
    De320& card;
  };

  // RemoteDmaCard
  std::uint16_t io_base(std::uint8_t pos2) const override;
  unsigned irq_line() const override;
  std::uint8_t prom(std::uint16_t) const override { return 0xFF; }  // the socket is not fitted
  void claim_card_ports(std::uint16_t base) override;
  void archive_card(Archive& a) override;
  void describe_card(Description& d) const override;

  std::uint8_t eeprom_port(Time now) const;

  Time half_period_;  ///< of the delay clock
  At93c46 eeprom_;
  std::uint8_t eeprom_pins_ = 0;  ///< DI, SK and CS as last written
  EepromPort port_{*this};
};

}  // namespace planar::ethernet
