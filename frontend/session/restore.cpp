// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/session/restore.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "devices/stations/host/host_net.hpp"
#include "frontend/output/output.hpp"
#include "machines/config/lab_config.hpp"

namespace planar {
namespace {

constexpr const char* isolated = "slirp:isolated";

[[noreturn]] void contradict(const std::string& option, const std::string& what) {
  throw Error(fmt::format(
      "--restore and {}: the snapshot has {}; leave the option out, or start anew without --restore", option, what));
}

/// The slot of the card that `wanted` names. Throws Error if there is none.
unsigned slot_of(const CardOption& wanted, const std::string& text, const MachineConfig& machine) {
  std::string there;
  for (const CardConfig& card : machine.cards) {
    if (card.name == wanted.name && (!wanted.slot || static_cast<unsigned>(*wanted.slot) == card.slot))
      return card.slot;
    there += fmt::format("{}{} in slot {}", there.empty() ? "" : ", ", card.name, card.slot);
  }
  contradict("--card " + text, there.empty() ? "no card" : there);
}

/// Throws Error for the first line of `wanted` that is missing in `there`, with what `there` has instead.
void check_same(const std::string& there, const std::string& wanted) {
  std::set<std::string> has, asked;
  std::istringstream one(there), other(wanted);
  for (std::string line; std::getline(one, line);) has.insert(line);
  std::vector<std::string> lines;
  for (std::string line; std::getline(other, line);) lines.push_back(line);
  asked.insert(lines.begin(), lines.end());
  for (const auto& line : lines) {
    if (has.contains(line)) continue;
    const auto key = line.substr(0, line.find(" = ") + 3);
    const auto instead = std::find_if(has.begin(), has.end(), [&](const std::string& text) {
      return text.starts_with(key) && !asked.contains(text);
    });
    contradict(line, instead == has.end() ? "nothing of the kind" : *instead);
  }
  if (there != wanted) contradict("what leaves it out", "more than that");
}

void check_machine(const MachineOptions& options, const LabConfig& lab, const MachineConfig& first) {
  if (!options.machine_given()) return;
  if (lab.named()) contradict("--machine " + options.machine, "several machines of its own");
  LabConfig asked = load_lab(options.machine);
  const auto wanted = asked.read();
  if (asked.named() || wanted.front().name != first.name) contradict("--machine " + options.machine, first.name);
}

/// Throws Error if applying the options changes the snapshot's configuration. slirp's settings are excluded: a run may
/// continue with other ones.
void check_settings(const MachineOptions& options, const std::string& configuration, const MachineConfig& first) {
  LabConfig lab = of_this_host(configuration), changed = of_this_host(configuration);
  MachineOptions others = options;
  if (net::is_slirp(first.net)) {
    others.forwards.clear();
    if (options.net && net::is_slirp(*options.net)) others.net.reset();
  }
  if (lab.named()) {
    if (const auto option = others.of_one_machine(); !option.empty()) contradict(option, "several machines of its own");
    others.apply_over(changed);
  } else {
    others.cards.clear();
    for (const auto& text : options.cards) {
      const unsigned slot = slot_of(parse_card_option(text), text, first);
      if (const auto colon = text.find(':'); colon != std::string::npos)
        others.cards.push_back(fmt::format("{}={}", slot, text.substr(text.substr(0, colon).find('=') + 1)));
    }
    others.apply_over(changed.machine(0));
  }
  lab.read();
  try {
    changed.read();
  } catch (const Error& e) {  // its remedy would refer to the snapshot's own file
    throw Error(
        fmt::format("--restore: another option does not match the snapshot ({}); leave the option out, or "
                    "start anew without --restore",
                    e.what()));
  }
  check_same(lab.resolved(), changed.resolved());
}

/// Connects the host's network as the command line says, if the snapshot was connected to one.
void connect(LabConfig& config, const MachineOptions& options, const MachineConfig& was) {
  if (!net::is_host_net(was.net)) return;
  if (!net::is_slirp(was.net)) {
    if (options.net == was.net) return;
    throw Error(
        fmt::format("--restore: the snapshot is attached to {0}, and a snapshot has no access to this host by itself; "
                    "to allow it, add --net {0}",
                    was.net));
  }
  if (options.net) config.set("net.attach", *options.net, "--net " + *options.net);
  if (!options.forwards.empty()) config.set_texts("net.forward", options.forwards, "--forward");
  const std::size_t lost = options.forwards.empty() ? was.host_net->forwards.size() : 0;
  const bool cut = !options.net && was.net != isolated;
  if (cut || lost)
    say("planar: the snapshot was connected to this host ({}{}), and names nothing of it by itself: {}{}{}\n", was.net,
        was.host_net->forwards.empty() ? "" : fmt::format(", {} forwarded ports", was.host_net->forwards.size()),
        cut ? "it continues with slirp:isolated; --net slirp connects it" : "", cut && lost ? ", " : "",
        lost ? "no port is forwarded; --forward does that" : "");
}

}  // namespace

LabConfig of_this_host(const std::string& configuration) {
  LabConfig config = parse_lab(configuration, "snapshot");
  for (std::size_t n = 0; n < config.size(); ++n) {
    Config& machine = config.machine(n);
    for (const std::string table : {"floppy", "disk"})
      for (const auto& name : machine.children(table)) {
        const auto path = fmt::format("{}.{}", table, name);
        if (machine.peek_text(path + ".file").empty()) continue;  // the drive is empty
        const auto disk = storage::restored({machine.peek_text(path + ".file")});
        machine.set(path + ".mode", std::string(to_string(disk.mode)), "--restore");
        machine.set(path + ".overlay", disk.overlay, "--restore");
        if (disk.format == storage::ImageFormat::raw) machine.set(path + ".format", "raw", "--restore");
      }
    if (machine.peek_text("serial").starts_with("file:")) machine.set_text("serial", "stdio", "--restore");
    machine.remove({"net.forward"});
    if (net::is_slirp(machine.peek_text("net.attach"))) machine.set_text("net.attach", isolated, "--restore");
  }
  return config;
}

RestoredLab open_snapshot(const std::string& file, const MachineOptions& options) {
  Snapshot snapshot = read_snapshot(file);
  LabConfig lab = parse_lab(snapshot.configuration, "snapshot");
  const auto machines = lab.read();
  check_machine(options, lab, machines.front());
  check_settings(options, snapshot.configuration, machines.front());
  LabConfig config = of_this_host(snapshot.configuration);
  connect(config, options, machines.front());
  return {std::move(snapshot), std::move(config)};
}

}  // namespace planar
