// SPDX-License-Identifier: GPL-2.0-or-later
// `planar flood`: boots the guest test bench, lets the station's generator send it frames at one rate after the other,
// and prints what became of them.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>

#include "core/common/error.hpp"
#include "devices/stations/peer/generator.hpp"
#include "frontend/benchmarks/benchmark.hpp"
#include "frontend/benchmarks/flood_result.hpp"
#include "frontend/benchmarks/flood_send.hpp"
#include "frontend/benchmarks/guest_run.hpp"
#include "frontend/cli/output.hpp"
#include "frontend/session/interruption.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

namespace {

constexpr std::size_t most_rates = 16;  // that the guest's flood takes
constexpr const char* usual_rates = "200,500,1000,2000,4000,7000,10000,14880";
constexpr Time drain_of_a_run = 20_s;  // at most: the guest ends when nothing is counted any more

struct FloodOptions : GuestRunOptions {
  std::string depth = "process";
  std::string mode = "interrupt";
  unsigned timer_rate = 1024;
  std::string send;
  bool router = false;
  std::string seconds = "1";
  std::string rates = usual_rates;
  unsigned frame = 64;
  unsigned burst = 1;
};

/// A router's two sides: the generator's network, and the counting station's behind it.
constexpr const char *near_medium = "near", *far_medium = "far", *far_address = "192.168.11.1",
                     *router_far_address = "192.168.11.2";

/// The two network adapters of the machine on a segment each; a single one has its like beside it.
void make_router(Config& c) {
  std::vector<std::string> slots;
  const auto rows = adapter_registry();
  for (const std::string& name : c.children("slot"))
    if (const auto card = c.peek_text("slot." + name + ".card");
        std::any_of(rows.begin(), rows.end(), [&](const AdapterEntry& row) { return row.name == card; }))
      slots.push_back(name);
  std::sort(slots.begin(), slots.end());
  const std::string origin = "--router";
  if (slots.size() == 1) {
    std::string next = slots.front() == "1" ? "2" : "1";
    for (unsigned n = 1; n <= 8 && !c.peek_text("slot." + next + ".card").empty(); ++n) next = std::to_string(n);
    c.set("slot." + next + ".card", c.peek_text("slot." + slots.front() + ".card"), origin);
    slots.push_back(next);
    std::sort(slots.begin(), slots.end());
  }
  if (slots.size() != 2)
    throw Error(fmt::format("--router: a router has two adapters, this machine {}; name them with --card SLOT=NAME",
                            slots.size()));
  for (const char* medium : {near_medium, far_medium}) c.set(fmt::format("medium.{}.kind", medium), "ethernet", origin);
  c.set("slot." + slots[0] + ".medium", near_medium, origin);
  c.set("slot." + slots[1] + ".medium", far_medium, origin);
  c.set("net.medium", near_medium, origin);
  c.set("station.counter.medium", far_medium, origin);
  c.set("station.counter.address", far_address, origin);
}

std::vector<std::uint32_t> flood_rates(const std::string& list) {
  constexpr std::uint32_t highest = 32768;  // that the guest takes
  return parse_list("--rates", list, most_rates, highest, "rates", "frames a second");
}

int run_flood(const FloodOptions& o) {
  if (!o.send.empty() && o.router) throw Error("--send and --router are two experiments; give one of them");
  if (!o.send.empty()) return run_flood_send(o, {o.send, o.seconds, o.mode, o.frame, o.timer_rate});
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
  GuestTasks tasks{.client = "flood",
                   .server = "",
                   .settings = {{"rates", o.rates},
                                {"seconds", o.seconds},
                                {"frame", std::to_string(o.frame)},
                                {"burst", std::to_string(o.burst)},
                                {"depth", o.router ? "forward" : o.depth},
                                {"receive", o.mode},
                                {"receive_rate", std::to_string(o.timer_rate)},
                                {"port", std::to_string(o.port)}},
                   .system = o.system};
  if (o.router) {
    tasks.settings.emplace_back("adapters", "2");
    tasks.settings.emplace_back("forward", router_far_address);
    tasks.settings.emplace_back("behind", far_address);
  }
  auto session = o.router ? o.open(tasks, make_router) : o.open(tasks);
  if (session->lab().machines() > 1) throw Error("flood watches one machine; the lab has more");
  FloodMeter meter(session->lab());
  std::size_t done = 0;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> counts;  // by the station behind a router, of each run
  session->on_guest_line([&](std::size_t, const GuestLine& line) {
    if (line.tagged("@flood"))
      if (const auto page = line.value("page"))
        meter.found_page(static_cast<std::uint32_t>(std::strtoul(page->c_str(), nullptr, 16)));
    if (line.tagged("@flood") && line.number("frame")) {
      meter.run_ended();
      counts.push_back(counted_by_station(session->lab()));
      ++done;
      session->progress().row(fmt::format("{} frames a second done", *line.number("rate")));
    }
  });
  const Time limit = 60_s + (seconds + drain_of_a_run) * static_cast<std::int64_t>(rates.size());
  const bool finished = run_guests(*session, limit, "flood", o.output.quiet,
                                   [&] { return done ? fmt::format("{} rates done", done) : std::string("booting"); });
  FloodResult result;
  collect(*session, "@flood start", "@flood end", result);
  result.depth = o.router ? "forward" : o.depth;
  result.mode = o.mode;
  result.frame_bytes = o.frame;
  result.burst = o.burst;
  result.rows = flood_rows(session->guest(), meter, seconds.seconds());
  for (FloodRow& row : result.rows)
    for (const auto& [run, frames] : counts)
      if (row.forwarded && run == row.run) row.counted = frames;
  result.interrupted = !finished;
  for (const GuestLine& line : session->guest().lines())
    if (line.tagged("@flood stalled")) result.stalled_at = static_cast<std::uint32_t>(line.number("rate").value_or(0));
  if (o.output.json) write_json(*o.output.json, result.json());
  if (o.output.json != "-") fmt::print("{}", result.table());
  session->check_files();
  const bool bridged = session->lab().media().size() > 1 && !o.router;
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
  verb->add_option(
          "--send", o->send,
          "Send, in place of receiving: as fast as driver and adapter take frames, from inside the kernel, from "
          "a process, or one after the other")
      ->type_name("kernel|process|both")
      ->check(CLI::IsMember({"kernel", "process", "both"}));
  verb->add_flag(
      "--router", o->router,
      "The machine is a router: frames come in by the adapter in the lower slot and are for a station behind "
      "the other one, which counts them. With one --card it has two of them");
  o->end(*verb, "flood", "", net::generator_port);
  verb->footer(
      "Examples:\n"
      "  planar flood --machine model56sx --card 3c529   from 200 frames a second to the wire's limit\n"
      "  planar flood --card ne2 --depth driver --rates 4000,14880   what the adapter and its driver alone take\n"
      "  planar flood --card ne2 --rates 2000 --burst 64   bursts that fill the adapter's buffers\n"
      "  planar flood --card smc8013 --mode poll   what polling makes of it\n"
      "  planar flood --card 3c529 --send both     as many minimum frames as it can send\n"
      "  planar flood --machine model77 --card 1=ne2 --card 2=3c529 --router   a router\n"
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
