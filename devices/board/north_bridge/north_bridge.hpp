// SPDX-License-Identifier: GPL-2.0-or-later
// A host bridge as a function on PCI, bus 0 device 0: the interface that boards use for any such chip.
#pragma once

#include <cstdint>

#include "bus/pci/function.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"

namespace planar {

class NorthBridge : public pci::Function {
 public:
  /// Registers that Intel's bridges have at the same offsets.
  enum CommonRegister : std::uint8_t { PAM0 = 0x59, DRB0 = 0x60 };

  NorthBridge(pci::Slot& slot, const pci::Identity& identity);
  /// An Intel bridge: `memory_bytes` in two rows of equal size; `row_unit`: bytes per DRB unit.
  NorthBridge(pci::Slot& slot, const pci::Identity& identity, std::uint32_t memory_bytes, std::uint32_t row_unit);

  virtual const char* name() const = 0;  ///< name of its part in views: "430hx"
  virtual void describe(Description& d) const = 0;
  virtual void archive(Archive& a) = 0;

 protected:
  /// PAM0 to PAM6 and DRB0 to DRB7.
  void describe_memory(Description& d) const;
};

}  // namespace planar
