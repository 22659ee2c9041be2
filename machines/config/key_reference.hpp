// SPDX-License-Identifier: GPL-2.0-or-later
// The reference of every key of machine and lab files (docs/machine-files.md, `planar config --reference`).
#pragma once

#include <string>

namespace planar {

/// The page in Markdown. The type, range and default of each key are those requested by its reader while every kind of
/// machine and lab is read; only the meanings are written here. Throws Error for a key without a meaning and for a
/// meaning whose key is never read.
std::string key_reference();

/// What the key `path` means; empty if no machine or lab file has it.
std::string meaning_of_key(const std::string& path);

}  // namespace planar
