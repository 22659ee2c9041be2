// SPDX-License-Identifier: GPL-2.0-or-later
// The user's cache of results as many runs use it: takes those that are there, keeps new ones, and makes some of the
// former again. Whatever is wrong with the cache, the runs are made.
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

/// Runs are known by their place among those of a command.
class RunCache {
 public:
  /// `fresh`: takes nothing. Without a folder for the cache (user_cache_folder()) it neither takes nor keeps.
  RunCache(bool fresh, bool quiet);

  /// The entry of a run, which is identified by its arguments. To be called once, before the run could be made.
  std::optional<KeptRun> take(std::size_t place, RunIdentity identity);
  /// Keeps the result of a run that was made now, unless a file that it reads has changed meanwhile. `table`: what the
  /// verb prints of it.
  void keep(std::size_t place, const nlohmann::ordered_json& result, const std::string& table = {});

  /// Which of the runs that were taken are made again (repeat_check.hpp); with `all` every one.
  std::vector<std::size_t> runs_to_check(bool all, const std::function<std::uint64_t(std::size_t)>& cost) const;
  /// Compares what came of one of them: a result, or the `problem` that it ended with. If it is not equal, its entry
  /// goes, and finish() throws.
  bool check(std::size_t place, const std::string& name, const std::optional<nlohmann::ordered_json>& result,
             const std::string& problem);

  /// At the end of all runs. Throws Error (exit 4) naming the runs that were not equal, and the remedy.
  void finish();

 private:
  bool on() const { return !store_.folder().empty(); }

  std::string program_sha256_;  // before store_, which has no folder without it
  const ResultStore store_;
  const bool fresh_, quiet_;
  const Schemas schemas_;
  std::map<std::size_t, RunIdentity> identities_;  // of runs that may be kept
  std::map<std::size_t, KeptRun> taken_;
  std::string not_written_, unequal_;
  bool kept_ = false;
};

}  // namespace planar
