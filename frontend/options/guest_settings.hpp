// SPDX-License-Identifier: GPL-2.0-or-later
// The option --guest NAME=VALUE of several verbs: boots planar's own guest from drive A, with a setting.
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
  /// Applies the settings to the machine of `lab`; `name` is the lab's name. Throws Error for a lab of several
  /// machines, and for text that is not a setting.
  void give(LabConfig& lab, const std::string& name) const;
};

}  // namespace planar
