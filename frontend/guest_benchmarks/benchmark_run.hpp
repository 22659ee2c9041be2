// SPDX-License-Identifier: GPL-2.0-or-later
// Shared by the benchmarks' verbs: option values, running the guests to the end, and writing the result.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/guest/measured.hpp"
#include "frontend/guest_benchmarks/benchmark_result.hpp"
#include "frontend/session/session.hpp"

namespace planar {

/// Throws Error unless `text` is a duration of 0.01 to 3600 seconds in whole milliseconds, the option's value.
Time parse_seconds(const std::string& text);
/// The numbers of a comma-separated list, each from 1 to `highest`; at most `most`. Throws Error naming `option`,
/// `what` the numbers are and their `unit`.
std::vector<std::uint32_t> parse_list(std::string_view option, const std::string& list, std::size_t most,
                                      std::uint32_t highest, std::string_view what, std::string_view unit);
/// The sizes of a comma-separated list, each from 1 to `highest` bytes; at most `most`. Throws Error.
std::vector<std::uint32_t> parse_sizes(const std::string& list, std::size_t most, std::uint32_t highest);

/// Runs until every guest has finished, one of them has failed, or `enough` returns true. `name` is the benchmark's
/// name in errors; `progress` describes how far it is. False if the user has interrupted the run. Throws Error if a
/// guest failed or the guests are not done within `limit`.
bool run_guests(Session& session, Time limit, std::string_view name, bool quiet,
                const std::function<std::string()>& progress, const std::function<bool()>& enough = {});

/// What `line` of machine `n` reports has been measured, for `duration`: the processors' loads in all machines and what
/// was delivered are those of this time (Session::tests()), which is returned.
Measured note_measured(Session& session, std::size_t n, const GuestLine& line, Time duration);
/// Sets the busy share of machine `n` over all that was measured; `figures` keeps that from the program's first line to
/// its last if nothing was.
void put_busy(Session& session, MachineFigures& figures, std::size_t n = 0);

/// Writes the result as the options request; returns the exit code.
int put_result(const OutputOptions& output, const BenchmarkResult& result);
/// The same at the end of the session. Throws Error if one of the run's files could not be written or the run did not
/// reach its snapshot.
int conclude(Session& session, const OutputOptions& output, const BenchmarkResult& result);

}  // namespace planar
