// SPDX-License-Identifier: GPL-2.0-or-later
// First function of a south bridge, the bridge from PCI to ISA: the interface that boards use for any such chip.
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

  virtual const char* name() const = 0;  ///< name of its part in views: "piix3"
  /// Claims its ports other than those that every PC has.
  virtual void claim_ports(IoSpace&) {}
  /// The link value of PIRQA# in `$PIR`; PIRQB# to PIRQD# use the values that follow.
  virtual std::uint8_t first_link() const = 0;
  /// The compatible interrupt router given in `$PIR`: device << 16 | vendor.
  virtual std::uint32_t compatible_router() const = 0;
  virtual void describe(Description& d) const = 0;
  virtual void archive(Archive& a) = 0;
};

}  // namespace planar
