// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/kept/kept_run.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <vector>

#include "core/common/error.hpp"
#include "core/state/sha256.hpp"
#include "frontend/kept/kept_json.hpp"

namespace planar {
namespace {

using nlohmann::ordered_json;

/// Why a result that fits its schema is not that of the `wanted` run; empty if it is.
std::string stranger(const ordered_json& result, const RunIdentity& wanted) {
  const auto differs = [&](const char* member, const ordered_json& value) {
    return result.at(member) == value
               ? std::string{}
               : fmt::format("result/{}: is {} instead of {}", member, result.at(member).dump(), value.dump());
  };
  for (const auto& problem :
       {differs("machine", wanted.machine), wanted.card.empty() ? std::string{} : differs("card", wanted.card),
        differs("seed", wanted.seed)})
    if (!problem.empty()) return problem;
  if (const auto load = result.find("cpu_load_percent"); load != result.end() && load->is_null())
    return "result/cpu_load_percent: is null, as of an interrupted run, which is never kept";
  const auto& rows = result.at("rows");
  bool same = wanted.sizes.empty() || rows.size() == wanted.sizes.size();
  for (std::size_t n = 0; same && n < wanted.sizes.size(); ++n)
    same = rows[n].contains(wanted.row_key) && rows[n].at(wanted.row_key) == wanted.sizes[n];
  if (!same) return fmt::format("result/rows: are not those of the {} sizes of the run", wanted.sizes.size());
  if (result.at("virtual_seconds").get<double>() < wanted.seconds)
    return fmt::format("result/virtual_seconds: is less than the {:g} of the run", wanted.seconds);
  return {};
}

}  // namespace

std::string own_program_sha256() {
  std::ifstream program("/proc/self/exe", std::ios::binary);
  Sha256 sum;
  std::vector<char> piece(1 << 16);
  while (program.read(piece.data(), static_cast<std::streamsize>(piece.size())), program.gcount() > 0)
    sum.update({reinterpret_cast<const std::uint8_t*>(piece.data()), static_cast<std::size_t>(program.gcount())});
  if (!program.eof())
    throw Error("/proc/self/exe: cannot be read; run without --report and --results", ExitCode::missing_file);
  return sum.hex();
}

std::string kept_run_text(const KeptRun& run, const RunIdentity& identity) {
  ordered_json file{{"schema", "planar.cell/1"},
                    {"program_sha256", identity.program_sha256},
                    {"arguments", identity.arguments},
                    {"machine_sha256", identity.machine_sha256},
                    {"status", run.status}};
  if (run.result)
    file["result"] = *run.result;
  else
    file["problem"] = run.problem;
  if (!run.table.empty()) file["table"] = run.table;
  if (run.checks) file["checks"] = run.checks;
  seal(file);
  return file.dump(2) + "\n";
}

KeptReading read_kept_run(std::string_view text, const RunIdentity& wanted, const Schemas& schemas) {
  ordered_json file;
  try {
    file = parse_json(text);
  } catch (const Error& e) { return {{}, e.what()}; }
  // Another build's file may have other members.
  if (file.is_object())
    if (const auto program = file.find("program_sha256");
        program != file.end() && program->is_string() && *program != wanted.program_sha256)
      return {};
  if (auto problem = schemas.problem("cell", file); !problem.empty()) return {{}, std::move(problem)};
  if (auto problem = seal_problem(file); !problem.empty()) return {{}, std::move(problem)};
  if (file["arguments"] != ordered_json(wanted.arguments) || file["machine_sha256"] != wanted.machine_sha256) return {};
  KeptRun run{
      file["status"].get<int>(), file.value("problem", ""), {}, file.value("table", ""), file.value("checks", 0u)};
  if (file.contains("result") != (run.status == 0))
    return {{}, run.status == 0 ? "result is missing" : "status: is not 0, and there is a result"};
  if (run.status == 0) {
    if (auto problem = stranger(file["result"], wanted); !problem.empty()) return {{}, std::move(problem)};
    run.result = std::move(file["result"]);
  }
  return {std::move(run), {}};
}

}  // namespace planar
