// SPDX-License-Identifier: GPL-2.0-or-later
// When the guest measured what one of its records reports.
#pragma once

#include "core/time/time.hpp"
#include "frontend/guest/guest_output.hpp"

namespace planar {

struct Measured {
  Time from{}, to{};
};

/// What `record` reports took `duration` and ended when it says (`ended_s`, `ended_us`: roms/guest/programs/clock.c).
/// During a measurement COM1's output waits for the guest's tick, 16 characters at each, so the record itself is up to
/// a fifth of a second late. A record without a time ended when it began to be sent.
Measured measured(const GuestOutput& guest, const GuestLine& record, Time duration);

}  // namespace planar
