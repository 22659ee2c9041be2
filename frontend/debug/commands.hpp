// SPDX-License-Identifier: GPL-2.0-or-later
// The debugger's commands as text: at the prompt of `planar debug`, in its scripts, and through gdb's `monitor`.
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
  /// `runs`: whether commands also step and continue the run; otherwise gdb does.
  explicit DebugCommands(bool runs) : runs_(runs) {}

  /// Executes one line; an empty one does nothing. Throws Error explaining what is wrong with the line.
  Result execute(Debugger& debugger, const std::string& line);
  /// The reason for a stop and the instruction about to be executed, in a few lines.
  static std::string describe_stop(Debugger& debugger, const Stop& stop);
  /// The names that begin with `prefix`.
  std::vector<std::string> completions(std::string_view prefix) const;

 private:
  bool runs_;
};

}  // namespace planar
