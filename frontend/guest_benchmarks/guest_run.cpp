// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest_benchmarks/guest_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/common/error.hpp"
#include "frontend/guest_benchmarks/seed_runs.hpp"
#include "frontend/session/restore.hpp"

namespace planar {

void GuestRunOptions::begin(CLI::App& app) {
  verb = &app;
  machine.add_to(app, false);
}

void GuestRunOptions::end(CLI::App& app, std::string_view client, std::string_view server, unsigned usual_port) {
  port = usual_port;
  if (!server.empty())
    app.add_option("--port", port, fmt::format("TCP port of {}; `peer` serves its own", server))
        ->type_name("N")
        ->check(CLI::Range(1, 65535))
        ->capture_default_str();
  app.add_option("--use", use,
                 fmt::format("The slot whose adapter {} uses, if there are several: POST enables only this one. "
                             "Without it the guest takes the first that its drivers find, and the result says which",
                             client))
      ->type_name("SLOT")
      ->check(CLI::Range(1, 8));
  add_placement_option(app, placement, "Where the guest's functions, variables and pages are");
  if (!server.empty()) bond.add_to(app);
  app.add_option("--os", system,
                 "The operating system whose network stack the guest imitates; `planar show nt4` has its values")
      ->type_name(fmt::format("{}", fmt::join(operating_system_names(), "|")))
      ->capture_default_str();
  if (!server.empty())
    app.add_option(
           "--against", against,
           fmt::format("{} is another emulated machine on the same wire, with this card (ne2 if none is named), "
                       "in place of a station of --net; both machines are in the result",
                       server))
        ->type_name("MACHINE[:CARD]");
  add_runs_option(app, runs,
                  "Run this often, each with the next seed (from --seed or 1 on) and in the next of the guest's eight "
                  "placements (unless --placement names one), and give means with their 95 % confidence and spread");
  output.add_to(app);
  state.add_to(app);
}

std::optional<int> GuestRunOptions::several(const Benchmark& benchmark) const {
  if (runs == 1) return std::nullopt;
  return run_seeds(benchmark, *verb, machine.machine, {machine.seed.value_or(1), placement, runs}, output.json,
                   output.quiet);
}

std::unique_ptr<Session> GuestRunOptions::open(GuestTasks tasks, const std::function<void(Config&)>& adjust) const {
  if (const unsigned n = placement.value_or(0))
    tasks.settings.emplace_back("placement", std::to_string(n));  // 0: as built
  if (state.restore) {
    if (bond.given())
      throw Error("--restore and --bond: the snapshot says which adapters the guest uses as one; leave --bond out");
    RestoredLab restored = open_snapshot(*state.restore, machine);
    check_guest_settings(*verb, tasks, restored.snapshot);
    return std::make_unique<Session>(std::move(restored), output, state);
  }
  if (bond.given()) return open_bond(tasks, adjust);
  auto config = machine.config("ne2");
  if (use) use_adapter(config, *use);
  if (adjust) adjust(config);
  return open_guests(tasks, std::move(config), machine, output, state);
}

std::unique_ptr<Session> GuestRunOptions::open_bond(GuestTasks tasks,
                                                    const std::function<void(Config&)>& adjust) const {
  if (use) throw Error("--bond and --use: a bond is of several adapters; leave --use out");
  if (against)
    throw Error(
        "--bond and --against: the other end has to have a port on each segment, which only the "
        "reference station has; leave one of them out");
  if (machine.net && *machine.net != "peer")
    throw Error(
        fmt::format("--bond and --net {}: only the reference station (peer) has a port on each segment", *machine.net));
  if (system != default_system)
    throw Error(fmt::format("--bond and --os {}: bonding is Linux 2.2's; leave --os out", system));
  MachineOptions of_cards = machine;
  bond.repeat_card(of_cards, "ne2");
  auto config = of_cards.config("ne2");
  if (adjust) adjust(config);
  tasks.settings.emplace_back("adapters", std::to_string(bond.apply(config)));
  tasks.settings.emplace_back("bond", "1");
  return open_guests(tasks, std::move(config), machine, output, state);
}

}  // namespace planar
