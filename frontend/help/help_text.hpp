// SPDX-License-Identifier: GPL-2.0-or-later
// What --help prints: 80 columns, options that several verbs share by name only. --help-all explains those, too.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace planar {

class HelpFormatter : public CLI::Formatter {
 public:
  /// AppFormatMode::All is --help-all.
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// What `planar` without arguments prints: the verbs, a line each, and where more is.
std::string short_help(const CLI::App& app);

}  // namespace planar
