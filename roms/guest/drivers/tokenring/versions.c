// SPDX-License-Identifier: GPL-2.0-or-later
//
// The versions, by family. Only the names and figures of the vendors' drivers are public: their habits are inferred. A
// mark (P: CARD VALUE) means that it was chosen knowing the published figures that `planar show CARD` names with that
// value (docs/driver-versions.md). None was fitted.
#include "versions.h"

const struct version *version_find(const struct version *table, u32 count) {
    if (!driver_version)
        return table;
    for (u32 i = 0; i < count; i++)
        if (settings_is(driver_version, table[i].name))
            return &table[i];
    char known[100];
    u32 n = 0;
    for (u32 i = 0; i < count; i++)
        n += (u32)sformat(known + n, sizeof known - n, " %s", table[i].name);
    fail("setting not understood: driver; this card's versions are%s", known);
}

const struct version streamer_versions[] = {
    // Linux 2.4.0 lanstreamer.c; 2.6's has one transmit descriptor
    {"linux-2.4", 8, HAND_OVER, HAND_OVER, EACH},
    {"linux-2.6", 1, HAND_OVER, HAND_OVER, EACH},
    // IBM, Windows NT. 3.01: the defaults of IBM's later manual (31 entries, an interrupt for each frame); NDIS before
    // 4 cannot pass receive buffers on to the protocol, so the protocol copies.
    {"3.01", 31, HAND_OVER, COPY, EACH},
    // Two frames, whose completion the driver sees with the next received frame: EnableTxEofInt off
    // (P: autolanstreamer driver.versions) (P: lanstreamer driver.versions)
    {"3.04", 2, HAND_OVER, COPY, NEVER},
    {"3.06", 2, HAND_OVER, COPY, NEVER},
    // The same, through the driver's own buffers (P: autolanstreamer driver.versions)
    {"5.23", 2, COPY, COPY, NEVER},
    // IBM, OS/2, NDIS 2: one frame at a time, a change that IBM's own author made to Linux's driver after lock-ups
    // (P: autolanstreamer driver.versions)
    {"4.54", 1, HAND_OVER, COPY, EACH},
};
const u32 streamer_version_count = sizeof streamer_versions / sizeof *streamer_versions;

const struct version madge_versions[] = {
    // Linux 2.4.0 madgemc.c and tms380tr.c: three lists, one of which stays unused
    {"linux-2.4", 2, HAND_OVER, HAND_OVER, EACH},
    // Madge, Windows NT: more lists, all of which interrupt, or half of them
    // (P: madge-mc driver.versions) (P: madge-mc32 driver.versions)
    {"2.21", 7, HAND_OVER, COPY, EACH},
    {"2.04.30", 7, HAND_OVER, COPY, SECOND},
};
const u32 madge_version_count = sizeof madge_versions / sizeof *madge_versions;
