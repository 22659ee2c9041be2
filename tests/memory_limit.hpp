// SPDX-License-Identifier: GPL-2.0-or-later
// How much of the host's memory a piece of code may use.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <new>

#include "core/common/sanitizer.hpp"

namespace planar::tests {

/// Whether this build has AddressSanitizer, whose programs reserve terabytes of address space at start: they cannot run
/// within a limit on it (ulimit -v).
#if defined(PLANAR_ADDRESS_SANITIZER)
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif

/// Whether `run` ends, normally or with an exception other than std::bad_alloc, if the host allows `bytes` beyond what
/// the process already uses. It runs in a child process and leaves nothing behind.
inline bool fits_into_memory(std::uint64_t bytes, const std::function<void()>& run) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    unsigned long long pages = 0;
    std::FILE* const own = std::fopen("/proc/self/statm", "r");
    if (!own || std::fscanf(own, "%llu", &pages) != 1) ::_exit(2);
    std::fclose(own);
    const rlim_t limit = pages * static_cast<unsigned long>(::sysconf(_SC_PAGESIZE)) + bytes;
    const rlimit both{limit, limit};
    if (::setrlimit(RLIMIT_AS, &both) != 0) ::_exit(2);
    try {
      run();
    } catch (const std::bad_alloc&) { ::_exit(1); } catch (...) {
      ::_exit(0);
    }
    ::_exit(0);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace planar::tests
