// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/config/lab_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "machines/config/machine_files.hpp"
#include "machines/config/network_config.hpp"
#include "machines/config/usual_names.hpp"

namespace planar {

namespace {

const std::vector<std::string> lab_tables = {"net", "peer", "run", "scenario", "medium", "bridge", "switch", "station"};

bool good_name(const std::string& name) {
  return !name.empty() && name.size() <= 32 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

/// Only the machines are on the network unless the file says otherwise.
Config lab_defaults() {
  Config c;
  c.add_text("[net]\nattach = \"none\"\n", "default of a lab");
  return c;
}

}  // namespace

LabConfig::LabConfig(Config machine) {
  machines_.push_back(std::move(machine));
  names_.emplace_back();
}

LabConfig LabConfig::of_lab_file(Config file, bool built_in_only) {
  LabConfig lab;
  lab.named_ = true;
  const std::string place = file.origin("machine");
  std::vector<std::string> places;
  for (std::size_t n = 0; n < most_machines; ++n) places.push_back(file.origin("machine", n));
  std::vector<Config> parts = file.split("machine", lab_tables);
  if (parts.empty() || parts.size() > most_machines)
    throw Error(fmt::format("{}: the lab has {} machines; write 1 to {} [[machine]] tables", place, parts.size(),
                            most_machines));
  for (Config& part : parts) {
    if (!part.has("name"))
      throw Error(fmt::format("{}: name is missing; give each machine of a lab its own: name = \"near\"",
                              places[lab.names_.size()]));
    if (!part.has("model"))
      throw Error(
          fmt::format("{}: model is missing; say which machine it is: model = \"model95\"", places[lab.names_.size()]));
    const auto name = part.text("name");
    if (!good_name(name)) part.fail("name", "expects letters, digits, - and _, at most 32 of them");
    if (std::find(lab.names_.begin(), lab.names_.end(), name) != lab.names_.end())
      part.fail("name", fmt::format("'{}' is the name of another machine; give each its own", name));
    if (part.has("machine")) part.fail("machine", "is called model in a lab: model = \"model95\" or another machine");
    if (built_in_only && !is_built_in(part.peek_text("model")))
      part.fail("model", "is no built-in machine; a resolved file names no other file");
    Config machine = lab_defaults();
    try {
      Config model = load_machine(part.text("model"));
      model.remove(lab_tables);  // of the single-machine lab
      machine.add_layers(std::move(model));
    } catch (const Error& e) {
      if (!part.has("model")) throw;
      throw Error(fmt::format("{}: {}", part.origin("model"), e.what()), e.code());
    }
    machine.add_layers(std::move(part));
    lab.machines_.push_back(std::move(machine));
    lab.names_.push_back(name);
  }
  return lab;
}

LabConfig LabConfig::join(std::vector<std::pair<std::string, Config>> machines) {
  LabConfig lab;
  lab.named_ = true;
  for (auto& [name, config] : machines) {
    if (lab.machines_.empty()) {
      config.set_text("net.attach", "none", "machines on one wire");
    } else {
      config.remove(lab_tables);
      config.add_layers(lab.machines_[0].only(lab_tables));
    }
    config.set_text("name", name, "name of the machine");
    lab.machines_.push_back(std::move(config));
    lab.names_.push_back(name);
  }
  return lab;
}

void LabConfig::set(const std::string& path, const std::string& value, const std::string& origin) {
  for (Config& machine : machines_) machine.set(path, value, origin);
}

void LabConfig::set_texts(const std::string& path, const std::vector<std::string>& values, const std::string& origin) {
  for (Config& machine : machines_) machine.set_texts(path, values, origin);
}

std::vector<MachineConfig> LabConfig::read() {
  std::vector<MachineConfig> read;
  std::size_t first = 0;  // first machine with a network adapter
  while (first + 1 < machines_.size() && !first_card_rate(machines_[first])) ++first;
  const std::string by_first = std::string(first_machines_card) + names_[first];
  for (std::size_t n = 0; n < machines_.size(); ++n) {
    Config& c = machines_[n];
    if (named_) {
      c.text("name");
      if (c.has("model")) c.text("model");
      // The only medium has one rate, determined by the file or else by the lab's first card.
      if (n == 0 && !c.has("net.rate") && !c.has("medium"))
        if (const auto rate = first ? first_card_rate(machines_[first]) : ring_rate(c))
          c.set_text("net.rate", *rate, by_first);
      if (n > 0 && !c.has("net.rate") && !c.has("medium"))
        c.set_text("net.rate", machines_[0].peek_text("net.rate"), by_first);
    }
    MachineConfig m = read_machine(c);
    m.label = names_[n];
    m.number = static_cast<unsigned>(n);
    for (const MachineConfig& other : read) refuse_same_address(c, m, other);
    if (named_ && n == 0 && !c.has("net.rate") && !c.has("medium"))
      c.set_text("net.rate", bit_rate(m.media.front()), by_first);
    read.push_back(std::move(m));
  }
  refuse_shared_links(machines_[0], read);
  return read;
}

std::string LabConfig::resolved() const {
  if (!named_) return machines_[0].resolved();
  std::string out = machines_[0].resolved({}, lab_tables, true);
  for (std::size_t n = 0; n < machines_.size(); ++n) {
    out += fmt::format("\n[[machine]]\nname = \"{}\"\nmodel = \"{}\"\n", names_[n], machines_[n].peek_text("machine"));
    auto hidden = lab_tables;
    hidden.insert(hidden.end(), {"name", "model", "machine"});
    out += machines_[n].resolved("machine.", hidden, false);
  }
  return out;
}

std::string LabConfig::explained() const {
  std::string out;
  for (std::size_t n = 0; n < machines_.size(); ++n) {
    if (named_) out += fmt::format("{}# machine {}\n", n ? "\n" : "", names_[n]);
    out += machines_[n].explained();
  }
  return out;
}

LabConfig load_lab(const std::string& name) {
  std::error_code unknown;
  if (is_built_in(name) || !std::filesystem::is_regular_file(name, unknown)) return LabConfig(load_machine(name));
  Config file;
  refuse_image(name);
  file.add_file(name);
  return file.is_list("machine") ? LabConfig::of_lab_file(std::move(file))
                                 : LabConfig(load_machine(std::move(file), name));
}

LabConfig parse_lab(const std::string& text, const std::string& name) {
  Config file;
  file.add_text(text, name);
  return file.is_list("machine") ? LabConfig::of_lab_file(std::move(file), true) : LabConfig(std::move(file));
}

}  // namespace planar
