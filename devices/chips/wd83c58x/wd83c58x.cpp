// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/wd83c58x/wd83c58x.hpp"

#include <algorithm>
#include <numeric>

namespace planar::ethernet {
namespace {
constexpr std::uint8_t icr_sixteen_bit = 0x01;
constexpr std::uint8_t interface_chip = 0x00;  // register 7; not read by any driver
}  // namespace

Wd83c58x::Wd83c58x(const net::MacAddress& mac, std::uint8_t board_id) {
  std::copy(mac.begin(), mac.end(), prom_.begin());
  prom_[6] = board_id;
  prom_[7] = static_cast<std::uint8_t>(0xFF - std::accumulate(prom_.begin(), prom_.begin() + 7, 0u));
}

std::uint8_t Wd83c58x::read(unsigned reg) const {
  switch (reg) {
    case 0: return static_cast<std::uint8_t>(msr_ | address_);
    case 1: return icr_ | icr_sixteen_bit;
    case 4: return irr_;
    case 5: return laar_;
    case 6: return register6_;
    case 7: return interface_chip;
    default: return reg >= 8 && reg < registers ? prom_[reg - 8] : 0xFF;
  }
}

bool Wd83c58x::write(unsigned reg, std::uint8_t value) {
  switch (reg) {
    case 0:
      if (value & RST) return true;
      msr_ = value & MENB;
      break;
    case 1: icr_ = value; break;
    case 4: irr_ = value; break;
    case 5: laar_ = value; break;
    case 6: register6_ = value; break;
    default: break;
  }
  return false;
}

void Wd83c58x::reset() { msr_ = icr_ = irr_ = laar_ = register6_ = 0; }

}  // namespace planar::ethernet
