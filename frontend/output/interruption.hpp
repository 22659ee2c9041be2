// SPDX-License-Identifier: GPL-2.0-or-later
// How a user ends work that is under way: SIGINT (Ctrl-C) and SIGTERM, which every verb answers alike.
#pragma once

#include "core/common/error.hpp"

namespace planar {

/// The exit code of work that was interrupted; what was finished by then is printed and written (docs/results.md).
inline constexpr ExitCode interrupted_exit{6};

/// While one lives, the first SIGINT or SIGTERM asks the work under way to end. A second one, or no end within ten
/// seconds, ends the process at once, with the same exit code. Nested ones count as one.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;

  /// Somebody asked, since the outermost one began.
  static bool asked();
  /// The same, and the one who asks has been answered: the work goes on, and may be interrupted again.
  static bool take();
};

}  // namespace planar
