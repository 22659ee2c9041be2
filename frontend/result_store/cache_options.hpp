// SPDX-License-Identifier: GPL-2.0-or-later
// A verb's options for the cache of results.
#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace planar {

struct CacheOptions {
  bool off = false;    ///< --no-cache: neither read nor write the cache
  bool check = false;  ///< --check-cache: repeat every cached run and compare

  void add_to(CLI::App& app);
  /// Throws Error if both are given.
  void validate() const;
};

}  // namespace planar
