// SPDX-License-Identifier: GPL-2.0-or-later
// What a machine file says of a PS/2 board alone: the Micro Channel, and which parts the planar has.
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
  unsigned scsi_setup_bit = 1;  ///< of port 94h, which selects integrated SCSI
  bool panel = false;           ///< the eight-character operator panel of the Model 95

  bus::CycleTable cycles() const override { return channel.costs(); }
};

/// Reads `[channel]` and the planar's own keys.
std::shared_ptr<const BoardConfig> read_ps2(Config& c, const MachineConfig& m);
/// Resources of a Micro Channel card and the items of its adapter description.
bool ps2_card_choice(const std::string& card, const std::string& key);
/// Throws Error if no configuration of the cards has all that the user pins, naming the pin or the conflict.
void check_ps2_cards(const MachineConfig& config);

}  // namespace planar
