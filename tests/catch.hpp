// SPDX-License-Identifier: GPL-2.0-or-later
// Catch2 version 2 (Debian 12) or 3. Tests are written to version 2; what moved in version 3 is brought back here.
#pragma once
#if PLANAR_CATCH_MAJOR >= 3
#include <catch2/catch_all.hpp>
#include <concepts>
#include <string>
#include <utility>

using Catch::Approx;

namespace Catch::Matchers {
/// Version 3 keeps Contains for an element of a range and calls a part of a string ContainsSubstring.
template <typename T>
requires std::convertible_to<T, std::string>
auto Contains(T&& text) { return ContainsSubstring(std::forward<T>(text)); }
}  // namespace Catch::Matchers

namespace Catch {
using Matchers::Contains;
}
#else
#include <catch2/catch.hpp>
#endif
