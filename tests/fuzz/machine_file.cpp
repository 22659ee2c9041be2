// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for machine and lab files: TOML, and every key's range.
//
// A finding: a crash or sanitizer report, an error that is not planar's own, and a configuration whose resolved file
// does not yield the same one again.
#include <algorithm>
#include <string>

#include "core/common/error.hpp"
#include "machines/config/lab_config.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace planar;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), std::min<std::size_t>(size, 16384));
  std::string resolved;
  try {
    LabConfig lab = parse_lab(text, "input");
    lab.read();
    resolved = lab.resolved();
  } catch (const Error&) { return 0; }
  try {
    LabConfig again = parse_lab(resolved, "resolved");
    again.read();
    fuzz::expect(again.resolved() == resolved, "the resolved file resolves to another one");
  } catch (const Error&) { fuzz::finding("the resolved file is refused"); }
  return 0;
}
