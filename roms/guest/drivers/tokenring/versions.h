// SPDX-License-Identifier: GPL-2.0-or-later
//
// A driver version as a set of habits: choices that drivers of bus masters make differently, as the period's versions
// are assumed to have done (docs/driver-versions.md). The setting `driver` selects one; the default is the first in the
// family's table, the public Linux driver. No habit is a delay, and none is specific to a card or a machine.
#pragma once
#include "driver.h"

enum buffers { HAND_OVER, COPY };
enum interrupts {
    EACH,       // at the end of each frame
    SECOND,     // at the end of every second frame
    IDLE,       // once everything handed over has been sent
    WHEN_FULL,  // only while the transmit queue is full; otherwise seen at the next interrupt or transmit
    NEVER       // never: seen at the next interrupt for something else, such as an acknowledgement, or transmit
};

struct version {
    const char *name;                   // as in the setting
    u8 transmits;                       // maximum number of frames handed to the adapter
    u8 transmit_buffers;                // COPY: into the driver's buffers; the packet is freed at once
    u8 receive_buffers;                 // COPY: into a packet of the frame's size; the buffer is reused
    u8 transmit_done;                   // of `enum interrupts`
};

// The version that the setting selects, of the `count` in `table`; an unknown one ends the run.
const struct version *version_find(const struct version *table, u32 count);

extern const struct version streamer_versions[], madge_versions[];
extern const u32 streamer_version_count, madge_version_count;
