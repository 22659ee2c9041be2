// SPDX-License-Identifier: GPL-2.0-or-later
// `planar help VERB`: the same as `planar VERB --help`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/common/error.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/help/command_table.hpp"
#include "frontend/help/suggestion.hpp"

namespace planar {
namespace {

int print_help(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const auto& word : words) {
    const auto below = command->get_subcommands([](const CLI::App*) { return true; });
    const auto found =
        std::find_if(below.begin(), below.end(), [&](const CLI::App* verb) { return verb->check_name(word); });
    if (below.empty())
      throw Error(fmt::format("`{0}` has no verbs, and so no '{1}'; see `{0} --help`", full_name(*command), word));
    if (found == below.end()) throw Error(suggestion(command_table(app), words, {}));
    command = *found;
  }
  fmt::print("{}", app.get_formatter()->make_help(command, full_name(*command), CLI::AppFormatMode::Normal));
  return 0;
}

}  // namespace

Verb add_help(CLI::App& app) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* verb = app.add_subcommand("help", "Explain a verb, or list all of them");
  verb->add_option("verb", *words, "The verb: netio, or two words such as disk create")->type_name("VERB");
  return [words, &app] { return print_help(app, *words); };
}

}  // namespace planar
