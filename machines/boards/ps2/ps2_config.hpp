// SPDX-License-Identifier: GPL-2.0-or-later
// Settings of a machine file specific to a PS/2 board: the Micro Channel, and which parts the planar has.
#pragma once

#include <memory>

#include "bus/host/host_bridge.hpp"
#include "bus/mca/timing.hpp"
#include "machines/config/board_kind.hpp"
#include "machines/config/machine_config.hpp"

namespace planar {

struct Ps2Config final : BoardConfig {
  bus::HostTiming host;
  bus::BusTiming channel;
  unsigned scsi_setup_bit = 1;  ///< bit of port 94h that selects integrated SCSI
  bool panel = false;           ///< the eight-character operator panel of the Model 95

  bus::CycleTable cycles() const override { return channel.costs(); }
};

/// Reads `[channel]` and the planar's own keys.
std::shared_ptr<const BoardConfig> read_ps2(Config& c, const MachineConfig& m);
/// Whether `key` is a resource of a Micro Channel card or an item of its adapter description.
bool ps2_card_choice(const std::string& card, const std::string& key);
/// Throws Error, naming the pin or the conflict, if no configuration of the cards satisfies all the user's pins.
void check_ps2_cards(const MachineConfig& config);

}  // namespace planar
