// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/help/help_text.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>

#include "frontend/help/command_table.hpp"
#include "frontend/output/output.hpp"

namespace planar {
namespace {

constexpr std::size_t text_column = 26;

/// "  --seconds N             Duration of ..."
std::string entry(const std::string& heading, const std::string& text) {
  std::string out = "  " + heading;
  if (out.size() + 2 > text_column) out += "\n";
  const auto newline = out.rfind('\n');
  const std::size_t column = newline == std::string::npos ? out.size() : 0;
  out += std::string(text_column - column, ' ');
  return out + wrapped(text, text_column, 80) + "\n";
}

std::string option_entry(const OptionRow& option) {
  std::string text = option.text;
  if (option.required) text += " (required)";
  if (!option.standard.empty()) text += fmt::format(" (default: {})", option.standard);
  return entry(
      option.heading() +
          (option.positional && !option.value.empty() && option.value != "TEXT" ? " (" + option.value + ")" : ""),
      text);
}

/// "Output: --json FILE|-, --quiet, ..."
std::string in_short(const std::string& group, const std::vector<const OptionRow*>& options) {
  std::string line = "  " + group + ":";
  std::string out;
  for (std::size_t n = 0; n < options.size(); ++n) {
    const auto item = options[n]->heading() + (n + 1 < options.size() ? "," : "");
    if (line.size() + 1 + item.size() > 80) {
      out += line + "\n";
      line = "     ";
    }
    line += " " + item;
  }
  return out + line + "\n";
}

/// Examples are lines "COMMAND explanation"; a wrapped explanation stays in its column. Other lines are simply wrapped.
std::string examples(const std::string& footer) {
  std::string out, line;
  std::istringstream lines(footer);
  while (std::getline(lines, line)) {
    const auto begin = line.find_first_not_of(' ');
    const auto gap = begin == std::string::npos ? begin : line.find("   ", begin);
    if (gap == std::string::npos) {
      out += wrapped(line, begin == std::string::npos ? 0 : begin + 2) + "\n";
      continue;
    }
    const auto column = line.find_first_not_of(' ', gap);
    constexpr std::size_t least = 8;  // where the explanation begins if it does not fit after the command
    out += column <= 44
               ? line.substr(0, column) + wrapped(line.substr(column), column) + "\n"
               : line.substr(0, gap) + "\n" + std::string(least, ' ') + wrapped(line.substr(column), least) + "\n";
  }
  return out;
}

std::string usage(const CommandRow& command) {
  std::string out = "Usage: " + command.name() + " [OPTIONS]";
  for (const OptionRow& option : command.options)
    if (option.positional) {
      const std::string word = option.name() + (option.repeatable ? "..." : "");
      out += option.required ? " " + word : " [" + word + "]";
    }
  if (!command.commands.empty()) out += " VERB ...";
  return out + "\n";
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  const CLI::App* root = app;
  while (root->get_parent()) root = root->get_parent();
  const CommandRow program = command_table(*root);
  const CommandRow* const found = find_command(program, name);
  const CommandRow& command = found ? *found : program;
  const auto common = common_groups(program);
  std::string out, in_brief;
  std::istringstream description(command.text);
  for (std::string line; std::getline(description, line);) out += wrapped(line, 0) + "\n";
  out += "\n" + usage(command);
  const auto own = command.in_group("");
  if (!own.empty()) out += "\n";
  for (const OptionRow* option : own) out += option_entry(*option);
  for (const auto& group : command.groups()) {
    const auto options = command.in_group(group);
    if (mode != CLI::AppFormatMode::All && std::find(common.begin(), common.end(), group) != common.end()) {
      in_brief += in_short(group, options);
      continue;
    }
    out += "\n" + group + ":\n";
    for (const OptionRow* option : options) out += option_entry(*option);
  }
  if (!in_brief.empty())
    out += fmt::format("\nCommon options (`{} --help-all` explains them):\n{}", command.name(), in_brief);
  if (!command.commands.empty()) out += "\nVerbs:\n";
  for (const CommandRow& verb : command.commands) out += entry(verb.word(), verb.text);
  if (&command == &program && mode == CLI::AppFormatMode::All)
    for (const auto& group : common) {
      out += "\nCommon options, " + group + ":\n";
      for (const OptionRow& option : group_options(program, group)) out += option_entry(option);
    }
  if (!command.footer.empty()) out += "\n" + examples(command.footer);
  return out;
}

std::string short_help(const CLI::App& app) {
  const CommandRow program = command_table(app);
  std::string out = program.text.substr(0, program.text.find('\n')) + "\n\n";
  for (const CommandRow& verb : program.commands) out += entry(verb.word(), verb.text);
  return out +
         "\nTo begin with: `planar netio` measures a card, `planar run model95 --image IMG --window` boots a "
         "diskette.\n"
         "`planar help VERB` explains a verb, `planar --help` has examples.\n";
}

}  // namespace planar
