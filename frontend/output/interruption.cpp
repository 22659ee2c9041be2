// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/output/interruption.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

namespace planar {

namespace {

constexpr unsigned patience = 10;   // seconds
constexpr long same_request = 500;  // milliseconds

// The only process-wide state: signals belong to the process, and the emulated machines never look at it.
volatile std::sig_atomic_t signals_seen = 0, for_good = 0;
timespec first_signal;
unsigned living = 0;

void leave(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) {
    // Nothing can be reported if standard error fails.
  }
  ::_exit(static_cast<int>(interrupted_exit));
}

void on_alarm(int) { leave("\nplanar: interrupted, but the work did not stop\n"); }

/// Whether the second signal is one more of the same request: timeout(1) sends it to the process and then to its group.
bool repeats_first() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (signals_seen == 0) first_signal = now;
  return (now.tv_sec - first_signal.tv_sec) * 1000 + (now.tv_nsec - first_signal.tv_nsec) / 1'000'000 < same_request;
}

void on_signal(int number) {
  if (number != SIGINT) for_good = 1;
  if (!repeats_first()) leave("\nplanar: interrupted twice\n");
  signals_seen = 1;
  ::alarm(patience);
}

constexpr std::pair<int, void (*)(int)> handlers[] = {
    {SIGINT, on_signal}, {SIGTERM, on_signal}, {SIGHUP, on_signal}, {SIGALRM, on_alarm}};
struct sigaction before[std::size(handlers)];

}  // namespace

Interruption::Interruption() {
  if (living++ != 0) return;
  signals_seen = for_good = 0;
  for (std::size_t n = 0; n < std::size(handlers); ++n) {
    struct sigaction action {};
    action.sa_handler = handlers[n].second;  // without SA_RESTART, so that blocking calls return
    ::sigaction(handlers[n].first, &action, &before[n]);
    const bool detached = handlers[n].first == SIGHUP && before[n].sa_handler == SIG_IGN;  // nohup(1)
    if (detached) ::sigaction(SIGHUP, &before[n], nullptr);
  }
}

Interruption::~Interruption() {
  if (--living != 0) return;
  ::alarm(0);
  for (std::size_t n = 0; n < std::size(handlers); ++n) ::sigaction(handlers[n].first, &before[n], nullptr);
}

bool Interruption::asked() { return signals_seen != 0; }

bool Interruption::final() { return for_good != 0; }

bool Interruption::take() {
  if (!asked() || final()) return false;
  ::alarm(0);
  signals_seen = 0;
  return true;
}

}  // namespace planar
