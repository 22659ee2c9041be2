// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/timing.hpp"

#include <cstdlib>
#include <new>

namespace planar::cpu {

Timing::Timing(const TimingConfig& config) : model_(config.model), known_geometry_(cpu::known_geometry(config)) {
  check(config);
  ProcessorTiming* made = nullptr;
  switch (model_) {
    case Model::i386sx: made = new (storage_) Timing386sx(config); break;
    case Model::i486sx: made = new (storage_) Timing486(config); break;
    case Model::pentium: made = new (storage_) TimingPentium(config); break;
    case Model::p6: made = new (storage_) TimingP6(config); break;
  }
  if (static_cast<void*>(made) != storage_) std::abort();
}

}  // namespace planar::cpu
