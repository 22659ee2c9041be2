// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest_benchmarks/benchmark_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "adf/reader/reader.hpp"
#include "adf/solver/solver.hpp"
#include "frontend/output/interruption.hpp"
#include "frontend/output/output.hpp"
#include "machines/config/units.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

bool over(Session& session) {
  bool all = true;
  for (std::size_t n = 0; n < session.lab().machines(); ++n) {
    const auto status = session.guest(n).done();
    if (status.value_or(0) != 0) return true;
    all &= status.has_value();
  }
  return all;
}

/// The error of OPEN that a Token Ring adapter gives in its insertion phase if the ring has another speed,
/// at the end of the driver's report; the last one is a TMS380's.
constexpr std::string_view frequency_errors[] = {"error 24)", "error 0024)", "error 0227)"};

/// The items of adapter descriptions that set the speed of the ring, as the options of --card are spelt.
constexpr const char* speed_items[] = {"data-rate", "adapter-data-rate"};

/// " or the card's data-rate" for a machine's Token Ring card, by the name in its adapter description; empty if that
/// has no such item.
std::string or_speed_item(const MachineConfig& machine) {
  for (const CardConfig& card : machine.cards) {
    const AdapterEntry& entry = find_adapter(card.name);
    if (entry.medium != MediumKind::token_ring) continue;
    const adf::Adapter description = adf::find_adf(entry.adapter_id);
    for (const char* item : speed_items)
      if (adf::find_item(description, item)) return fmt::format(" or the card's {}", item);
  }
  return {};
}

/// The remedy if the ring has another speed than the card of machine `n`, or the client found no server at the host's
/// port; empty: that was not the failure.
std::string remedy(Session& session, std::size_t n, std::string_view name, const std::string& failure) {
  if (std::any_of(std::begin(frequency_errors), std::end(frequency_errors),
                  [&](std::string_view error) { return failure.ends_with(error); }))
    return fmt::format("; the ring runs at another speed than the adapter: give both the same, by --rate{}",
                       or_speed_item(session.lab().machine(n).config()));
  const std::string& net = session.lab().machine().config().net;
  if (failure.find("error 111") == std::string::npos || !net.starts_with("slirp")) return {};
  if (net.ends_with("isolated")) return "; an isolated guest reaches no server of this host: leave isolated out";
  return fmt::format("; start {} on this host first",
                     name == "netio" ? "`planar netio-server`" : "netperf 2.1's netserver");
}

}  // namespace

Time parse_seconds(const std::string& text) {
  const auto duration = parse_time(text + " s");
  if (!duration || *duration < 10_ms || *duration > 3600_s)
    throw Error(fmt::format("--seconds {}: expects 0.01 to 3600 seconds, or a time such as 500ms", text));
  if (duration->ps % (1_ms).ps != 0)
    throw Error(
        fmt::format("--seconds {}: the guest counts whole milliseconds; round the value to milliseconds", text));
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

std::vector<std::uint32_t> parse_sizes(const std::string& list, std::size_t most, std::uint32_t highest) {
  return parse_list("--sizes", list, most, highest, "sizes", "bytes");
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
    if (session.guest(n).done().value_or(0) != 0) {
      const auto failure = session.guest(n).reason();
      throw Error(fmt::format("{}{} failed in the guest: {}{}", name, n ? "'s server" : "", failure,
                              remedy(session, n, name, failure)),
                  ExitCode::scenario_failed);
    }
  return true;
}

Measured note_measured(Session& session, std::size_t n, const GuestLine& line, Time duration) {
  const Measured span = measured(session.guest(n), line, duration);
  for (std::size_t k = 0; k < session.lab().machines(); ++k) session.tests(k).test_ended(span);
  return span;
}

void put_busy(Session& session, MachineFigures& figures, std::size_t n) {
  TestMeter::Span all;
  for (const auto& test : session.tests(n).tests()) {
    all.clocks += test.clocks;
    all.halted += test.halted;
  }
  if (all.clocks) figures.true_busy_percent = all.busy_percent();
}

int put_result(const OutputOptions& output, const BenchmarkResult& result) {
  if (output.json != "-")
    fmt::print("{}", result.table());
  else if (const auto text = result.warning(); !text.empty() && !output.quiet)
    say("planar: warning: {}\n", text);
  if (output.json) write_json(*output.json, result.json());
  return result.interrupted ? static_cast<int>(interrupted_exit) : 0;
}

int conclude(Session& session, const OutputOptions& output, const BenchmarkResult& result) {
  const int code = put_result(output, result);
  session.check_files();
  session.check_snapshot_taken();
  return code;
}

}  // namespace planar
