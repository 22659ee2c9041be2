// SPDX-License-Identifier: GPL-2.0-or-later
// The user's cache of results: finished runs, each in a file of its own named by its key. The key is a digest of the
// program, the command line and everything else that the run depends on (run_inputs.hpp), so that an entry is never out
// of date: any change leads to another key. No failure of the cache makes a run fail.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "frontend/kept/kept_run.hpp"

namespace planar {

/// Key of the run that `identity` describes; its machine_sha256 comes from RunInputs.
std::string result_key(const RunIdentity& identity);

/// `$XDG_CACHE_HOME/planar/results`, or below `$HOME/.cache`; empty if neither is set in the environment, or
/// PLANAR_NO_CACHE is set and not empty.
std::filesystem::path user_cache_folder();

/// Several processes may use one folder at the same time, and each may be killed at any time: an entry appears
/// atomically, and a damaged one counts as absent.
class ResultStore {
 public:
  static constexpr std::uint64_t usual_limit = std::uint64_t{256} << 20;

  /// `folder` need not exist; `limit` is the size in bytes above which the least recently used entries are removed.
  explicit ResultStore(std::filesystem::path folder, std::uint64_t limit = usual_limit);

  /// The entry of a run; marks it as used now.
  std::optional<KeptRun> take(const RunIdentity& identity, const Schemas& schemas) const;
  /// Stores a result, unless it is a failure or not repeatable. Returns why it could not be written; empty on success.
  std::string keep(const KeptRun& run, const RunIdentity& identity) const;
  void drop(const RunIdentity& identity) const;

  void add_hits(std::uint64_t hits) const;
  /// Removes entries above the limit, least recently used first, and files left by killed processes.
  void trim() const;
  /// Removes everything; returns the number of entries removed.
  std::size_t clear() const;

  struct Usage {
    std::size_t entries = 0;
    std::uint64_t bytes = 0;
    std::uint64_t hits = 0;  ///< runs taken since the cache was last cleared
  };
  Usage usage() const;

  const std::filesystem::path& folder() const { return folder_; }
  std::uint64_t limit() const { return limit_; }

 private:
  struct Entry {
    std::filesystem::path file;
    std::uint64_t bytes = 0;
    std::filesystem::file_time_type used;
  };
  struct Files {
    std::vector<Entry> entries;
    std::vector<Entry> unfinished;  ///< being written, or left by a killed process
  };
  std::filesystem::path file_of(const RunIdentity& identity) const;
  Files files() const;

  std::filesystem::path folder_;
  std::uint64_t limit_;
};

}  // namespace planar
