// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <functional>

namespace planar {

/// Runs a verb after its command line has been parsed and returns the exit code. Problems are thrown as Error.
using Verb = std::function<int()>;

}  // namespace planar
