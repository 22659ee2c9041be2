// SPDX-License-Identifier: GPL-2.0-or-later
// The output of --help: 80 columns; options that several verbs share are only named. --help-all explains those, too.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace planar {

class HelpFormatter : public CLI::Formatter {
 public:
  /// AppFormatMode::All is --help-all.
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// The output of `planar` without arguments: the verbs, one per line, and where to find more.
std::string short_help(const CLI::App& app);

}  // namespace planar
