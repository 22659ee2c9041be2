// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "frontend/help/completion.hpp"

namespace planar {
namespace {

/// The shell commands that propose values.
std::string proposal(const Completion& c) {
  std::string out;
  const auto words = fmt::format("{}", fmt::join(c.words, " "));
  if (!c.words.empty()) out += fmt::format("_planar_{} '{}'; ", c.list ? "list" : "words", words);
  if (c.files) out += "_planar_files; ";
  if (c.folders) out += "_planar_folders; ";
  return out;
}

constexpr const char* helpers =
    R"(_planar_words() {
  mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$1" -- "$cur")
  [[ ${COMPREPLY[*]-} != *= ]] || compopt -o nospace 2>/dev/null
}
_planar_list() {
  local head=
  [[ $cur == *,* ]] && head=${cur%,*},
  mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -P "$head" -W "$1" -- "${cur##*,}")
  compopt -o nospace 2>/dev/null
}
_planar_files() { compopt -o filenames 2>/dev/null; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur"); }
_planar_folders() { compopt -o filenames 2>/dev/null; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$cur"); }
)";

constexpr const char* begin = R"(_planar() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= n
  COMPREPLY=()
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((n = 1; n < COMP_CWORD; ++n)); do
)";

}  // namespace

std::string bash_completion(const CommandRow& program) {
  std::string out = "# bash completion for planar, generated from its option tables: planar completion bash\n";
  out += helpers;
  out += begin;
  std::vector<std::string> patterns;
  for (const CommandRow* command : all_commands(program)) {
    if (command->path.empty()) continue;
    patterns.push_back(fmt::format("'{}{}'", command->path.find(' ') == std::string::npos ? " " : "", command->path));
  }
  out += fmt::format(
      "    case \"$verb ${{COMP_WORDS[n]}}\" in\n      {}) verb=${{verb:+$verb }}${{COMP_WORDS[n]}} ;;\n"
      "    esac\n  done\n  case \"$verb $prev\" in\n",
      fmt::join(patterns, " | "));
  for (const CommandRow* command : all_commands(program))
    for (const OptionRow& option : command->options) {
      if (option.positional || option.value.empty()) continue;
      std::vector<std::string> names;
      for (const auto& name : option.names) names.push_back(fmt::format("'{} {}'", command->path, name));
      out += fmt::format("    {}) {}return ;;\n", fmt::join(names, " | "), proposal(completion_of(option)));
    }
  out += "  esac\n  case \"$verb\" in\n";
  for (const CommandRow* command : all_commands(program)) {
    std::vector<std::string> names;
    std::string places;
    for (const OptionRow& option : command->options) {
      if (option.positional)
        places += proposal(completion_of(option));
      else
        names.insert(names.end(), option.names.begin(), option.names.end());
    }
    std::vector<std::string> verbs;
    for (const CommandRow& verb : command->commands) verbs.push_back(verb.word());
    if (!verbs.empty()) places += fmt::format("_planar_words '{}'; ", fmt::join(verbs, " "));
    out += fmt::format("    '{}') if [[ $cur == -* ]]; then _planar_words '{}'; else {}:; fi ;;\n", command->path,
                       fmt::join(names, " "), places);
  }
  return out + "  esac\n}\ncomplete -F _planar planar\n";
}

}  // namespace planar
