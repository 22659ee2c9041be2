// SPDX-License-Identifier: GPL-2.0-or-later
// What the verbs of the benchmarks share: values of options, the run to its end, what becomes of the result.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/guest_benchmarks/benchmark_result.hpp"
#include "frontend/session/session.hpp"

namespace planar {

/// Throws Error unless `text` is a duration of 0.01 to 3600 seconds in whole milliseconds, the option's value.
Time parse_seconds(const std::string& text);
/// The numbers of a comma-separated list, each from 1 to `highest`; at most `most`. Throws Error naming `option`, what
/// they are and their unit.
std::vector<std::uint32_t> parse_list(std::string_view option, const std::string& list, std::size_t most,
                                      std::uint32_t highest, std::string_view what, std::string_view unit);
/// The sizes of a comma-separated list, each from 1 to `highest` bytes; at most `most`. Throws Error.
std::vector<std::uint32_t> parse_sizes(const std::string& list, std::size_t most, std::uint32_t highest);

/// Runs until every guest has come to its end or one of them to a bad one, or `enough` says that no more is wanted.
/// `name` is the benchmark's in errors; `progress` says how far it is. False if the user has interrupted it. Throws
/// Error when a guest failed or none is done within `limit`.
bool run_guests(Session& session, Time limit, std::string_view name, bool quiet,
                const std::function<std::string()>& progress, const std::function<bool()>& enough = {});

/// Writes the result as the options ask for it; the exit code.
int put_result(const OutputOptions& output, const BenchmarkResult& result);
/// The same at the end of the session. Throws Error where one of the run's files could not be written or the run has
/// not come to its snapshot.
int conclude(Session& session, const OutputOptions& output, const BenchmarkResult& result);

}  // namespace planar
