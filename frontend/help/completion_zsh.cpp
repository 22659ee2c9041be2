// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "frontend/help/completion.hpp"

namespace planar {
namespace {

/// Within single quotes, and with `special` characters escaped by a backslash.
std::string zsh_quoted(const std::string& text, const std::string& special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '\\' || special.find(c) != std::string::npos) out += '\\';
    out += c;
  }
  return out;
}

/// "MACHINE:(model95 model77)", which follows an option's description.
std::string action(const OptionRow& option) {
  const Completion c = completion_of(option);
  const auto name = zsh_quoted(option.value, ":[]");
  std::vector<std::string> words;
  for (const auto& word : c.words) words.push_back(zsh_quoted(word, ":"));
  if (c.list) return fmt::format(":{}:_values -s , {} {}", name, "names", fmt::join(words, " "));
  std::vector<std::string> from;
  if (!words.empty()) from.push_back(fmt::format("\"names:name:({})\"", fmt::join(words, " ")));
  if (c.files) from.emplace_back("\"files:file:_files\"");
  if (c.folders) from.emplace_back("\"folders:folder:_files -/\"");
  if (from.empty()) return fmt::format(":{}: ", name);
  return fmt::format(":{}:{{_alternative {}}}", name, fmt::join(from, " "));
}

std::string option_spec(const OptionRow& option) {
  if (option.positional) return fmt::format("'{}{}'", option.repeatable ? "*:" : ":", action(option).substr(1));
  std::string out;
  for (const auto& name : option.names)
    out += fmt::format("{}'{}{}{}[{}]{}'", out.empty() ? "" : " ", option.repeatable ? "*" : "", name,
                       option.value.empty() || !name.starts_with("--") ? "" : "=",
                       zsh_quoted(brief(option.text), "[]:"), option.value.empty() ? "" : action(option));
  return out;
}

std::string function_name(const CommandRow& command) {
  std::string name = "_" + command.name();
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

std::string function(const CommandRow& command) {
  std::string out = fmt::format("{}() {{\n  local curcontext=$curcontext state line\n", function_name(command));
  if (!command.commands.empty()) {
    out += "  local -a verbs=(\n";
    for (const CommandRow& verb : command.commands)
      out += fmt::format("    '{}:{}'\n", zsh_quoted(verb.word(), ":"), zsh_quoted(brief(verb.text), ""));
    out += "  )\n";
  }
  out += "  _arguments -C";
  for (const OptionRow& option : command.options)
    if (!option.positional || command.commands.empty()) out += " \\\n    " + option_spec(option);
  if (command.commands.empty()) return out + "\n}\n";
  out += " \\\n    '1: :->verb' '*:: :->rest'\n  case $state in\n    verb) _describe verb verbs";
  if (std::any_of(command.options.begin(), command.options.end(), [](const OptionRow& o) { return o.positional; }))
    out += "; _files";
  out += " ;;\n    rest)\n      case $words[1] in\n";
  for (const CommandRow& verb : command.commands)
    out += fmt::format("        {}) {} ;;\n", verb.word(), function_name(verb));
  return out + "      esac ;;\n  esac\n}\n";
}

}  // namespace

std::string zsh_completion(const CommandRow& program) {
  std::string out = "#compdef planar\n# Generated from planar's option tables: planar completion zsh\n";
  for (const CommandRow* command : all_commands(program)) out += function(*command);
  // If autoloaded, the file is the function's body; if sourced, it defines the function.
  return out +
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  _planar \"$@\"\nelse\n  compdef _planar planar\nfi\n";
}

}  // namespace planar
