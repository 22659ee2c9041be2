// SPDX-License-Identifier: GPL-2.0-or-later
// The source of a prompt's lines: a terminal with editing and history (libedit), a script, or a pipe.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace planar {

class LineReader {
 public:
  using Completions = std::function<std::vector<std::string>(std::string_view prefix)>;

  /// Reads the file `script`, or standard input if it is empty. Throws Error (exit 3) if it cannot be read.
  explicit LineReader(const std::string& script);
  ~LineReader();
  LineReader(const LineReader&) = delete;

  /// True if a person enters the lines, so that an error does not end the session.
  bool interactive() const { return interactive_; }
  /// Sets the words that the tab key offers for the first word of a line. The function must outlive the reader.
  void complete_with(Completions completions);
  /// The next line without its newline; nothing at the end of the input; an empty line after Ctrl-C.
  std::optional<std::string> read(const char* prompt);
  /// Position of the latest line, for messages: "FILE:3".
  std::string place() const;

 private:
  std::string name_;
  bool interactive_ = false;
  unsigned line_ = 0;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace planar
