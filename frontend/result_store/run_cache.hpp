// SPDX-License-Identifier: GPL-2.0-or-later
// The user's cache of results, for commands with many runs: takes cached results, stores new ones, and selects some of
// the cached runs to be repeated. Whatever is wrong with the cache, the runs are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontend/kept/kept_run.hpp"
#include "frontend/result_store/result_store.hpp"

namespace planar {

/// Runs are identified by their place among the runs of a command.
class RunCache {
 public:
  /// `fresh`: takes nothing. Without a cache folder (user_cache_folder()) it neither takes nor stores anything.
  RunCache(bool fresh, bool quiet);

  /// The entry of a run, which is identified by its arguments. To be called once, before the run.
  std::optional<KeptRun> take(std::size_t place, RunIdentity identity);
  /// Stores the result of a run that has just been made, unless a file that it reads has changed meanwhile. `table`:
  /// the text that the verb prints for it.
  void keep(std::size_t place, const nlohmann::ordered_json& result, const std::string& table = {});

  /// Which of the runs taken from the cache are to be repeated (repeat_check.hpp); all of them with `all`.
  std::vector<std::size_t> runs_to_check(bool all, const std::function<std::uint64_t(std::size_t)>& cost) const;
  /// Compares the outcome of a repeated run: a result, or the `problem` with which it ended. If it differs, its entry
  /// is removed, and finish() throws.
  bool check(std::size_t place, const std::string& name, const std::optional<nlohmann::ordered_json>& result,
             const std::string& problem);

  /// To be called after all runs. Throws Error (exit 4) naming the runs that differed, and the remedy.
  void finish();

 private:
  bool on() const { return !store_.folder().empty(); }

  std::string program_sha256_;  // initialized before store_, which has no folder without it
  const ResultStore store_;
  const bool fresh_, quiet_;
  const Schemas schemas_;
  std::map<std::size_t, RunIdentity> identities_;  // of runs that may be stored
  std::map<std::size_t, KeptRun> taken_;
  std::string not_written_, unequal_;
  bool kept_ = false;
};

}  // namespace planar
