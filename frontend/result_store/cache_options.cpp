// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/result_store/cache_options.hpp"

#include <CLI/CLI.hpp>

#include "core/common/error.hpp"

namespace planar {

void CacheOptions::add_to(CLI::App& app) {
  app.add_flag("--no-cache", off,
               "Make every run, also those that were made before and are in the cache of results (planar cache info), "
               "and keep none there; PLANAR_NO_CACHE=1 in the environment does the same");
  app.add_flag("--check-cache", check,
               "Make every run that is in the cache again and compare; otherwise one in twenty is");
}

void CacheOptions::validate() const {
  if (off && check) throw Error("--no-cache and --check-cache: give one of them");
}

}  // namespace planar
