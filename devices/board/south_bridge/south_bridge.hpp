// SPDX-License-Identifier: GPL-2.0-or-later
// A south bridge's first function, the bridge from PCI to ISA: what a board needs to know of it, whichever chip it is.
#pragma once

#include <cstdint>

#include "bus/pci/function.hpp"
#include "core/memory/io_space.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"

namespace planar {

class SouthBridge : public pci::Function {
 public:
  using Function::Function;

  virtual const char* name() const = 0;  ///< of its part in views: "piix3"
  /// Its ports beside those that every PC has.
  virtual void claim_ports(IoSpace&) {}
  /// How `$PIR` names the routes of PIRQA# to PIRQD#: a link for each, from this one up.
  virtual std::uint8_t first_link() const = 0;
  /// The chip that `$PIR` says its routes are compatible with: device << 16 | vendor.
  virtual std::uint32_t compatible_router() const = 0;
  virtual void describe(Description& d) const = 0;
  virtual void archive(Archive& a) = 0;
};

}  // namespace planar
