// SPDX-License-Identifier: GPL-2.0-or-later
// What a lab holds besides its machines and media: the station at the other end, the way to the host's network,
// bridges.
#pragma once

#include "core/state/archive.hpp"
#include "core/state/description.hpp"

namespace planar::net {

class Station {
 public:
  virtual ~Station() = default;
  /// Nothing outside the lab takes part in what it does.
  virtual bool repeatable() const { return true; }
  virtual Description describe() const = 0;
  /// Its state, that of its ports included.
  virtual void archive(Archive& a) = 0;
};

}  // namespace planar::net
