// SPDX-License-Identifier: GPL-2.0-or-later
// Instructions that system.cpp selects and other files define.
#pragma once

#include "core/cpu/engine/engine.hpp"

namespace planar::cpu {

// ---- identification.cpp ----
void cpuid(Engine& c, const Op& op);

// ---- model_specific.cpp: the time-stamp counter, performance counters, model-specific registers ----
void rdtsc(Engine& c, const Op& op);
void rdpmc(Engine& c, const Op& op);
void rdmsr(Engine& c, const Op& op);
void wrmsr(Engine& c, const Op& op);

// ---- fast_call.cpp ----
void sysenter(Engine& c, const Op& op);
void sysexit(Engine& c, const Op& op);

}  // namespace planar::cpu
