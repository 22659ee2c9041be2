// SPDX-License-Identifier: GPL-2.0-or-later
// Where a prompt's lines come from: a terminal with editing and history (libedit), a script, or a pipe.
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

  /// A person answers, so that an error is no reason to end.
  bool interactive() const { return interactive_; }
  /// The first words that the tab key completes. The function must live as long as the reader.
  void complete_with(Completions completions);
  /// The next line without its end; nothing at the end of input. An empty one after Ctrl-C.
  std::optional<std::string> read(const char* prompt);
  /// Where the latest line stands, for messages: "FILE:3".
  std::string place() const;

 private:
  std::string name_;
  bool interactive_ = false;
  unsigned line_ = 0;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace planar
