// SPDX-License-Identifier: GPL-2.0-or-later
// The keywords of the ADF grammar; case is ignored.
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

/// The keyword nearest to `word` (at most two edits away), for error messages; empty if there is none.
std::string_view nearest_keyword(std::string_view word);

/// ASCII letters converted to lower case, everything else unchanged.
std::string lower(std::string_view text);

}  // namespace planar::adf
