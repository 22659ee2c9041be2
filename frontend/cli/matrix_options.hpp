// SPDX-License-Identifier: GPL-2.0-or-later
// The options that compare, published and regress share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/guest_benchmarks/benchmarks.hpp"
#include "frontend/matrix/matrix.hpp"
#include "frontend/result_store/cache_options.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace planar {

struct MatrixCommand {
  std::vector<std::string> machines;
  std::vector<std::string> cards{"all"};
  std::vector<std::string> values;                    ///< --set CARD.VALUE=X, for the runs of that card
  std::string benchmark{benchmarks().front()->name};  ///< --do
  std::optional<std::string> seconds, sizes;          ///< default: the benchmark's own
  std::optional<std::string> converge;                ///< percent
  std::optional<unsigned> placement;                  ///< of the guest; default: 0, or each in turn
  CacheOptions cache;
  MatrixOptions matrix;
  std::optional<std::string> json;

  /// `any_benchmark`: adds --do.
  void add_to(CLI::App& app, bool any_benchmark = true);
  /// --converge; hidden in a verb that refuses it.
  void add_converge(CLI::App& app, bool hidden = false);
  /// The options for running a matrix; --seconds and --sizes default to the benchmark's `workload`. Throws Error for a
  /// benchmark that does not take --converge.
  MatrixOptions options(Workload Benchmark::*workload = &Benchmark::comparison) const;
  /// The cells that the options name, each with the --set values of its card.
  std::vector<Cell> cells() const;
};

}  // namespace planar
