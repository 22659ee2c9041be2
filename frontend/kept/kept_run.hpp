// SPDX-License-Identifier: GPL-2.0-or-later
// The file of a finished run of a matrix (planar.cell/1), and the conditions under which it can replace a run.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/kept/schema.hpp"

namespace planar {

/// The outcome: a result with status 0, or a problem with another status.
struct KeptRun {
  int status = 0;
  std::string problem;
  std::optional<nlohmann::ordered_json> result;
  std::string table{};  ///< as printed by the verb; empty if not wanted
  unsigned checks = 0;  ///< how often a repeated run was equal (frontend/result_store)
};

/// SHA-256 of this program's file: results of another program are not reused. Throws Error (exit 3).
std::string own_program_sha256();

/// The run that a kept run is to replace.
struct RunIdentity {
  std::string program_sha256;
  std::vector<std::string> arguments;
  std::string machine_sha256;  ///< of the machine file's contents, or of all that the run depends on (RunInputs)
  std::string machine, card;   ///< as the result names them; empty card: the one that the guest has chosen
  std::uint64_t seed = 0;
  std::string row_key;               ///< the member of a row that holds its size
  std::vector<std::uint32_t> sizes;  ///< one row each; empty: given by `arguments`
  double seconds = 0;                ///< virtual, the least that it lasts
};

struct KeptReading {
  std::optional<KeptRun> run;
  std::string problem;  ///< why the file is invalid; empty for a valid one of another program or run
};

/// The file's text, sealed.
std::string kept_run_text(const KeptRun& run, const RunIdentity& identity);
/// Reads it back if it is JSON that fits its schema, is unchanged since it was written, and is of the `wanted` run.
KeptReading read_kept_run(std::string_view text, const RunIdentity& wanted, const Schemas& schemas);

}  // namespace planar
