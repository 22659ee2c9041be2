// SPDX-License-Identifier: GPL-2.0-or-later
// `planar netperf`: boots the guest test bench, lets it run netperf's tests, and prints what came out.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/common/error.hpp"
#include "devices/stations/peer/netserver.hpp"
#include "devices/stations/peer/peer.hpp"
#include "frontend/guest_benchmarks/benchmark_run.hpp"
#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/guest_benchmarks/guest_run.hpp"
#include "frontend/guest_benchmarks/netperf_result.hpp"
#include "frontend/options/arguments.hpp"
#include "frontend/output/labels.hpp"
#include "frontend/output/output.hpp"
#include "machines/lab/stations.hpp"

namespace planar {

namespace {

constexpr std::size_t most_tests = 16;         // accepted by the guest's netperf
constexpr std::uint32_t most_bytes = 32768;    // of a datagram, a request or a response
constexpr std::uint32_t stream_bytes = 65535;  // of a message of tcp_stream: what Linux 2.2's send buffer holds
constexpr unsigned most_served = 1000;         // clients of --serve
constexpr unsigned data_ports = 4;             // of the guest's netserver, in turn, after its own port
constexpr unsigned largest_buffer = 1 << 20;   // that can be requested; Linux reduces it
constexpr Time serving_limit = 3600_s * 24;
constexpr const char *stream = "tcp_stream", *request_response = "tcp_rr", *datagrams = "udp_stream",
                     *datagram_requests = "udp_rr", *connections = "tcp_crr";

struct NetperfOptions : GuestRunOptions {
  std::string test = stream;
  std::string seconds = "10";
  std::optional<std::string> sizes;
  unsigned response = 1;
  std::optional<std::string> iterations, confidence;  ///< MAX,MIN and LEVEL,WIDTH
  std::optional<std::string> local, remote;           ///< SEND,RECEIVE
  bool local_cpu = false, remote_cpu = false;
  unsigned serve = 0;    ///< number of outside netperf clients; 0: the guest is the client
  bool receive = false;  ///< the station's netperf is the client, the guest its server

  bool one_way() const { return test == stream || test == datagrams; }
  std::string all_sizes() const {
    return sizes.value_or(test == stream ? std::to_string(stream_bytes) : test == datagrams ? "8192" : "1");
  }
  const Benchmark& benchmark() const {
    return test == datagrams ? netperf_udp_benchmark : one_way() ? netperf_benchmark : netperf_rr_benchmark;
  }
};

/// Throws Error for sizes that the test's messages cannot have.
template <std::uint32_t most>
std::vector<std::uint32_t> sizes_up_to(const std::string& list) {
  return parse_sizes(list, most_tests, most);
}

std::vector<std::uint32_t> netperf_sizes(const NetperfOptions& o) {
  return (o.test == stream ? sizes_up_to<stream_bytes> : sizes_up_to<most_bytes>)(o.all_sizes());
}

/// The two parts of "A,B"; like netperf, uses a single value for both.
std::pair<std::string, std::string> two_parts(const std::string& text) {
  const auto comma = text.find(',');
  if (comma == std::string::npos) return {text, text};
  return {text.substr(0, comma), text.substr(comma + 1)};
}

/// `--local-buffers SEND,RECEIVE`, either of which may be empty, as settings of the guest.
void add_buffers(SettingsSector& settings, const std::optional<std::string>& wanted, const std::string& end) {
  if (!wanted) return;
  const auto [send, receive] = two_parts(*wanted);
  for (const auto& [part, key] : {std::pair{send, "_send"}, std::pair{receive, "_receive"}}) {
    if (part.empty()) continue;
    const auto bytes = parse_number(part);
    if (!bytes || *bytes < 1 || *bytes > largest_buffer)
      throw Error(fmt::format("--{}-buffers {}: expects SEND,RECEIVE, bytes from 1 to {}; either may be left out", end,
                              *wanted, largest_buffer));
    settings.emplace_back(end + key, part);
  }
}

/// The width requested by -I, in percent.
std::string width_text(const NetperfOptions& o) {
  const auto comma = o.confidence->find(',');
  return comma == std::string::npos ? "5" : o.confidence->substr(comma + 1);
}

/// The repetition requested by -i and -I. Throws Error.
net::NetperfRepetition repetition(const NetperfOptions& o) {
  net::NetperfRepetition r;
  if (!o.iterations) {
    if (o.confidence)
      throw Error(
          fmt::format("--confidence {0} without --iterations: a single run of a test gives no interval; add for "
                      "example --iterations 10,3",
                      *o.confidence));
    return r;
  }
  const auto [most, least] = two_parts(*o.iterations);
  const auto high = parse_number(most), low = parse_number(least);
  const auto fits = [](const auto& n) { return n && *n >= 1 && *n <= net::most_netperf_runs; };
  if (!fits(high) || !fits(low) || *low > *high)
    throw Error(fmt::format("--iterations {}: expects MAX,MIN, each 1 to {} and MIN not above MAX", *o.iterations,
                            net::most_netperf_runs));
  r.most = static_cast<unsigned>(*high);
  r.least = static_cast<unsigned>(*low);
  if (!o.confidence) return r;
  const auto comma = o.confidence->find(',');
  const auto level = parse_number(o.confidence->substr(0, comma));
  const auto percent = parse_time(width_text(o) + " ms");  // as the guest reads it: up to three places
  if (!level || (*level != 95 && *level != 99) || !percent || *percent < 1_us || *percent > 100_ms)
    throw Error(
        fmt::format("--confidence {}: expects LEVEL,WIDTH in percent: 95 or 99, and 0.001 to 100", *o.confidence));
  r.level = static_cast<unsigned>(*level);
  r.width = static_cast<std::uint32_t>(*percent / 100_ns);
  return r;
}

/// The same as settings of the guest.
void add_confidence(SettingsSector& settings, const NetperfOptions& o) {
  const auto r = repetition(o);
  if (!o.iterations) return;
  settings.emplace_back("runs_most", std::to_string(r.most));
  settings.emplace_back("runs_least", std::to_string(r.least));
  if (!o.confidence) return;
  settings.emplace_back("level", std::to_string(r.level));
  settings.emplace_back("width", width_text(o));
}

/// Throws Error for an option that the snapshot's test already fixes.
void check_restored(const NetperfOptions& o) {
  if (o.state.restore && (o.local || o.remote || o.iterations || o.local_cpu || o.remote_cpu))
    throw Error(
        "--restore: the test in the snapshot has its buffers, iterations and --local-cpu, --remote-cpu "
        "already; leave these options out");
}

GuestTasks netperf_tasks(const NetperfOptions& o) {
  const auto sizes = netperf_sizes(o);
  GuestTasks t{.client = "netperf",
               .server = "netserver",
               .settings = {{"seconds", o.seconds},
                            {"sizes", fmt::format("{}", fmt::join(sizes, ","))},
                            {"test", o.test},
                            {"response", std::to_string(o.response)},
                            {"port", std::to_string(o.port)}},
               .system = o.system,
               .against = o.against};
  if (o.against) t.settings.emplace_back("tests", std::to_string(sizes.size()));
  add_buffers(t.settings, o.local, "local");
  add_buffers(t.settings, o.remote, "remote");
  add_confidence(t.settings, o);
  if (o.local_cpu || o.remote_cpu)
    t.settings.emplace_back("cpu", std::to_string((o.local_cpu ? 1 : 0) + (o.remote_cpu ? 2 : 0)));
  check_restored(o);
  return t;
}

GuestTasks netserver_tasks(const NetperfOptions& o) {
  return {.client = "netserver",
          .server = {},
          .settings = {{"tests", std::to_string(o.serve)}, {"port", std::to_string(o.port)}},
          .system = o.system,
          .against = {}};
}

/// The control connection's port, and those of the tests' data after it (roms/guest/programs/netperf_server.c).
std::vector<std::string> served_ports(const NetperfOptions& o) {
  std::vector<std::string> list;
  for (unsigned port = o.port; port <= o.port + data_ports; ++port)
    for (const char* transport : {"tcp", "udp"})
      list.push_back(fmt::format("{0} 127.0.0.1:{1} -> {1}", transport, port));
  return list;
}

/// Of the guest's settings, which a snapshot includes.
std::optional<std::string> guest_setting(const Lab& lab, const char* key) {
  return setting(settings_of(lab.diskette_image()), key);
}

NetperfStalls stalls_of(Lab& lab, const NetperfResult& r) {
  NetperfStalls out;
  if (const auto length = guest_setting(lab, "seconds"); r.stream() && length) {
    const double wanted = parse_seconds(*length).seconds();
    for (const NetperfRow& row : r.rows)
      for (const NetperfRun& run : row.runs) {
        const double late = static_cast<double>(run.microseconds) * 1e-6 - wanted;
        if (late < NetperfStalls::usual_end_s) continue;
        ++out.late_tests;
        out.late_s = std::max(out.late_s, late);
      }
  } else if (!r.stream()) {
    for (const net::Peer* peer : reference_stations(lab)) out.retransmitted += peer->tcp().counters().retransmitted;
  }
  return out;
}

NetperfResult netperf_result(const NetperfOptions& o, Session& session) {
  NetperfResult r;
  collect(session, "@netperf start", "@netperf end", r);
  if (session.lab().machines() > 1) collect(session, 1, "@netserver start", "@netserver end", r.against.emplace());
  r.test = session.guest().value("@netperf start", "test").value_or(o.test);
  r.response_bytes =
      static_cast<std::uint32_t>(parse_number(guest_setting(session.lab(), "response").value_or("1")).value_or(1));
  r.server_load = o.remote_cpu;
  r.rows = netperf_rows(session.guest().lines(), r.datagrams());
  r.stalls = stalls_of(session.lab(), r);
  put_busy(session, r);
  if (r.against) put_busy(session, *r.against, 1);
  if (r.datagrams()) r.put_delivered(session.tests().tests());
  return r;
}

/// Runs the guest's netserver for an outside netperf: on the host, through slirp unless --net says otherwise.
int run_netserver(NetperfOptions o) {
  if (o.against) throw Error("--serve and --against both say who the client is; give one of them");
  if (o.runs > 1) throw Error("--serve and --runs: what a host measures does not repeat; leave --runs out");
  if (o.port + data_ports > 65535)
    throw Error(fmt::format("--serve {} --port {}: the tests' data need the ports up to {}", o.serve, o.port,
                            o.port + data_ports));
  if (o.machine.net == "peer")
    throw Error(fmt::format("--serve {} and --net peer: no client would come; leave --net out for those of this host",
                            o.serve));
  if (!o.machine.net) o.machine.net = "slirp";  // not isolated: that would block the answers of UDP_RR
  if (o.machine.net->starts_with("slirp") && o.machine.forwards.empty()) {
    o.machine.forwards = served_ports(o);
    if (!o.output.quiet) say("netserver at 127.0.0.1, port {}: netperf -H 127.0.0.1 -p {}\n", o.port, o.port);
  }
  auto session = o.open(netserver_tasks(o));
  const bool finished = run_guests(*session, serving_limit, "netserver", o.output.quiet,
                                   [&] { return "serving " + counted(o.serve, "test"); });
  NetperfResult r;
  collect(*session, "@netserver start", "@netserver end", r);
  r.test = "serve";
  for (const auto& line : session->guest().lines())
    if (line.tagged("@served")) {
      r.served = line.number("tests").value_or(0);
      r.served_runs = line.number("runs").value_or(0);
    }
  r.interrupted = !finished;
  return conclude(*session, o.output, r);
}

net::Peer& netperf_station(Lab& lab) {
  const auto peers = reference_stations(lab);
  if (peers.empty())
    throw Error("--receive: the station 'peer' is the client, and --net leads elsewhere; leave --net out");
  return *peers.front();
}

/// The configuration of the station's netperf from the verb's options. Throws Error.
net::NetperfClientConfig client_config(const NetperfOptions& o) {
  if (o.against) throw Error("--receive and --against both say who the other end is; give one of them");
  if (!o.one_way())
    throw Error(fmt::format("--receive --test {}: the station's netperf sends one way; give {} or {}", o.test, stream,
                            datagrams));
  const auto sizes = netperf_sizes(o);
  if (sizes.size() != 1 || (o.test == stream && sizes.front() != stream_bytes))
    throw Error(
        fmt::format("--receive --sizes {}: one size, and of udp_stream only; the station's tcp_stream has no "
                    "messages",
                    o.all_sizes()));
  net::NetperfClientConfig c;
  c.type = o.test == datagrams ? net::NetperfTestType::udp_stream : net::NetperfTestType::tcp_stream;
  c.server = net::ipv4(192, 168, 10, 2);  // the guest's (guest_run.cpp)
  c.port = static_cast<std::uint16_t>(o.port);
  c.length = parse_seconds(o.seconds);
  c.message_bytes = sizes.front();
  SettingsSector buffers;
  add_buffers(buffers, o.local, "local");
  add_buffers(buffers, o.remote, "remote");
  for (const auto& [key, value] : buffers) {
    auto& wanted = key == "local_send"      ? c.buffers.local_send
                   : key == "local_receive" ? c.buffers.local_receive
                   : key == "remote_send"   ? c.buffers.remote_send
                                            : c.buffers.remote_receive;
    wanted = static_cast<std::uint32_t>(*parse_number(value));
  }
  c.repetition = repetition(o);
  return c;
}

/// A test's runs, as the station's netperf has counted them.
NetperfRow received_row(const net::NetperfClient& client) {
  const bool messages = client.datagrams();
  const std::uint32_t bytes = messages ? client.config()->message_bytes : stream_bytes;
  NetperfRow row;
  for (const auto& outcome : client.outcomes()) {
    NetperfRun run{bytes, messages ? outcome.sent : outcome.sent / bytes,
                   static_cast<std::uint64_t>(outcome.elapsed / 1_us), outcome.received * (messages ? bytes : 1)};
    if (messages) run.messages_received = outcome.received;
    const auto& b = outcome.buffers;
    run.buffers = {b.local_send, b.local_receive, b.remote_send, b.remote_receive};
    row.runs.push_back(run);
  }
  if (const auto& wanted = client.config()->repetition; wanted.several()) {
    row.confidence = {wanted.level, wanted.width * 1e-4, false, {}, {}, {}};
    if (row.runs.size() > 1) {
      row.confidence->result = client.width() * 100;
      row.confidence->met = client.width() * 1e6 <= wanted.width;
    }
  }
  return row;
}

/// The station's netperf against the guest's netserver: one test.
int run_receive(NetperfOptions o) {
  const auto config = client_config(o);
  check_restored(o);
  o.serve = 1;
  auto session = o.open(netserver_tasks(o));
  net::Peer& station = netperf_station(session->lab());
  if (!o.state.restore) station.start_netperf(config, session->lab().scheduler().now());
  const net::NetperfClient& client = station.services().netperf_client();
  if (!client.config()) throw Error("--restore: the snapshot is not of a run with --receive; leave --receive out");
  const auto& wanted = *client.config();
  const Time limit = 60_s + (wanted.length + net::netperf_pad) * wanted.repetition.limit();
  bool finished = run_guests(*session, limit, "netserver", o.output.quiet, [&] {
    return wanted.repetition.several() ? fmt::format("receiving, {} done", counted(client.outcomes().size(), "run"))
                                       : std::string("receiving");
  });
  NetperfResult r;
  collect(*session, "@netserver start", "@netserver end", r);
  r.test = client.datagrams() ? datagrams : stream;
  r.receiving = true;
  finished &= client.run().phase == net::NetperfClient::Phase::done;
  if (finished) {
    r.rows.push_back(received_row(client));
    for (const auto& outcome : client.outcomes())
      session->tests().test_ended({outcome.began, outcome.began + outcome.elapsed});
    put_busy(*session, r);
    if (client.datagrams()) r.put_delivered(session->tests().tests());
  }
  r.interrupted = !finished;
  return conclude(*session, o.output, r);
}

int run_netperf(const NetperfOptions& o) {
  if (o.serve) return run_netserver(o);
  if (o.verb->count("--response") && o.one_way() && !o.state.restore)
    throw Error(fmt::format("--response {}: {} has no responses; leave it out, or give for example --test {}",
                            o.response, o.test, request_response));
  if (const auto code = o.several(o.benchmark())) return *code;
  if (o.receive) return run_receive(o);
  // Except in TCP_STREAM, the server waits two seconds longer than the test.
  const auto tests = static_cast<std::int64_t>(netperf_sizes(o).size());
  const Time limit = 60_s + (parse_seconds(o.seconds) + net::netperf_pad + 2_s) * (2 * tests * repetition(o).limit());
  auto session = o.open(netperf_tasks(o));
  std::size_t done = 0;
  session->on_guest_line([&](std::size_t n, const GuestLine& line) {
    const auto run = netperf_run(line, o.test == datagrams);
    if (!run) return;
    ++done;
    session->frames(n).row_ended(run->message_bytes, note_measured(*session, n, line, run->duration()));
    session->progress().row(
        o.one_way() ? fmt::format("{} bytes: {:.2f} Mbit/s", run->message_bytes, run->mbit_per_s())
                    : fmt::format("{} bytes: {:.1f} transactions/s", run->message_bytes, run->transactions_per_s()));
  });
  const bool finished = run_guests(*session, limit, "netperf", o.output.quiet,
                                   [&] { return done ? counted(done, "test") + " done" : std::string("booting"); });
  NetperfResult result = netperf_result(o, *session);
  result.interrupted = !finished;
  return conclude(*session, o.output, result);
}

Verb add_netperf(CLI::App& app) {
  auto o = std::make_shared<NetperfOptions>();
  CLI::App* verb = app.add_subcommand("netperf", "Boot the built-in guest in a machine and run netperf inside it");
  o->begin(*verb);
  verb->add_option(
          "--test", o->test,
          "tcp_stream, udp_stream: messages one way, in 10^6 bit/s of what the server received; tcp_rr, udp_rr: a "
          "request and its response, one after the other, in transactions/s; tcp_crr: a connection for "
          "each of them")
      ->type_name("tcp_stream|tcp_rr|tcp_crr|udp_stream|udp_rr")
      ->check(CLI::IsMember({stream, request_response, connections, datagrams, datagram_requests}))
      ->capture_default_str();
  verb->add_option("--seconds", o->seconds,
                   "Duration of each test, virtual; but in tcp_stream the server waits 2 s longer")
      ->type_name("N")
      ->transform(seconds_argument)
      ->capture_default_str();
  verb->add_option("--sizes", o->sizes,
                   "Size of the messages or requests in bytes, one test for each (65535 for tcp_stream, 8192 for "
                   "udp_stream, else 1)")
      ->type_name("LIST")
      ->transform(sizes_argument);
  verb->add_option("--response", o->response, "Size of a response in bytes in tcp_rr, tcp_crr and udp_rr")
      ->type_name("N")
      ->check(CLI::Range(1u, most_bytes))
      ->capture_default_str();
  verb->add_option("-i,--iterations", o->iterations,
                   "Repeat each test until the confidence interval of its mean is as narrow as --confidence asks: at "
                   "least MIN and, as netperf 2.1 counts, less than MAX times. From the second run on the socket "
                   "buffers are doubled, as with netperf on Linux, which sets the size that it has read back")
      ->type_name("MAX,MIN");
  verb->add_option("-I,--confidence", o->confidence,
                   "Level (95 or 99) and whole width of that interval in percent of the mean (99,5)")
      ->type_name("LEVEL,WIDTH");
  verb->add_option("-s,--local-buffers", o->local,
                   "Sizes of the client's socket buffers in bytes, send and receive; either may be empty. As in Linux "
                   "2.2, a size of at most 65535 is set, and doubled; TCP's window is half of the receive buffer")
      ->type_name("SEND,RECEIVE");
  verb->add_option("-S,--remote-buffers", o->remote, "The same for the server")->type_name("SEND,RECEIVE");
  verb->add_flag("-c,--local-cpu", o->local_cpu, "The client's load has to be within the width of --confidence, too");
  verb->add_flag(
      "-C,--remote-cpu", o->remote_cpu,
      "The server measures its load, too, and that has to be within the width (--against, a real netserver)");
  CLI::Option* serve = verb->add_option("--serve", o->serve,
                                        "The guest is the server instead, for this many netperf 2.1 clients, one after "
                                        "another: on the host, at 127.0.0.1 and --port, or wherever --net leads. The "
                                        "other options of the test are then given to that netperf")
                           ->type_name("N")
                           ->check(CLI::Range(1u, most_served));
  verb->add_flag("--receive", o->receive,
                 "The other direction: the station's netperf sends, the guest receives as its netserver. tcp_stream or "
                 "udp_stream; the figure is what the guest counted over the station's time")
      ->excludes(serve)
      ->excludes("--local-cpu")
      ->excludes("--remote-cpu");
  for (const char* clients : {"--test", "--seconds", "--sizes", "--response", "--iterations", "--confidence",
                              "--local-buffers", "--remote-buffers", "--local-cpu", "--remote-cpu"})
    serve->excludes(clients);
  o->end(*verb, "netperf", "netserver", net::netperf_port);
  verb->footer(
      "Examples:\n"
      "  planar netperf --card 3c527 --sizes 4096,65535   what a stream of messages delivers\n"
      "  planar netperf --test tcp_rr --sizes 1,128,1024   round trips\n"
      "  planar netperf --test udp_stream --sizes 1472,8192   datagrams, the longer ones in fragments\n"
      "  planar netperf -i 10,3 -I 99,5   as often as it takes to know the mean within 5 %\n"
      "  planar netperf -s 16384 -S ,8192   small socket buffers, a small window\n"
      "  planar netperf --test tcp_rr --against model56sx:3c523   netserver is emulated, too\n"
      "  planar netperf --test udp_stream --card smc8013 --bond 3   three cards as one\n"
      "  planar netperf --receive --machine pc-p166 --card 3c905b   what the guest receives from a fast host\n"
      "  planar netperf --receive --test udp_stream -i 10,2 -I 99,5   the same in datagrams, repeated\n"
      "  planar netperf --card smc8013 --serve 4   a server for the host's netperf: netperf -H 127.0.0.1");
  return [o] { return run_netperf(*o); };
}

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
    .comparison = {"10", "1024,4096,65535"},
    .regression = {"0.5", "4096"},
    .add_verb = add_netperf,
    .sizes = sizes_up_to<stream_bytes>,
    .figure_key = "mbit_per_s",
    .note = stalls_text,
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
    .sizes = sizes_up_to<most_bytes>,
    .figure_key = "mbit_per_s",
    .delivered_key = "delivered_mbit_per_s",
    .note = losses_text,
    .loses = true,
};

const Benchmark netperf_rr_benchmark{
    .name = "netperf-rr",
    .verb = "netperf",
    .arguments = rr_arguments,
    .heading = "netperf TCP_RR, transactions/s by request size, responses of 1 byte",
    .metric = "transaction rate",
    .unit = "1/s",
    .comparison = {"5", "1,128,1024"},
    .regression = {"0.5", "1,1024"},
    .add_verb = nullptr,
    .sizes = sizes_up_to<most_bytes>,
    .figure_key = "transactions_per_s",
    .note = stalls_text,
};

}  // namespace planar
