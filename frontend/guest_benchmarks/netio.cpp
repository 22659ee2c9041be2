// SPDX-License-Identifier: GPL-2.0-or-later
// `planar netio`: boots the guest test bench, lets it run netio, and prints what it counted.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

#include "devices/stations/peer/netio_protocol.hpp"
#include "frontend/guest_benchmarks/benchmark_run.hpp"
#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/guest_benchmarks/guest_run.hpp"
#include "frontend/guest_benchmarks/netio_converge.hpp"
#include "frontend/guest_benchmarks/netio_result.hpp"
#include "frontend/guest_benchmarks/seed_runs.hpp"
#include "frontend/options/arguments.hpp"
#include "frontend/output/labels.hpp"
#include "frontend/output/output.hpp"
#include "machines/config/units.hpp"

namespace planar {

namespace {

constexpr std::size_t most_sizes = 16;         // accepted by the guest's netio
constexpr std::uint32_t longest_size = 32768;  // the size of its buffer

struct Options : GuestRunOptions {
  std::optional<std::string> seconds;
  unsigned generation = 1;
  std::optional<unsigned> mtu;
  std::string sizes = "1024,2048,4096,8192,16384,32767";
  std::optional<std::string> converge;  ///< percent
};

/// --seconds; the default is that of netio's own programs: 10 s up to 1.14, 6 s from 1.16 on.
std::string seconds(const Options& o) { return o.seconds.value_or(o.generation == 1 ? "10" : "6"); }

/// Booting takes some virtual seconds; each size takes its duration, with a margin for a slow machine's tail.
Time virtual_limit(const Options& o) {
  const auto sizes = parse_sizes(o.sizes, most_sizes, longest_size).size();
  return 60_s + parse_seconds(seconds(o)) * static_cast<std::int64_t>(2 * sizes * o.generation);
}

/// A row that is sent is followed by its counterpart, if there is one. Nothing if some preceded the snapshot that this
/// session continues.
void put_busy_of_rows(const std::vector<TestMeter::Span>& tests, NetioResult& r) {
  if (tests.size() != r.rows.size() + r.received_rows.size()) return;
  auto test = tests.begin();
  for (std::size_t n = 0; n < r.rows.size(); ++n) {
    r.rows[n].busy_percent = test++->busy_percent();
    if (n < r.received_rows.size()) r.received_rows[n].busy_percent = test++->busy_percent();
  }
}

NetioResult read_result(Session& session) {
  const GuestOutput& guest = session.guest();
  NetioResult r;
  collect(session, "@netio start", "@load", r);  // the period of the load figure; closing may take seconds
  if (session.lab().machines() > 1) {
    NetioServer& server = r.against.emplace();
    collect(session, 1, "@server start", "@server end", server);
    server.received_kb = parse_number(session.guest(1).value("@served", "received_kb").value_or(""));
    server.sent_kb = parse_number(session.guest(1).value("@served", "sent_kb").value_or(""));
  }
  r.netio_version = guest.value("@netio start", "version").value_or("");
  r.rows = netio_rows(guest);
  const auto& delivered = session.delivery().rows();
  for (std::size_t n = 0; n < std::min(r.rows.size(), delivered.size()); ++n) r.rows[n].delivered = delivered[n];
  r.received_rows = netio_rows(guest, netio_received);
  put_busy(session, r);
  if (r.against) put_busy(session, *r.against, 1);
  put_busy_of_rows(session.tests().tests(), r);
  return r;
}

GuestTasks tasks(const Options& o) {
  GuestTasks t{
      .client = "netio",
      .server = "netio-server",
      .settings = {{"seconds", seconds(o)},
                   {"sizes", fmt::format("{}", fmt::join(parse_sizes(o.sizes, most_sizes, longest_size), ","))},
                   {"generation", std::to_string(o.generation)},
                   {"port", std::to_string(o.port)}},
      .system = o.system,
      .against = o.against};
  if (o.mtu) t.settings.emplace_back("mtu", std::to_string(*o.mtu));
  return t;
}

std::unique_ptr<Session> open(const Options& o) {
  return o.open(tasks(o), [&](Config& client) {
    if (o.against) return;
    client.set_text("peer.duration", seconds(o) + " s", "--seconds");
    if (o.mtu) client.set("peer.mtu", std::to_string(*o.mtu), "--mtu");
  });
}

/// Reports which of several network adapters the guest uses.
void say_adapter(Session& session) {
  MachineFigures figures;
  collect(session, 0, "@netio start", "@netio end", figures);
  if (figures.cards > 1)
    say("planar: netio uses {} in slot {}; --use SLOT chooses another\n", figures.card, figures.slot);
}

/// Runs the guest to its end, or until the user interrupts it or a row is `hopeless`.
NetioResult measure(Session& session, const Options& o, const std::function<bool(const NetioRow&)>& hopeless = {}) {
  bool enough = false;
  session.on_guest_line([&](std::size_t n, const GuestLine& line) {
    if (auto row = netio_row(line)) {
      const Measured span = note_measured(session, n, line, row->measured());
      session.frames(n).row_ended(row->packet_bytes, span);
      session.delivery(n).row_ended(span);
      session.progress().row(fmt::format("{}: {:.1f} KB/s", size_name(row->packet_bytes), row->kb_per_s()));
      if (n == 0 && hopeless) {
        row->delivered = session.delivery().rows().back();
        enough = enough || hopeless(*row);
      }
    } else if (const auto received = netio_row(line, netio_received)) {
      note_measured(session, n, line, received->measured());
    }
    if (n == 0 && line.tagged("@card") && !o.use && !o.bond.given() && !o.output.quiet) say_adapter(session);
  });
  const auto progress = [&] {
    const auto rows = netio_rows(session.guest());
    return rows.empty() ? std::string("booting") : counted(rows.size(), "size") + " done";
  };
  const bool finished =
      run_guests(session, virtual_limit(o), "netio", o.output.quiet, progress, [&] { return enough; });
  session.on_guest_line({});
  NetioResult result = read_result(session);
  result.interrupted = !finished;
  return result;
}

/// Throws Error if --converge is not possible.
void check_converge(const Options& o) {
  parse_converge(*o.converge);
  refuse_single(*o.verb, "--converge", "it may take several runs; leave one of the two out");
  if (o.generation != 1)
    throw Error(
        fmt::format("--converge and --generation {}: only what the client sends is watched, and from "
                    "generation 2 on the server sends too; leave one of the two out",
                    o.generation));
}

/// --converge: makes one run after another until all sizes have settled.
NetioResult measure_settled(const Options& o) {
  return converge(parse_converge(*o.converge), seconds(o), [&](const std::string& length, const auto& hopeless) {
    Options one = o;
    one.seconds = length;
    const auto session = open(one);
    if (!session->repeatable())
      throw Error(
          "--converge with the host's network: its figures depend on the host as well, and differ each time; leave one "
          "of the two out");
    NetioResult result = measure(*session, one, hopeless);
    session->check_files();
    session->check_snapshot_taken();
    return result;
  });
}

int run(const Options& o) {
  parse_seconds(seconds(o));
  if (o.converge) check_converge(o);
  if (const auto code = o.several(netio_benchmark)) return *code;
  if (o.converge) return put_result(o.output, measure_settled(o));
  auto session = open(o);
  return conclude(*session, o.output, measure(*session, o));
}

std::vector<std::uint32_t> netio_sizes(const std::string& list) { return parse_sizes(list, most_sizes, longest_size); }

Verb add_netio(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("netio", "Boot the built-in guest in a machine and run netio inside it");
  o->begin(*verb);
  verb->add_option(
          "--seconds", o->seconds,
          "Duration of each packet size, virtual (10; 6 each way from --generation 2 on). netio counts what it puts "
          "into its send buffer: at 10 that is within 1 % of what is delivered (--generation 3: at 20); the result "
          "shows both, and for shorter runs the duration that is needed")
      ->type_name("N")
      ->transform(seconds_argument);
  verb->add_option("--generation", o->generation,
                   "netio's protocol: 1 (up to 1.14, sends only), 2 (from 1.16 on, both ways; its server must speak it "
                   "too) or 3 "
                   "(from 1.23 on: as 2, with a send buffer of 131072 bytes, which is emptied before each size)")
      ->type_name("1|2|3")
      ->check(CLI::Range(1, 3))
      ->capture_default_str();
  verb->add_option("--mtu", o->mtu,
                   "Longest IP datagram of both ends, in bytes: 576 to 1500 on Ethernet, up to 4464 on a ring")
      ->type_name("N")
      ->check(CLI::Range(576, 4464));
  verb->add_option("--sizes", o->sizes, "Packet sizes in bytes, in order; 8K is 8192")
      ->type_name("LIST")
      ->transform(sizes_argument)
      ->capture_default_str();
  verb->add_option("--converge", o->converge,
                   "End a size early (after 1, 2, 4... s) once its delivered rate has settled, for figures within "
                   "PERCENT (0.1 to 10) of those of --seconds; where the rates do not settle, the sizes last "
                   "--seconds, as without this option")
      ->type_name("PERCENT");
  o->end(*verb, "netio", "netio's server", net::netio_port);
  verb->footer(
      "Examples:\n"
      "  planar netio --machine model56sx --card 3c527   another machine, another card\n"
      "  planar netio --seconds 1 --sizes 1024,8192 --json -   two sizes, for programs\n"
      "  planar netio --runs 8 --seconds 1   means over eight placements and seeds, with 95 % confidence\n"
      "  planar netio --machine model77 --card ne2 --bond 2   two of them as one, on two segments\n"
      "  planar netio --card 1=ne2 --card 2=3c529 --bond   two unlike ones\n"
      "  planar netio --generation 2   each size both ways: the guest sends, then receives\n"
      "  planar netio --against model95:3c523   server and client are both emulated");
  return [o] { return run(*o); };
}

constexpr const char* both_ways[] = {"--generation", "2"};

}  // namespace

const Benchmark netio_benchmark{
    .name = "netio",
    .verb = "netio",
    .arguments = {},
    .heading = "netio, KB/s by packet size",
    .metric = "throughput",
    .unit = "KB/s",
    .comparison = {"10", "1024,2048,4096,8192,16384,32767"},
    .regression = {"0.5", "1024,8192"},
    .add_verb = add_netio,
    .sizes = netio_sizes,
    .figure_key = "kb_per_s",
    .delivered_key = "delivered_kb_per_s",
    .converges = true,
};

const Benchmark netio_receive_benchmark{
    .name = "netio-receive",
    .verb = "netio",
    .arguments = both_ways,
    .heading = "netio, receiving, KB/s by packet size",
    .metric = "throughput received",
    .unit = "KB/s",
    .comparison = {"6", "1024,4096,32767"},
    .regression = {"0.5", "1024,8192"},
    .add_verb = nullptr,
    .sizes = netio_sizes,
    .figure_key = "received_kb_per_s",
    .frame_times = false,  // they are those of sending
};

}  // namespace planar
