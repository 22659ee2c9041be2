// SPDX-License-Identifier: GPL-2.0-or-later
//
// flood's beginning. What is behind it lies on pages that only this program has mapped: the others start as they did
// before there was a flood (programs/user.ld).
#include "flood.h"

static int flood(void) {
    system_call3(CALL_MORE_TEXT, 0, 0, 0);
    return flood_all();
}

static int flood_send(void) {
    system_call3(CALL_MORE_TEXT, 0, 0, 0);
    return flood_send_all();
}

// Arrays: the linker puts string constants together with all others of this section, which lie too far behind.
static const char name[] = "flood", settings[] = "rates seconds frame burst depth behind peer port";
PROGRAM(flood, name, settings);
static const char send_name[] = "flood-send", send_settings[] = "from seconds frame peer";
PROGRAM(flood_send, send_name, send_settings);
