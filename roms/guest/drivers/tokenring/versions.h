// SPDX-License-Identifier: GPL-2.0-or-later
//
// A driver version as a set of habits: what a driver for bus masters may do in one way or another, and what the period's
// versions are taken to have done (docs/driver-versions.md). The setting `driver` selects one; without it the first of
// the family's table, the public Linux driver. No habit is a delay, and none is a card's or a machine's.
#pragma once
#include "driver.h"

enum buffers { HAND_OVER, COPY };
enum interrupts {
    EACH,       // at the end of each frame
    SECOND,     // at the end of every second frame
    IDLE,       // when all that was handed over has been sent
    WHEN_FULL,  // only while the transmit queue is full; else seen at the next interrupt or transmit
    NEVER       // not at all: seen at the next interrupt for something else, such as an acknowledgement, or transmit
};

struct version {
    const char *name;                   // as the user writes it
    u8 transmits;                       // frames handed to the adapter at most
    u8 transmit_buffers;                // COPY: into buffers of the driver; the packet is free at once
    u8 receive_buffers;                 // COPY: into a packet of the frame's size; the buffer goes back
    u8 transmit_done;                   // of `enum interrupts`
};

// The version that the setting asks for, of `count` in `table`; an unknown one ends the run.
const struct version *version_find(const struct version *table, u32 count);

extern const struct version streamer_versions[], madge_versions[];
extern const u32 streamer_version_count, madge_version_count;
