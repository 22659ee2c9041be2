// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for adapter description files (adf/reader).
//
// A finding: a crash or sanitizer report, and an error that is not planar's own.
#include <algorithm>
#include <string>

#include "adf/reader/reader.hpp"
#include "core/common/error.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), std::min<std::size_t>(size, 16384));
  try {
    planar::adf::parse_adf(text, "@1234.ADF");
  } catch (const planar::Error&) {}
  return 0;
}
