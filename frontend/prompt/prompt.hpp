// SPDX-License-Identifier: GPL-2.0-or-later
// The prompt of `planar debug`: reads commands while the run is stopped.
#pragma once

#include <string>

#include "frontend/debug/commands.hpp"
#include "frontend/debug/debugger.hpp"
#include "frontend/prompt/line_reader.hpp"

namespace planar {

class Prompt final : public DebugClient {
 public:
  /// Reads `script`, or standard input if it is empty. Throws Error if it cannot be read.
  explicit Prompt(const std::string& script);

  // DebugClient
  bool waits() const override { return true; }
  bool stopped(Debugger& debugger, const Stop& stop) override;
  bool poll(Debugger& debugger) override;
  bool ends_the_run() const override { return true; }
  bool takes_interruptions() const override { return lines_.interactive(); }
  void ended(Debugger& debugger) override;

 private:
  DebugCommands commands_{true};
  LineReader lines_;
  bool of_file_;  // the commands are those of a script
  bool over_ = false;
};

}  // namespace planar
