// SPDX-License-Identifier: GPL-2.0-or-later
// No input makes the reader crash, hang or return anything but a model or an Error; the printer and the solver can
// process everything that it accepts.
#include <array>

#include "adf/reader/embedded.hpp"
#include "adf/reader/print.hpp"
#include "adf/reader/reader.hpp"
#include "adf/solver/solver.hpp"
#include "core/common/error.hpp"
#include "core/common/random.hpp"
#include "tests/adf/corpus.hpp"
#include "tests/catch.hpp"

using namespace planar::adf;
using planar::Error;
using planar::Random;

namespace {

struct Count {
  unsigned accepted = 0;
  unsigned refused = 0;
};

void feed(const std::string& text, Count& count) {
  try {
    const Adapter adapter = parse_adf(text, "fuzz.adf");
    ++count.accepted;
    CHECK(adapter.num_bytes >= 1);
    CHECK(adapter.num_bytes <= max_pos_bytes);
    CHECK(!to_text(adapter).empty());
    Problem problem;
    for (unsigned slot = 1; slot <= 2; ++slot) problem.slots.push_back({slot, SlotWidth::bits16, adapter, {}, {}});
    const Outcome outcome = solve(problem, {2000, 500, 500});
    if (!outcome) CHECK(!outcome.refusal.text.empty());
  } catch (const Error& error) {
    ++count.refused;
    CHECK(std::string(error.what()).rfind("fuzz.adf", 0) == 0);
  }
}

}  // namespace

TEST_CASE("random bytes are rejected", "[adf][robust]") {
  Random random(1);
  Count count;
  for (int n = 0; n < 2000; ++n) {
    std::string text(random.below(400), '\0');
    for (char& c : text) c = static_cast<char>(random.below(256));
    feed(text, count);
  }
  CHECK(count.accepted == 0);
}

TEST_CASE("random keywords of the grammar are read or rejected", "[adf][robust]") {
  constexpr std::array<const char*, 34> words{"AdapterId",
                                              "AdapterName",
                                              "NumBytes",
                                              "FixedResources",
                                              "SysMem",
                                              "NamedItem",
                                              "Prompt",
                                              "Choice",
                                              "Help",
                                              "pos",
                                              "[",
                                              "]",
                                              "=",
                                              "0",
                                              "1",
                                              "XXXX000Xb",
                                              "1111XXXXb",
                                              "io",
                                              "1000h-102Fh",
                                              "-",
                                              ",",
                                              "int",
                                              "3",
                                              "arb",
                                              "5",
                                              "mem",
                                              "0C0000h-0C1FFFh",
                                              "\"a\"",
                                              "\"b\"",
                                              "; comment\n",
                                              "Input",
                                              "Exec",
                                              "pos[1]=",
                                              "Choice \"c\""};
  Random random(2);
  Count count;
  for (int n = 0; n < 20000; ++n) {
    std::string text = "AdapterId 01234h NumBytes 2 ";
    const std::uint64_t length = random.below(14);
    for (std::uint64_t w = 0; w < length; ++w) text += std::string(words[random.below(words.size())]) + " ";
    feed(text, count);
  }
  CHECK(count.accepted > 100);
  CHECK(count.refused > 100);
}

TEST_CASE("mutated files are read or rejected", "[adf][robust]") {
  const std::array<std::string, 5> seeds{corpus::scsi(), corpus::sound(), corpus::dual_async(), corpus::aperture(),
                                         std::string(embedded_adf(0x7154)->text)};
  Random random(3);
  Count count;
  for (int n = 0; n < 4000; ++n) {
    std::string text = seeds[random.below(seeds.size())];
    const std::uint64_t mutations = 1 + random.below(6);
    for (std::uint64_t m = 0; m < mutations && !text.empty(); ++m) {
      const std::size_t at = random.below(text.size());
      const std::size_t length = std::min<std::size_t>(1 + random.below(20), text.size() - at);
      switch (random.below(5)) {
        case 0: text[at] = static_cast<char>(random.below(256)); break;
        case 1: text.erase(at, length); break;
        case 2: text.insert(random.below(text.size()), text.substr(at, length)); break;
        case 3: text[at] = static_cast<char>("0123456789ABCDEFhbXx\"[]=-; \n"[random.below(28)]); break;
        case 4: text.resize(at); break;
      }
    }
    feed(text, count);
  }
  CHECK(count.accepted > 100);
  CHECK(count.refused > 100);
}

TEST_CASE("a file that consists only of items or choices stays within the memory limits", "[adf][robust]") {
  const std::string head = "AdapterId 01234h NumBytes 2 ";
  std::string items = head;
  while (items.size() < (1u << 19)) items += "NamedItem Prompt \"p\" Choice \"c\" int 3\n";
  CHECK_THROWS_AS(parse_adf(items, "x"), Error);
  std::string choices = head + "NamedItem Prompt \"p\"";
  for (int n = 0; choices.size() < (1u << 19); ++n) choices += "Choice \"" + std::to_string(n) + "\" int 3\n";
  CHECK_THROWS_AS(parse_adf(choices, "x"), Error);
  std::string words = head;
  while (words.size() < (1u << 19)) words += "unknown io_ word ";
  CHECK(parse_adf(words, "x").warnings.size() <= 100);
}
