// SPDX-License-Identifier: GPL-2.0-or-later
// The words of the ADF grammar, in any letter case.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace planar::adf {

enum class Keyword : std::uint8_t {
  none,
  adapter_id,
  adapter_name,
  num_bytes,
  fixed_resources,
  sys_mem,
  header_option,
  named_item,
  input,
  prompt,
  choice,
  help,
  pos,
  io,
  interrupt,
  arbitration,
  memory,
  program,  // Exec, VCheck
};

Keyword find_keyword(std::string_view word);

/// The keyword that `word` is probably a misspelling of (at most two edits away); empty when none
/// is near.
std::string_view nearest_keyword(std::string_view word);

/// ASCII letters in lower case, the rest untouched.
std::string lower(std::string_view text);

}  // namespace planar::adf
