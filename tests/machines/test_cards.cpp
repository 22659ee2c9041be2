// SPDX-License-Identifier: GPL-2.0-or-later
// Which cards a machine takes.
#include "machines/lab.hpp"
#include "machines/machine_files.hpp"
#include "tests/catch.hpp"

using namespace planar;
using Catch::Matchers::Contains;

namespace {

/// Builds the machine with one card; the message of the refusal, empty if there is none.
std::string refusal(const std::string& model, const std::string& card, bool force = false) {
  Config c = load_machine(model);
  c.set("slot.2.card", card, "--card 2=" + card);
  if (force) c.set("run.force", "true", "--force");
  try {
    Lab lab(std::move(c));
    return {};
  } catch (const Error& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("the older 3C523 is refused outside a 386, with the reason and the remedy") {
  CHECK(refusal("model56sx", "3c523-old").empty());
  for (const std::string model : {"model77", "model95"}) {
    INFO(model);
    const std::string text = refusal(model, "3c523-old");
    CHECK_THAT(text, Contains("slot.2") && Contains("older revision") && Contains("386 only") && Contains("3c523 is the later"));
    CHECK_THAT(text, Contains("--force"));
    CHECK(refusal(model, "3c523-old", true).empty());
    CHECK(refusal(model, "3c523").empty());
  }
}
