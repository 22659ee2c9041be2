// SPDX-License-Identifier: GPL-2.0-or-later
// The kinds of board that a machine file may name (`board = "ps2"`), each with its own section of the configuration.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bus/common/bus.hpp"
#include "machines/config/config.hpp"

namespace planar {

class Board;
struct BoardSite;
struct MachineConfig;

/// What only a kind of board has: its part of a machine's configuration.
struct BoardConfig {
  virtual ~BoardConfig() = default;
  /// What the processor's cycles take on the bus that the board's own devices are on.
  virtual bus::CycleTable cycles() const = 0;
};

/// What a board's drives are connected to.
struct DrivePlaces {
  std::string_view name = "SCSI address";  ///< of a drive's number there
  unsigned count = 7;                      ///< numbers from 0
  /// The numbers in the order in which drives get them whose user gives none.
  std::vector<unsigned> disks{6, 5, 4, 3, 2, 1, 0}, cdroms{3, 2, 1, 0, 6, 5, 4};
};

struct BoardKind {
  std::string_view name;  ///< of the machine file
  /// Tables of the configuration that belong to it and make the machine what it is: "channel".
  std::vector<std::string_view> tables;
  /// Reads them; what is common to all boards is in the MachineConfig already. Throws Error naming file, line and key.
  std::shared_ptr<const BoardConfig> (*read)(Config& config, const MachineConfig& machine);
  std::unique_ptr<Board> (*make)(const BoardSite& site);
  std::string_view slot_bus;    ///< AdapterEntry::bus() of the cards that its slots take
  std::string_view usual_card;  ///< the network card of a benchmark whose user names none
  /// Whether `key` of a [slot.N] table is a choice that configures `card`, beside those that every card has.
  bool (*card_choice)(const std::string& card, const std::string& key);
  /// Its firmware gives cards their addresses and interrupts, so that the configuration has no say in them.
  bool firmware_assigns = false;
  DrivePlaces drives{};
  /// The SCSI adapter for drives in a slot of that many bits, if the user names none; empty: the board has its own
  /// controller.
  std::string_view (*storage_card)(unsigned slot_width);
  /// Throws Error if the cards cannot be configured together as the user asks, as building the board would; null: there
  /// is nothing to ask for.
  void (*check_cards)(const MachineConfig& machine) = nullptr;
};

/// All kinds, a row each (machines/boards/boards.cpp). The first is that of a machine file that names none.
const std::vector<BoardKind>& board_kinds();

/// The kind that a configuration names, without reading anything else of it; the first if it names none or an unknown
/// one.
const BoardKind& board_kind_of(const Config& config);

}  // namespace planar
