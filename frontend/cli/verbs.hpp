// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs of the command line. Each function adds its subcommand with its options; the function that it returns runs
// the verb and returns the exit code. Problems are thrown as Error.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/options/verb.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace planar {

Verb add_netio_server(CLI::App& app);
Verb add_run(CLI::App& app);
Verb add_describe(CLI::App& app);
Verb add_debug(CLI::App& app);
Verb add_list(CLI::App& app);
Verb add_show(CLI::App& app);
Verb add_config(CLI::App& app);
Verb add_adf(CLI::App& app);
Verb add_disk(CLI::App& app);
Verb add_bench(CLI::App& app);
Verb add_compare(CLI::App& app);
Verb add_published(CLI::App& app);
Verb add_regress(CLI::App& app);
Verb add_diff(CLI::App& app);
Verb add_timeline(CLI::App& app);
Verb add_cache(CLI::App& app);
Verb add_completion(CLI::App& app);
Verb add_help(CLI::App& app);
Verb add_installed_files(CLI::App& app);  ///< hidden

/// Adds every verb, including the benchmarks' and the hidden ones, in the order of the help.
std::vector<std::pair<CLI::App*, Verb>> add_verbs(CLI::App& app);

/// Shows the start page until the user has closed it or run a machine; returns the exit code. Throws Error if there is
/// no display to show it on. `run` runs planar with `words`; if they are invalid, it stores the reason in `problem` and
/// the page is shown again.
int run_start_page(const std::function<int(const std::vector<std::string>& words, std::string& problem)>& run);

/// Parses the command line and runs its verb; the whole program, called by main().
int run_command_line(int argc, const char* const* argv);

}  // namespace planar
