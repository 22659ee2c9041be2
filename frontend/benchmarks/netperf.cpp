// SPDX-License-Identifier: GPL-2.0-or-later
// `planar netperf`: boots the guest test bench, lets it run netperf's tests, and prints what came out.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "core/common/error.hpp"
#include "devices/stations/peer/netserver.hpp"
#include "frontend/benchmarks/benchmark.hpp"
#include "frontend/benchmarks/guest_run.hpp"
#include "frontend/benchmarks/netperf_result.hpp"
#include "frontend/cli/output.hpp"
#include "frontend/session/interruption.hpp"

namespace planar {

namespace {

constexpr std::size_t most_tests = 16;       // that the guest's netperf takes
constexpr std::uint32_t most_bytes = 32768;  // of a message
constexpr unsigned most_served = 100;        // tests of --serve, each of which needs a port of its own
constexpr Time serving_limit = 3600_s * 24;
constexpr const char *stream = "tcp_stream", *request_response = "tcp_rr", *datagrams = "udp_stream",
                     *datagram_requests = "udp_rr", *connections = "tcp_crr";

struct NetperfOptions : GuestRunOptions {
  std::string test = stream;
  std::string seconds = "10";
  std::optional<std::string> sizes;
  unsigned response = 1;
  unsigned serve = 0;  ///< tests of somebody else's netperf; 0: the guest is the client

  bool one_way() const { return test == stream || test == datagrams; }
  std::string all_sizes() const { return sizes.value_or(test == stream ? "32768" : test == datagrams ? "8192" : "1"); }
  const Benchmark& benchmark() const {
    return test == datagrams ? netperf_udp_benchmark : one_way() ? netperf_benchmark : netperf_rr_benchmark;
  }
};

std::vector<std::uint32_t> netperf_sizes(const std::string& list) {
  const auto sizes = parse_sizes(list, most_tests);
  for (const auto size : sizes)
    if (size > most_bytes)
      throw Error(fmt::format("--sizes {}: netperf's messages are of 1 to {} bytes here", list, most_bytes));
  return sizes;
}

GuestTasks netperf_tasks(const NetperfOptions& o) {
  const auto tests = netperf_sizes(o.all_sizes()).size();
  GuestTasks t{.client = "netperf",
               .server = "netserver",
               .settings = {{"seconds", o.seconds},
                            {"sizes", o.all_sizes()},
                            {"test", o.test},
                            {"response", std::to_string(o.response)},
                            {"port", std::to_string(o.port)}},
               .system = o.system,
               .against = o.against};
  if (o.against) t.settings.emplace_back("tests", std::to_string(tests));
  return t;
}

GuestTasks netserver_tasks(const NetperfOptions& o) {
  return {.client = "netserver",
          .server = {},
          .settings = {{"tests", std::to_string(o.serve)}, {"port", std::to_string(o.port)}},
          .system = o.system,
          .against = {}};
}

/// The control connection's port, and behind it one a test for its data (roms/guest/programs/netperf_server.c).
std::vector<std::string> served_ports(const NetperfOptions& o) {
  std::vector<std::string> list;
  for (unsigned port = o.port; port <= o.port + o.serve; ++port)
    for (const char* transport : {"tcp", "udp"})
      list.push_back(fmt::format("{0} 127.0.0.1:{1} -> {1}", transport, port));
  return list;
}

NetperfResult netperf_result(const NetperfOptions& o, Session& session) {
  NetperfResult r;
  collect(session, "@netperf start", "@netperf end", r);
  if (session.lab().machines() > 1) collect(session, 1, "@netserver start", "@netserver end", r.against.emplace());
  r.test = session.guest().value("@netperf start", "test").value_or(o.test);
  r.response_bytes = o.response;
  for (const auto& line : session.guest().lines())
    if (const auto row = netperf_row(line, r.datagrams())) r.rows.push_back(*row);
  return r;
}

/// The guest's netserver for a netperf outside: on the host, through slirp unless --net says otherwise.
int run_netserver(NetperfOptions o) {
  if (o.against) throw Error("--serve and --against both say who the client is; give one of them");
  if (o.runs > 1) throw Error("--serve and --runs: what a host measures does not repeat; leave --runs out");
  if (o.port + o.serve > 65535)
    throw Error(fmt::format("--serve {} --port {}: the tests' data need the ports up to {}", o.serve, o.port,
                            o.port + o.serve));
  if (!o.machine.net) o.machine.net = "slirp";  // not isolated: that keeps the answers of UDP_RR in
  if (o.machine.net->starts_with("slirp") && o.machine.forwards.empty()) {
    o.machine.forwards = served_ports(o);
    if (!o.output.quiet) say("netserver at 127.0.0.1, port {}: netperf -H 127.0.0.1 -p {}\n", o.port, o.port);
  }
  auto session = o.open(netserver_tasks(o));
  const bool finished = run_guests(*session, serving_limit, "netserver", o.output.quiet,
                                   [&] { return fmt::format("serving {} tests", o.serve); });
  NetperfResult r;
  collect(*session, "@netserver start", "@netserver end", r);
  r.test = "serve";
  r.served = 0;
  for (const auto& line : session->guest().lines())
    if (line.tagged("@served")) r.served = line.number("tests").value_or(0);
  r.interrupted = !finished;
  if (o.output.json) write_json(*o.output.json, r.json());
  if (o.output.json != "-") fmt::print("{}", r.table());
  session->check_files();
  return finished ? 0 : static_cast<int>(interrupted_exit);
}

int run_netperf(const NetperfOptions& o) {
  if (o.serve) return run_netserver(o);
  if (const auto code = o.several(o.benchmark())) return *code;
  // But in TCP_STREAM the server waits two seconds longer than the test.
  const auto tests = static_cast<std::int64_t>(netperf_sizes(o.all_sizes()).size());
  const Time limit = 60_s + (parse_seconds(o.seconds) + net::netperf_pad + 2_s) * (2 * tests);
  auto session = o.open(netperf_tasks(o));
  std::size_t done = 0;
  session->on_guest_line([&](std::size_t n, const GuestLine& line) {
    const auto row = netperf_row(line, o.test == datagrams);
    if (!row) return;
    ++done;
    session->frames(n).row_ended(row->message_bytes, row->microseconds * 1024 / 1'000'000);
    session->progress().row(
        o.one_way() ? fmt::format("{} bytes: {:.2f} Mbit/s", row->message_bytes, row->mbit_per_s())
                    : fmt::format("{} bytes: {:.1f} transactions/s", row->message_bytes, row->transactions_per_s()));
  });
  const bool finished = run_guests(*session, limit, "netperf", o.output.quiet,
                                   [&] { return done ? fmt::format("{} tests done", done) : std::string("booting"); });
  NetperfResult result = netperf_result(o, *session);
  result.interrupted = !finished;
  if (o.output.json) write_json(*o.output.json, result.json());
  if (o.output.json != "-") fmt::print("{}", result.table());
  session->check_files();
  return finished ? 0 : static_cast<int>(interrupted_exit);
}

template <const auto& member>
std::optional<double> netperf_figure(const nlohmann::ordered_json& result, std::uint32_t size) {
  for (const auto& row : result["rows"])
    if (row["packet_bytes"] == size && row.contains(member)) return row[member].template get<double>();
  return {};
}

Verb add_netperf(CLI::App& app) {
  auto o = std::make_shared<NetperfOptions>();
  CLI::App* verb = app.add_subcommand("netperf", "Boot the built-in guest in a machine and run netperf inside it");
  o->begin(*verb);
  verb->add_option(
          "--test", o->test,
          "tcp_stream, udp_stream: messages one way, in 10^6 bit/s of what the server received; tcp_rr, udp_rr: a "
          "request and its response, one after the other, in transactions a second; tcp_crr: a connection for "
          "each of them")
      ->type_name("tcp_stream|tcp_rr|tcp_crr|udp_stream|udp_rr")
      ->check(CLI::IsMember({stream, request_response, connections, datagrams, datagram_requests}))
      ->capture_default_str();
  verb->add_option("--seconds", o->seconds,
                   "Duration of each test, virtual; but in tcp_stream the server waits 2 s longer")
      ->type_name("N")
      ->capture_default_str();
  verb->add_option(
          "--sizes", o->sizes,
          "Bytes of the messages or requests, a test for each (32768 for tcp_stream, 8192 for udp_stream, else 1)")
      ->type_name("LIST");
  verb->add_option("--response", o->response, "Bytes of a response in tcp_rr, tcp_crr and udp_rr")
      ->type_name("N")
      ->check(CLI::Range(1u, most_bytes))
      ->capture_default_str();
  verb->add_option("--serve", o->serve,
                   "The guest is the server instead, for so many tests of a netperf 2.1 elsewhere: on the host, at "
                   "127.0.0.1 and --port, or wherever --net leads to. The other options of the test are then that "
                   "netperf's")
      ->type_name("N")
      ->check(CLI::Range(1u, most_served))
      ->excludes("--test")
      ->excludes("--seconds")
      ->excludes("--sizes")
      ->excludes("--response");
  o->end(*verb, "netperf", "netserver", net::netperf_port);
  verb->footer(
      "Examples:\n"
      "  planar netperf --card 3c527 --sizes 4096,32768   what a stream of messages delivers\n"
      "  planar netperf --test tcp_rr --sizes 1,128,1024   round trips\n"
      "  planar netperf --test udp_stream --sizes 1472,8192   datagrams, the longer ones in fragments\n"
      "  planar netperf --test tcp_rr --against model56sx:3c523   netserver is emulated, too\n"
      "  planar netperf --test udp_stream --card smc8013 --bond 3   three cards as one\n"
      "  planar netperf --card smc8013 --serve 4   a server for the host's netperf: netperf -H 127.0.0.1");
  return [o] { return run_netperf(*o); };
}

constexpr char mbit_per_s[] = "mbit_per_s", transactions_per_s[] = "transactions_per_s";
constexpr const char* rr_arguments[] = {"--test", request_response};
constexpr const char* udp_arguments[] = {"--test", datagrams};

}  // namespace

const Benchmark netperf_benchmark{
    .name = "netperf",
    .verb = "netperf",
    .arguments = {},
    .heading = "netperf TCP_STREAM, 10^6 bit/s by message size",
    .metric = "throughput",
    .unit = "Mbit/s",
    .comparison = {"10", "1024,4096,32768"},
    .regression = {"0.5", "4096"},
    .add_verb = add_netperf,
    .sizes = netperf_sizes,
    .figure = netperf_figure<mbit_per_s>,
};

const Benchmark netperf_udp_benchmark{
    .name = "netperf-udp",
    .verb = "netperf",
    .arguments = udp_arguments,
    .heading = "netperf UDP_STREAM, 10^6 bit/s received, by message size",
    .metric = "throughput",
    .unit = "Mbit/s",
    .comparison = {"10", "1024,1472,8192"},
    .regression = {"0.5", "1472,8192"},
    .add_verb = nullptr,
    .sizes = netperf_sizes,
    .figure = netperf_figure<mbit_per_s>,
};

const Benchmark netperf_rr_benchmark{
    .name = "netperf-rr",
    .verb = "netperf",
    .arguments = rr_arguments,
    .heading = "netperf TCP_RR, transactions a second by request size, responses of 1 byte",
    .metric = "transaction rate",
    .unit = "1/s",
    .comparison = {"5", "1,128,1024"},
    .regression = {"0.5", "1,1024"},
    .add_verb = nullptr,
    .sizes = netperf_sizes,
    .figure = netperf_figure<transactions_per_s>,
};

}  // namespace planar
