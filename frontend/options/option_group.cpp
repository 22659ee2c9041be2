// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/options/option_group.hpp"

#include <CLI/CLI.hpp>

namespace planar {

OptionGroup::OptionGroup(CLI::App& app, const std::string& group) : app_(app) { app_.option_defaults()->group(group); }
OptionGroup::~OptionGroup() { app_.option_defaults()->group(own_group); }

CLI::Option* repeatable(CLI::Option* option) { return option->expected(1)->take_all()->allow_extra_args(false); }

}  // namespace planar
