// SPDX-License-Identifier: GPL-2.0-or-later
// The debugger's commands as text: at the prompt of `planar debug`, in its scripts, and by gdb's `monitor`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/debug/debugger.hpp"

namespace planar {

class DebugCommands {
 public:
  enum class Then { stay, resume, quit };
  struct Result {
    std::string text;
    Then then = Then::stay;
  };
  /// `runs`: whether the run is stepped and continued by commands too; otherwise somebody else does that (gdb).
  explicit DebugCommands(bool runs) : runs_(runs) {}

  /// Executes one line; an empty one does nothing. Throws Error saying what is wrong with it.
  Result execute(Debugger& debugger, const std::string& line);
  /// What a stop is about, and the instruction that the machine is about to execute, in a few lines.
  static std::string describe_stop(Debugger& debugger, const Stop& stop);
  /// The names that begin with `prefix`.
  std::vector<std::string> completions(std::string_view prefix) const;

 private:
  bool runs_;
};

}  // namespace planar
