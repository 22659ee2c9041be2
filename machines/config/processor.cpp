// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/config/processor.hpp"

#include <algorithm>

namespace planar {

std::span<const ProcessorModel> processor_models() {
  static constexpr ProcessorModel rows[] = {
      {cpu::Model::i386sx, "386sx", "386SX", ProcessorGeneration::i386, 24, 23},
      {cpu::Model::i486sx, "486sx", "486SX", ProcessorGeneration::i486, 32, 27},
      {cpu::Model::pentium, "pentium", "Pentium", ProcessorGeneration::pentium, 32, 9.5},
      {cpu::Model::p6, "p6", "P6", ProcessorGeneration::p6, 32, 60},
  };
  return rows;
}

const ProcessorModel& processor_model(cpu::Model model) {
  const auto rows = processor_models();
  return *std::find_if(rows.begin(), rows.end(), [&](const ProcessorModel& row) { return row.model == model; });
}

}  // namespace planar
