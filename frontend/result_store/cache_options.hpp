// SPDX-License-Identifier: GPL-2.0-or-later
// What a verb is told about the cache of results.
#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace planar {

struct CacheOptions {
  bool off = false;    ///< --no-cache: take nothing from the cache, and keep nothing there
  bool check = false;  ///< --check-cache: make every run that it has again, and compare

  void add_to(CLI::App& app);
  /// Throws Error where both are given.
  void validate() const;
};

}  // namespace planar
