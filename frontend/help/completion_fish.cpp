// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "frontend/help/completion.hpp"

namespace planar {
namespace {

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// The options of `complete` that describe a value.
std::string value(const Completion& c) {
  std::string out = c.files || c.folders ? " -r" : " -x";
  if (c.files) out += " -F";
  std::string from;
  if (c.list)
    from = fmt::format("(__fish_append , {})", fmt::join(c.words, " "));
  else if (!c.words.empty())
    from = fmt::format("{}", fmt::join(c.words, " "));
  if (c.folders) from += (from.empty() ? "" : " ") + std::string("(__fish_complete_directories)");
  return from.empty() ? out : out + " -a " + fish_quoted(from);
}

}  // namespace

std::string fish_completion(const CommandRow& program) {
  std::string out = "# Generated from planar's option tables: planar completion fish\n";
  std::vector<std::string> paths;
  for (const CommandRow* command : all_commands(program))
    if (!command->path.empty()) paths.push_back(fish_quoted(command->path));
  out += fmt::format(
      "set -g __planar_verbs {}\n"
      "function __planar_at --description 'Whether the verb before the cursor is the one that is given'\n"
      "  set -l at ''\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    set -l longer (string trim -- \"$at $word\")\n"
      "    contains -- $longer $__planar_verbs; and set at $longer\n"
      "  end\n"
      "  test \"$at\" = \"$argv[1]\"\n"
      "end\n"
      "complete -c planar -f\n",
      fmt::join(paths, " "));
  for (const CommandRow* command : all_commands(program)) {
    const auto at = fmt::format("complete -c planar -n {}", fish_quoted("__planar_at " + fish_quoted(command->path)));
    for (const CommandRow& verb : command->commands)
      out += fmt::format("{} -a {} -d {}\n", at, verb.word(), fish_quoted(brief(verb.text)));
    for (const OptionRow& option : command->options) {
      const Completion c = completion_of(option);
      if (option.positional) {
        if (!c.words.empty())
          out += fmt::format("{} -a {}\n", at, fish_quoted(fmt::format("{}", fmt::join(c.words, " "))));
        if (c.files) out += at + " -F\n";
        continue;
      }
      out += at;
      for (const auto& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.value.empty()) out += value(c);
      out += fmt::format(" -d {}\n", fish_quoted(brief(option.text)));
    }
  }
  return out;
}

}  // namespace planar
