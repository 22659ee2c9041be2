// SPDX-License-Identifier: GPL-2.0-or-later
// `planar netio --converge PERCENT`: the figures of a long netio run from a shorter one. The guest's netio ends each
// size by its own alarm, as always; only the duration that it is given changes. The first run lasts one second per
// size. If the delivered rate of every size has settled in it, that run is the result; if not, a longer run follows, or
// one of the whole duration. All decisions are made in virtual time: the same command gives the same result on every
// host.
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

/// The factor by which the rate's confidence interval must be narrower than PERCENT: batches cannot show a change that
/// comes after them. With 4, every cell of the published Ethernet table stays within 1 % (docs/runs-that-end-early.md).
inline constexpr double converge_margin = 4;

/// The delivered rate of a row after its beginning, as the mean of consecutive parts of the row (batch means).
struct SettledRate {
  double kb_per_s = 0;
  /// Half the width of the mean's 95 % confidence interval (Student's t over the batches), in percent of the mean.
  double within_percent = 0;
};
/// `ticks` (1/1024 s) is the row's duration. Nothing if nothing was delivered.
std::optional<SettledRate> settled_rate(const DeliveryMeter::Row& row, std::uint64_t ticks);

/// The settled rate of a row that was not run for its whole duration.
struct SettledRow : SettledRate {
  std::uint64_t of_ticks = 0;  ///< the whole duration, 1/1024 s
};

/// One of the runs made, all with the same sizes.
struct ConvergedRun {
  double seconds = 0;  ///< virtual, per size
  double virtual_seconds = 0;
  std::uint64_t cycles = 0;
  std::string state_hash;
};

/// `converged` of a result.
struct Converged {
  double percent = 0;
  double of_seconds = 0;           ///< the duration that the figures are meant for
  std::vector<ConvergedRun> runs;  ///< in order; the last one gave the result

  /// Virtual seconds of each row in the result's run.
  double seconds() const { return runs.empty() ? 0 : runs.back().seconds; }
  bool shorter() const { return seconds() < of_seconds; }
  nlohmann::ordered_json json(const std::vector<NetioRow>& rows) const;
};

/// Whether this is a result of --converge whose run was shorter than the duration that its figures are for.
bool ended_early(const nlohmann::ordered_json& result);

/// Throws Error unless `text` is from 0.1 to 10. Returns it in its shortest form: "1".
std::string parse_converge(const std::string& text);

/// Runs netio for `seconds` with each size, or until `hopeless` returns true for a row: the run need not continue.
using NetioRun =
    std::function<NetioResult(const std::string& seconds, const std::function<bool(const NetioRow&)>& hopeless)>;

/// netio's figures for `seconds` with each size. A run is accepted when the 95 % confidence interval of each row's
/// delivered rate is within `percent` / converge_margin of it. A row's figure is then netio's count, continued at the
/// settled rate for the rest of the duration, so that what the send buffer holds at the end of a row counts as in the
/// whole run. Everything else in the result is the shorter run's. After an interruption, only the rows that have
/// settled.
NetioResult converge(const std::string& percent, const std::string& seconds, const NetioRun& run);

}  // namespace planar
