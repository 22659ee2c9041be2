// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target for scenario steps (frontend/scenario/scenario_steps.hpp): the text of a file of steps, and the same text
// as for --type.
//
// A finding: a crash or sanitizer report, an error that is not planar's own, and a step whose source text, which a
// snapshot stores, is not read back as the same step.
#include <algorithm>
#include <string>
#include <vector>

#include "core/common/error.hpp"
#include "frontend/scenario/scenario_steps.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

using namespace planar;
using fuzz::expect;

constexpr std::size_t longest = 16384;

void check(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    const auto again = parse_steps(step.source, step.origin, step.limit);
    expect(again.size() == 1, "a step's source is not one step");
    const Step& s = again.front();
    expect(s.kind == step.kind && s.text == step.text && s.keys == step.keys && s.time == step.time &&
               s.limit == step.limit && s.source == step.source,
           "a step's source is another step");
    expect(step.limit > Time{} && step.time >= Time{}, "a step without time");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), std::min(size, longest));
  try {
    check(parse_steps(text, "input", 60_s));
  } catch (const Error&) {}
  try {
    const auto typed = typing_steps(text, 60_s);
    expect(typed.size() == 2 && typed[0].kind == StepKind::wait_still && typed[1].kind == StepKind::type,
           "typing is no typing");
    check(typed);
  } catch (const Error&) {}
  return 0;
}
