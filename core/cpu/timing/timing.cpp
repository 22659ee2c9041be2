// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/timing.hpp"

#include <new>

namespace planar::cpu {

Timing::Timing(const TimingConfig& config) : model_(config.model), known_geometry_(cpu::known_geometry(config)) {
  check(config);
  switch (model_) {
    case Model::i386sx: new (&i386sx_) Timing386sx(config); break;
    case Model::i486sx: new (&i486sx_) Timing486(config); break;
    case Model::pentium: new (&pentium_) TimingPentium(config); break;
    case Model::p6: new (&p6_) TimingP6(config); break;
  }
}

}  // namespace planar::cpu
