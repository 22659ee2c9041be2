// SPDX-License-Identifier: GPL-2.0-or-later
// Catch2 version 2 (Debian 12) or 3.
#pragma once
#if PLANAR_CATCH_MAJOR >= 3
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
