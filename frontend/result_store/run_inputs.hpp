// SPDX-License-Identifier: GPL-2.0-or-later
// What the result of a benchmark run depends on besides the program and its command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace planar {

struct RunInputs {
  /// Digest of the machines as the command line finally configures them, and of the content of each file that they
  /// read.
  std::string sha256;
  std::string machine;  ///< as the result names it
};

/// The inputs of a run of `arguments`: the verb of a benchmark and its options. Nothing if the run produces more than
/// its result, or the result depends on more: a trace, a capture, a snapshot or other output, a determinism check, a
/// disk that is written, the host's network, steps of a user. Nothing, either, for a command line that the verb
/// rejects.
std::optional<RunInputs> run_inputs(const std::vector<std::string>& arguments);

}  // namespace planar
