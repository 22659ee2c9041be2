// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/prompt/prompt.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "core/common/error.hpp"
#include "frontend/output/interruption.hpp"

namespace planar {

namespace {
constexpr const char* prompt = "(planar) ";
}

Prompt::Prompt(const std::string& script) : lines_(script), of_file_(!script.empty()) {
  lines_.complete_with([this](std::string_view prefix) { return commands_.completions(prefix); });
}

// The end of the script or of the input ends the run.
bool Prompt::stopped(Debugger& debugger, const Stop& stop) {
  fmt::print("{}", DebugCommands::describe_stop(debugger, stop));
  for (;;) {
    std::fflush(stdout);
    const auto line = lines_.read(prompt);
    if (!line) return false;
    if (!lines_.interactive()) fmt::print("{}{}\n", prompt, *line);
    try {
      const auto result = commands_.execute(debugger, *line);
      fmt::print("{}", result.text);
      if (result.then == DebugCommands::Then::resume) return true;
      if (result.then == DebugCommands::Then::quit) return false;
    } catch (const Error& e) {
      std::fflush(stdout);
      if (!lines_.interactive()) throw Error(fmt::format("{}: {}", lines_.place(), e.what()), e.code());
      fmt::print("{}\n", e.what());
    }
  }
}

bool Prompt::poll(Debugger&) { return lines_.interactive() && Interruption::take(); }

void Prompt::ended(Debugger& debugger) {
  if (over_) return;
  over_ = true;
  Stop stop;
  stop.why = Stop::Why::ended;
  fmt::print("{}", DebugCommands::describe_stop(debugger, stop));
  unsigned left = 0;
  while (of_file_ && lines_.read("")) ++left;
  if (left != 0)
    fmt::print("{} more line{} of the script {} not executed\n", left, left == 1 ? "" : "s", left == 1 ? "is" : "are");
}

}  // namespace planar
