// SPDX-License-Identifier: GPL-2.0-or-later
// How a user ends work in progress: SIGINT (Ctrl-C), SIGTERM and SIGHUP (the terminal is gone), which every verb
// handles in the same way.
#pragma once

#include "core/common/error.hpp"

namespace planar {

/// Exit code after an interruption; what was finished by then is printed and written (docs/results.md).
inline constexpr ExitCode interrupted_exit{6};

/// While an object of this class exists, the first of these signals asks the work in progress to end. A second one,
/// half a second later or more, or failure to end within ten seconds, ends the process at once, with the same exit
/// code. Nested objects count as one.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;

  /// True if the user has asked since the outermost object was created.
  static bool asked();
  /// True if the process is to end: SIGTERM or SIGHUP, not Ctrl-C at a prompt.
  static bool final();
  /// True if Ctrl-C was pressed, and clears the request: the work continues and may be interrupted again.
  static bool take();
};

}  // namespace planar
