// SPDX-License-Identifier: GPL-2.0-or-later
// `planar flood`: boots the guest test bench, lets the station's generator send it frames at one rate after another,
// and prints what became of them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <bit>
#include <memory>

#include "core/common/error.hpp"
#include "devices/stations/peer/generator.hpp"
#include "frontend/guest_benchmarks/benchmark_run.hpp"
#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/guest_benchmarks/cached_run.hpp"
#include "frontend/guest_benchmarks/flood_result.hpp"
#include "frontend/guest_benchmarks/flood_send.hpp"
#include "frontend/guest_benchmarks/guest_run.hpp"
#include "frontend/options/arguments.hpp"
#include "frontend/output/labels.hpp"
#include "machines/config/units.hpp"

namespace planar {

namespace {

constexpr unsigned shortest_frame = 64, longest_frame = 1518;
constexpr std::size_t most_rates = 16;  // accepted by the guest's flood
constexpr const char* usual_rates = "200,500,1000,2000,4000,7000,10000,14880";
constexpr std::uint32_t highest_rate = 1'500'000;  // accepted by the guest
/// Up to minimum-size frames at the medium's full rate, 84 bytes each with preamble and gap.
constexpr const char* rates_of_fast_ethernet = "1000,5000,10000,20000,40000,70000,100000,148800";
constexpr const char* rates_of_gigabit = "10000,50000,100000,200000,400000,700000,1000000,1488000";
/// On a ring at 16 and at 4 Mbit/s: 75 bytes each, without the token.
constexpr const char* rates_of_ring = "500,1000,2000,4000,7000,10000,16000,26000";
constexpr const char* rates_of_slow_ring = "100,200,500,1000,2000,3000,4500,6500";
constexpr Time drain_of_a_run = 20_s;  // at most: the guest ends when no more frames are counted

struct FloodOptions : GuestRunOptions {
  FloodOptions() { cache.off = false; }

  std::string depth = "process";
  std::string mode = "interrupt";
  unsigned timer_rate = 1024;
  std::string send;
  bool router = false;
  std::string seconds, rates;  ///< empty: the defaults of the medium
  std::string sizes;           ///< with --send: the frame length, like `frame`
  std::string drain = "60";    ///< ms
  unsigned frame = shortest_frame;
  unsigned burst = 1;
};

/// A router's two sides: the generator's network, and the counting station's, beyond it.
constexpr const char *near_medium = "near", *far_medium = "far", *far_address = "192.168.11.1",
                     *router_far_address = "192.168.11.2";

/// Puts the machine's two network adapters on a segment each; a single adapter is added a second time.
void make_router(Config& c) {
  const std::string origin = "--router";
  auto adapters = network_adapters(c);
  if (adapters.size() == 1) {
    unsigned other = 1;
    while (!c.peek_text(fmt::format("slot.{}.card", other)).empty()) ++other;
    c.set(fmt::format("slot.{}.card", other), std::string(adapters[0].card->name), origin);
    adapters = network_adapters(c);
  }
  if (adapters.size() != 2)
    throw Error(fmt::format("--router: a router has two adapters, this machine {}; name them with --card SLOT=NAME",
                            adapters.size()));
  for (std::size_t n = 0; n < 2; ++n) {
    const AdapterEntry& card = *adapters[n].card;
    const std::string medium = n ? far_medium : near_medium;
    if (card.medium == MediumKind::token_ring)
      throw Error(fmt::format("--router: {} is a ring's; the guest routes between Ethernet segments", card.name));
    c.set("medium." + medium + ".kind", "ethernet", origin);
    c.set("medium." + medium + ".rate", fmt::format("{} Mbit/s", ethernet_rate(card.medium) / 1'000'000), origin);
    c.set("slot." + adapters[n].slot + ".medium", medium, origin);
  }
  c.set("net.medium", near_medium, origin);
  c.set("station.counter.medium", far_medium, origin);
  c.set("station.counter.address", far_address, origin);
}

std::vector<std::uint32_t> flood_rates(const std::string& list) {
  return parse_list("--rates", list, most_rates, highest_rate, "rates", "frames/s");
}

/// The length of the frames that --send sends, as a list of one. Throws Error.
std::vector<std::uint32_t> flood_lengths(const std::string& list) {
  const auto length = parse_number(list);
  if (!length || *length < shortest_frame || *length > longest_frame)
    throw Error(fmt::format("--sizes {}: is one length of the frames that --send sends, {} to {} bytes", list,
                            shortest_frame, longest_frame));
  return {static_cast<std::uint32_t>(*length)};
}

/// Throws Error for an option that would be ignored beside --send, or without it.
void check_sending(const FloodOptions& o) {
  const auto given = [&](const char* option) { return o.verb->count(option) > 0; };
  if (o.send.empty()) {
    if (given("--sizes"))
      throw Error(
          fmt::format("--sizes {}: is the length of the frames of --send; without --send give offered rates "
                      "with --rates, and the length with --frame",
                      o.sizes));
    return;
  }
  if (o.router) throw Error("--send and --router are two experiments; give one of them");
  if (given("--frame") && given("--sizes"))
    throw Error("--frame and --sizes are the same with --send; give one of them");
  for (const char* receiving : {"--rates", "--burst", "--depth"})
    if (given(receiving))
      throw Error(fmt::format("--send {0} and {1}: {1} is for frames that the machine receives; leave it out{2}",
                              o.send, receiving, receiving == std::string_view("--rates") ? ", or give --frame" : ""));
}

void check_timer_rate(const FloodOptions& o) {
  if (o.verb->count("--timer-rate") && o.mode != "timer")
    throw Error(
        fmt::format("--timer-rate {}: is for --mode timer, and the mode is {}; add --mode timer, or leave it "
                    "out",
                    o.timer_rate, o.mode));
  if (!std::has_single_bit(o.timer_rate))
    throw Error(fmt::format("--timer-rate {}: the clock chip has the powers of two from 2 to 8192", o.timer_rate));
}

/// Throws Error if the guest's driver of `adapter` cannot have its interrupts delayed (can_delay in
/// roms/guest/drivers).
void check_delays(const Plugged& adapter) {
  if (adapter.card->delays_interrupts) return;
  std::vector<std::string_view> able;
  for (const AdapterEntry& card : adapter_registry())
    if (card.delays_interrupts) able.push_back(card.name);
  throw Error(fmt::format("--mode delayed: {} in slot {} cannot delay its interrupts; take another mode or one of {}",
                          adapter.card->name, adapter.slot, fmt::join(able, ", ")));
}

/// Options that are not given get the defaults of the medium of the adapter that the guest uses. Throws Error for a
/// mode that this adapter does not have.
FloodOptions for_adapter(FloodOptions o) {
  const Config config = o.machine.config(true);
  const auto adapter = o.used_adapter(config);
  const MediumKind medium = adapter ? adapter->card->medium : MediumKind::ethernet_10;
  if (o.mode == "delayed") {
    if (o.router)
      std::ranges::for_each(network_adapters(config), check_delays);
    else if (adapter)
      check_delays(*adapter);
  }
  // Waiting takes host time, and a machine with a fast medium empties its queues quickly.
  if (medium == MediumKind::ethernet_1000) o.drain = "10";
  if (o.seconds.empty()) o.seconds = medium == MediumKind::ethernet_1000 ? "0.02" : "1";
  if (o.verb->count("--rates") == 0)
    o.rates = medium == MediumKind::ethernet_1000  ? rates_of_gigabit
              : medium == MediumKind::ethernet_100 ? rates_of_fast_ethernet
              : medium != MediumKind::token_ring   ? usual_rates
              : adapter->card->medium_rate         ? rates_of_slow_ring  // it has no other rate than 4 Mbit/s
                                                   : rates_of_ring;
  return o;
}

int run_flood(const FloodOptions& given) {
  check_sending(given);
  check_timer_rate(given);
  const FloodOptions o = given.state.restore ? given : for_adapter(given);
  if (!o.send.empty()) {
    const unsigned frame = o.sizes.empty() ? o.frame : flood_lengths(o.sizes).front();
    return run_flood_send(o, {o.send, o.seconds, o.mode, frame, o.timer_rate});
  }
  if (o.router && o.use)
    throw Error(fmt::format("--router and --use {}: a router uses both adapters; leave --use out", *o.use));
  if (o.router && o.depth != "process") throw Error("--router and --depth: a router counts nothing; leave --depth out");
  if (const auto code = o.several(o.router               ? flood_router_benchmark
                                  : o.depth == "process" ? flood_benchmark
                                  : o.depth == "stack"   ? flood_stack_benchmark
                                  : o.depth == "hook"    ? flood_hook_benchmark
                                                         : flood_driver_benchmark))
    return *code;
  if (o.state.restore)
    throw Error("--restore and flood: every frame is counted from the first one on; leave --restore out");
  const auto rates = flood_rates(o.rates);
  for (const auto rate : rates)
    if (o.burst / 4 >= rate)
      throw Error(fmt::format("--burst {}: at {} frames/s bursts are more than four seconds apart", o.burst, rate));
  const Time seconds = parse_seconds(o.seconds);
  if (seconds > 60_s) throw Error(fmt::format("--seconds {}: the generator's runs last 60 seconds at most", o.seconds));
  for (const auto rate : rates)
    if (seconds.seconds() * rate > FloodMeter::most_frames)
      throw Error(fmt::format("--seconds {}: at {} frames/s that is more than {} frames per run", o.seconds, rate,
                              FloodMeter::most_frames));
  CachedRun cached(o, flood_benchmark, rates, seconds.seconds());
  if (const auto code = cached.put()) return *code;
  GuestTasks tasks{.client = "flood",
                   .server = "",
                   .settings = {{"rates", fmt::format("{}", fmt::join(rates, ","))},
                                {"seconds", o.seconds},
                                {"frame", std::to_string(o.frame)},
                                {"burst", std::to_string(o.burst)},
                                {"drain", o.drain},
                                {"depth", o.router ? "forward" : o.depth},
                                {"receive", o.mode},
                                {"receive_rate", std::to_string(o.timer_rate)},
                                {"port", std::to_string(o.port)}},
                   .system = o.system,
                   .of_station = true};
  if (o.router) {
    tasks.settings.emplace_back("adapters", "2");
    tasks.settings.emplace_back("forward", router_far_address);
    tasks.settings.emplace_back("behind", far_address);
  }
  tasks.several = o.router;
  auto session = o.router ? o.open(tasks, make_router) : o.open(tasks);
  if (session->lab().machines() > 1) throw Error("flood watches one machine; the lab has more");
  FloodMeter meter(session->lab());
  std::size_t done = 0;
  session->on_guest_line([&](std::size_t, const GuestLine& line) {
    note_page(line, meter);
    if (line.tagged("@flood") && line.number("frame")) {
      meter.run_ended();
      ++done;
      session->progress().row(fmt::format("{} frames/s done", line.number("rate").value_or(0)));
    }
  });
  const Time limit = 60_s + (seconds + drain_of_a_run) * static_cast<std::int64_t>(rates.size());
  const bool finished = run_guests(*session, limit, "flood", o.output.quiet,
                                   [&] { return done ? counted(done, "rate") + " done" : std::string("booting"); });
  FloodResult result;
  collect(*session, "@flood start", "@flood end", result);
  result.depth = o.router ? "forward" : o.depth;
  result.mode = o.mode;
  if (o.mode == "timer") result.timer_rate = o.timer_rate;
  result.frame_bytes = o.frame;
  result.burst = o.burst;
  result.rows = flood_rows(session->guest(), meter, seconds.seconds());
  for (FloodRow& row : result.rows)
    if (row.forwarded) row.counted = counted_by_stations(session->lab(), row.run);
  result.interrupted = !finished;
  for (const GuestLine& line : session->guest().lines())
    if (line.tagged("@flood stalled")) result.stalled_at = static_cast<std::uint32_t>(line.number("rate").value_or(0));
  if (result.stalled_at && meter.runs().empty())
    throw Error(fmt::format("flood: {} in slot {} does not reach the generator: no frame of the reference station has "
                            "come; put both on one medium (net.medium, --use), or connect the media by a bridge",
                            result.card, result.slot),
                ExitCode::scenario_failed);
  const int code = conclude(*session, o.output, result);
  const bool bridged = session->lab().media().size() > 1 && !o.router;
  for (const FloodRow& row : result.rows)
    if (const auto wrong = row.discrepancy(bridged); !wrong.empty())
      throw Error(fmt::format("flood at {} frames/s does not add up: {}", row.rate, wrong), ExitCode::scenario_failed);
  cached.made(result);
  return code;
}

Verb add_flood(CLI::App& app) {
  auto o = std::make_shared<FloodOptions>();
  CLI::App* verb = app.add_subcommand("flood",
                                      "Boot the built-in guest in a machine and send it frames at rising rates: how "
                                      "many are delivered, and where and why the others are lost");
  o->begin(*verb);
  verb->add_option("--rates", o->rates,
                   "Offered rates in frames/s (400k is 400000), one run for each; what the medium cannot take is held "
                   "back. Without it: eight, up to what the adapter's medium takes")
      ->type_name("LIST")
      ->transform(rates_argument);
  verb->add_option("--seconds", o->seconds, "Duration of each run, virtual; without it 1, at 1000 Mbit/s 0.02")
      ->type_name("N")
      ->transform(seconds_argument);
  verb->add_option("--frame", o->frame,
                   "Length of a frame in bytes, check sequence included; on a ring, that of the Ethernet frame with "
                   "the same datagram")
      ->type_name("N")
      ->check(CLI::Range(shortest_frame, longest_frame))
      ->capture_default_str();
  verb->add_option("--sizes", o->sizes, "With --send: the frames' length, as --frame")
      ->type_name("N")
      ->transform(sizes_argument);
  verb->add_option("--burst", o->burst, "Send this many frames back to back, at the same average rate")
      ->type_name("N")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str();
  verb->add_option("--depth", o->depth,
                   "Where the guest counts the frames and drops them: before the kernel's backlog, after it and before "
                   "IP (where Click takes them), in UDP's input, or in a process that receives them")
      ->type_name("driver|hook|stack|process")
      ->check(CLI::IsMember({"driver", "hook", "stack", "process"}))
      ->capture_default_str();
  verb->add_option("--mode", o->mode,
                   "How frames get from the adapter to the kernel: each interrupt queues what has arrived (Linux 2.2); "
                   "interrupts that the adapter delays by timers of its own (the PRO/1000s can); one interrupt for "
                   "several frames, while the bottom half empties the adapter; by a timer, with the adapter's "
                   "interrupts masked; polled by the idle task, up to eight frames each time")
      ->type_name("interrupt|delayed|batch|timer|poll")
      ->check(CLI::IsMember({"interrupt", "delayed", "batch", "timer", "poll"}))
      ->capture_default_str();
  verb->add_option("--timer-rate", o->timer_rate, "With --mode timer: times per second, a power of two up to 8192")
      ->type_name("HZ")
      ->check(CLI::Range(2u, 8192u))
      ->capture_default_str();
  verb->add_option(
          "--send", o->send,
          "Send, in place of receiving: as fast as driver and adapter take frames, from inside the kernel, from "
          "a process, or one after the other")
      ->type_name("kernel|process|both")
      ->check(CLI::IsMember({"kernel", "process", "both"}));
  verb->add_flag("--router", o->router,
                 "Use the machine as a router: frames arrive at the adapter in the lower slot and go to a station "
                 "beyond the other one, which counts them. A single --card is put in twice");
  o->end(*verb, "flood", "", net::generator_port);
  o->cache.add_to(*verb);
  verb->footer(
      "Examples:\n"
      "  planar flood --machine model56sx --card 3c529   from 200 frames/s to the wire's limit\n"
      "  planar flood --card ne2 --depth driver --rates 4000,14880   what the adapter and its driver alone take\n"
      "  planar flood --card ne2 --rates 2000 --burst 64   bursts that fill the adapter's buffers\n"
      "  planar flood --card smc8013 --mode poll   what polling makes of it\n"
      "  planar flood --machine pc-p3-600 --card pro1000-82543 --depth hook --mode delayed   gigabit\n"
      "  planar flood --card 3c529 --send both     as many minimum frames as it can send\n"
      "  planar flood --machine model77 --card 1=ne2 --card 2=3c529 --router   a router\n"
      "  planar compare --do flood --seconds 0.2   every card in every machine");
  return [o] { return run_flood(*o); };
}

constexpr const char *stack_arguments[] = {"--depth", "stack"}, *driver_arguments[] = {"--depth", "driver"},
                     *hook_arguments[] = {"--depth", "hook"},
                     *hook_delayed[] = {"--depth", "hook", "--mode", "delayed"},
                     *driver_poll[] = {"--depth", "driver", "--mode", "poll"},
                     *hook_poll[] = {"--depth", "hook", "--mode", "poll"},
                     *delayed_send_arguments[] = {"--send", "kernel", "--mode", "delayed"},
                     *batch_arguments[] = {"--mode", "batch"}, *timer_arguments[] = {"--mode", "timer"},
                     *poll_arguments[] = {"--mode", "poll"}, *router_arguments[] = {"--router"},
                     *polling_router_arguments[] = {"--router", "--mode", "poll"},
                     *send_arguments[] = {"--send", "kernel"}, *send_process_arguments[] = {"--send", "process"};

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
      .figure_key = "delivered_per_s",
      .frame_times = false,
      .one_load = false,
      .axis = "offered frames/s, 64 bytes each",
      .row_key = "rate",
      .sizes_option = "--rates",
  };
}

constexpr Benchmark sending(std::string_view name, std::span<const char* const> arguments, std::string_view heading) {
  return {
      .name = name,
      .verb = "flood",
      .arguments = arguments,
      .heading = heading,
      .metric = "sent",
      .unit = "frames/s",
      .comparison = {"0.3", "64"},
      .regression = {"0.1", "64"},
      .add_verb = nullptr,
      .sizes = flood_lengths,
      .figure_key = "sent_per_s",
      .frame_times = false,
      .one_load = false,
      .axis = "frame length, bytes",
      .row_key = "frame_bytes",
  };
}

}  // namespace

const Benchmark flood_benchmark = at_depth("flood", {}, "flood, delivered frames/s by offered frames/s", add_flood);
const Benchmark flood_stack_benchmark =
    at_depth("flood-stack", stack_arguments, "flood, frames/s counted in UDP's input, by offered frames/s", nullptr);
const Benchmark flood_driver_benchmark = at_depth(
    "flood-driver", driver_arguments, "flood, frames/s handed over by the driver, by offered frames/s", nullptr);
const Benchmark flood_hook_benchmark =
    at_depth("flood-hook", hook_arguments, "flood, frames/s that a hook before IP takes, by offered frames/s", nullptr);
const Benchmark flood_hook_delayed_benchmark = at_depth(
    "flood-hook-delayed", hook_delayed, "flood, frames/s that a hook before IP takes, interrupts delayed", nullptr);
const Benchmark flood_driver_poll_benchmark =
    at_depth("flood-driver-poll", driver_poll, "flood, frames/s handed over by the polled driver", nullptr);
const Benchmark flood_hook_poll_benchmark =
    at_depth("flood-hook-poll", hook_poll, "flood, frames/s that a hook before IP takes, adapter polled", nullptr);
const Benchmark flood_batch_benchmark =
    at_depth("flood-batch", batch_arguments, "flood, several frames per interrupt, delivered frames/s", nullptr);
const Benchmark flood_timer_benchmark =
    at_depth("flood-timer", timer_arguments, "flood, driver run by a timer, delivered frames/s", nullptr);
const Benchmark flood_poll_benchmark =
    at_depth("flood-poll", poll_arguments, "flood, adapter polled, delivered frames/s", nullptr);
const Benchmark flood_router_benchmark =
    at_depth("flood-router", router_arguments, "flood, frames/s forwarded by a router with two such cards", nullptr);
const Benchmark flood_router_poll_benchmark =
    at_depth("flood-router-poll", polling_router_arguments,
             "flood, frames/s forwarded by a router that polls two such cards", nullptr);
const Benchmark flood_send_benchmark =
    sending("flood-send", send_arguments, "flood, frames/s sent from inside the kernel");
const Benchmark flood_send_delayed_benchmark = sending(
    "flood-send-delayed", delayed_send_arguments, "flood, frames/s sent from inside the kernel, interrupts delayed");
const Benchmark flood_send_process_benchmark =
    sending("flood-send-process", send_process_arguments, "flood, frames/s sent by a process");

}  // namespace planar
