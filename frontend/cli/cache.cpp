// SPDX-License-Identifier: GPL-2.0-or-later
// `planar cache`: the results of earlier runs, which comparisons reuse instead of repeating the runs.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>

#include "core/common/error.hpp"
#include "frontend/cli/verbs.hpp"
#include "frontend/options/options.hpp"
#include "frontend/output/output.hpp"
#include "frontend/result_store/result_store.hpp"

namespace planar {
namespace {

constexpr std::uint64_t megabyte = 1 << 20;

ResultStore user_store() {
  auto folder = user_cache_folder();
  if (folder.empty())
    throw Error("there is no cache of results: PLANAR_NO_CACHE is set, or neither XDG_CACHE_HOME nor HOME is a folder");
  return ResultStore(std::move(folder));
}

int info(const std::optional<std::string>& json) {
  const ResultStore store = user_store();
  const auto usage = store.usage();
  if (json)
    write_json(*json, {{"schema", "planar.cache-info/1"},
                       {"folder", store.folder().string()},
                       {"entries", usage.entries},
                       {"bytes", usage.bytes},
                       {"limit_bytes", store.limit()},
                       {"hits", usage.hits}});
  if (json != "-")
    fmt::print(
        "folder    {}\nentries   {}\nsize      {:.1f} MB of at most {} MB\nhits      {} since it was last cleared\n",
        store.folder().string(), usage.entries, static_cast<double>(usage.bytes) / megabyte, store.limit() / megabyte,
        usage.hits);
  return 0;
}

int clear() {
  const auto removed = user_store().clear();
  fmt::print("{} {} removed\n", removed, removed == 1 ? "entry" : "entries");
  return 0;
}

}  // namespace

Verb add_cache(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("cache", "Show or empty the cache of finished runs, which comparisons reuse");
  verb->require_subcommand(1);
  auto json = std::make_shared<std::optional<std::string>>();
  CLI::App* info_verb =
      verb->add_subcommand("info", "Show the folder of the cache, its entries, its size and how often it was used");
  add_json_option(*info_verb, *json, "As JSON");
  CLI::App* clear_verb = verb->add_subcommand("clear", "Remove all entries");
  verb->footer(fmt::format(
      "compare, published, regress and flood keep each finished run, and reuse it while program, machine, card, every "
      "value and every file read are the same. Above {} MB the least recently used entries are removed. Their "
      "--no-cache bypasses the cache (docs/result-cache.md).\n\n"
      "Examples:\n"
      "  planar cache info    where it is and how large\n"
      "  planar cache clear   every run is made again",
      ResultStore::usual_limit / megabyte));
  return [json, clear_verb] { return clear_verb->parsed() ? clear() : info(*json); };
}

}  // namespace planar
