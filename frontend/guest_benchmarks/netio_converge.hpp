// SPDX-License-Identifier: GPL-2.0-or-later
// `planar netio --converge PERCENT`: the figures of a long netio run from a shorter one. The guest's netio ends each
// size by its own alarm, as always; what is chosen is the duration that it is told. A first run has one second for each
// size. If the delivered rate of every size has settled in it, that run is the result; if not, a longer one follows, or
// the whole duration. All is decided in virtual time: the same command gives the same result on every host.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontend/meters/delivery.hpp"

namespace planar {

struct NetioResult;
struct NetioRow;

/// How much closer than PERCENT the rate's confidence interval has to be: batches know nothing of a change that comes
/// after them. With 4 every cell of the published Ethernet table stays within 1 % (docs/runs-that-end-early.md).
inline constexpr double converge_margin = 4;

/// The delivered rate of a row after its beginning, as the mean of consecutive parts of the row (batch means).
struct SettledRate {
  double kb_per_s = 0;
  /// Half the width of the mean's 95 % confidence interval (Student's t over the batches), in percent of the mean.
  double within_percent = 0;
};
/// `ticks` (1/1024 s) is the row's duration. Nothing where nothing was delivered.
std::optional<SettledRate> settled_rate(const DeliveryMeter::Row& row, std::uint64_t ticks);

/// Where a row's figure stands that was not run for its whole duration.
struct SettledRow : SettledRate {
  std::uint64_t of_ticks = 0;  ///< the whole duration, 1/1024 s
};

/// One of the runs that were made, all of the same sizes.
struct ConvergedRun {
  double seconds = 0;  ///< virtual, of each size
  double virtual_seconds = 0;
  std::uint64_t cycles = 0;
  std::string state_hash;
};

/// `converged` of a result.
struct Converged {
  double percent = 0;
  double of_seconds = 0;           ///< the duration whose figures are meant
  std::vector<ConvergedRun> runs;  ///< in their order; the last one is the result's

  /// Virtual seconds of each row in the result's run.
  double seconds() const { return runs.empty() ? 0 : runs.back().seconds; }
  bool shorter() const { return seconds() < of_seconds; }
  nlohmann::ordered_json json(const std::vector<NetioRow>& rows) const;
};

/// A result of --converge whose run was shorter than the duration that its figures are for.
bool ended_early(const nlohmann::ordered_json& result);

/// Throws Error unless `text` is from 0.1 to 10. Returns it in its shortest form: "1".
std::string parse_converge(const std::string& text);

/// Runs netio for `seconds` with each size, or until `hopeless` says of a row that the run need not go on.
using NetioRun =
    std::function<NetioResult(const std::string& seconds, const std::function<bool(const NetioRow&)>& hopeless)>;

/// What netio counts in `seconds` with each size. A run is taken when the 95 % confidence interval of each row's
/// delivered rate is within `percent` / converge_margin of it. A row's figure is then what netio counted and, for the
/// rest of the duration, the settled rate: what the send buffer holds at the end of a row counts as it does in the
/// whole run. All else in the result is the shorter run's. After an interruption the rows that have settled.
NetioResult converge(const std::string& percent, const std::string& seconds, const NetioRun& run);

}  // namespace planar
