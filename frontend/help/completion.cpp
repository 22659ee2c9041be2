// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/help/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "core/state/trace.hpp"
#include "frontend/scenario/scenario_steps.hpp"
#include "frontend/systems/operating_system.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {
namespace {

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

void add_names(const std::string& what, std::vector<std::string>& words) {
  if (what == "MACHINE")
    for (const MachineFile* file : all_machine_files()) words.emplace_back(file->name);
  if (what == "CARD")
    for (const AdapterEntry& card : card_registry()) words.emplace_back(card.name);
  if (what == "SYSTEM")
    for (const auto name : operating_system_names()) words.emplace_back(name);
  if (what == "STEP") words.insert(words.end(), step_words().begin(), step_words().end());
  if (what == "CATEGORY") words.insert(words.end(), trace_categories.begin(), trace_categories.end());
}

/// "ne2.data_port.ready_delay=": what --set accepts for a card.
void add_values(std::vector<std::string>& words) {
  for (const AdapterEntry& card : card_registry())
    for (const TimingValue& value : card.timing())
      if (!value.rule) words.push_back(fmt::format("{}.{}=", card.name, value.name));
}

/// One alternative of a value's name: "FILE[,mode=M]", "slirp", "tap:NAME", "MACHINE,...".
void add_alternative(const std::string& name, Completion& c) {
  if (name.empty() || name.front() == '-') return;
  const auto first_upper = std::find_if(name.begin(), name.end(), is_upper);
  if (first_upper != name.begin()) {  // the literal part, up to a placeholder
    c.words.emplace_back(name.begin(), first_upper);
    return;
  }
  const std::string head(name.begin(), std::find_if_not(name.begin(), name.end(), is_upper));
  const std::string rest = name.substr(head.size());
  for (const char* file : {"FILE", "F", "IMG", "BASE"}) c.files = c.files || head == file;
  c.folders = c.folders || head == "DIR";
  if (!rest.starts_with('.')) add_names(head, c.words);
  if (head == "CARD" && rest.starts_with('.')) add_values(c.words);
}

}  // namespace

Completion completion_of(const OptionRow& option) {
  Completion c;
  if (!option.choices.empty()) {
    c.words = option.choices;
    return c;
  }
  std::string value = option.value;
  if (value.ends_with(",...")) {
    c.list = true;
    value.resize(value.size() - 4);
  }
  std::istringstream alternatives(value);
  for (std::string name; std::getline(alternatives, name, '|');) add_alternative(name, c);
  return c;
}

std::string brief(const std::string& text) {
  const auto end = std::min({text.find(". "), text.find("; "), text.find(": "), text.find('\n'), text.find(" (")});
  std::string line = text.substr(0, end);
  constexpr std::size_t most = 70;
  if (line.size() > most) line = line.substr(0, line.rfind(' ', most)) + "...";
  return line;
}

}  // namespace planar
