// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest_benchmarks/guest_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/common/error.hpp"
#include "frontend/guest/guest_image.hpp"
#include "frontend/guest_benchmarks/seed_runs.hpp"
#include "frontend/options/arguments.hpp"
#include "frontend/output/output.hpp"
#include "frontend/session/restore.hpp"
#include "machines/config/units.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

/// How long the client waits before it contacts a server on a second machine, which may boot more slowly: the client's
/// ARP gives up after three seconds. Unit: seconds of the guest.
constexpr const char* server_head_start = "4";

/// The guest settings in the machine's file: the version of its first enabled adapter's driver
/// (docs/driver-versions.md).
SettingsSector driver_settings(const Config& config) {
  for (const Plugged& adapter : network_adapters(config))
    if (const std::string path = "slot." + adapter.slot + ".driver"; adapter.enabled && config.has(path))
      return {{"driver", config.peek_text(path)}};
  return {};
}

/// The slot of the network adapter that --card has added to those of the machine's file, if it is a single one.
std::optional<unsigned> added_adapter(const Config& config) {
  std::vector<std::string> of_option, of_file;
  for (const Plugged& adapter : network_adapters(config)) {
    const bool option = config.origin("slot." + adapter.slot + ".card").starts_with("--card ");
    (option ? of_option : of_file).push_back(adapter.slot);
  }
  if (of_option.size() != 1 || of_file.empty()) return std::nullopt;
  return static_cast<unsigned>(*parse_number(of_option.front()));
}

/// Leaves the adapter in `slot` as the only network adapter that POST enables; the guest's drivers skip the others.
/// Throws Error if `slot` has none.
void use_adapter(Config& config, unsigned slot) {
  const auto option = fmt::format("--use {}", slot);
  std::vector<std::string> held;
  bool found = false;
  for (const Plugged& adapter : network_adapters(config)) {
    held.push_back(fmt::format("{} ({})", adapter.slot, adapter.card->name));
    const bool used = parse_number(adapter.slot) == slot;
    found |= used;
    config.set(fmt::format("slot.{}.enabled", adapter.slot), used ? "true" : "false", option);
  }
  if (!found)
    throw Error(fmt::format("{}: no network adapter is in slot {}; they are in slot {}", option, slot,
                            held.empty() ? "none" : fmt::format("{}", fmt::join(held, ", "))));
}

/// Reports the keys of a machine's file that only `planar run` uses: a benchmark boots the built-in guest instead.
void note_unused(const Config& config, const std::string& program) {
  std::string keys;
  for (const char* key : {"scenario.steps", "guest", "image", "bios", "kernel", "initrd", "append", "floppy.a.file"})
    if (config.has(key)) keys += fmt::format("{}{} ({})", keys.empty() ? "" : ", ", key, config.origin(key));
  if (!keys.empty()) say("planar: {} boots the built-in guest and does not use {}\n", program, keys);
}

/// The guest's diskette for `task`, with the settings `own` that only this machine has.
Media diskette(const GuestTasks& t, const std::string& task, const SettingsSector& own) {
  SettingsSector settings{{"do", task}};
  settings.insert(settings.end(), t.settings.begin(), t.settings.end());
  settings.insert(settings.end(), own.begin(), own.end());
  const auto system = find_operating_system(t.system).settings();
  settings.insert(settings.end(), system.begin(), system.end());
  Media media;
  media.diskette = built_in_guest(settings);
  return media;
}

/// `--against MACHINE[:CARD]`: the same lab-wide options, another machine and card; `bonded`: the number of such cards,
/// unless 0.
Config server_config(const std::string& against, const MachineOptions& client, unsigned bonded) {
  MachineOptions server;
  const auto colon = against.find(':');
  server.machine = against.substr(0, colon);
  if (colon != std::string::npos) server.cards.push_back(against.substr(colon + 1));
  server.seed = client.seed;
  server.force = client.force;
  if (bonded) repeat_card(server, bonded);
  return server.config(true);
}

/// Throws Error for a network without a possible other end for the client.
void check_other_end(const GuestTasks& t, const Config& config) {
  const std::string net = config.has("net.attach") ? config.peek_text("net.attach") : "peer";
  if (t.of_station && net != "peer")
    config.fail("net.attach",
                fmt::format("{} needs the reference station; write peer there, or leave it out", t.client));
  if (net == "none" && config.children("station").empty())
    config.fail("net.attach", fmt::format("{} needs another station, and there is none; write peer there, or leave it "
                                          "out",
                                          t.client));
}

/// Throws Error for a machine whose cards are all for drives. Other cards are checked when the machine is built.
void check_adapter(const GuestTasks& t, const Config& config) {
  const auto slots = config.children("slot");
  const auto for_drives = [&](const std::string& slot) {
    return is_storage_card(config.peek_text("slot." + slot + ".card"));
  };
  if (std::all_of(slots.begin(), slots.end(), for_drives))
    throw Error(
        fmt::format("{}: the machine has no network adapter; name one with --card (planar list cards)", t.client));
}

/// Opens a session with the machine of `config` as client; with `against` also a server, from `machine`'s options.
/// `bonded`: the number of adapters that each uses as one. Throws Error.
std::unique_ptr<Session> open_guests(const GuestTasks& t, Config config, const MachineOptions& machine,
                                     const OutputOptions& output, const StateOptions& state, unsigned bonded = 0) {
  std::vector<Media> media;
  check_adapter(t, config);
  if (!t.against) {
    check_other_end(t, config);
    media.push_back(diskette(t, t.client, driver_settings(config)));
    return std::make_unique<Session>(LabConfig(std::move(config)), std::move(media), output, state);
  }
  if (machine.net) throw Error("--net and --against both name the other end of the wire; give one of them");
  for (const std::string& key : config.children("peer"))
    if (const std::string origin = config.origin("peer." + key); origin.starts_with("--set"))
      throw Error(fmt::format(
          "{}: with --against the other end is a machine, and there is no station peer; leave it out", origin));
  std::vector<std::pair<std::string, Config>> machines;
  SettingsSector client = driver_settings(config), server{{"ip", "192.168.10.1"}, {"peer", "192.168.10.2"}};
  client.emplace_back("wait", server_head_start);
  Config other = server_config(*t.against, machine, bonded);
  if (bonded) connect_bonds(config, other);
  machines.emplace_back("client", std::move(config));
  machines.emplace_back("server", std::move(other));
  const SettingsSector of_server = driver_settings(machines.back().second);
  server.insert(server.end(), of_server.begin(), of_server.end());
  media.push_back(diskette(t, t.client, client));
  media.push_back(diskette(t, t.server, server));
  return std::make_unique<Session>(LabConfig::join(std::move(machines)), std::move(media), output, state);
}

/// The command that continues a snapshot whose guest runs `program`, without the file name.
std::string continuing_command(const std::string& program) {
  if (program == "netio" || program == "netperf") return fmt::format("planar {} --restore", program);
  if (program == "netserver") return "planar netperf --receive (or --serve N) --restore";
  return "planar run --restore";
}

/// Checks that the guest in the snapshot `file`, with these `settings`, runs the verb's program. Throws Error.
void check_program(const std::string& file, const SettingsSector& settings, const std::string& wanted) {
  if (settings.empty())
    throw Error(
        fmt::format("--restore {0}: the snapshot is of a machine without planar's guest, which runs {1}; "
                    "continue it with: {2} {0}",
                    file, wanted, continuing_command({})));
  const std::string program = setting(settings, "do").value_or("netio");  // as roms/guest/programs/main.c
  if (program != wanted)
    throw Error(fmt::format("--restore {0}: the guest in the snapshot runs {1}, not {2}; continue it with: {3} {0}",
                            file, program, wanted, continuing_command(program)));
}

/// Checks that the snapshot's guest runs the program that is `wanted`, and that options given to `verb` agree with its
/// settings and operating system; refuses --against and --use. Throws Error.
void check_guest_settings(const CLI::App& verb, const GuestTasks& wanted, const std::string& file,
                          const Snapshot& snapshot) {
  const SettingsSector there =
      snapshot.diskettes.empty() ? SettingsSector{} : settings_of(snapshot.diskettes.front().image);
  check_program(file, there, wanted.client);
  if (verb.get_option("--against")->count())
    throw Error("--restore and --against: the snapshot says which machines it has; leave --against out");
  if (verb.get_option("--use")->count())
    throw Error("--restore and --use: the guest in the snapshot has its adapter already; leave --use out");
  const auto check = [&](const std::string& option, const std::string& key, const std::string& text,
                         std::string_view unless_given) {
    const auto* given = verb.get_option_no_throw("--" + option);
    if (!given || given->count() == 0) return;
    const std::string value = setting(there, key).value_or(std::string(unless_given));
    if (value != text)
      throw Error(fmt::format("--restore and --{0} {1}: the guest in the snapshot runs {2}; leave --{0} out", option,
                              text, value.empty() ? "without it" : fmt::format("with {}", value)));
  };
  for (const auto& [key, text] : wanted.settings) check(key == "tests" ? "serve" : key, key, text, "");
  check("os", "os", wanted.system, default_system);
}

}  // namespace

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
                             "Without it the guest takes the one that --card adds to a machine file's, or the first "
                             "that its drivers find, and the result says which",
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
           fmt::format("{} is another emulated machine on the same wire, with this card (if none is named ne2, in a PC "
                       "3c905b), in place of a station of --net; both machines are in the result",
                       server))
        ->type_name("MACHINE[:CARD]")
        ->transform(machine_argument);
  add_runs_option(app, runs,
                  "Run this often, each with the next seed (from --seed or 1 on) and in the next of the guest's eight "
                  "placements (unless --placement names one), and give means with their 95 % confidence and spread");
  output.add_to(app);
  state.add_to(app);
}

std::optional<Plugged> GuestRunOptions::used_adapter(const Config& config) const {
  const auto wanted = use ? use : added_adapter(config);
  for (const Plugged& adapter : network_adapters(config))
    if (wanted ? parse_number(adapter.slot) == *wanted : adapter.enabled) return adapter;
  return std::nullopt;
}

std::optional<int> GuestRunOptions::several(const Benchmark& benchmark) const {
  if (runs == 1) return std::nullopt;
  return run_seeds(benchmark, *verb, machine.machine, {machine.seed.value_or(1), placement, runs}, output.json,
                   output.quiet, cache);
}

std::unique_ptr<Session> GuestRunOptions::open(GuestTasks tasks, const std::function<void(Config&)>& adjust) const {
  if (const unsigned n = placement.value_or(0))
    tasks.settings.emplace_back("placement", std::to_string(n));  // 0: as built
  if (state.restore) {
    if (bond.given())
      throw Error("--restore and --bond: the snapshot says which adapters the guest uses as one; leave --bond out");
    RestoredLab restored = open_snapshot(*state.restore, machine);
    check_guest_settings(*verb, tasks, *state.restore, restored.snapshot);
    return std::make_unique<Session>(std::move(restored), output, state);
  }
  if (bond.given()) return open_bond(tasks, adjust);
  auto config = machine.config(true);
  if (const auto slot = use || tasks.several ? use : added_adapter(config)) use_adapter(config, *slot);
  if (adjust) adjust(config);
  if (!output.quiet) note_unused(config, tasks.client);
  return open_guests(tasks, std::move(config), machine, output, state);
}

std::unique_ptr<Session> GuestRunOptions::open_bond(GuestTasks tasks,
                                                    const std::function<void(Config&)>& adjust) const {
  if (use) throw Error("--bond and --use: a bond is of several adapters; leave --use out");
  if (machine.net && *machine.net != "peer")
    throw Error(
        fmt::format("--bond and --net {}: only the reference station (peer) has a port on each segment; name it, or a "
                    "machine with --against",
                    *machine.net));
  if (system != default_system)
    throw Error(fmt::format("--bond and --os {}: bonding is Linux 2.2's; leave --os out", system));
  MachineOptions of_cards = machine;
  bond.repeat_card(of_cards);
  auto config = of_cards.config(true);
  if (adjust) adjust(config);
  const unsigned bonded = bond.apply(config);
  tasks.settings.emplace_back("adapters", std::to_string(bonded));
  tasks.settings.emplace_back("bond", "1");
  return open_guests(tasks, std::move(config), machine, output, state, bonded);
}

}  // namespace planar
