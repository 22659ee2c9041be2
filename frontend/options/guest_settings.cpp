// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/options/guest_settings.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/common/error.hpp"
#include "frontend/options/option_group.hpp"

namespace planar {

void GuestSettings::add_to(CLI::App& app) {
  repeatable(app.add_option("--guest", settings,
                            "Boot planar's own guest, with this setting (roms/README.md section 3); may be repeated")
                 ->type_name("NAME=VALUE"));
}

void GuestSettings::give(LabConfig& lab, const std::string& name) const {
  if (!settings.empty() && lab.named())
    throw Error(fmt::format(
        "--guest: {} is a lab of several machines; write guest.NAME = \"...\" below the [[machine]] that it applies to",
        name));
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(fmt::format("--guest {}: is not NAME=VALUE; write for example --guest do=netio", setting));
    lab.machine(0).set_text("guest." + setting.substr(0, equals), setting.substr(equals + 1), "--guest " + setting);
  }
}

}  // namespace planar
