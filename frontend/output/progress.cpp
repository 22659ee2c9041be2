// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/output/progress.hpp"
#include "frontend/output/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace planar {

using clock = std::chrono::steady_clock;

namespace {

/// Width of the redrawn line: if it wrapped, "\r" would not return to its start.
int line_width() {
  constexpr int most = 78;
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return most;
  return std::clamp(size.ws_col - 1, 1, most);
}

void draw(const std::string& line) {
  const int width = line_width();
  say("\r{:<{}.{}}", line, width, width);
  std::fflush(stderr);
}

}  // namespace

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
  draw(fmt::format("{:8.2f} s virtual  {:7.2f} s host  {:6.1f}x  {}", now.seconds(), seconds,
                   seconds > 0 ? now.seconds() / seconds : 0.0, what()));
}

void Progress::count(std::size_t done, std::size_t all, const std::string& what) {
  if (!active_) return;
  drawn_ = true;
  draw(fmt::format("{:4} of {} done  {:7.1f} s host  {}", done, all, host_seconds(), what));
}

void Progress::row(const std::string& text) {
  if (!wanted_ || active_) return;
  say("planar: {}  ({:.1f} s host)\n", text, host_seconds());
  std::fflush(stderr);
}

void Progress::finish() {
  if (drawn_) {
    draw({});
    say("\r");
  }
  drawn_ = false;
}

}  // namespace planar
