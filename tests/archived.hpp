// SPDX-License-Identifier: GPL-2.0-or-later
// Saves and restores the state of anything that has `archive(Archive&)`.
#pragma once

#include <cstdint>
#include <vector>

#include "core/state/archive.hpp"

namespace planar::test {

template <class Part>
std::vector<std::uint8_t> saved_state(Part& part) {
  Archive a = Archive::saver();
  part.archive(a);
  return a.stream();
}

/// Throws Error if the stream is not exactly a state of this part.
template <class Part>
void restore_state(Part& part, const std::vector<std::uint8_t>& stream) {
  Archive a = Archive::loader(stream);
  part.archive(a);
  a.expect_end();
}

}  // namespace planar::test
