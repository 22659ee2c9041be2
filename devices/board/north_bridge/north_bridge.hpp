// SPDX-License-Identifier: GPL-2.0-or-later
// A host bridge as a function on PCI, bus 0 device 0: what a board needs to know of it, whichever chip it is.
#pragma once

#include "bus/pci/function.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"

namespace planar {

class NorthBridge : public pci::Function {
 public:
  using Function::Function;

  virtual const char* name() const = 0;  ///< of its part in views: "430hx"
  virtual void describe(Description& d) const = 0;
  virtual void archive(Archive& a) = 0;
};

}  // namespace planar
