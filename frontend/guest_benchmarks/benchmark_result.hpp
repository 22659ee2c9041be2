// SPDX-License-Identifier: GPL-2.0-or-later
// What every benchmark's run has measured, and its members in every benchmark's JSON object (docs/results.md).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontend/bond/bond.hpp"
#include "frontend/guest/guest_output.hpp"
#include "frontend/meters/frame_time.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

class Session;

/// Percent of the clocks from `start` to `end` in which the processor was not halted; 0 if none has passed.
double busy_percent(const ClockReading& start, const ClockReading& end);

/// Of one machine.
struct MachineFigures {
  std::string machine;        ///< a changed one's says what is changed
  std::string card;           ///< the one that carried the traffic
  unsigned slot = 0;          ///< it is in
  std::size_t cards = 0;      ///< in the machine
  bool hypothetical = false;  ///< the card's interface is planar's own declaration
  /// As the guest's tick accounting has it, while the measurement lasted; nothing where the run ended before the guest
  /// has told it.
  std::optional<double> cpu_load_percent;
  double true_busy_percent = 0;  ///< share of clocks not halted meanwhile; up to the end of an interrupted run
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  NetCounters frames;

  /// "model95 with ne2"
  std::string pairing() const;
  /// The object of a server's machine (`--against`), and the same in words.
  nlohmann::ordered_json server_json() const;
  std::string server_text() const;
};

struct BenchmarkResult : MachineFigures {
  std::string net;
  std::optional<BondFigures> bond;
  bool repeatable = true;    ///< no host in the loop
  bool interrupted = false;  ///< by the user, before its end
  std::uint64_t seed = 1;
  std::string os;          ///< whose network stack the guest imitates; empty: it has not said so yet
  unsigned placement = 0;  ///< of the guest's kernel
  std::string guest_image_sha256;
  std::optional<FrameTime> frame_time;  ///< of the row with the largest packets
  std::optional<ClockDomain> clock;     ///< the processor's, in which it is counted
  double virtual_seconds = 0;
  double host_seconds = 0;
  std::string state_hash;
  nlohmann::ordered_json planar;         ///< program_provenance()
  nlohmann::ordered_json configuration;  ///< configuration_provenance()
  std::vector<std::string> command_line;

  virtual ~BenchmarkResult() = default;
  virtual nlohmann::ordered_json json() const = 0;
  virtual std::string table() const = 0;
  /// What a reader of the figures should know; empty: nothing.
  virtual std::string warning() const { return {}; }

 protected:
  /// The JSON object up to an empty "rows"; `settings` are the benchmark's own.
  nlohmann::ordered_json json_head(const char* schema, const nlohmann::ordered_json& settings) const;
  /// Appends load, frame time, times and counts.
  void put_figures(nlohmann::ordered_json& out) const;
  /// Appends the last members: state, and what of the result is the host's.
  void put_end(nlohmann::ordered_json& out) const;

  /// The first line of the table: `what` on which machine, against whom.
  std::string heading(const std::string& what, const MachineFigures* against) const;
  /// A line that says when the user interrupted the run; empty: not at all.
  std::string interrupted_text() const;
  std::string load_text() const;
  /// The last lines of the table; `server` is what they say of the other machine.
  std::string counts_text(const std::string& server = {}) const;
};

/// "frames" of a JSON object, and the same in words.
nlohmann::ordered_json counted(const NetCounters& frames);
std::string counted_text(const NetCounters& frames);

/// Fills in what machine `n` of the session's lab has measured between the guest's lines `start` and `end`.
void collect(Session& session, std::size_t n, const std::string& start, const std::string& end, MachineFigures& out);
/// The same of its first machine, and what is one for the lab. Rows of frame times must have been ended
/// (FrameTimer::row_ended).
void collect(Session& session, const std::string& start, const std::string& end, BenchmarkResult& out);

}  // namespace planar
