// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/result_store/run_cache.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/common/error.hpp"
#include "frontend/output/output.hpp"
#include "frontend/result_store/repeat_check.hpp"
#include "frontend/result_store/run_inputs.hpp"

namespace planar {
namespace {

/// A store without a folder if the program cannot be identified.
ResultStore store_of(std::string& program_sha256) {
  auto folder = user_cache_folder();
  try {
    if (!folder.empty()) program_sha256 = own_program_sha256();
  } catch (const Error&) { folder.clear(); }
  return ResultStore(std::move(folder));
}

}  // namespace

RunCache::RunCache(bool fresh, bool quiet) : store_(store_of(program_sha256_)), fresh_(fresh), quiet_(quiet) {}

std::optional<KeptRun> RunCache::take(std::size_t place, RunIdentity identity) {
  if (!on()) return std::nullopt;
  const auto inputs = run_inputs(identity.arguments);
  if (!inputs) return std::nullopt;
  identity.program_sha256 = program_sha256_;
  identity.machine_sha256 = inputs->sha256;
  identity.machine = inputs->machine;
  identity.card.clear();  // if there are several cards, the guest may use another one
  const RunIdentity& known = identities_[place] = std::move(identity);
  if (fresh_) return std::nullopt;
  auto run = store_.take(known, schemas_);
  if (run) taken_[place] = *run;
  return run;
}

void RunCache::keep(std::size_t place, const nlohmann::ordered_json& result, const std::string& table) {
  const auto found = identities_.find(place);
  if (found == identities_.end()) return;
  const RunIdentity& identity = found->second;
  const auto inputs = run_inputs(identity.arguments);
  if (!inputs || inputs->sha256 != identity.machine_sha256) return;
  kept_ = true;
  if (auto problem = store_.keep({0, {}, result, table}, identity); !problem.empty()) not_written_ = std::move(problem);
}

std::vector<std::size_t> RunCache::runs_to_check(bool all,
                                                 const std::function<std::uint64_t(std::size_t)>& cost) const {
  std::vector<std::size_t> every;
  std::vector<CheckCandidate> candidates;
  for (const auto& [place, run] : taken_) {
    every.push_back(place);
    if (!all && is_checked(result_key(identities_.at(place)))) candidates.push_back({place, cost(place), run.checks});
  }
  return all ? every : planar::runs_to_check(std::move(candidates));
}

bool RunCache::check(std::size_t place, const std::string& name, const std::optional<nlohmann::ordered_json>& result,
                     const std::string& problem) {
  KeptRun& kept = taken_.at(place);
  const auto difference = result ? unequal(*kept.result, *result) : fmt::format("now it fails: {}", problem);
  const RunIdentity& identity = identities_.at(place);
  if (!difference.empty()) {
    store_.drop(identity);
    unequal_ += fmt::format("{}{}: {}", unequal_.empty() ? "" : "; ", name, difference);
    return false;
  }
  ++kept.checks;
  if (auto written = store_.keep(kept, identity); !written.empty()) not_written_ = std::move(written);
  return true;
}

void RunCache::finish() {
  if (!on()) return;
  store_.add_hits(taken_.size());
  if (kept_) store_.trim();
  if (!not_written_.empty() && !quiet_) say("planar: warning: results are not cached: {}\n", not_written_);
  if (!unequal_.empty())
    throw Error(fmt::format("made again, a run differs from its cached result: {}. Cached results cannot be trusted: "
                            "empty the cache with `planar cache clear` and repeat the command. If repeated runs "
                            "still differ, please report it",
                            unequal_),
                ExitCode::emulation_fault);
}

}  // namespace planar
