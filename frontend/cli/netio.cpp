// SPDX-License-Identifier: GPL-2.0-or-later
// `planar netio`: boots the guest test bench, lets it run netio, and prints what it counted.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "devices/stations/peer/netio_protocol.hpp"
#include "frontend/cli/output.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/report/netio_result.hpp"
#include "frontend/session/guest_image.hpp"
#include "frontend/session/session.hpp"
#include "machines/registry/adapter_registry.hpp"
#include "roms/images.hpp"

namespace planar {

namespace {

constexpr const char* guest_name = "planar-guest.img (built in)";

/// How long the client of two machines waits before it asks for the server, which may be the slower one to boot: its
/// ARP gives up after three seconds. Unit: seconds of the guest.
constexpr const char* server_head_start = "4";

struct Options {
  MachineOptions machine;
  OutputOptions output;
  StateOptions state;
  std::optional<std::string> seconds;
  std::optional<std::string> against;
  unsigned generation = 1;
  unsigned port = net::netio_port;
  std::string sizes = "1024,2048,4096,8192,16384,32767";
};

/// What netio's programs themselves take: 10 s up to 1.14, 6 s from 1.16 on.
std::string seconds(const Options& o) { return o.seconds.value_or(o.generation == 1 ? "10" : "6"); }

/// Power-on to the first packet takes some virtual seconds; each size its duration, with room for a slow machine's
/// tail.
Time virtual_limit(const Options& o) {
  const auto duration = parse_time(seconds(o) + " s");
  if (!duration || *duration < 10_ms || *duration > 3600_s)
    throw Error(fmt::format("--seconds {}: expects 0.01 to 3600", seconds(o)));
  std::size_t count = 0;
  for (std::size_t at = 0; at <= o.sizes.size(); ++count) {
    const auto comma = std::min(o.sizes.find(',', at), o.sizes.size());
    const auto size = parse_number(o.sizes.substr(at, comma - at));
    if (!size || *size < 1 || *size > 65536 || count == 16)
      throw Error(
          fmt::format("--sizes {}: expects up to 16 sizes from 1 to 65536 bytes, separated by commas", o.sizes));
    at = comma + 1;
  }
  return 60_s + *duration * static_cast<std::int64_t>(2 * count * o.generation);
}

std::string first_card(const MachineConfig& machine) {
  return machine.cards.empty() ? "none" : machine.cards.front().name;
}
bool hypothetical(const MachineConfig& machine) {
  return !machine.cards.empty() && find_adapter(first_card(machine)).hypothetical;
}

/// The share of clocks not halted between two lines of the guest.
double busy_percent(const GuestLine* start, const GuestLine* end) {
  if (!start || !end || end->processor.clocks <= start->processor.clocks) return 0;
  const auto all = end->processor.clocks - start->processor.clocks;
  const auto halted = end->processor.halted - start->processor.halted;
  return 100.0 * static_cast<double>(all - halted) / static_cast<double>(all);
}

double load_percent(const GuestOutput& guest) {
  const auto load = guest.value("@load", "percent");
  return load ? std::strtod(load->c_str(), nullptr) : 0;
}

NetioServer collect_server(Session& session) {
  Machine& machine = session.lab().machine(1);
  const GuestOutput& guest = session.guest(1);
  NetioServer s;
  s.machine = machine.config().name;
  s.card = first_card(machine.config());
  s.hypothetical = hypothetical(machine.config());
  s.cpu_load_percent = load_percent(guest);
  s.true_busy_percent = busy_percent(guest.find("@server start"), guest.find("@server end"));
  const auto count = [&](const char* key) {
    return parse_number(guest.value("@served", key).value_or("")).value_or(0);
  };
  s.received_kb = count("received_kb");
  s.sent_kb = count("sent_kb");
  s.instructions = machine.cpu().instructions();
  s.cycles = machine.cpu().clocks();
  s.frames = session.lab().frames(1);
  return s;
}

NetioResult collect(Session& session) {
  Lab& lab = session.lab();
  Machine& machine = lab.machine();
  const GuestOutput& guest = session.guest();
  NetioResult r;
  r.host_seconds = session.progress().host_seconds();
  r.machine = machine.config().name;
  r.card = first_card(machine.config());
  r.hypothetical = hypothetical(machine.config());
  if (lab.machines() > 1) r.against = collect_server(session);
  r.net = r.against ? "machine" : machine.config().net;
  r.repeatable = lab.repeatable();
  r.seed = machine.config().seed;
  if (const auto* line = guest.find("@planar-guest"))
    r.netio_version = line->text.substr(std::min(line->text.size(), line->text.rfind(' ') + 1));
  if (const auto version = guest.value("@netio start", "version")) r.netio_version = *version;
  r.guest_image_sha256 = sha256_hex(roms::guest());
  r.rows = guest.rows();
  r.received_rows = guest.received_rows();
  r.cpu_load_percent = load_percent(guest);
  r.true_busy_percent = busy_percent(guest.find("@netio start"), guest.find("@netio end"));
  r.clock = machine.cpu().config().clock;
  for (const FrameTime& f : session.frames().rows())
    if (!r.frame_time || f.packet_bytes >= r.frame_time->packet_bytes) r.frame_time = f;
  r.virtual_seconds = session.now().seconds();
  r.instructions = machine.cpu().instructions();
  r.cycles = machine.cpu().clocks();
  r.frames = lab.frames();
  r.state_hash = session.state_hash();
  return r;
}

using Settings = std::vector<std::pair<std::string, std::string>>;

/// The guest with `task` to do, and settings that only this one of the machines has.
Media guest_diskette(const Options& o, const std::string& task, const Settings& own = {}) {
  Settings settings{{"do", task},
                    {"seconds", seconds(o)},
                    {"sizes", o.sizes},
                    {"generation", std::to_string(o.generation)},
                    {"port", std::to_string(o.port)}};
  settings.insert(settings.end(), own.begin(), own.end());
  Media media;
  media.diskette = NamedFile{guest_name, with_settings(roms::guest(), settings)};
  return media;
}

/// `--against MACHINE[:CARD]`: the same lab-wide options, another machine and card.
Config server_config(const Options& o) {
  MachineOptions server;
  const auto colon = o.against->find(':');
  server.machine = o.against->substr(0, colon);
  if (colon != std::string::npos) server.cards.push_back(o.against->substr(colon + 1));
  server.seed = o.machine.seed;
  server.force = o.machine.force;
  return server.config("ne2");
}

std::unique_ptr<Session> open(const Options& o) {
  if (o.state.restore) return std::make_unique<Session>(read_snapshot(*o.state.restore), o.output, o.state);
  auto config = o.machine.config("ne2");
  std::vector<Media> media;
  if (!o.against) {
    config.set_text("peer.duration", seconds(o) + " s", "--seconds");
    media.push_back(guest_diskette(o, "netio"));
    return std::make_unique<Session>(LabConfig(std::move(config)), std::move(media), o.output, o.state);
  }
  if (o.machine.net) throw Error("--net and --against both name the other end of the wire; give one of them");
  std::vector<std::pair<std::string, Config>> machines;
  machines.emplace_back("client", std::move(config));
  machines.emplace_back("server", server_config(o));
  media.push_back(guest_diskette(o, "netio", {{"wait", server_head_start}}));
  media.push_back(guest_diskette(o, "netio-server", {{"ip", "192.168.10.1"}, {"peer", "192.168.10.2"}}));
  return std::make_unique<Session>(LabConfig::join(std::move(machines)), std::move(media), o.output, o.state);
}

/// Every guest has come to its end, or one of them to a bad one.
bool over(Session& session) {
  bool all = true;
  for (std::size_t n = 0; n < session.lab().machines(); ++n) {
    const auto status = session.guest(n).done();
    if (status.value_or(0) != 0) return true;
    all &= status.has_value();
  }
  return all;
}

int run(const Options& o) {
  const Time limit = virtual_limit(o);
  auto session = open(o);
  if (!o.output.quiet) fmt::print(stderr, "{}", session->lab().summary());
  const auto end = session->run(
      limit, [&] { return over(*session); },
      [&] {
        const auto rows = session->guest().rows();
        return rows.empty() ? std::string("booting") : fmt::format("{} sizes done", rows.size());
      });
  session->print_screen();
  if (end == RunEnd::interrupted) throw Error("interrupted", ExitCode::scenario_failed);
  if (!over(*session)) {
    const auto screen = session->screen();
    throw Error(fmt::format("netio did not finish within {:.0f} virtual seconds{}{}", limit.seconds(),
                            screen.empty() ? "" : "; the screen shows:\n  ", fmt::join(screen, "\n  ")),
                end == RunEnd::halted ? ExitCode::scenario_failed : ExitCode::virtual_timeout);
  }
  const NetioResult result = collect(*session);
  for (std::size_t n = 0; n < session->lab().machines(); ++n)
    if (session->guest(n).done().value_or(0) != 0)
      throw Error(fmt::format("netio{} failed in the guest: {}", n ? "'s server" : "",
                              session->guest(n).failure().value_or("no reason given")),
                  ExitCode::scenario_failed);
  if (o.output.json) {
    write_json(*o.output.json, result.json());
    if (*o.output.json == "-") return 0;
  }
  fmt::print("{}", result.table());
  return 0;
}

}  // namespace

Verb add_netio(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("netio", "Boot the built-in guest in a machine and run netio inside it");
  o->machine.add_to(*verb, false);
  verb->add_option("--seconds", o->seconds,
                   "Duration of each packet size, virtual (10; 6 each way with --generation 2)")
      ->type_name("N");
  verb->add_option(
          "--generation", o->generation,
          "netio's protocol: 1 (up to 1.14, sends only) or 2 (from 1.16 on, both ways; its server must speak it too)")
      ->type_name("1|2")
      ->check(CLI::Range(1, 2))
      ->capture_default_str();
  verb->add_option("--port", o->port, "TCP port of the server; `peer` serves netio's own")
      ->type_name("N")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  verb->add_option("--sizes", o->sizes, "Packet sizes in bytes, in order")->type_name("LIST")->capture_default_str();
  verb->add_option(
          "--against", o->against,
          "The server is another emulated machine on the same wire, with this card (ne2 if none is named), in place of "
          "a station of --net; both machines are in the result")
      ->type_name("MACHINE[:CARD]");
  o->output.add_to(*verb);
  o->state.add_to(*verb);
  return [o] { return run(*o); };
}

}  // namespace planar
