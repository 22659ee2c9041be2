// SPDX-License-Identifier: GPL-2.0-or-later
// The reference of every key of machine and lab files (docs/machine-files.md, `planar config --reference`).
#pragma once

#include <string>

namespace planar {

/// The page in Markdown. Type, range and default of a key are what its reader was asked for while every kind of machine
/// and lab was read; only the meaning is written here. Throws Error for a key without a meaning, and for a meaning
/// whose key nobody reads.
std::string key_reference();

}  // namespace planar
