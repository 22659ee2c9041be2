// SPDX-License-Identifier: GPL-2.0-or-later
// The list of values that were chosen by published figures is complete: values that repeat another one are equal to it
// and have its rows, those marked only in words are found, and every mark in code and pages leads to a row of the list.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "frontend/published/published_figures.hpp"
#include "frontend/systems/operating_system.hpp"
#include "machines/registry/adapter_registry.hpp"
#include "tests/catch.hpp"

using namespace planar;

namespace {

/// Every value of cards and operating systems by owner and name: "ne2 chip.bus_clock".
std::map<std::string, TimingValue> all_values() {
  std::map<std::string, TimingValue> values;
  for (const auto system : operating_system_names())
    for (TimingValue& v : find_operating_system(system).profile.rows())
      values.emplace(fmt::format("{} {}", system, v.name), v);
  for (const auto cards : {adapter_registry(), storage_registry()})
    for (const AdapterEntry& card : cards)
      for (TimingValue& v : card.timing()) values.emplace(fmt::format("{} {}", card.name, v.name), v);
  return values;
}

std::set<std::string> texts_of(const std::vector<PublishedUse>& uses) {
  std::set<std::string> texts;
  for (const PublishedUse& use : uses) texts.insert(use.text());
  return texts;
}

std::set<std::string> chosen() {
  std::set<std::string> names;
  for (const ChosenValue& v : chosen_by_print()) names.insert(v.owner + " " + v.from.value);
  return names;
}

struct Line {
  std::string place;  ///< "docs/hardware/sonic.md:57"
  std::string text;
  std::string around;  ///< with the next two lines
};

std::vector<Line> lines_below(const std::vector<std::string>& roots, const std::set<std::string>& extensions) {
  const std::filesystem::path source = PLANAR_SOURCE_DIR;
  std::set<std::filesystem::path> files;
  for (const std::string& root : roots) {
    if (std::filesystem::is_regular_file(source / root)) files.insert(source / root);
    if (!std::filesystem::is_directory(source / root)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source / root))
      if (entry.is_regular_file() && extensions.contains(entry.path().extension().string()) &&
          entry.path().string().find("/build/") == std::string::npos)
        files.insert(entry.path());
  }
  std::vector<Line> lines;
  for (const auto& file : files) {
    std::ifstream in(file);
    std::vector<std::string> texts;
    for (std::string text; std::getline(in, text);) texts.push_back(text);
    for (std::size_t n = 0; n < texts.size(); ++n) {
      std::string around;
      for (std::size_t m = n; m < std::min(n + 3, texts.size()); ++m) around += texts[m] + "\n";
      lines.push_back({fmt::format("{}:{}", file.lexically_relative(source).string(), n + 1), texts[n], around});
    }
  }
  return lines;
}

/// The marks "(P: OWNER VALUE)" of a text.
std::vector<std::string> marks(const std::string& text) {
  static const std::regex mark(R"(\(P: ([^)]+)\))");
  std::vector<std::string> names;
  for (std::sregex_iterator m(text.begin(), text.end(), mark), end; m != end; ++m) names.push_back((*m)[1]);
  return names;
}

}  // namespace

TEST_CASE("a value that repeats another equals it and depends on the same published figures", "[published]") {
  const auto values = all_values();
  std::size_t copies = 0;
  for (const auto& [name, value] : values) {
    if (value.same_as.empty()) continue;
    INFO(name << " is said to be the same as " << value.same_as);
    ++copies;
    const auto found = values.find(value.same_as);
    REQUIRE(found != values.end());
    CHECK(value.value == found->second.value);
    const auto own = texts_of(value.published);
    for (const std::string& use : texts_of(found->second.published)) CHECK(own.contains(use));
    if (!found->second.published.empty()) CHECK(value.confidence == "informed-by-published");
  }
  CHECK(copies >= 10);
}

TEST_CASE("a source that describes a value as another's names it in same_as", "[published]") {
  static const std::regex words(
      R"((^|[,;:.(] ?)(as|like) ((on|with|for) )?(the|its|madge|tr\d|ne2|smc|lan)|[Cc]opied from|the same as)");
  for (const auto& [name, value] : all_values()) {
    INFO(name << ": " << value.source
              << "\nwrite same_as = \"OWNER VALUE\" beside it, which is then checked, or a reason of its own");
    CHECK((!std::regex_search(value.source, words) || !value.same_as.empty()));
  }
}

TEST_CASE("a mark of a chosen value in code or a page refers to a row of the list", "[published]") {
  const auto list = chosen();
  std::size_t found = 0;
  auto lines = lines_below({"roms/guest", "devices", "core", "bus", "machines"}, {".c", ".h", ".cpp", ".hpp", ".asm"});
  const auto pages = lines_below({"docs/hardware", "docs/driver-versions.md"}, {".md"});
  lines.insert(lines.end(), pages.begin(), pages.end());
  for (const Line& line : lines)
    for (const std::string& name : marks(line.text)) {
      if (name == "CARD VALUE" || name == "OWNER VALUE") continue;  // where the mark is explained
      INFO(line.place << ": (P: " << name << "); `planar published --chosen` has no such row");
      CHECK(list.contains(name));
      ++found;
    }
  CHECK(found >= 20);
}

TEST_CASE("text that calls a value calibrated or informed by published figures has its mark", "[published]") {
  static const std::regex words(
      R"(\(P\)|[Ii]nformed[- ]by[- ](those two )?published|[Cc]alibrated (to|on|:)|[*|] ?calibrated)");
  // The definitions of the marks themselves.
  static const std::regex definitions(R"(^(docs/hardware/README\.md|devices/adapter/provenance\.))");
  auto lines = lines_below({"roms/guest", "devices", "core", "bus"}, {".c", ".h", ".cpp", ".hpp", ".asm"});
  const auto pages = lines_below({"docs/hardware", "docs/driver-versions.md"}, {".md"});
  lines.insert(lines.end(), pages.begin(), pages.end());
  for (const Line& line : lines) {
    if (std::regex_search(line.place, definitions) || !std::regex_search(line.text, words)) continue;
    INFO(line.place << ": " << line.text << "\nwrite (P: OWNER VALUE) there, as `planar published --chosen` has it");
    CHECK_FALSE(marks(line.around).empty());
  }
}
