// SPDX-License-Identifier: GPL-2.0-or-later
// `planar list` and `planar show`: the available machines and cards, their timing, and what is not modelled.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "adf/reader/print.hpp"
#include "adf/reader/reader.hpp"
#include "core/common/edit_distance.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/options/arguments.hpp"
#include "frontend/options/options.hpp"
#include "frontend/output/output.hpp"
#include "frontend/systems/operating_system.hpp"
#include "machines/config/board_kind.hpp"
#include "machines/config/machine_config.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/config/processor.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

namespace {

MachineConfig built_in(std::string_view name) {
  Config config = load_machine(std::string(name));
  return read_machine(config);
}

nlohmann::ordered_json machine_json(const MachineFile& file) {
  const auto m = built_in(file.name);
  return {{"name", m.name},
          {"title", m.title},
          {"cpu", processor_model(m.timing.model).name},
          {"clock_hz", m.clock.hz()},
          {"bus", m.board_kind->slot_bus},
          {"slots", m.slot_widths.size()}};
}

nlohmann::ordered_json machines_json() {
  auto list = nlohmann::ordered_json::array();
  for (const auto& file : machine_files()) list.push_back(machine_json(file));
  for (const auto& file : machine_variants()) {
    list.push_back(machine_json(file));
    list.back()["variant_of"] = machine_base(file);
  }
  return list;
}

std::vector<std::string> published_texts(const std::vector<PublishedUse>& uses) {
  std::vector<std::string> texts;
  for (const PublishedUse& use : uses) texts.push_back(use.text());
  return texts;
}

bool on_pci(const AdapterEntry& card) { return card.bus() == Pci::name; }

nlohmann::ordered_json card_json(const AdapterEntry& card) {
  nlohmann::ordered_json json = {{"name", card.name},
                                 {"title", card.title},
                                 {"adapter_id", fmt::format("{:04x}", card.adapter_id)},
                                 {"medium", to_string(card.medium)},
                                 {"data_path", card.data_path},
                                 {"bus", card.bus()},
                                 {"bus_width", card.bus_width},
                                 {"full_duplex", card.full_duplex},
                                 {"hypothetical", card.hypothetical}};
  if (on_pci(card)) json["vendor"] = fmt::format("{:04x}", card.vendor);
  return json;
}

nlohmann::ordered_json cards_json(std::span<const AdapterEntry> cards) {
  auto list = nlohmann::ordered_json::array();
  for (const AdapterEntry& card : cards) list.push_back(card_json(card));
  return list;
}

int list(const std::string& what, const std::optional<std::string>& json) {
  if (what == "systems") {
    if (json)
      write_json(*json, operating_system_names());
    else
      fmt::print("{}\n", fmt::join(operating_system_names(), "\n"));
  } else if (what == "machines") {
    if (json) {
      write_json(*json, machines_json());
      return 0;
    }
    std::vector<MachineConfig> machines;
    for (const MachineFile* file : all_machine_files()) machines.push_back(built_in(file->name));
    std::size_t name = 4, title = 5;  // of the headings
    for (const MachineConfig& m : machines) {
      name = std::max(name, m.name.size());
      title = std::max(title, m.title.size());
    }
    fmt::print("{:<{}} {:<{}}  slots\n", "name", name, "title", title);
    for (const MachineConfig& m : machines)
      fmt::print("{:<{}} {:<{}}  {:>5}\n", m.name, name, m.title, title, m.slot_widths.size());
  } else {
    const auto cards = what == "cards" ? adapter_registry() : storage_registry();
    if (json) {
      write_json(*json, cards_json(cards));
      return 0;
    }
    std::size_t name = 4, title = 5;  // of the headings
    for (const AdapterEntry& card : cards) {
      name = std::max(name, card.name.size());
      title = std::max(title, card.title.size());
    }
    fmt::print("{:<{}} {:<{}} {:<5} {:<4} {:<12} {:<20} {:<6}  notes\n", "name", name, "title", title, "ID", "bus",
               "medium", "data path", "width");
    for (const AdapterEntry& card : cards)
      fmt::print("{:<{}} {:<{}} {:04X}  {:<4} {:<12} {:<20} {:>2}-bit{}{}\n", card.name, name, card.title, title,
                 card.adapter_id, on_pci(card) ? "PCI" : "MCA", to_string(card.medium), card.data_path, card.bus_width,
                 card.full_duplex ? "  full duplex" : "", card.hypothetical ? "  hypothetical interface" : "");
  }
  return 0;
}

nlohmann::ordered_json values_json(const std::vector<TimingValue>& values) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& v : values) {
    list.push_back({{"name", v.name}, {"value", v.value}, {"confidence", v.confidence}, {"source", v.source}});
    if (v.rule) list.back()["rule"] = true;
    if (!v.published.empty()) list.back()["published"] = published_texts(v.published);
  }
  return list;
}

void print_values(const std::vector<TimingValue>& values) {
  for (const auto& v : values) {
    const auto on = v.published.empty() ? "" : fmt::format("[{}] ", published_text(v.published));
    const auto rule = v.rule ? v.value + ": " : "";
    fmt::print("  {:<26} {:>14}  {:<21}  {}{}{}\n", v.name, v.rule ? "rule" : v.value, v.confidence, on, rule,
               v.source);
  }
}

int show_system(const OperatingSystem& system, const std::optional<std::string>& json) {
  const auto values = system.profile.rows();
  if (json) {
    write_json(*json, {{"name", system.name}, {"values", values_json(values)}});
    return 0;
  }
  fmt::print("{}: the network stack that the guest imitates with --os {}\n", system.name, system.name);
  print_values(values);
  return 0;
}

int show_card(const AdapterEntry& card, const std::optional<std::string>& json) {
  const auto values = card.timing();
  if (json) {
    auto j = card_json(card);
    j["timing"] = values_json(values);
    j["page"] = adapter_page(card.name);
    j["not_modelled"] = std::vector<std::string>(card.limits.begin(), card.limits.end());
    write_json(*json, j);
    return 0;
  }
  fmt::print("{}: {}, {}\n{}, {}, {}-bit\n", card.name, card.title,
             on_pci(card) ? fmt::format("PCI {:04X}:{:04X}", card.vendor, card.adapter_id)
                          : fmt::format("adapter ID {:04X}", card.adapter_id),
             to_string(card.medium), card.data_path, card.bus_width);
  if (card.hypothetical)
    fmt::print(
        "HYPOTHETICAL INTERFACE: nothing about programming this card is public; its interface here was defined by "
        "planar\n");
  fmt::print("\nTiming (override with --set {}.NAME=VALUE)\n", card.name);
  print_values(values);
  if (const auto page = adapter_page(card.name); !page.empty()) fmt::print("\n{}", page);
  fmt::print("\nNot modelled\n");
  for (const auto& limit : card.limits) fmt::print("  - {}\n", limit);
  if (!on_pci(card)) fmt::print("\nAdapter description\n{}", adf::to_text(adf::find_adf(card.adapter_id)));
  return 0;
}

int show(const std::string& name, const std::optional<std::string>& json) {
  for (const AdapterEntry& card : card_registry())
    if (card.name == name) return show_card(card, json);
  const auto systems = operating_system_names();
  if (std::find(systems.begin(), systems.end(), name) != systems.end())
    return show_system(find_operating_system(name), json);
  if (const MachineFile* const file = find_machine_file(name)) {
    if (json) {
      auto machine = machine_json(*file);
      machine["provenance"] = nlohmann::ordered_json::array();
      for (const Provenance& p : machine_provenance(name))
        machine["provenance"].push_back({{"value", p.value},
                                         {"confidence", p.confidence},
                                         {"source", p.source},
                                         {"published", published_texts(p.published)}});
      write_json(*json, machine);
    } else {
      fmt::print("{}", file->text);
    }
    return 0;
  }
  std::vector<std::string> known;
  for (const AdapterEntry& card : card_registry()) known.emplace_back(card.name);
  for (const MachineFile* file : all_machine_files()) known.emplace_back(file->name);
  known.insert(known.end(), systems.begin(), systems.end());
  const auto guess = nearest(name, known);
  if (std::error_code unknown; std::filesystem::is_regular_file(name, unknown))
    throw Error(fmt::format("{}: show is for what is built in; `planar config {}` shows a machine file", name, name));
  throw Error(fmt::format(
      "no card or machine '{}'; {}", name,
      guess.empty() ? "see `planar list cards` and `planar list machines`" : fmt::format("did you mean '{}'?", guess)));
}

}  // namespace

Verb add_list(CLI::App& app) {
  struct Options {
    std::string what;
    std::optional<std::string> json;
  };
  auto o = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "list", "List the available machines, network cards, storage (SCSI adapters), or operating systems of the guest");
  verb->add_option("what", o->what, "machines, cards, storage or systems")
      ->required()
      ->check(CLI::IsMember({"machines", "cards", "storage", "systems"}));
  add_json_option(*verb, o->json, "Write JSON");
  return [o] { return list(o->what, o->json); };
}

Verb add_show(CLI::App& app) {
  struct Options {
    std::string name;
    std::optional<std::string> json;
  };
  auto o = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "show",
      "Show a card (timing with sources, limits, ADF), a machine (its parts list) or an operating system of the guest");
  verb->add_option("name", o->name, "A card, a machine or an operating system")
      ->required()
      ->transform([](const std::string& name) { return machine_argument(card_argument(name)); })
      ->type_name("CARD|MACHINE|SYSTEM");
  add_json_option(*verb, o->json, "Write JSON");
  return [o] { return show(o->name, o->json); };
}

}  // namespace planar
