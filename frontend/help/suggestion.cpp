// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/help/suggestion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "core/common/edit_distance.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/config/usual_names.hpp"

namespace planar {
namespace {

bool has_argument(const CommandRow& command, const std::string& name) {
  return std::any_of(command.options.begin(), command.options.end(),
                     [&](const OptionRow& option) { return option.positional && option.name() == name; });
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// "FILE SIZE": the command's arguments up to the one of that name.
std::string arguments_to(const CommandRow& command, const std::string& name) {
  std::vector<std::string> words;
  for (const OptionRow& option : command.options) {
    if (!option.positional) continue;
    words.push_back(upper(option.name()));
    if (option.name() == name) break;
  }
  return fmt::format("{}", fmt::join(words, " "));
}

/// Options of other emulators, and their names here.
struct Synonym {
  std::string_view word, option;
};
constexpr Synonym synonyms[] = {
    {"--fda", "--floppy"},     {"--fdb", "--floppy-b"}, {"--hda", "--disk"},   {"--hdb", "--disk"},
    {"--hdd", "--disk"},       {"--iso", "--cdrom"},    {"--cd", "--cdrom"},   {"--ram", "--memory"},
    {"-m", "--memory"},        {"--nic", "--card"},     {"--gui", "--window"}, {"--sdl", "--window"},
    {"--display", "--window"}, {"--drive", "--disk"},   {"-v", "--version"},   {"-V", "--version"},
    {"-s", "--gdb"},           {"-j", "--jobs"},        {"-J", "--json"},      {"-t", "--seconds"},
    {"-l", "--seconds"},
};

std::string guessed(const std::string& word, const std::vector<std::string>& known, const std::string& help) {
  const bool letter = word.size() == 2 && word.front() == '-';  // similar to every other one
  auto guess = letter ? std::string() : nearest(word, known);
  for (const Synonym& synonym : synonyms)
    if (synonym.word == word && std::find(known.begin(), known.end(), synonym.option) != known.end())
      guess = synonym.option;
  return guess.empty() ? fmt::format("see `{} --help`", help)
                       : fmt::format("did you mean '{}'? See `{} --help`", guess, help);
}

/// Options that users expect in a verb that lacks them, and what does the same.
struct Elsewhere {
  std::string_view verb, option, answer;
};
constexpr Elsewhere elsewhere_rows[] = {
    {"planar netio", "--window",
     "`planar netio` has no window; `planar run model95 --card ne2 --guest do=netio --window` shows the same run"},
};

/// "-cdrom", as in some programs, is "--cdrom" here.
std::string with_two_hyphens(const std::string& name) { return name.size() > 2 && name[1] != '-' ? "-" + name : name; }

std::string about_option(const CommandRow& program, const CommandRow& command, const std::string& written) {
  const std::string name = with_two_hyphens(written);
  for (const Elsewhere& row : elsewhere_rows)
    if (row.verb == command.name() && row.option == name) return std::string(row.answer);
  if (const auto word = name.substr(std::min(name.find_first_not_of('-'), name.size())); has_argument(command, word))
    return fmt::format("`{0}` has no option '{1}', it takes the {2} as an argument: {0} {3}; see `{0} --help`",
                       command.name(), name, word, arguments_to(command, word));
  std::vector<std::string> known, elsewhere;
  for (const OptionRow& option : command.options)
    if (!option.positional) known.insert(known.end(), option.names.begin(), option.names.end());
  for (const CommandRow* other : all_commands(program))
    if (find_option(*other, name)) elsewhere.push_back("`" + other->name() + "`");
  if (nearest(name, known).empty() && !elsewhere.empty())
    return fmt::format("`{}` has no option '{}'; {} has it", command.name(), written, elsewhere.front());
  return fmt::format("`{}` has no option '{}'; {}", command.name(), written, guessed(name, known, command.name()));
}

}  // namespace

std::string suggestion(const CommandRow& program, const std::vector<std::string>& words,
                       const std::vector<std::string>& hidden) {
  const CommandRow* command = &program;
  const auto is_hidden = [&](const std::string& word) {
    return std::find(hidden.begin(), hidden.end(), word) != hidden.end();
  };
  for (std::size_t n = 0; n < words.size(); ++n) {
    const std::string word = words[n].substr(0, words[n].find('='));
    if (word.size() > 1 && word.front() == '-' && word != "--" && !std::isdigit(static_cast<unsigned char>(word[1]))) {
      if (is_hidden(word)) continue;
      const OptionRow* option = find_option(*command, word);
      if (!option) return about_option(program, *command, word);
      if (!option->value.empty() && word == words[n]) ++n;
      continue;
    }
    if (is_hidden(word) && command == &program) return {};
    if (command->commands.empty()) continue;
    std::vector<std::string> verbs;
    const CommandRow* next = nullptr;
    for (const CommandRow& verb : command->commands) {
      verbs.push_back(verb.word());
      if (verbs.back() == word) next = &verb;
    }
    const bool takes_words = std::any_of(command->options.begin(), command->options.end(),
                                         [](const OptionRow& option) { return option.positional; });
    if (!next && takes_words) return {};
    constexpr std::size_t most_named = 8;
    if (!next && nearest(word, verbs).empty() && verbs.size() <= most_named)
      return fmt::format("`{}` has no verb '{}'; it has {}", command->name(), word, fmt::join(verbs, ", "));
    if (!next)
      return fmt::format("`{}` has no verb '{}'; {}", command->name(), word, guessed(word, verbs, command->name()));
    command = next;
  }
  return {};
}

std::string about_argument(const CommandRow& command, const std::string& word) {
  constexpr std::pair<const char*, const char*> uses[] = {
      {"--image", "a diskette"}, {"--floppy", "a diskette"},  {"--disk", "a hard disk"}, {"--cdrom", "a CD"},
      {"--kernel", "a kernel"},  {"--restore", "a snapshot"}, {"--machine", "a machine"}};
  if (find_option(command, "--machine") && is_built_in(usual_machine_name(word)))
    return fmt::format("{0}: a machine is named with --machine: {1} --machine {0}", word, command.name());
  std::error_code none;
  if (!std::filesystem::is_regular_file(word, none)) return {};
  std::vector<std::string> ways;
  for (const auto& [option, use] : uses)
    if (find_option(command, option)) ways.push_back(fmt::format("{} {} for {}", option, word, use));
  return ways.empty() ? fmt::format("{}: is one file more than `{}` takes", word, command.name())
                      : fmt::format("{}: say what the file is: {}", word, fmt::join(ways, ", "));
}

}  // namespace planar
