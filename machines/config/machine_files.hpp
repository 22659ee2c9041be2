// SPDX-License-Identifier: GPL-2.0-or-later
// The built-in machine files (machines/models/*.toml and machines/variants/*.toml, embedded) and user files layered
// over them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "devices/adapter/provenance.hpp"
#include "machines/config/config.hpp"

namespace planar {

struct MachineFile {
  std::string_view name;
  std::string_view text;
};

/// The built-in machine files, ordered by name. One that begins with `base = "MACHINE"` contains only the differences
/// from that machine.
const std::vector<MachineFile>& machine_files();
/// Machines named as in published tables (machines/variants/): a built-in machine with that machine's memory. They are
/// not among the machines that comparisons cover by default.
const std::vector<MachineFile>& machine_variants();
/// Both, machine_files() first.
const std::vector<const MachineFile*>& all_machine_files();
/// Finds either kind; null if `name` is neither.
const MachineFile* find_machine_file(std::string_view name);
/// The machine that the file is based on; empty if it is complete.
std::string machine_base(const MachineFile& file);

bool is_built_in(std::string_view name);

/// Returns the [[provenance]] tables of the built-in machine file `name` itself, without those of its base: how some of
/// its values, and the processor's own, were chosen. They are not settings, and a user's file has none.
std::vector<Provenance> machine_provenance(std::string_view name);

/// Returns the layers for `name`: a built-in machine, or a file whose `machine = "..."` names the built-in machine
/// beneath it. Throws Error listing the choices if it is neither.
Config load_machine(const std::string& name);
/// The same for a machine file that was already read into `user`; `name` is the file's name.
Config load_machine(Config user, const std::string& name);

}  // namespace planar
