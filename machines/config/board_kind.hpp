// SPDX-License-Identifier: GPL-2.0-or-later
// The kinds of board that a machine file can name (`board = "ps2"`), each with its own configuration section.
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

/// The board-specific part of a machine's configuration.
struct BoardConfig {
  virtual ~BoardConfig() = default;
  /// Durations of the processor's cycles on the bus of the board's own devices.
  virtual bus::CycleTable cycles() const = 0;
};

/// The interface to which a board's drives are connected.
struct DrivePlaces {
  std::string_view name = "SCSI address";  ///< what a drive's number is called
  unsigned count = 7;                      ///< numbers from 0
  /// The order in which numbers are assigned to drives for which the user gives none.
  std::vector<unsigned> disks{6, 5, 4, 3, 2, 1, 0}, cdroms{3, 2, 1, 0, 6, 5, 4};
};

struct BoardKind {
  std::string_view name;  ///< as in the machine file
  /// Configuration tables specific to this kind that are part of the machine's identity: "channel".
  std::vector<std::string_view> tables;
  /// Reads them; the settings common to all boards are already in the MachineConfig. Throws Error naming file, line and
  /// key.
  std::shared_ptr<const BoardConfig> (*read)(Config& config, const MachineConfig& machine);
  std::unique_ptr<Board> (*make)(const BoardSite& site);
  std::string_view slot_bus;    ///< AdapterEntry::bus() of the cards that fit its slots
  std::string_view usual_card;  ///< the benchmark network card if the user names none
  /// Whether `key` of a [slot.N] table configures `card`, in addition to the keys common to all cards.
  bool (*card_choice)(const std::string& card, const std::string& key);
  /// The firmware assigns addresses and interrupts to cards, so the configuration cannot choose them.
  bool firmware_assigns = false;
  DrivePlaces drives{};
  /// The SCSI adapter for drives in a slot of that many bits if the user names none; empty: the board has its own
  /// controller.
  std::string_view (*storage_card)(unsigned slot_width);
  /// Throws Error if the cards cannot be configured together as requested, as building the board would; null: there is
  /// nothing to request.
  void (*check_cards)(const MachineConfig& machine) = nullptr;
};

/// All kinds, one row each (machines/boards/boards.cpp). The first is the default of machine files.
const std::vector<BoardKind>& board_kinds();

/// The kind that a configuration names, without reading anything else in it; the first if it names none or an unknown
/// one.
const BoardKind& board_kind_of(const Config& config);

/// The kind that has the configuration table `table` in addition to those of every machine; null if none has.
const BoardKind* board_kind_with(std::string_view table);

}  // namespace planar
