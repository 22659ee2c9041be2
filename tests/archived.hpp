// SPDX-License-Identifier: GPL-2.0-or-later
// The state of anything with `archive(Archive&)`, taken and given back.
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

/// Throws Error for a state that is not wholly this part's.
template <class Part>
void restore_state(Part& part, const std::vector<std::uint8_t>& stream) {
  Archive a = Archive::loader(stream);
  part.archive(a);
  a.expect_end();
}

}  // namespace planar::test
