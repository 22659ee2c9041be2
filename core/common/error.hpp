// SPDX-License-Identifier: GPL-2.0-or-later
// Errors reported to the user: the problem, its location and the remedy. Thrown only while configuring or loading;
// invalid guest behaviour never throws but gets the modelled hardware's response.
#pragma once

#include <stdexcept>
#include <string>

namespace planar {

/// The exit codes of the command line (docs/results.md#exit-codes).
enum class ExitCode : int {
  ok = 0,
  scenario_failed = 1,
  bad_configuration = 2,
  missing_file = 3,
  emulation_fault = 4,
  virtual_timeout = 5,
};

/// A configuration or file error. `what()` is the complete message: "file:line: problem; remedy".
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ExitCode code = ExitCode::bad_configuration)
      : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace planar
