// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/help/man_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace planar {
namespace {

/// Escapes running text for roff: its escape character, hyphens that are minus signs, and lines that would be requests.
std::string roff(const std::string& text) {
  std::string out;
  bool at_line_start = true;
  for (const char c : text) {
    if (at_line_start && (c == '.' || c == '\'')) out += "\\&";
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '`': out += "\\(ga"; break;
      case '\'': out += "\\(aq"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      default: out += c;
    }
    at_line_start = c == '\n';
  }
  return out;
}

std::string head(const std::string& name, const std::string& version) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(
      ".\\\" Generated from the option tables of planar {}.\n.TH {} 1 \"\" \"planar {}\" \"User Commands\"\n", version,
      roff(upper), version);
}

std::string option_text(const OptionRow& option) {
  std::string out = ".TP\n";
  if (option.positional) {
    out += fmt::format("\\fI{}\\fR{}\n", roff(option.name()),
                       option.value == "TEXT" || option.value.empty() ? "" : " (" + roff(option.value) + ")");
  } else {
    for (std::size_t n = 0; n < option.names.size(); ++n)
      out += fmt::format("{}\\fB{}\\fR", n ? ", " : "", roff(option.names[n]));
    out += option.value.empty() ? "\n" : fmt::format(" \\fI{}\\fR\n", roff(option.value));
  }
  out += roff(option.text);
  if (option.required) out += " (required)";
  if (option.repeatable && !option.positional) out += ". May be repeated";
  if (!option.standard.empty()) out += fmt::format(". The default is {}", roff(option.standard));
  return out + ".\n";
}

std::string synopsis(const CommandRow& command) {
  std::string out = fmt::format("\\fB{}\\fR [\\fIOPTIONS\\fR]", roff(command.name()));
  for (const OptionRow& option : command.options) {
    if (!option.positional) continue;
    const std::string word = "\\fI" + roff(option.name()) + "\\fR" + (option.repeatable ? "..." : "");
    out += option.required ? " " + word : " [" + word + "]";
  }
  return out + "\n";
}

/// Lines are unchanged, so that examples keep their columns.
std::string footer(const CommandRow& command) {
  if (command.footer.empty()) return {};
  return ".SH EXAMPLES AND NOTES\n.nf\n" + roff(command.footer) + "\n.fi\n";
}

std::string options_of(const CommandRow& command) {
  std::string out;
  for (const OptionRow* option : command.in_group("")) out += option_text(*option);
  for (const auto& group : command.groups()) {
    out += fmt::format(".SS {}\n", roff(group));
    for (const OptionRow* option : command.in_group(group))
      if (!option->positional) out += option_text(*option);
  }
  return out;
}

}  // namespace

std::string man_page(const CommandRow& program, const std::string& version) {
  std::string out = head("planar", version);
  const auto first_line = program.text.substr(0, program.text.find('\n'));
  const auto title = first_line.substr(first_line.find(": ") == std::string::npos ? 0 : first_line.find(": ") + 2);
  out += fmt::format(".SH NAME\nplanar \\- {}\n.SH SYNOPSIS\n\\fBplanar\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR]\n",
                     roff(title));
  out += fmt::format(".SH DESCRIPTION\n{}\n.SH VERBS\n", roff(program.text));
  for (const CommandRow& verb : program.commands)
    out += fmt::format(".TP\n\\fB{}\\fR\n{}. See\n.BR planar\\-{} (1).\n", roff(verb.path), roff(verb.text),
                       roff(verb.path));
  out += ".SH OPTIONS\n" + options_of(program);
  out += ".SH COMMON OPTIONS\nSeveral verbs share these; each verb's own page says which it has.\n";
  for (const auto& group : common_groups(program)) {
    out += fmt::format(".SS {}\n", roff(group));
    for (const OptionRow& option : group_options(program, group)) out += option_text(option);
  }
  out += footer(program);
  out += ".SH SEE ALSO\n";
  for (std::size_t n = 0; n < program.commands.size(); ++n)
    out += fmt::format(".BR planar\\-{} (1){}\n", roff(program.commands[n].path),
                       n + 1 < program.commands.size() ? "," : "");
  return out;
}

std::string man_page(const CommandRow& program, const CommandRow& verb, const std::string& version) {
  std::string out = head("planar-" + verb.path, version);
  const auto title = verb.text.substr(0, verb.text.find_first_of(";:\n"));
  out += fmt::format(".SH NAME\nplanar\\-{} \\- {}\n.SH SYNOPSIS\n", roff(verb.path), roff(title));
  const auto commands = all_commands(verb);
  for (const CommandRow* command : commands) {
    if (command == &verb && !verb.commands.empty() && verb.options.size() < 3) continue;  // --help alone
    out += (out.ends_with("SYNOPSIS\n") ? "" : ".br\n") + synopsis(*command);
  }
  out += fmt::format(".SH DESCRIPTION\n{}\n", roff(verb.text));
  for (const CommandRow* command : commands) {
    if (commands.size() > 1)
      out += fmt::format(".SH {}\n{}\n", command == &verb ? "OPTIONS" : roff(command->name()),
                         command == &verb ? "" : roff(command->text));
    else
      out += ".SH OPTIONS\n";
    out += options_of(*command);
  }
  for (const CommandRow* command : commands) out += footer(*command);
  out += fmt::format(".SH EXIT STATUS\nSee\n.BR planar (1).\n.SH SEE ALSO\n.BR planar (1)\n");
  if (const CommandRow& first = program.commands.front(); first.path != verb.path)
    out += fmt::format(".BR planar\\-{} (1)\n", roff(first.path));
  return out;
}

}  // namespace planar
