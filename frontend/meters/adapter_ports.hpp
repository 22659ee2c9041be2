// SPDX-License-Identifier: GPL-2.0-or-later
// The network adapters of a machine as a meter sees them: its ports, and the media that they are plugged into.
#pragma once

#include <string_view>
#include <vector>

#include "devices/medium/medium.hpp"
#include "machines/lab/lab.hpp"

namespace planar {

class AdapterPorts {
 public:
  AdapterPorts(Lab& lab, std::size_t machine);

  /// Whether the port is one of the machine's adapters.
  bool contains(std::string_view port) const;
  /// All media that the adapters are plugged into, each once.
  std::vector<net::Medium*> media() const;
  /// Those that planar's guest sends on: all of a bond or a router, otherwise that of the first enabled adapter. Of
  /// another system, all.
  std::vector<net::Medium*> used_media() const;

 private:
  Lab& lab_;
  std::size_t number_;
};

}  // namespace planar
