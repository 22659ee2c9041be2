// SPDX-License-Identifier: GPL-2.0-or-later
// Makes many runs of a benchmark, each in a process of its own, as many at once as the host has cores: the basis of
// compare, published and regress. Each finished run has a file of its own, so that an interrupted matrix can be
// resumed, and a run that was made before is taken from the user's cache (frontend/result_store).
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/common/error.hpp"
#include "frontend/matrix/benchmark.hpp"
#include "frontend/output/interruption.hpp"

namespace planar {

/// One run: a card in a machine.
struct Cell {
  std::string machine;
  std::string card;
  std::vector<std::string> settings;        ///< further arguments of the benchmark's verb, such as --set
  std::string options = {};                 ///< of the card: "driver=3.04,irq=3"
  std::string variant = {};                 ///< distinguishes it from others of the same machine, card and options
  std::optional<std::uint64_t> seed = {};   ///< default: the matrix's
  std::optional<unsigned> placement = {};   ///< of the guest; default: the matrix's
  std::vector<std::string> command = {};    ///< all arguments but the seed; empty: made from the members above
  std::optional<std::string> seconds = {};  ///< virtual, per size; default: the matrix's
  std::optional<std::string> sizes = {};    ///< likewise
  const Benchmark* benchmark = nullptr;     ///< likewise

  /// "ne2", or with options "lanstreamer:driver=3.04".
  std::string card_option() const { return options.empty() ? card : card + ":" + options; }
  /// How many cards its settings bond into one; 1 without --bond.
  unsigned bonded() const;
  /// The name of the cell, unique in its matrix.
  std::string key() const;
  /// The same as a file's name.
  std::string file_name() const;
};

/// The outcome of a cell: either a result or a problem in words.
struct CellOutcome {
  Cell cell;
  std::optional<nlohmann::ordered_json> result;  ///< the object of the verb's --json
  int status = 0;                                ///< exit code of the run
  std::string problem{};                         ///< what it said on standard error, if it failed
  std::size_t checked = 0;                       ///< runs from the cache that were repeated and were equal

  /// The machine refuses this card (exit code 2): nothing failed, but there is nothing to measure.
  bool refused() const { return status == 2; }
  /// A file could not be read or written (exit code 3): a later attempt may succeed.
  bool host_failed() const { return status == static_cast<int>(ExitCode::missing_file); }
  /// It failed in a way that need not recur: because of a file of the host, or of a fault in planar.
  bool broken() const { return host_failed() || status == static_cast<int>(ExitCode::emulation_fault); }
  /// "model56sx ne2: " and the problem.
  std::string failure() const { return fmt::format("{} {}: {}", cell.machine, cell.card_option(), problem); }
  /// The user ended the matrix before this run was finished.
  bool interrupted() const { return status == static_cast<int>(interrupted_exit); }
  /// What `benchmark` measured at a size, or nothing.
  std::optional<double> figure(const Benchmark& benchmark, std::uint32_t size) const;
  /// What was delivered in that time, if `benchmark` watches it.
  std::optional<double> delivered(const Benchmark& benchmark, std::uint32_t size) const;
  /// Where a full-size frame's time went; null if there is no result, or `benchmark` does not send full-size frames.
  const nlohmann::ordered_json* frame_time(const Benchmark& benchmark) const;
};

struct MatrixOptions {
  const Benchmark* benchmark = nullptr;
  std::string seconds;  ///< virtual, per size
  std::string sizes;
  std::string converge;  ///< percent within which a size may end early; empty: every size lasts its whole duration
  std::uint64_t seed = 1;
  unsigned placement = 0;        ///< of the guest, if a cell names none
  unsigned jobs = 0;             ///< processes at once; 0: one per core
  std::filesystem::path folder;  ///< of the finished runs; empty: nothing is kept
  bool fresh = false;            ///< repeat runs that are already in the folder
  bool quiet = false;
  bool cache = false;        ///< take runs from the user's cache, and store them there
  bool check_cache = false;  ///< repeat every run that is in the cache, and compare

  /// The values for a cell: its own, or the matrix's.
  const Benchmark& benchmark_of(const Cell& cell) const { return cell.benchmark ? *cell.benchmark : *benchmark; }
  const std::string& sizes_of(const Cell& cell) const { return cell.sizes ? *cell.sizes : sizes; }
  const std::string& seconds_of(const Cell& cell) const { return cell.seconds ? *cell.seconds : seconds; }
  /// Whether its sizes may end early.
  bool may_converge(const Cell& cell) const { return !converge.empty() && benchmark_of(cell).converges; }

  /// The file of a finished run in `folder`: runs that may end early are kept beside those that may not.
  std::string file_of(const Cell& cell) const;
};

/// Millions of host instructions for a run, by processor, medium, machines, bonded cards and virtual time
/// (docs/performance.md#the-order-of-runs); one that may end early counts as if it did not. Throws Error for a machine
/// that does not exist.
std::uint64_t estimated_cost(const Cell& cell, const MatrixOptions& options);
/// The indices of the cells in the order in which they are started: highest estimated cost first, so that the last ones
/// are short and no core waits long for another; cells of equal cost keep their order.
std::vector<std::size_t> longest_first(const std::vector<Cell>& cells, const MatrixOptions& options);

/// The cells of `machines` x `cards`; "all" stands for every card, "CARD:OPTION=VALUE" is one with options, and an
/// entry "OPTION=VALUE" (a list is split at its commas) is a further option of the preceding card. Throws Error for a
/// name that does not exist.
std::vector<Cell> matrix_cells(const std::vector<std::string>& machines, const std::vector<std::string>& cards);

/// Runs the cells; the outcomes are in the order of the cells. A run that is already in the folder is taken from there
/// if the same program made it with the same arguments, unless it is broken. SIGINT or SIGTERM ends the current runs;
/// unfinished outcomes are then marked as interrupted and are not kept. A result from the cache is marked in its
/// `host`. Throws Error if a process cannot be started and, at the end, if a repeated run differs from the cached one
/// (exit 4).
std::vector<CellOutcome> run_matrix(const std::vector<Cell>& cells, const MatrixOptions& options);

/// The failure() of the first run that failed because of the host; empty if there is none.
std::string host_failure_text(const std::vector<CellOutcome>& outcomes);

/// The outcomes of the cells whose runs are already in the folder, made by this very program with the same arguments;
/// the others are marked as not finished (CellOutcome::interrupted). Runs nothing.
std::vector<CellOutcome> finished_runs(const std::vector<Cell>& cells, const MatrixOptions& options);

/// "interrupted: 3 of 12 runs are finished", and where they are kept; empty if none was interrupted.
std::string interruption_text(const std::vector<CellOutcome>& outcomes, const MatrixOptions& options);

}  // namespace planar
