// SPDX-License-Identifier: GPL-2.0-or-later
// `planar flood`: boots the guest test bench, lets the station's generator send it frames at one rate after the other,
// and prints what became of them.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <bit>
#include <cstdlib>
#include <memory>

#include "core/common/error.hpp"
#include "devices/stations/peer/generator.hpp"
#include "frontend/benchmarks/benchmark.hpp"
#include "frontend/benchmarks/flood_result.hpp"
#include "frontend/benchmarks/guest_run.hpp"
#include "frontend/cli/output.hpp"
#include "frontend/session/interruption.hpp"

namespace planar {

namespace {

constexpr std::size_t most_rates = 16;  // that the guest's flood takes
constexpr const char* usual_rates = "200,500,1000,2000,4000,7000,10000,14880";
constexpr Time drain_of_a_run = 20_s;  // at most: the guest ends when nothing is counted any more

struct FloodOptions : GuestRunOptions {
  std::string depth = "process";
  std::string mode = "interrupt";
  unsigned timer_rate = 1024;
  std::string seconds = "1";
  std::string rates = usual_rates;
  unsigned frame = 64;
  unsigned burst = 1;
};

std::vector<std::uint32_t> flood_rates(const std::string& list) {
  constexpr std::uint32_t highest = 32768;  // that the guest takes
  return parse_list("--rates", list, most_rates, highest, "rates", "frames a second");
}

int run_flood(const FloodOptions& o) {
  if (const auto code = o.several(o.depth == "process" ? flood_benchmark
                                  : o.depth == "stack" ? flood_stack_benchmark
                                                       : flood_driver_benchmark))
    return *code;
  if (o.state.restore)
    throw Error("--restore and flood: every frame is counted from the first one on; leave --restore out");
  if (!std::has_single_bit(o.timer_rate) || o.timer_rate < 2 || o.timer_rate > 8192)
    throw Error(fmt::format("--timer-rate {}: the clock chip has the powers of two from 2 to 8192", o.timer_rate));
  const auto rates = flood_rates(o.rates);
  for (const auto rate : rates)
    if (o.burst / 4 >= rate)
      throw Error(
          fmt::format("--burst {}: at {} frames a second it comes less than every four seconds", o.burst, rate));
  const Time seconds = parse_seconds(o.seconds);
  if (seconds > 60_s) throw Error(fmt::format("--seconds {}: the generator's runs last 60 seconds at most", o.seconds));
  const GuestTasks tasks{.client = "flood",
                         .server = "",
                         .settings = {{"rates", o.rates},
                                      {"seconds", o.seconds},
                                      {"frame", std::to_string(o.frame)},
                                      {"burst", std::to_string(o.burst)},
                                      {"depth", o.depth},
                                      {"receive", o.mode},
                                      {"receive_rate", std::to_string(o.timer_rate)},
                                      {"port", std::to_string(o.port)}},
                         .system = o.system};
  auto session = o.open(tasks);
  if (session->lab().machines() > 1) throw Error("flood watches one machine; the lab has more");
  FloodMeter meter(session->lab());
  std::size_t done = 0;
  session->on_guest_line([&](std::size_t, const GuestLine& line) {
    if (line.tagged("@flood"))
      if (const auto page = line.value("page"))
        meter.found_page(static_cast<std::uint32_t>(std::strtoul(page->c_str(), nullptr, 16)));
    if (line.tagged("@flood") && line.number("frame")) {
      meter.run_ended();
      ++done;
      session->progress().row(fmt::format("{} frames a second done", *line.number("rate")));
    }
  });
  const Time limit = 60_s + (seconds + drain_of_a_run) * static_cast<std::int64_t>(rates.size());
  const bool finished = run_guests(*session, limit, "flood", o.output.quiet,
                                   [&] { return done ? fmt::format("{} rates done", done) : std::string("booting"); });
  FloodResult result;
  collect(*session, "@flood start", "@flood end", result);
  result.depth = o.depth;
  result.mode = o.mode;
  result.frame_bytes = o.frame;
  result.burst = o.burst;
  result.rows = flood_rows(session->guest(), meter, seconds.seconds());
  result.interrupted = !finished;
  for (const GuestLine& line : session->guest().lines())
    if (line.tagged("@flood stalled")) result.stalled_at = static_cast<std::uint32_t>(line.number("rate").value_or(0));
  if (o.output.json) write_json(*o.output.json, result.json());
  if (o.output.json != "-") fmt::print("{}", result.table());
  session->check_files();
  const bool bridged = session->lab().media().size() > 1;
  for (const FloodRow& row : result.rows)
    if (const auto wrong = row.discrepancy(bridged); !wrong.empty())
      throw Error(fmt::format("flood at {} frames a second does not add up: {}", row.rate, wrong),
                  ExitCode::scenario_failed);
  return finished ? 0 : static_cast<int>(interrupted_exit);
}

std::optional<double> flood_figure(const nlohmann::ordered_json& result, std::uint32_t rate) {
  for (const auto& row : result["rows"])
    if (row["rate"] == rate) return row["delivered_per_s"].template get<double>();
  return {};
}

Verb add_flood(CLI::App& app) {
  auto o = std::make_shared<FloodOptions>();
  CLI::App* verb = app.add_subcommand(
      "flood", "Boot the built-in guest in a machine and send it more and more frames: delivered, lost where, and why");
  o->begin(*verb);
  verb->add_option("--rates,--sizes", o->rates,
                   "Frames a second that are offered, a run for each; what the medium cannot take is held back")
      ->type_name("LIST")
      ->capture_default_str();
  verb->add_option("--seconds", o->seconds, "Duration of each run, virtual")->type_name("N")->capture_default_str();
  verb->add_option("--frame", o->frame,
                   "Bytes of a frame, check sequence included; on a ring, of the Ethernet frame with the same datagram")
      ->type_name("N")
      ->check(CLI::Range(64u, 1518u))
      ->capture_default_str();
  verb->add_option("--burst", o->burst, "Frames that come one behind the other, at the same rate on the average")
      ->type_name("N")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str();
  verb->add_option("--depth", o->depth,
                   "Where the guest counts the frames and lets them go: in front of the kernel's backlog, in UDP's "
                   "input, or in a process that receives them")
      ->type_name("driver|stack|process")
      ->check(CLI::IsMember({"driver", "stack", "process"}))
      ->capture_default_str();
  verb->add_option(
          "--mode", o->mode,
          "How frames come from the adapter to the kernel: each interrupt queues what has come (Linux 2.2); one "
          "interrupt for several, while the bottom half empties the adapter; by a timer, with the adapter's "
          "interrupts masked (no adapter here can put them off itself); polled by the idle task, up to eight "
          "frames a visit")
      ->type_name("interrupt|batch|timer|poll")
      ->check(CLI::IsMember({"interrupt", "batch", "timer", "poll"}))
      ->capture_default_str();
  verb->add_option("--timer-rate", o->timer_rate, "With --mode timer: times a second, a power of two up to 8192")
      ->type_name("HZ")
      ->capture_default_str();
  o->end(*verb, "flood", "", net::generator_port);
  verb->footer(
      "Examples:\n"
      "  planar flood --machine model56sx --card 3c529   from 200 frames a second to the wire's limit\n"
      "  planar flood --card ne2 --depth driver --rates 4000,14880   what the adapter and its driver alone take\n"
      "  planar flood --card ne2 --rates 2000 --burst 64   bursts that fill the adapter's buffers\n"
      "  planar compare --do flood --seconds 0.2   every card in every machine");
  return [o] { return run_flood(*o); };
}

constexpr const char *stack_arguments[] = {"--depth", "stack"}, *driver_arguments[] = {"--depth", "driver"};

constexpr Benchmark at_depth(std::string_view name, std::span<const char* const> arguments, std::string_view heading,
                             Verb (*add_verb)(CLI::App& app)) {
  return {
      .name = name,
      .verb = "flood",
      .arguments = arguments,
      .heading = heading,
      .metric = "delivered",
      .unit = "frames/s",
      .comparison = {"0.3", usual_rates},
      .regression = {"0.1", "1000,14880"},
      .add_verb = add_verb,
      .sizes = flood_rates,
      .figure = flood_figure,
      .frame_times = false,
      .axis = "frames of 64 bytes offered a second",
      .row_key = "rate",
  };
}

}  // namespace

const Benchmark flood_benchmark =
    at_depth("flood", {}, "flood, frames delivered to a process a second, by rate offered", add_flood);
const Benchmark flood_stack_benchmark = at_depth(
    "flood-stack", stack_arguments, "flood, frames that UDP's input counts a second, by rate offered", nullptr);
const Benchmark flood_driver_benchmark = at_depth(
    "flood-driver", driver_arguments, "flood, frames that the driver hands over a second, by rate offered", nullptr);

}  // namespace planar
