// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/help/misuse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <sstream>
#include <string_view>
#include <vector>

#include "core/common/edit_distance.hpp"
#include "frontend/help/suggestion.hpp"

namespace planar {
namespace {

/// "one of a, b", or the value's name in the help text.
std::string values_of(const OptionRow* option) {
  if (!option) return "a value";
  return option->choices.empty() ? option->value : fmt::format("one of {}", fmt::join(option->choices, ", "));
}

/// "--rates: At Most 1 required but received 2", "--send: 1 required TYPE missing"
std::string wrong_count(const CommandRow& command, const std::string& what) {
  const auto name = what.substr(0, what.find(": "));
  const OptionRow* const option = find_option(command, name);
  const bool several = option && option->value.find(' ') != std::string::npos;  // "TIME FILE"
  if (what.ends_with(" missing") || (several && what.ends_with("received 1")))
    return fmt::format("{} needs {}", name, values_of(option));
  if (several) return fmt::format("{} needs {}, once", name, values_of(option));
  return fmt::format("{}: takes one value but was given several; give it once", name);
}

/// "Could not convert: --jobs = -1"
std::string not_converted(const std::string& what) {
  const auto begin = what.find(": ") + 2, equals = what.find(" = ");
  if (equals == std::string::npos) return what;
  const auto value = what.substr(equals + 3);
  return fmt::format(
      "{} {}: {}", what.substr(begin, equals - begin), value,
      value.find_first_not_of("0123456789") == std::string::npos ? "is too large" : "is not a number that it accepts");
}

/// "--do: nettio not in {netio,netperf}"
std::string not_a_choice(const std::string& what) {
  constexpr std::string_view choice = " not in {";
  const auto at = what.find(choice), colon = what.find(": ");
  if (at == std::string::npos || colon >= at) return {};
  std::istringstream list(what.substr(at + choice.size(), what.rfind('}') - at - choice.size()));
  std::vector<std::string> known;
  for (std::string word; std::getline(list, word, ',');) known.push_back(word);
  const auto guess = nearest(what.substr(colon + 2, at - colon - 2), known);
  return guess.empty() ? std::string() : fmt::format("{}; did you mean '{}'?", what, guess);
}

/// "name is required", "A subcommand is required"
std::string missing(const CommandRow& command, const std::string& what) {
  constexpr std::string_view required = " is required";
  if (!what.ends_with(required)) return {};
  const OptionRow* option = find_option(command, what.substr(0, what.size() - required.size()));
  if (option && !option->choices.empty()) return fmt::format("`{}` needs {}", command.name(), values_of(option));
  if (option || command.commands.empty()) return {};
  std::vector<std::string> verbs;
  for (const CommandRow& verb : command.commands) verbs.push_back(verb.word());
  return fmt::format("`{}` needs a verb: {}", command.name(), fmt::join(verbs, ", "));
}

}  // namespace

std::string explained(const CommandRow& program, const CLI::ParseError& error, const std::string& name) {
  const std::string what = error.what(), help = fmt::format("; see `{} --help`", name);
  const CommandRow* const command = find_command(program, name);
  if (const auto said = not_a_choice(what); !said.empty()) return said;
  if (!command) return what + help;
  std::string said;
  if (dynamic_cast<const CLI::ExtrasError*>(&error))
    said = about_argument(*command, what.substr(what.rfind(' ') + 1));
  else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error))
    said = wrong_count(*command, what);
  else if (dynamic_cast<const CLI::ConversionError*>(&error))
    said = not_converted(what);
  else if (dynamic_cast<const CLI::RequiredError*>(&error))
    said = missing(*command, what);
  return (said.empty() ? what : said) + help;
}

}  // namespace planar
