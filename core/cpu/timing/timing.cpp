// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/timing.hpp"

#include <new>

#include "core/cpu/timing/cached/memory_events.hpp"

namespace planar::cpu {

namespace {
const CachedTiming::Events& events_of(unsigned geometry) {
  return *with_geometry(geometry, []<class T, Geometry G>() { return &MemoryEvents<T, G>::events; });
}
}  // namespace

Timing::Timing(const TimingConfig& config) : model_(config.model), geometry_(geometry_of(config)) {
  check(config);
  switch (model_) {
    case Model::i386sx: new (&i386sx_) Timing386sx(config); break;
    case Model::i486sx: new (&i486sx_) Timing486(config, events_of(geometry_)); break;
    case Model::pentium: new (&pentium_) TimingPentium(config, events_of(geometry_)); break;
    case Model::p6: new (&p6_) TimingP6(config); break;
  }
}

}  // namespace planar::cpu
