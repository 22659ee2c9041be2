// SPDX-License-Identifier: GPL-2.0-or-later
// The groups under which help texts and man pages list a verb's options.
#pragma once

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace planar {

/// Options that are added to `app` while it exists belong to `group`.
class OptionGroup {
 public:
  OptionGroup(CLI::App& app, const std::string& group);
  ~OptionGroup();
  OptionGroup(const OptionGroup&) = delete;

  static constexpr const char* own_group = "Options";

 private:
  CLI::App& app_;
};

/// Names of the common groups.
inline constexpr const char *machine_group = "Machine and network", *drive_group = "Drives", *output_group = "Output",
                            *snapshot_group = "Snapshots", *check_group = "Determinism checks",
                            *matrix_group = "Runs of a comparison";

/// Lets `option` be repeated, with exactly one value each time: the word after that is the next argument.
CLI::Option* repeatable(CLI::Option* option);

}  // namespace planar
