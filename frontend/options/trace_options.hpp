// SPDX-License-Identifier: GPL-2.0-or-later
// What of a run is traced, as the command line says it (docs/tracing.md).
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
  std::vector<std::string> devices;       ///< --trace-device: names, or lists of names
  std::vector<std::string> addresses;     ///< --trace-address: [io:|memory:]FIRST[-LAST], or lists of them
  void add_to(CLI::App& app);

  /// Throws Error for malformed times and addresses, and for filters without categories. The names of devices are not
  /// looked up.
  TraceFilter filter() const;
};

}  // namespace planar
