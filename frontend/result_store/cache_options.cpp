// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/result_store/cache_options.hpp"

#include <CLI/CLI.hpp>

#include "core/common/error.hpp"

namespace planar {

void CacheOptions::add_to(CLI::App& app) {
  app.add_flag(
      "--no-cache", off,
      "Neither use nor fill the cache of results (planar cache info); PLANAR_NO_CACHE=1 in the environment does "
      "the same");
  app.add_flag("--check-cache", check,
               "Run everything that is in the cache again and compare; by default one in twenty is checked");
}

void CacheOptions::validate() const {
  if (off && check) throw Error("--no-cache and --check-cache: give one of them");
}

}  // namespace planar
