// SPDX-License-Identifier: GPL-2.0-or-later
// Properties of processor models other than timing: one row each.
#pragma once

#include <span>
#include <string_view>

#include "core/cpu/timing/common/config.hpp"
#include "devices/adapter/adapter_entry.hpp"

namespace planar {

struct ProcessorModel {
  cpu::Model model;
  std::string_view key;   ///< cpu.model of the machine file
  std::string_view name;  ///< display name
  ProcessorGeneration generation;
  unsigned address_lines;
  double host_instructions;  ///< per clock at full load (docs/performance.md#the-order-of-runs)
};

std::span<const ProcessorModel> processor_models();
const ProcessorModel& processor_model(cpu::Model model);

}  // namespace planar
