// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/help/command_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <regex>
#include <sstream>

#include "frontend/options/option_group.hpp"

namespace planar {
namespace {

/// What CLI11 appends to an option's type name for its validators: ":{a,b}", ":INT in [1 - 64]".
const std::regex& validators() {
  static const std::regex regex(R"((:\{([^}]*)\}|:[A-Z]+ in \[[^\]]*\])+$)");
  return regex;
}

/// The values of an option that takes only certain ones.
std::vector<std::string> choices_of(const CLI::Option& option) {
  std::vector<std::string> list;
  std::smatch found;
  const std::string full = option.get_type_name();
  if (!std::regex_search(full, found, validators())) return list;
  std::istringstream words(found[2]);
  for (std::string word; std::getline(words, word, ',');) list.push_back(word);
  return list;
}

/// The value's name or, if none was given, the choices.
std::string value_name(const CLI::Option& option, const std::vector<std::string>& choices) {
  if (option.get_type_size() == 0) return {};
  const std::string name = std::regex_replace(option.get_type_name(), validators(), "");
  return name == "TEXT" && !choices.empty() ? fmt::format("{}", fmt::join(choices, "|")) : name;
}

OptionRow option_row(const CLI::Option& option) {
  OptionRow row;
  row.positional = option.get_positional();
  for (const auto& name : option.get_snames()) row.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) row.names.push_back("--" + name);
  if (row.positional) row.names = {option.get_name(true, false)};
  row.choices = choices_of(option);
  row.value = value_name(option, row.choices);
  row.text = option.get_description();
  row.standard = option.get_default_str();
  if (row.standard.size() > 1 && row.standard.front() == '[')  // of a list
    row.standard = row.standard.substr(1, row.standard.size() - 2);
  row.group = option.get_group() == OptionGroup::own_group ? "" : option.get_group();
  row.required = option.get_required();
  row.repeatable = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll ||
                   option.get_expected_max() >= CLI::detail::expected_max_vector_size;
  return row;
}

CommandRow command_row(const CLI::App& app, const std::string& path) {
  CommandRow row{path, app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::App* above = app.get_parent(); above != nullptr; above = above->get_parent())
    if (row.footer == above->get_footer()) row.footer.clear();  // inherited
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) row.options.push_back(option_row(*option));
  std::stable_partition(row.options.begin(), row.options.end(), [](const OptionRow& o) { return o.positional; });
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty())
      row.commands.push_back(command_row(*command, (path.empty() ? "" : path + " ") + command->get_name()));
  return row;
}

}  // namespace

std::string OptionRow::heading() const {
  if (positional) return name();
  return fmt::format("{}{}{}", fmt::join(names, ", "), value.empty() ? "" : " ", value);
}

std::vector<const OptionRow*> CommandRow::in_group(const std::string& group) const {
  std::vector<const OptionRow*> list;
  for (const OptionRow& option : options)
    if (option.group == group || (group.empty() && option.positional)) list.push_back(&option);
  return list;
}

std::vector<std::string> CommandRow::groups() const {
  std::vector<std::string> list;
  for (const OptionRow& option : options)
    if (!option.positional && !option.group.empty() && std::find(list.begin(), list.end(), option.group) == list.end())
      list.push_back(option.group);
  return list;
}

CommandRow command_table(const CLI::App& app) { return command_row(app, {}); }

std::vector<std::string> hidden_names(const CLI::App& app) {
  std::vector<std::string> list;
  for (const CLI::Option* option : app.get_options())
    if (option->get_group().empty())
      for (const auto& name : option->get_lnames()) list.push_back("--" + name);
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) list.push_back(command->get_name());
    const auto below = hidden_names(*command);
    list.insert(list.end(), below.begin(), below.end());
  }
  return list;
}

std::vector<const CommandRow*> all_commands(const CommandRow& table) {
  std::vector<const CommandRow*> list{&table};
  for (const CommandRow& command : table.commands) {
    const auto below = all_commands(command);
    list.insert(list.end(), below.begin(), below.end());
  }
  return list;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent ? full_name(*parent) + " " : std::string()) + command.get_name();
}

const CommandRow* find_command(const CommandRow& table, std::string_view name) {
  for (const CommandRow* command : all_commands(table))
    if (command->name() == name) return command;
  return nullptr;
}

const OptionRow* find_option(const CommandRow& command, std::string_view name) {
  for (const OptionRow& option : command.options)
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) return &option;
  return nullptr;
}

std::vector<std::string> common_groups(const CommandRow& program) {
  std::vector<std::string> seen, common;
  for (const CommandRow* command : all_commands(program))
    for (const auto& group : command->groups()) {
      const bool again = std::find(seen.begin(), seen.end(), group) != seen.end();
      if (again && std::find(common.begin(), common.end(), group) == common.end()) common.push_back(group);
      seen.push_back(group);
    }
  return common;
}

std::vector<OptionRow> group_options(const CommandRow& program, const std::string& group) {
  std::vector<OptionRow> list;
  for (const CommandRow* command : all_commands(program))
    for (const OptionRow* option : command->in_group(group)) {
      if (option->positional) continue;
      const auto same = [&](const OptionRow& o) { return o.names == option->names; };
      if (std::none_of(list.begin(), list.end(), same)) list.push_back(*option);
    }
  return list;
}

}  // namespace planar
