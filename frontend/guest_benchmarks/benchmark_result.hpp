// SPDX-License-Identifier: GPL-2.0-or-later
// The measurements common to all benchmarks, and their members in each benchmark's JSON object (docs/results.md).
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

/// Percent of the clocks from `start` to `end` in which the processor was not halted; 0 if no clock has passed.
double busy_percent(const ClockReading& start, const ClockReading& end);

/// The figures of one machine.
struct MachineFigures {
  std::string machine;        ///< its label; for a modified machine, with the changes
  std::string card;           ///< the one that carried the traffic
  unsigned slot = 0;          ///< that of the card
  std::size_t cards = 0;      ///< number of cards in the machine
  bool hypothetical = false;  ///< the card's interface is planar's own declaration
  /// By the guest's tick accounting during the measurement; nothing if the run ended before the guest reported it.
  std::optional<double> cpu_load_percent;
  double true_busy_percent = 0;  ///< share of clocks not halted in the measurement, or until an interruption
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  NetCounters frames;

  /// "model95 with ne2"
  std::string pairing() const;
  /// The JSON object of a server's machine (`--against`), and the same as text.
  nlohmann::ordered_json server_json() const;
  std::string server_text() const;
};

struct BenchmarkResult : MachineFigures {
  std::string net;
  std::optional<BondFigures> bond;
  bool repeatable = true;    ///< no host in the loop
  bool interrupted = false;  ///< by the user, before its end
  std::uint64_t seed = 1;
  std::string os;          ///< whose network stack the guest imitates; empty: not reported yet
  unsigned placement = 0;  ///< of the guest's kernel
  std::string guest_image_sha256;
  std::optional<FrameTime> frame_time;  ///< of the row with the largest packets
  std::optional<ClockDomain> clock;     ///< the processor's, in which it is counted
  /// TCP segments sent again, by the guest and by the other end; a guest reports its own at the end.
  std::uint64_t retransmitted_by_guest = 0, retransmitted_by_peer = 0;
  double virtual_seconds = 0;
  double host_seconds = 0;
  std::string state_hash;
  nlohmann::ordered_json planar;         ///< program_provenance()
  nlohmann::ordered_json configuration;  ///< configuration_provenance()
  std::vector<std::string> command_line;

  virtual ~BenchmarkResult() = default;
  virtual nlohmann::ordered_json json() const = 0;
  virtual std::string table() const = 0;
  /// A warning for readers of the figures; empty: none.
  virtual std::string warning() const { return {}; }

 protected:
  /// The JSON object up to an empty "rows"; `settings` are the benchmark's own.
  nlohmann::ordered_json json_head(const char* schema, const nlohmann::ordered_json& settings) const;
  /// Appends load, frame time, times and counts.
  void put_figures(nlohmann::ordered_json& out) const;
  /// Appends the last members: the state, and what depends on the host.
  void put_end(nlohmann::ordered_json& out) const;

  /// The first line of the table: `what`, the machine, and the other end.
  std::string heading(const std::string& what, const MachineFigures* against) const;
  /// A line saying when the user interrupted the run; empty: it was not interrupted.
  std::string interrupted_text() const;
  std::string load_text() const;
  /// The last lines of the table; `server` is their text about the other machine.
  std::string counts_text(const std::string& server = {}) const;
};

/// Fills in the figures of machine `n` of the session's lab between the guest's lines `start` and `end`.
void collect(Session& session, std::size_t n, const std::string& start, const std::string& end, MachineFigures& out);
/// The same for the first machine, and the members that exist once per lab. Rows of frame times must have been ended
/// (FrameTimer::row_ended).
void collect(Session& session, const std::string& start, const std::string& end, BenchmarkResult& out);

}  // namespace planar
