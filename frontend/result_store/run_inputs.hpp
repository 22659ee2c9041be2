// SPDX-License-Identifier: GPL-2.0-or-later
// What the result of a benchmark's run depends on beside the program and its command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace planar {

struct RunInputs {
  /// Of the machines as the command line configures them in the end, and of the content of each file that they read.
  std::string sha256;
  std::string machine;  ///< as the result names it
};

/// Those of a run of `arguments`: the verb of a benchmark and its options. Nothing where the result is not all that
/// comes of the run, or depends on more: a trace, a capture, a snapshot or another output, a check of determinism, a
/// disk that is written, the host's network, steps of a user. Nothing, too, for a command line that the verb refuses.
std::optional<RunInputs> run_inputs(const std::vector<std::string>& arguments);

}  // namespace planar
