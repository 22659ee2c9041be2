// SPDX-License-Identifier: GPL-2.0-or-later
// `planar netio`: boots the guest test bench, lets it run netio, and prints what it counted.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "devices/adapter_registry.hpp"
#include "frontend/guest_image.hpp"
#include "frontend/netio_result.hpp"
#include "frontend/output.hpp"
#include "frontend/session.hpp"
#include "frontend/verbs.hpp"
#include "roms/images.hpp"

namespace planar {

namespace {

constexpr const char* guest_name = "planar-guest.img (built in)";

struct Options {
  MachineOptions machine;
  OutputOptions output;
  StateOptions state;
  std::optional<std::string> seconds;
  unsigned generation = 1;
  unsigned port = net::netio_port;
  std::string sizes = "1024,2048,4096,8192,16384,32767";
};

/// What netio's programs themselves take: 10 s up to 1.14, 6 s from 1.16 on.
std::string seconds(const Options& o) { return o.seconds.value_or(o.generation == 1 ? "10" : "6"); }

/// Power-on to the first packet takes some virtual seconds; each size its duration, with room for a slow machine's tail.
Time virtual_limit(const Options& o) {
  const auto duration = parse_time(seconds(o) + " s");
  if (!duration || *duration < 10_ms || *duration > 3600_s)
    throw Error(fmt::format("--seconds {}: expects 0.01 to 3600", seconds(o)));
  std::size_t count = 0;
  for (std::size_t at = 0; at <= o.sizes.size(); ++count) {
    const auto comma = std::min(o.sizes.find(',', at), o.sizes.size());
    const auto size = parse_number(o.sizes.substr(at, comma - at));
    if (!size || *size < 1 || *size > 65536 || count == 16)
      throw Error(fmt::format("--sizes {}: expects up to 16 sizes from 1 to 65536 bytes, separated by commas", o.sizes));
    at = comma + 1;
  }
  return 60_s + *duration * static_cast<std::int64_t>(2 * count * o.generation);
}

NetioResult collect(Session& session) {
  Lab& lab = session.lab();
  Machine& machine = lab.machine();
  const GuestOutput& guest = session.guest();
  NetioResult r;
  r.host_seconds = session.progress().host_seconds();
  r.machine = machine.config().name;
  r.card = machine.config().cards.empty() ? "none" : machine.config().cards.front().name;
  r.hypothetical = !machine.config().cards.empty() && find_adapter(r.card).hypothetical;
  r.net = machine.config().net;
  r.repeatable = lab.repeatable();
  r.seed = machine.config().seed;
  if (const auto* line = guest.find("@planar-guest"))
    r.netio_version = line->text.substr(std::min(line->text.size(), line->text.rfind(' ') + 1));
  if (const auto version = guest.value("@netio start", "version")) r.netio_version = *version;
  r.guest_image_sha256 = sha256_hex(roms::guest());
  r.rows = guest.rows();
  r.received_rows = guest.received_rows();
  if (const auto load = guest.value("@load", "percent")) r.cpu_load_percent = std::strtod(load->c_str(), nullptr);
  const auto* start = guest.find("@netio start");
  const auto* end = guest.find("@netio end");
  if (start && end && end->processor.clocks > start->processor.clocks) {
    const auto all = end->processor.clocks - start->processor.clocks;
    const auto halted = end->processor.halted - start->processor.halted;
    r.true_busy_percent = 100.0 * static_cast<double>(all - halted) / static_cast<double>(all);
  }
  r.clock = machine.cpu().config().clock;
  for (const FrameTime& f : session.frames().rows())
    if (!r.frame_time || f.packet_bytes >= r.frame_time->packet_bytes) r.frame_time = f;
  r.virtual_seconds = session.now().seconds();
  r.instructions = machine.cpu().instructions();
  r.cycles = machine.cpu().clocks();
  const auto frames = lab.frames();
  r.frames_sent = frames.sent;
  r.frames_received = frames.received;
  r.collisions = frames.collisions;
  r.overruns = frames.overruns;
  r.state_hash = session.state_hash();
  return r;
}

std::unique_ptr<Session> open(const Options& o) {
  if (o.state.restore) return std::make_unique<Session>(read_snapshot(*o.state.restore), o.output, o.state);
  auto config = o.machine.config("ne2");
  config.set_text("peer.duration", seconds(o) + " s", "--seconds");
  Media media;
  media.diskette = NamedFile{
      guest_name,
      with_settings(roms::guest(), {{"do", "netio"}, {"seconds", seconds(o)}, {"sizes", o.sizes},
                                   {"generation", std::to_string(o.generation)}, {"port", std::to_string(o.port)}})};
  return std::make_unique<Session>(std::move(config), std::move(media), o.output, o.state);
}

int run(const Options& o) {
  const Time limit = virtual_limit(o);
  auto session = open(o);
  if (!o.output.quiet) fmt::print(stderr, "{}", session->lab().summary());
  const auto end = session->run(
      limit, [&] { return session->guest().done().has_value(); },
      [&] {
        const auto rows = session->guest().rows();
        return rows.empty() ? std::string("booting") : fmt::format("{} sizes done", rows.size());
      });
  session->print_screen();
  const auto status = session->guest().done();
  if (end == RunEnd::interrupted) throw Error("interrupted", ExitCode::scenario_failed);
  if (!status) {
    const auto screen = session->screen();
    throw Error(fmt::format("netio did not finish within {:.0f} virtual seconds{}{}", limit.seconds(),
                            screen.empty() ? "" : "; the screen shows:\n  ", fmt::join(screen, "\n  ")),
                end == RunEnd::halted ? ExitCode::scenario_failed : ExitCode::virtual_timeout);
  }
  const NetioResult result = collect(*session);
  if (*status != 0)
    throw Error(fmt::format("netio failed in the guest: {}", session->guest().failure().value_or("no reason given")),
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
  verb->add_option("--seconds", o->seconds, "Duration of each packet size, virtual (10; 6 each way with --generation 2)")
      ->type_name("N");
  verb->add_option("--generation", o->generation,
                   "netio's protocol: 1 (up to 1.14, sends only) or 2 (from 1.16 on, both ways; its server must speak it too)")
      ->type_name("1|2")->check(CLI::Range(1, 2))->capture_default_str();
  verb->add_option("--port", o->port, "TCP port of the server; `peer` serves netio's own")
      ->type_name("N")->check(CLI::Range(1, 65535))->capture_default_str();
  verb->add_option("--sizes", o->sizes, "Packet sizes in bytes, in order")->type_name("LIST")->capture_default_str();
  o->output.add_to(*verb);
  o->state.add_to(*verb);
  return [o] { return run(*o); };
}

}  // namespace planar
