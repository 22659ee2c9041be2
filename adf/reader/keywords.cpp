// SPDX-License-Identifier: GPL-2.0-or-later
#include "adf/reader/keywords.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace planar::adf {
namespace {

struct Row {
  std::string_view spelling;
  std::string_view lower_case;
  Keyword keyword;
};

constexpr std::array<Row, 24> rows{{
    {"AdapterId", "adapterid", Keyword::adapter_id},
    {"AdapterName", "adaptername", Keyword::adapter_name},
    {"NumBytes", "numbytes", Keyword::num_bytes},
    {"FixedResources", "fixedresources", Keyword::fixed_resources},
    {"FixedResource", "fixedresource", Keyword::fixed_resources},
    {"SysMem", "sysmem", Keyword::sys_mem},
    {"InitProg", "initprog", Keyword::header_option},
    {"LockEnable", "lockenable", Keyword::header_option},
    {"AddressWidth", "addresswidth", Keyword::header_option},
    {"AdressWidth", "adresswidth", Keyword::header_option},  // spelling of the published grammar
    {"ProgrammedIO", "programmedio", Keyword::header_option},
    {"NamedItem", "nameditem", Keyword::named_item},
    {"Item", "item", Keyword::named_item},
    {"Input", "input", Keyword::input},
    {"Prompt", "prompt", Keyword::prompt},
    {"Choice", "choice", Keyword::choice},
    {"Help", "help", Keyword::help},
    {"pos", "pos", Keyword::pos},
    {"io", "io", Keyword::io},
    {"int", "int", Keyword::interrupt},
    {"arb", "arb", Keyword::arbitration},
    {"mem", "mem", Keyword::memory},
    {"Exec", "exec", Keyword::program},
    {"VCheck", "vcheck", Keyword::program},
}};

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

Keyword find_keyword(std::string_view word) {
  const std::string wanted = lower(word);
  for (const Row& row : rows)
    if (row.lower_case == wanted) return row.keyword;
  return Keyword::none;
}

std::string_view nearest_keyword(std::string_view word) {
  if (word.size() < 4 || word.size() > 20) return {};
  const std::string wanted = lower(word);
  std::string_view best;
  std::size_t fewest = 3;
  for (const Row& row : rows) {
    if (row.lower_case.size() < 4) continue;
    const std::size_t distance = edits(wanted, row.lower_case);
    if (distance < fewest) {
      fewest = distance;
      best = row.spelling;
    }
  }
  return best;
}

}  // namespace planar::adf
