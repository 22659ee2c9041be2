// SPDX-License-Identifier: GPL-2.0-or-later
// The cards that a machine accepts.
#include "machines/config/machine_files.hpp"
#include "machines/lab/lab.hpp"
#include "tests/catch.hpp"

using namespace planar;
using Catch::Matchers::Contains;

namespace {

/// Builds the machine with one card; returns the error message, or an empty string if it is accepted.
std::string refusal(const std::string& model, const std::string& card, bool force = false) {
  Config c = load_machine(model);
  c.set("slot.2.card", card, "--card 2=" + card);
  if (force) c.set("run.force", "true", "--force");
  try {
    Lab lab(std::move(c));
    return {};
  } catch (const Error& e) { return e.what(); }
}

}  // namespace

TEST_CASE("the older 3C523 is rejected in machines without a 386, with reason and remedy") {
  CHECK(refusal("model56sx", "3c523-old").empty());
  for (const std::string model : {"model77", "model95"}) {
    INFO(model);
    const std::string text = refusal(model, "3c523-old");
    CHECK_THAT(text, Contains("slot.2") && Contains("older revision") && Contains("386 only") &&
                         Contains("3c523 is the later"));
    CHECK_THAT(text, Contains("--force"));
    CHECK(refusal(model, "3c523-old", true).empty());
    CHECK(refusal(model, "3c523").empty());
  }
}

TEST_CASE("the segment runs at its card's rate; cards of different rates, and unsupported rates, are rejected") {
  const auto rate = [](const std::string& card) {
    Config c = load_machine("model95");
    c.set("slot.1.card", card, "--card " + card);
    return Lab(std::move(c)).medium().bits_per_second();
  };
  CHECK(rate("ne2") == 10'000'000);
  CHECK(rate("etherstreamer") == 10'000'000);
  CHECK(rate("oc2335") == 100'000'000);

  const auto refused = [](const std::string& toml) -> std::string {
    Config c = load_machine("model95");
    c.add_text(toml, "lab.toml");
    try {
      Lab lab(std::move(c));
      return {};
    } catch (const Error& e) { return e.what(); }
  };
  // File, line, key, problem, remedy.
  CHECK_THAT(refused("[net]\nrate = \"10 Mbit/s\"\n[slot.2]\ncard = \"oc2335\"\n"),
             Contains("lab.toml:4") && Contains("slot.2.card") && Contains("'oc2335' works at 100 Mbit/s") &&
                 Contains("net.rate is \"10 Mbit/s\"") && Contains("set it to \"100 Mbit/s\" or leave it out"));
  CHECK_THAT(refused("[slot.1]\ncard = \"ne2\"\n[net]\nrate = \"100 Mbit/s\"\n"), Contains("lab.toml:2"));
  CHECK_THAT(refused("[slot.1]\ncard = \"oc2335\"\n[slot.3]\ncard = \"ne2\"\n"),
             Contains("lab.toml:4") && Contains("'ne2' works at 10 Mbit/s, but 'oc2335' in slot 1 at 100 Mbit/s") &&
                 Contains("take one of them out"));
  CHECK(refused("[slot.1]\ncard = \"oc2335\"\n[net]\nrate = \"100 Mbit/s\"\n").empty());
  CHECK(refused("[slot.1]\ncard = \"ne2\"\n[slot.3]\ncard = \"etherstreamer\"\n").empty());
}
