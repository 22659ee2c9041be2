// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs and options of the command line as rows, from which help texts, man pages and shell completions are made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace planar {

struct OptionRow {
  std::vector<std::string> names;    ///< "-b", "--base"; for a positional argument only its name
  std::string value;                 ///< "FILE|-"; empty: a flag; "TEXT": unspecified
  std::vector<std::string> choices;  ///< all accepted values; empty: not restricted
  std::string text;
  std::string standard;  ///< the default value; empty: none is given
  std::string group;     ///< empty: the verb's own
  bool positional = false, required = false, repeatable = false;

  /// The long name, or the only one.
  const std::string& name() const { return names.back(); }
  /// "-b, --base BASE"
  std::string heading() const;
};

struct CommandRow {
  std::string path;  ///< "netio", "disk create"; empty: the program
  std::string text;
  std::string footer;  ///< examples
  std::vector<OptionRow> options;
  std::vector<CommandRow> commands;

  /// "planar disk create"
  std::string name() const { return path.empty() ? "planar" : "planar " + path; }
  /// "create": what is typed after its parent.
  std::string word() const { return path.substr(path.rfind(' ') + 1); }
  /// The options of a group ("" for the command's own), positional arguments first.
  std::vector<const OptionRow*> in_group(const std::string& group) const;
  /// The groups of its options other than its own, in order of appearance.
  std::vector<std::string> groups() const;
};

/// All commands and options of `app` and below it that are not hidden.
CommandRow command_table(const CLI::App& app);
/// "planar disk create"
std::string full_name(const CLI::App& command);
/// The names of the verbs and options that are hidden.
std::vector<std::string> hidden_names(const CLI::App& app);

/// Every command of `table` and below it, itself first.
std::vector<const CommandRow*> all_commands(const CommandRow& table);

/// The command of that full name ("planar disk create") in `table`; null: no such command, or a hidden one.
const CommandRow* find_command(const CommandRow& table, std::string_view name);
/// The option or positional argument of that name; null: none.
const OptionRow* find_option(const CommandRow& command, std::string_view name);

/// The groups that several verbs share. Such a group is explained once.
std::vector<std::string> common_groups(const CommandRow& program);
/// The options of a common group, each once.
std::vector<OptionRow> group_options(const CommandRow& program, const std::string& group);

}  // namespace planar
