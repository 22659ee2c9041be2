// SPDX-License-Identifier: GPL-2.0-or-later
// The built-in machine files (machines/models/*.toml, embedded) and user files layered over them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "devices/adapter/provenance.hpp"
#include "machines/config.hpp"

namespace planar {

struct MachineFile {
  std::string_view name;
  std::string_view text;
};

/// The built-in machine files, ordered by name.
const std::vector<MachineFile>& machine_files();

bool is_built_in(std::string_view name);

/// Returns the [[provenance]] tables of the built-in machine file `name`: how some of its values, and of the
/// processor's own, were chosen. They are not settings, and a user's file has none.
std::vector<Provenance> machine_provenance(std::string_view name);

/// Returns the layers for `name`: a built-in machine, or a file whose `machine = "..."` names the built-in one that it
/// is layered over. Throws Error listing the choices if it is neither.
Config load_machine(const std::string& name);
/// The same for a machine file that was already read into `user`; `name` is the file's name.
Config load_machine(Config user, const std::string& name);

}  // namespace planar
