// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/guest_benchmarks/netio_converge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "core/common/error.hpp"
#include "frontend/guest_benchmarks/benchmark_run.hpp"
#include "frontend/guest_benchmarks/netio_result.hpp"
#include "frontend/matrix/spread.hpp"
#include "frontend/output/output.hpp"

namespace planar {
namespace {

/// Duration of each size in the first run: ten ticks of the guest's clock in each batch, and half a dozen bursts on the
/// slowest machine.
constexpr double first_seconds = 1;
constexpr double ticks_per_second = 1024;

/// Half the width of a row's confidence interval, in percent.
double width(const NetioRow& row) {
  const auto rate = row.delivered ? settled_rate(*row.delivered, row.ticks) : std::nullopt;
  return rate ? rate->within_percent : std::numeric_limits<double>::infinity();
}

/// The length of the run that follows one of `length` seconds whose widest interval was `widest` percent instead of
/// `limit`. An interval narrows in proportion to the duration if its ends cut bursts, and to the square root of the
/// duration if the variation is random.
double next_length(double length, double widest, double limit, double whole) {
  const double needed = length * widest / limit;
  do length *= 2;
  while (length < needed && length <= whole);
  return length;
}

}  // namespace

std::optional<SettledRate> settled_rate(const DeliveryMeter::Row& row, std::uint64_t ticks) {
  const double batch_ticks = static_cast<double>(ticks) *
                             static_cast<double>(DeliveryMeter::parts - DeliveryMeter::settling) /
                             static_cast<double>(DeliveryMeter::parts * DeliveryMeter::batches);
  if (batch_ticks <= 0) return std::nullopt;
  std::vector<double> rates;
  for (const std::uint64_t bytes : row.bytes_by_batch) rates.push_back(static_cast<double>(bytes) / batch_ticks);
  const Spread spread = spread_of(rates);
  if (spread.mean <= 0) return std::nullopt;
  return SettledRate{spread.mean, 100 * spread.ci95 / spread.mean};
}

nlohmann::ordered_json Converged::json(const std::vector<NetioRow>& rows) const {
  nlohmann::ordered_json out{{"percent", percent}, {"of_seconds", of_seconds}};
  out["rows"] = nlohmann::ordered_json::array();
  for (const NetioRow& row : rows) {
    out["rows"].push_back({{"packet_bytes", row.packet_bytes}, {"seconds", seconds()}});
    if (!row.settled) continue;
    out["rows"].back()["settled_kb_per_s"] = rounded(row.settled->kb_per_s, 2);
    out["rows"].back()["within_percent"] = rounded(row.settled->within_percent, 3);
  }
  out["runs"] = nlohmann::ordered_json::array();
  for (const ConvergedRun& run : runs)
    out["runs"].push_back({{"seconds", run.seconds},
                           {"virtual_seconds", rounded(run.virtual_seconds, 6)},
                           {"cycles", run.cycles},
                           {"state_hash", run.state_hash}});
  return out;
}

bool ended_early(const nlohmann::ordered_json& result) {
  const auto converged = result.find("converged");
  if (converged == result.end()) return false;
  const double whole = converged->at("of_seconds").get<double>();
  const auto& rows = converged->at("rows");
  return std::any_of(rows.begin(), rows.end(),
                     [&](const auto& row) { return row.at("seconds").template get<double>() < whole; });
}

std::string parse_converge(const std::string& text) {
  char* end = nullptr;
  const double percent = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || !(percent >= 0.1 && percent <= 10))
    throw Error(fmt::format("--converge {}: expects 0.1 to 10 (percent)", text));
  return fmt::format("{:g}", percent);
}

NetioResult converge(const std::string& percent, const std::string& seconds, const NetioRun& run) {
  const double whole = parse_seconds(seconds).seconds();
  const double asked = std::strtod(percent.c_str(), nullptr), limit = asked / converge_margin;
  const auto whole_ticks = static_cast<std::uint64_t>(std::llround(whole * ticks_per_second));
  Converged converged{.percent = asked, .of_seconds = rounded(whole, 6), .runs = {}};
  double host_seconds = 0;
  const auto run_for = [&](const std::string& length, double in_seconds, const auto& hopeless) {
    NetioResult result = run(length, hopeless);
    host_seconds += result.host_seconds;
    result.host_seconds = host_seconds;
    converged.runs.push_back({in_seconds, result.virtual_seconds, result.cycles, result.state_hash});
    return result;
  };
  // A run of more than half the duration, in addition to the previous one, would save nothing.
  const double longest = whole / 2;
  for (double length = first_seconds; length <= longest;) {
    NetioResult result = run_for(fmt::format("{:g}", length), length, [&](const NetioRow& row) {
      const double w = width(row);
      return w > limit && next_length(length, w, limit, whole) > longest;
    });
    double widest = result.rows.empty() ? std::numeric_limits<double>::infinity() : 0;
    for (NetioRow& row : result.rows) {
      const double w = width(row);
      widest = std::max(widest, w);
      if (w <= limit) row.settled = SettledRow{*settled_rate(*row.delivered, row.ticks), whole_ticks};
    }
    if (result.interrupted) std::erase_if(result.rows, [](const NetioRow& row) { return !row.settled; });
    if (result.interrupted || widest <= limit) {
      result.converged = std::move(converged);
      return result;
    }
    length = next_length(length, widest, limit, whole);
  }
  NetioResult result = run_for(seconds, converged.of_seconds, [](const NetioRow&) { return false; });
  result.converged = std::move(converged);
  return result;
}

}  // namespace planar
