// SPDX-License-Identifier: GPL-2.0-or-later
// A finished run of a matrix in its file (planar.cell/1), and what has to be true of one that stands for a run now.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/kept/schema.hpp"

namespace planar {

/// What came of it: a result with status 0, or a problem with another one.
struct KeptRun {
  int status = 0;
  std::string problem;
  std::optional<nlohmann::ordered_json> result;
  std::string table{};  ///< what the verb prints of it; empty where that was not wanted
  unsigned checks = 0;  ///< how often it was run again and was equal (frontend/result_store)
};

/// SHA-256 of the file of this very program: results of another one are not reused. Throws Error (exit 3).
std::string own_program_sha256();

/// The run that it is to stand for.
struct RunIdentity {
  std::string program_sha256;
  std::vector<std::string> arguments;
  std::string machine_sha256;  ///< of what the machine's file says, or of all that it depends on (RunInputs)
  std::string machine, card;   ///< as the result names them; without a card, the one that the guest has chosen
  std::uint64_t seed = 0;
  std::string row_key;               ///< the member of a row that holds its size
  std::vector<std::uint32_t> sizes;  ///< one row each; empty: `arguments` say which
  double seconds = 0;                ///< virtual, that it lasts at least
};

struct KeptReading {
  std::optional<KeptRun> run;
  std::string problem;  ///< why the file is none; empty for a good one of another program, other arguments or machine
};

/// The file's text, sealed.
std::string kept_run_text(const KeptRun& run, const RunIdentity& identity);
/// Reads it back: JSON by its schema, unchanged since it was written, and of that very run.
KeptReading read_kept_run(std::string_view text, const RunIdentity& wanted, const Schemas& schemas);

}  // namespace planar
