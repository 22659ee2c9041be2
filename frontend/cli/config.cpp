// SPDX-License-Identifier: GPL-2.0-or-later
// `planar config`: the resolved machine file, which can be run unchanged.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "frontend/cli/verbs.hpp"
#include "frontend/options/options.hpp"
#include "machines/config/board_kind.hpp"
#include "machines/config/key_reference.hpp"

namespace planar {

Verb add_config(CLI::App& app) {
  struct Options {
    MachineOptions machine;
    bool explain = false, reference = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("config", "Print the resolved machine file; `planar run THAT-FILE` runs it");
  o->machine.add_to(*verb, true);
  o->machine.drives.add_to(*verb);
  verb->add_flag("--explain", o->explain, "Show the origin of each value");
  verb->add_flag("--reference", o->reference, "Print the reference of all keys of machine and lab files");
  return [o] {
    if (o->reference) {
      fmt::print("{}", key_reference());
      return 0;
    }
    LabConfig lab = o->machine.lab();
    for (const MachineConfig& machine : lab.read())
      if (machine.board_kind->check_cards) machine.board_kind->check_cards(machine);
    fmt::print("{}", o->explain ? lab.explained() : lab.resolved());
    return 0;
  };
}

}  // namespace planar
