// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/fuzz.hpp"

namespace planar::fuzz {

void finding(const char* what) {
  std::fprintf(stderr, "fuzz: finding: %s\n", what);
  std::abort();
}

}  // namespace planar::fuzz
