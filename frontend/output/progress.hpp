// SPDX-License-Identifier: GPL-2.0-or-later
// A progress line on the terminal: virtual time, host time and their ratio. If standard error is not a terminal, only
// one line is printed for each finished row.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "core/time/time.hpp"

namespace planar {

class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress();
  /// Redraws at most ten times per second; `what` is called only then.
  void show(Time now, const std::function<std::string()>& what);
  /// The same for countable work: the items done, their total number, and the current item.
  void count(std::size_t done, std::size_t all, const std::string& what);
  /// Reports a finished row, on a line of its own, if standard error is not a terminal.
  void row(const std::string& text);
  void finish();
  double host_seconds() const;

 private:
  bool wanted_;
  bool active_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace planar
