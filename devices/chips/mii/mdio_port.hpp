// SPDX-License-Identifier: GPL-2.0-or-later
// The two wires of MII management, MDC and MDIO, for chips whose drivers clock them by hand.
//
//            preamble  start  op        PHY     register  turnaround  data
//   read     1 x 32    01     10        5 bits  5 bits    Z0          16 bits from the PHY
//   write    1 x 32    01     01        5 bits  5 bits    10          16 bits to the PHY
//
// Bits are taken at the rising edge of MDC; the PHY puts its next bit on MDIO after that edge, so that a host that
// reads the pin before each rising edge sees the zero of the turnaround before the second edge after the register
// number, and data bit 15 before the third. MDIO has a pull-up: an absent PHY reads as ones, without the zero of the
// turnaround. A PHY with preamble suppression needs a single one before the start.
// Source: IEEE 802.3-2002 clauses 22.2.4.5 and 22.3.4.
#pragma once

#include <array>
#include <cstdint>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "devices/chips/mii/mii_phy.hpp"

namespace planar::ethernet {

class MdioPort {
 public:
  /// `phy` answers at `address` 0 to 31.
  void connect(unsigned address, MiiPhy& phy) { phys_.at(address) = &phy; }

  /// The levels that the host sets on MDC and MDIO; `drives`: it drives MDIO.
  void pins(bool mdc, bool mdio, bool drives, Time now);
  /// MDIO as the host reads it.
  bool data_in() const { return driven_ ? bit_ : !drives_ || mdio_; }

  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  void clock_in(bool bit, Time now);
  void end_frame();
  MiiPhy* addressed() const { return phys_[frame_ >> 5 & 31]; }
  /// By a PHY, once operation, PHY and register are known.
  bool is_answered() const;
  bool reads() const { return frame_ >> 10 == 2; }

  std::array<MiiPhy*, 32> phys_{};
  bool mdc_ = false, mdio_ = true, drives_ = false;
  bool driven_ = false, bit_ = true;  // by a PHY
  bool answers_ = false;              // is_answered()
  std::uint8_t ones_ = 0;             // of the preamble, as far as they count
  std::uint8_t bits_ = 0;             // taken since the preamble; 0: still in it
  std::uint16_t frame_ = 0;           // operation, PHY, register
  std::uint16_t data_ = 0;
};

}  // namespace planar::ethernet
