// SPDX-License-Identifier: GPL-2.0-or-later
#include "adf/reader/keywords.hpp"

#include <array>

#include "core/common/edit_distance.hpp"

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
    const std::size_t distance = edit_distance(wanted, row.lower_case);
    if (distance < fewest) {
      fewest = distance;
      best = row.spelling;
    }
  }
  return best;
}

}  // namespace planar::adf
