// SPDX-License-Identifier: GPL-2.0-or-later
// The timing's part of a snapshot. Its layout (version 1) has room for every processor: clock and memory path, the
// 386SX's bus unit, the caches (CacheState), the pipeline. A processor writes a part that it does not have as that part
// is at reset, and ignores it when it loads.
#pragma once

#include "core/cpu/timing/i386sx/bus_unit.hpp"
#include "core/cpu/timing/pentium/pipeline_state.hpp"
