// SPDX-License-Identifier: GPL-2.0-or-later
// What reports, traces and labs know about a network adapter, whatever its bus and medium.
#pragma once

#include <string_view>

#include "core/state/description.hpp"
#include "devices/medium/medium.hpp"
#include "devices/medium/net_counters.hpp"

namespace planar {

class NetworkAdapter {
 public:
  /// The card's name in the registry, for example "ne2".
  virtual std::string_view name() const = 0;
  virtual NetCounters counters() const = 0;
  /// Its connection to the medium.
  virtual net::Port& port() = 0;
  /// Its registers and state; has no side effects.
  virtual void describe(Description& d) const = 0;

 protected:
  ~NetworkAdapter() = default;
};

}  // namespace planar
