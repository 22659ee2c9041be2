// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest_benchmarks/benchmark_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "frontend/guest/guest_image.hpp"
#include "frontend/output/output.hpp"
#include "frontend/systems/operating_system.hpp"
#include "machines/config/units.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

/// How long the client of two machines waits before it asks for the server, which may be the slower one to boot: its
/// ARP gives up after three seconds. Unit: seconds of the guest.
constexpr const char* server_head_start = "4";

bool over(Session& session) {
  bool all = true;
  for (std::size_t n = 0; n < session.lab().machines(); ++n) {
    const auto status = session.guest(n).done();
    if (status.value_or(0) != 0) return true;
    all &= status.has_value();
  }
  return all;
}

/// The guest with `task` to do, and settings that only this one of the machines has.
Media diskette(const GuestTasks& t, const std::string& task, const GuestSettings& own) {
  GuestSettings settings{{"do", task}};
  settings.insert(settings.end(), t.settings.begin(), t.settings.end());
  settings.insert(settings.end(), own.begin(), own.end());
  const auto system = find_operating_system(t.system).settings();
  settings.insert(settings.end(), system.begin(), system.end());
  return guest_diskette(settings);
}

/// `--against MACHINE[:CARD]`: the same lab-wide options, another machine and card.
Config server_config(const std::string& against, const MachineOptions& client) {
  MachineOptions server;
  const auto colon = against.find(':');
  server.machine = against.substr(0, colon);
  if (colon != std::string::npos) server.cards.push_back(against.substr(colon + 1));
  server.seed = client.seed;
  server.force = client.force;
  return server.config("ne2");
}

}  // namespace

std::unique_ptr<Session> open_guests(const GuestTasks& t, Config config, const MachineOptions& machine,
                                     const OutputOptions& output, const StateOptions& state) {
  std::vector<Media> media;
  if (!t.against) {
    media.push_back(diskette(t, t.client, driver_settings(config)));
    return std::make_unique<Session>(LabConfig(std::move(config)), std::move(media), output, state);
  }
  if (machine.net) throw Error("--net and --against both name the other end of the wire; give one of them");
  std::vector<std::pair<std::string, Config>> machines;
  GuestSettings client = driver_settings(config), server{{"ip", "192.168.10.1"}, {"peer", "192.168.10.2"}};
  client.emplace_back("wait", server_head_start);
  machines.emplace_back("client", std::move(config));
  machines.emplace_back("server", server_config(*t.against, machine));
  const GuestSettings of_server = driver_settings(machines.back().second);
  server.insert(server.end(), of_server.begin(), of_server.end());
  media.push_back(diskette(t, t.client, client));
  media.push_back(diskette(t, t.server, server));
  return std::make_unique<Session>(LabConfig::join(std::move(machines)), std::move(media), output, state);
}

void check_guest_settings(const CLI::App& verb, const GuestTasks& wanted, const Snapshot& snapshot) {
  if (verb.get_option("--against")->count())
    throw Error("--restore and --against: the snapshot says which machines it has; leave --against out");
  if (verb.get_option("--use")->count())
    throw Error("--restore and --use: the guest in the snapshot has its adapter already; leave --use out");
  const GuestSettings there =
      snapshot.diskettes.empty() ? GuestSettings{} : settings_of(snapshot.diskettes.front().image);
  const auto check = [&](const std::string& option, const std::string& key, const std::string& text,
                         std::string_view unless_given) {
    const auto* given = verb.get_option_no_throw("--" + option);
    if (!given || given->count() == 0) return;
    const auto found = std::find_if(there.begin(), there.end(), [&](const auto& s) { return s.first == key; });
    const std::string_view value = found == there.end() ? unless_given : found->second;
    if (value != text)
      throw Error(fmt::format("--restore and --{0} {1}: the guest in the snapshot runs {2}; leave --{0} out", option,
                              text, value.empty() ? "without it" : fmt::format("with {}", value)));
  };
  for (const auto& [key, text] : wanted.settings) check(key == "tests" ? "serve" : key, key, text, "");
  check("os", "os", wanted.system, default_system);
}

GuestSettings driver_settings(const Config& config) {
  for (const std::string& slot : config.children("slot"))
    if (const std::string path = "slot." + slot;
        config.has(path + ".driver") && config.peek_text(path + ".enabled") != "false")
      return {{"driver", config.peek_text(path + ".driver")}};
  return {};
}

void use_adapter(Config& config, unsigned slot) {
  const auto network = [&](const std::string& name) {
    const auto rows = adapter_registry();
    const auto card = config.peek_text("slot." + name + ".card");
    return std::any_of(rows.begin(), rows.end(), [&](const AdapterEntry& row) { return row.name == card; });
  };
  const auto option = fmt::format("--use {}", slot);
  std::vector<std::string> held;
  bool found = false;
  for (const std::string& name : config.children("slot")) {
    if (!network(name)) continue;
    held.push_back(fmt::format("{} ({})", name, config.peek_text("slot." + name + ".card")));
    const bool used = parse_number(name) == slot;
    found |= used;
    config.set(fmt::format("slot.{}.enabled", name), used ? "true" : "false", option);
  }
  if (!found)
    throw Error(fmt::format("{}: no network adapter is in slot {}; they are in slot {}", option, slot,
                            held.empty() ? "none" : fmt::format("{}", fmt::join(held, ", "))));
}

Media guest_diskette(const GuestSettings& settings) {
  Media media;
  media.diskette = built_in_guest(settings);
  return media;
}

Time parse_seconds(const std::string& text) {
  const auto duration = parse_time(text + " s");
  if (!duration || *duration < 10_ms || *duration > 3600_s)
    throw Error(fmt::format("--seconds {}: expects 0.01 to 3600", text));
  return *duration;
}

std::vector<std::uint32_t> parse_list(std::string_view option, const std::string& list, std::size_t most,
                                      std::uint32_t highest, std::string_view what, std::string_view unit) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t at = 0; at <= list.size();) {
    const auto comma = std::min(list.find(',', at), list.size());
    const auto number = parse_number(list.substr(at, comma - at));
    if (!number || *number < 1 || *number > highest || numbers.size() == most)
      throw Error(fmt::format("{} {}: expects up to {} {} from 1 to {} {}, separated by commas", option, list, most,
                              what, highest, unit));
    numbers.push_back(static_cast<std::uint32_t>(*number));
    at = comma + 1;
  }
  return numbers;
}

std::vector<std::uint32_t> parse_sizes(const std::string& list, std::size_t most) {
  return parse_list("--sizes", list, most, 65536, "sizes", "bytes");
}

bool run_guests(Session& session, Time limit, std::string_view name, bool quiet,
                const std::function<std::string()>& progress, const std::function<bool()>& enough) {
  if (!quiet) say("{}", session.lab().summary());
  const auto end = session.run(
      limit, [&] { return over(session) || (enough && enough()); }, progress);
  session.print_screen();
  if (end == RunEnd::interrupted) return false;
  if (enough && enough()) return true;
  if (!over(session)) {
    const auto screen = session.screen();
    throw Error(fmt::format("{} did not finish within {:.0f} virtual seconds{}{}", name, limit.seconds(),
                            screen.empty() ? "" : "; the screen shows:\n  ", fmt::join(screen, "\n  ")),
                end == RunEnd::halted ? ExitCode::scenario_failed : ExitCode::virtual_timeout);
  }
  for (std::size_t n = 0; n < session.lab().machines(); ++n)
    if (session.guest(n).done().value_or(0) != 0)
      throw Error(fmt::format("{}{} failed in the guest: {}", name, n ? "'s server" : "",
                              session.guest(n).failure().value_or("no reason given")),
                  ExitCode::scenario_failed);
  return true;
}

}  // namespace planar
