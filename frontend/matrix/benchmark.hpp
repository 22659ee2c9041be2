// SPDX-License-Identifier: GPL-2.0-or-later
// A network benchmark that the guest runs, as the rest of the front end sees it: its verb, and what comparisons,
// baselines and reports need to know of its results.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/options/verb.hpp"

namespace CLI {
class App;
}

namespace planar {

/// The workload of a run, as arguments of its verb: the same for every machine and card of a comparison.
struct Workload {
  const char* seconds;  ///< virtual, per size
  const char* sizes;    ///< bytes, separated by commas
};

struct Benchmark {
  std::string_view name;                   ///< in --do and for its baseline
  std::string_view verb;                   ///< several benchmarks may share one
  std::span<const char* const> arguments;  ///< make the verb run this benchmark
  std::string_view heading;                ///< of a report: "netio, KB/s by packet size"
  std::string_view metric;                 ///< name of the figure in the CSV: "throughput"
  std::string_view unit;                   ///< of a figure: "KB/s"
  Workload comparison;                     ///< the default
  Workload regression;

  /// Adds the verb `planar NAME --machine M --card C --seconds N --sizes LIST --seed N --set ... --quiet --json -`,
  /// with `sizes_option` for --sizes. Its JSON object holds at least machine, card, cycles, instructions,
  /// cpu_load_percent, true_busy_percent, frames, guest_image_sha256 and state_hash as planar.netio/2 has them
  /// (BenchmarkResult).
  Verb (*add_verb)(CLI::App& app);
  /// The sizes of a list. Throws Error naming the option for what the verb would refuse.
  std::vector<std::uint32_t> (*sizes)(const std::string& list);
  std::string_view figure_key;          ///< the member of a result's row that holds its figure
  std::string_view delivered_key = {};  ///< likewise what was delivered; empty: the program counts just that
  /// What readers of the figures must know of such an object, as a sentence without its full stop; empty: nothing.
  std::string (*note)(const nlohmann::ordered_json& result) = nullptr;
  /// The figure of such a JSON object at a size, or nothing.
  std::optional<double> figure(const nlohmann::ordered_json& result, std::uint32_t size) const;
  /// What was delivered within the measured time, in the unit of the figure, or nothing.
  std::optional<double> delivered(const nlohmann::ordered_json& result, std::uint32_t size) const;
  /// The difference between the figure and what was delivered, as a share of the latter; 0 if delivery was not watched,
  /// or where the figure lacks what was lost later.
  double excess(const nlohmann::ordered_json& result, std::uint32_t size) const;
  /// The largest excess() that needs no mark.
  static constexpr double tolerated_excess = 0.01;
  /// Whether the figure needs the mark that delivered_note() explains.
  bool differs_from_delivered(const nlohmann::ordered_json& result, std::uint32_t size) const {
    return excess(result, size) > tolerated_excess;
  }
  /// Explains "*" and gives `delivered` for the marked figures.
  std::string delivered_note(const std::string& delivered) const;
  bool loses = false;       ///< what was delivered to the other end may be lost there, before it is counted
  bool converges = false;   ///< its verb takes --converge PERCENT
  bool frame_times = true;  ///< its results may hold the time of a full-size frame
  bool one_load =
      true;  ///< the load of a run is meaningful for its rows; a flood's rows differ, with pauses between them
  std::string_view axis = "packet size, bytes";  ///< label of its sizes in plots
  std::string_view row_key = "packet_bytes";     ///< the member of a result's row that holds its size
  std::string_view sizes_option = "--sizes";     ///< what its verb calls the list
  /// "cpu_load_percent" or "true_busy_percent" of a result, in a table: "-" unless the run has one_load.
  std::string load_text(const nlohmann::ordered_json& result, const char* key) const;
  /// What tables and plots call a row: "4K" for a size, "4096" for a rate.
  std::string row_name(std::uint32_t size) const;
};

}  // namespace planar
