// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/output/interruption.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <utility>

namespace planar {

namespace {

constexpr unsigned patience = 10;  // seconds

// The only process-wide state: signals belong to the process, and the emulated machines never look at it.
volatile std::sig_atomic_t signals_seen = 0;
unsigned living = 0;

void leave(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) {
    // Nothing can be reported if standard error fails.
  }
  ::_exit(static_cast<int>(interrupted_exit));
}

void on_alarm(int) { leave("\nplanar: interrupted, but the work did not stop\n"); }

void on_signal(int) {
  signals_seen = signals_seen + 1;
  if (signals_seen > 1) leave("\nplanar: interrupted twice\n");
  ::alarm(patience);
}

constexpr std::pair<int, void (*)(int)> handlers[] = {{SIGINT, on_signal}, {SIGTERM, on_signal}, {SIGALRM, on_alarm}};
struct sigaction before[std::size(handlers)];

}  // namespace

Interruption::Interruption() {
  if (living++ != 0) return;
  signals_seen = 0;
  for (std::size_t n = 0; n < std::size(handlers); ++n) {
    struct sigaction action {};
    action.sa_handler = handlers[n].second;  // without SA_RESTART, so that blocking calls return
    ::sigaction(handlers[n].first, &action, &before[n]);
  }
}

Interruption::~Interruption() {
  if (--living != 0) return;
  ::alarm(0);
  for (std::size_t n = 0; n < std::size(handlers); ++n) ::sigaction(handlers[n].first, &before[n], nullptr);
}

bool Interruption::asked() { return signals_seen != 0; }

bool Interruption::take() {
  if (!asked()) return false;
  ::alarm(0);
  signals_seen = 0;
  return true;
}

}  // namespace planar
