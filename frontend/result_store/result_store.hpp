// SPDX-License-Identifier: GPL-2.0-or-later
// The user's cache of results: finished runs, each in a file of its own named by its key. The key is a digest of the
// program, the command line and what the run depends on beside them (run_inputs.hpp), so that an entry is never out of
// date: what has changed has another key. The cache may fail in any way without failing a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "frontend/kept/kept_run.hpp"

namespace planar {

/// Of the run that `identity` describes, whose machine_sha256 is that of its RunInputs.
std::string result_key(const RunIdentity& identity);

/// `$XDG_CACHE_HOME/planar/results`, or below `$HOME/.cache`; empty where the environment names neither, or has
/// PLANAR_NO_CACHE with a value.
std::filesystem::path user_cache_folder();

/// Several processes may use one folder at the same time, and each may be killed at any time: an entry appears as a
/// whole, and one that is damaged is absent.
class ResultStore {
 public:
  static constexpr std::uint64_t usual_limit = std::uint64_t{256} << 20;

  /// `folder` need not exist; `limit` is the size in bytes above which the entries that were used longest ago go.
  explicit ResultStore(std::filesystem::path folder, std::uint64_t limit = usual_limit);

  /// The entry of a run, which counts as used now.
  std::optional<KeptRun> take(const RunIdentity& identity, const Schemas& schemas) const;
  /// Keeps a result, but no failure and nothing that is not repeatable. Returns why it could not be written, or
  /// nothing.
  std::string keep(const KeptRun& run, const RunIdentity& identity) const;
  void drop(const RunIdentity& identity) const;

  void add_hits(std::uint64_t hits) const;
  /// Removes what is above the limit, the entries that were used longest ago first, and what killed processes have
  /// left.
  void trim() const;
  /// Removes everything; returns how many entries there were.
  std::size_t clear() const;

  struct Usage {
    std::size_t entries = 0;
    std::uint64_t bytes = 0;
    std::uint64_t hits = 0;  ///< runs that were taken, since it was last cleared
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
