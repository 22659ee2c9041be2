// SPDX-License-Identifier: GPL-2.0-or-later
// What a lab contains besides machines and media: the station at the other end, the connection to the host's network,
// bridges.
#pragma once

#include "core/state/archive.hpp"
#include "core/state/description.hpp"

namespace planar::net {

class Station {
 public:
  virtual ~Station() = default;
  /// Nothing outside the lab influences its behaviour.
  virtual bool repeatable() const { return true; }
  virtual Description describe() const = 0;
  /// Its state, including that of its ports.
  virtual void archive(Archive& a) = 0;
};

}  // namespace planar::net
