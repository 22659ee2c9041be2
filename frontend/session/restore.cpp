// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/session/restore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "devices/stations/host/host_net.hpp"
#include "machines/lab_config.hpp"

namespace planar {
namespace {

[[noreturn]] void contradict(const std::string& option, const std::string& what) {
  throw Error(fmt::format(
      "--restore and {}: the snapshot has {}; leave the option out, or start anew without --restore", option, what));
}

void check_card(const CardOption& wanted, const std::string& text, const MachineConfig& machine) {
  std::string there;
  for (const CardConfig& card : machine.cards) {
    if (card.name == wanted.name && (!wanted.slot || static_cast<unsigned>(*wanted.slot) == card.slot)) return;
    there += fmt::format("{}{} in slot {}", there.empty() ? "" : ", ", card.name, card.slot);
  }
  contradict("--card " + text, there.empty() ? "no card" : there);
}

/// The first line in which two configurations differ, of the second.
std::string difference(const std::string& before, const std::string& after) {
  std::istringstream one(before), other(after);
  std::string a, b;
  while (std::getline(one, a))
    if (!std::getline(other, b) || a != b) return a;
  return "nothing of the kind";
}

}  // namespace

void check_restore(const Snapshot& snapshot, const MachineOptions& options) {
  LabConfig lab = parse_lab(snapshot.configuration, "snapshot");
  const auto machines = lab.read();
  const MachineConfig& first = machines.front();
  if (options.machine_given()) {
    if (lab.named()) contradict("--machine " + options.machine, "several machines of its own");
    LabConfig asked = load_lab(options.machine);
    const auto wanted = asked.read();
    if (asked.named() || wanted.front().name != first.name) contradict("--machine " + options.machine, first.name);
  }
  for (const auto& text : options.cards) {
    if (lab.named()) contradict("--card " + text, "several machines of its own");
    check_card(parse_card_option(text), text, first);
  }
  if (!lab.named()) {
    LabConfig changed = parse_lab(snapshot.configuration, "snapshot");
    MachineOptions others = options;
    others.cards.clear();
    others.apply_over(changed.machine(0));
    changed.read();
    if (lab.resolved() != changed.resolved())
      contradict("another setting", fmt::format("'{}'", difference(lab.resolved(), changed.resolved())));
  }
  for (const MachineConfig& machine : machines)
    if (net::is_host_net(machine.net) && !net::is_slirp(machine.net) && options.net != machine.net)
      throw Error(
          fmt::format("--restore: the snapshot is attached to {}, and a snapshot names nothing of this host by "
                      "itself; if you want that, add --net {}",
                      machine.net, machine.net));
}

}  // namespace planar
