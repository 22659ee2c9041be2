// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/output/progress.hpp"
#include "frontend/output/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace planar {

using clock = std::chrono::steady_clock;

Progress::Progress(bool wanted)
    : wanted_(wanted), active_(wanted && isatty(STDERR_FILENO)), start_(clock::now()), last_(start_) {}

Progress::~Progress() { finish(); }

double Progress::host_seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

void Progress::show(Time now, const std::function<std::string()>& what) {
  if (!active_) return;
  const auto host = clock::now();
  if (drawn_ && host - last_ < std::chrono::milliseconds(100)) return;
  last_ = host;
  drawn_ = true;
  const double seconds = host_seconds();
  say("\r{:8.2f} s virtual  {:7.2f} s host  {:6.1f}x  {:<40.40}", now.seconds(), seconds,
      seconds > 0 ? now.seconds() / seconds : 0.0, what());
  std::fflush(stderr);
}

void Progress::count(std::size_t done, std::size_t all, const std::string& what) {
  if (!active_) return;
  drawn_ = true;
  say("\r{:4} of {} done  {:7.1f} s host  {:<46.46}", done, all, host_seconds(), what);
  std::fflush(stderr);
}

void Progress::row(const std::string& text) {
  if (!wanted_ || active_) return;
  say("planar: {}  ({:.1f} s host)\n", text, host_seconds());
  std::fflush(stderr);
}

void Progress::finish() {
  if (drawn_) say("\r{:<78}\r", "");
  drawn_ = false;
}

}  // namespace planar
