// SPDX-License-Identifier: GPL-2.0-or-later
// `planar config`: the resolved machine file, which runs as it is.
#include <fmt/format.h>

#include <memory>

#include "frontend/cli/options.hpp"
#include "frontend/cli/verbs.hpp"

namespace planar {

Verb add_config(CLI::App& app) {
  struct Options {
    MachineOptions machine;
    bool explain = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("config", "Print the resolved machine file; `planar run THAT-FILE` runs it");
  o->machine.add_to(*verb, true);
  o->machine.drives.add_to(*verb);
  verb->add_flag("--explain", o->explain, "Show the origin of each value");
  return [o] {
    LabConfig lab = o->machine.lab();
    lab.read();
    fmt::print("{}", o->explain ? lab.explained() : lab.resolved());
    return 0;
  };
}

}  // namespace planar
