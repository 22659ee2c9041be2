// SPDX-License-Identifier: GPL-2.0-or-later
// One line on the terminal for long work: virtual time, host time and their ratio. Silent when standard error is no
// terminal.
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
  /// Redraws at most ten times a second; `what` is asked only then.
  void show(Time now, const std::function<std::string()>& what);
  /// The same for work that is counted: how many are done, of how many, and what runs.
  void count(std::size_t done, std::size_t all, const std::string& what);
  void finish();
  double host_seconds() const;

 private:
  bool active_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace planar
