// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/prompt/line_reader.hpp"

#include <editline/readline.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/common/error.hpp"
#include "frontend/output/interruption.hpp"

namespace planar {

namespace {

constexpr int most_history = 500;

// libedit's state is global to the process, and so are the completions.
LineReader::Completions& completions() {
  static LineReader::Completions function;
  return function;
}

char* next_completion(const char* text, int state) {
  static std::vector<std::string> list;
  static std::size_t at = 0;
  if (state == 0) {
    list = completions() ? completions()(text) : std::vector<std::string>{};
    at = 0;
  }
  return at < list.size() ? ::strdup(list[at++].c_str()) : nullptr;
}

char** complete(const char* text, int start, int) {
  rl_attempted_completion_over = 1;  // no file names
  return start == 0 ? rl_completion_matches(text, next_completion) : nullptr;
}

std::string history_file() {
  const char* const home = std::getenv("HOME");
  return home ? std::string(home) + "/.planar_history" : std::string();
}

int keep_open(std::FILE*) { return 0; }

}  // namespace

LineReader::LineReader(const std::string& script) : name_(script), file_(stdin, keep_open) {
  if (!script.empty()) {
    std::error_code problem;
    if (std::filesystem::is_directory(script, problem))
      throw Error(fmt::format("--script {}: is a folder; name a file of commands", script), ExitCode::missing_file);
    file_ = {std::fopen(script.c_str(), "r"), std::fclose};
    if (!file_)
      throw Error(fmt::format("--script {}: cannot be read; name a file of commands", script), ExitCode::missing_file);
    return;
  }
  name_ = "standard input";
  interactive_ = ::isatty(STDIN_FILENO) != 0;
  if (!interactive_) return;
  rl_readline_name = "planar";
  using_history();
  stifle_history(most_history);
  read_history(history_file().c_str());
}

LineReader::~LineReader() {
  if (!interactive_) return;
  write_history(history_file().c_str());
  completions() = nullptr;
}

void LineReader::complete_with(Completions function) {
  completions() = std::move(function);
  rl_attempted_completion_function = complete;
}

std::optional<std::string> LineReader::read(const char* prompt) {
  ++line_;
  if (interactive_) {
    const std::unique_ptr<char, void (*)(void*)> line(::readline(prompt), std::free);
    if (Interruption::take()) return "";
    if (!line || Interruption::final()) return {};
    if (*line) ::add_history(line.get());
    return line.get();
  }
  std::string text;
  int c;
  while ((c = std::fgetc(file_.get())) != EOF && c != '\n') text += static_cast<char>(c);
  if (c == EOF && text.empty()) return {};
  return text;
}

std::string LineReader::place() const { return fmt::format("{}:{}", name_, line_); }

}  // namespace planar
