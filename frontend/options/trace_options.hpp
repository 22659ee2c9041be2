// SPDX-License-Identifier: GPL-2.0-or-later
// What is traced in a run, as given on the command line (docs/tracing.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/state/trace.hpp"

namespace CLI {
class App;
}

namespace planar {

struct TraceOptions {
  std::optional<std::string> categories;  ///< --trace
  std::optional<std::string> file;        ///< --trace-file
  std::optional<std::string> from, to;    ///< --trace-from, --trace-to
  std::vector<std::string> devices;       ///< --trace-device: names or lists of names
  std::vector<std::string> addresses;     ///< --trace-address: [io:|memory:]FIRST[-LAST] or lists of these
  void add_to(CLI::App& app);

  /// Throws Error for malformed times and addresses, and for filters without categories. Device names are not checked
  /// here.
  TraceFilter filter() const;
};

}  // namespace planar
