// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the program on a host whose n-th call fails (tests/faults/host_faults.hpp).
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "tests/frontend/program.hpp"

namespace program {

struct Fault {
  Said said;
  bool came;
};

/// `planar ARGUMENTS` whose n-th call below `folder` fails as specified by `kind`. `environment`: "NAME=VALUE " or
/// empty.
inline Fault run_with_fault(const std::string& arguments, unsigned n, const std::string& kind,
                            const std::string& folder, const std::string& environment = {}) {
  static const Scratch scratch;
  const auto out = scratch.file("out"), err = scratch.file("err"), told = scratch.file("told");
  std::filesystem::remove(told);
  const auto command = environment + "PLANAR_FAULT_AT=" + std::to_string(n) + " PLANAR_FAULT_KIND=" + kind +
                       " PLANAR_FAULT_UNDER='" + folder + "' PLANAR_FAULT_TOLD='" + told + "' " PLANAR_WITH_FAULTS " " +
                       arguments + " </dev/null >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  return {{WIFEXITED(status) ? WEXITSTATUS(status) : 128, read_file(out), read_file(err)},
          std::filesystem::exists(told)};
}

/// The names of all files and folders below `folder`.
inline std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

}  // namespace program
