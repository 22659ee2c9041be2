// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/config/machine_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/common/edit_distance.hpp"
#include "machines/config/usual_names.hpp"

namespace planar {

namespace {

std::string choices(std::string_view wrong) {
  std::vector<std::string> names;
  for (const MachineFile* file : all_machine_files()) names.emplace_back(file->name);
  const auto guess = nearest(wrong, names);
  return guess.empty() ? fmt::format("choose {}", fmt::join(names, ", ")) : fmt::format("did you mean '{}'?", guess);
}

Config own_layer(const MachineFile& file) {
  Config config;
  config.add_text(file.text, std::string(file.name) + " (built in)");
  config.remove({"provenance"});
  return config;
}

Config layers_of(const MachineFile& file) {
  Config own = own_layer(file);
  const auto base = own.peek_text("base");
  if (base.empty()) return own;
  own.remove({"base"});
  Config config = load_machine(base);
  config.add_layers(std::move(own));
  return config;
}

}  // namespace

const std::vector<const MachineFile*>& all_machine_files() {
  static const auto all = [] {
    std::vector<const MachineFile*> list;
    for (const auto* files : {&machine_files(), &machine_variants()})
      for (const MachineFile& file : *files) list.push_back(&file);
    return list;
  }();
  return all;
}

const MachineFile* find_machine_file(std::string_view name) {
  for (const MachineFile* file : all_machine_files())
    if (file->name == name) return file;
  return nullptr;
}

std::string machine_base(const MachineFile& file) { return own_layer(file).peek_text("base"); }

bool is_built_in(std::string_view name) { return find_machine_file(name) != nullptr; }

std::vector<Provenance> machine_provenance(std::string_view name) {
  const MachineFile* const file = find_machine_file(name);
  if (!file) throw Error(fmt::format("no built-in machine '{}'; {}", name, choices(name)));
  return read_provenance(file->text, fmt::format("{}.toml", name));
}

Config load_machine(const std::string& name) {
  if (const auto* file = find_machine_file(name)) return layers_of(*file);
  refuse_image(name);
  std::error_code unknown;
  if (!std::filesystem::exists(name, unknown) && name.find('/') == std::string::npos && !name.ends_with(".toml"))
    throw Error(fmt::format("no machine and no file named '{}'; {}", name, choices(name)));
  Config user;
  user.add_file(name);
  return load_machine(std::move(user), name);
}

Config load_machine(Config user, const std::string& name) {
  if (user.is_list("machine"))
    throw Error(fmt::format(
        "{}: is a lab of several machines ([[machine]]), but this needs a single one; `planar run` accepts labs",
        name));
  if (!user.children("machine").empty())
    throw Error(fmt::format("{}: [machine] is one table; the machines of a lab are a list: write [[machine]]",
                            user.origin("machine")));
  const auto base = user.text("machine", std::string{});
  const auto* file = find_machine_file(base);
  if (!file) {
    if (base.empty())
      throw Error(
          fmt::format("{}: machine: is missing; start the file with machine = \"model95\" or another built-in "
                      "machine that it is layered over",
                      name));
    user.fail("machine", fmt::format("no built-in machine '{}'; {}", base, choices(base)));
  }
  Config config = layers_of(*file);
  config.add_layers(std::move(user));
  return config;
}

}  // namespace planar
