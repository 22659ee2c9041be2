// SPDX-License-Identifier: GPL-2.0-or-later
// `--bond`: several adapters of a machine used as one, each on its own segment (docs/hardware/channel-bonding.md), and
// the counters of such a run. At the other end is the reference station with a port on each segment, or a second
// machine with a bond of as many adapters.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "machines/registry/adapter_registry.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace planar {

class Config;
class Session;
struct MachineOptions;

struct BondOptions {
  static constexpr unsigned most = 4;  ///< adapters that the guest can open

  void add_to(CLI::App& app);
  bool given() const;
  /// If a number and one card without a slot were given, repeats the card that many times. Throws Error.
  void repeat_card(MachineOptions& machine) const;
  /// Puts each network adapter of `config` on a segment of its own, with a port of the station there. Returns the
  /// number of adapters. Throws Error.
  unsigned apply(Config& config) const;

 private:
  unsigned count_ = 0;  // 0: all of them
  const CLI::Option* option_ = nullptr;
};

/// Repeats the one card without a slot `count` times; a machine without a card gets `count` of the usual one. Throws
/// Error.
void repeat_card(MachineOptions& machine, unsigned count);
/// Puts the adapters of `server`, the machine at the other end, on the segments of `client`, which already has its
/// bond, in slot order; there is then no station. Throws Error.
void connect_bonds(Config& client, Config& server);

/// The counters of a run with a bond.
struct BondFigures {
  struct Member {
    unsigned slot = 0;
    std::string card;
    std::string medium;
    NetCounters frames;                         ///< the adapter's own
    std::optional<std::uint64_t> interrupts{};  ///< taken on its line
    std::uint64_t peer_sent = 0;                ///< frames sent by the other end's port on the same medium
    std::uint64_t peer_received = 0;
  };
  std::vector<Member> members;                             ///< in transmit order
  std::optional<std::uint64_t> packets_overtaken_at_peer;  ///< counted by the reference station
  std::optional<std::uint64_t> segments_out_of_order_at_peer, segments_out_of_order_at_guest;
  std::uint64_t duplicate_acknowledgements_of_peer = 0, duplicate_acknowledgements_of_guest = 0;
  std::optional<std::uint64_t> retransmitted_by_peer, retransmitted_by_guest;

  nlohmann::ordered_json json() const;
  /// "a bond of ne2 in slot 1, 3c529 in slot 2", and a table with a line per card.
  std::string heading() const;
  std::string table() const;
};

/// The figures of the session's first machine, whose guests have reported their counters; nothing without a bond.
std::optional<BondFigures> collect_bond(Session& session);

}  // namespace planar
