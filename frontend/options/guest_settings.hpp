// SPDX-License-Identifier: GPL-2.0-or-later
// --guest NAME=VALUE of several verbs: planar's own guest in drive A, with a setting.
#pragma once

#include <string>
#include <vector>

#include "machines/config/lab_config.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace planar {

struct GuestSettings {
  std::vector<std::string> settings;

  void add_to(CLI::App& app);
  /// Over the machine of `lab`, which is called `name`. Throws Error for a lab of several machines, and for text that
  /// is no setting.
  void give(LabConfig& lab, const std::string& name) const;
};

}  // namespace planar
