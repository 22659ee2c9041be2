// SPDX-License-Identifier: GPL-2.0-or-later
// Catch2 version 2 (Debian 12) or 3. Tests are written for version 2; names that moved in version 3 are restored here.
#pragma once
#if PLANAR_CATCH_MAJOR >= 3
#include <catch2/catch_all.hpp>
#include <concepts>
#include <string>
#include <utility>

using Catch::Approx;

namespace Catch::Matchers {
/// In version 3 Contains means an element of a range, and the matcher for a substring is called ContainsSubstring.
template <typename T>
requires std::convertible_to<T, std::string>
auto Contains(T&& text) { return ContainsSubstring(std::forward<T>(text)); }
}  // namespace Catch::Matchers

namespace Catch {
using Matchers::Contains, Matchers::EndsWith, Matchers::Equals, Matchers::StartsWith;
}
#else
#include <catch2/catch.hpp>

namespace planar::test {
/// Marks the running case as skipped. A program whose cases were all skipped exits with status 4 (catch_main.cpp).
void note_skipped();
}  // namespace planar::test

/// Version 3's SKIP: says why the case is skipped, and returns from it.
#define SKIP(reason)              \
  do {                            \
    WARN("SKIP: " << reason);     \
    planar::test::note_skipped(); \
    return;                       \
  } while (false)
#endif
