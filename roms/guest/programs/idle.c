// SPDX-License-Identifier: GPL-2.0-or-later
//
// Does nothing for `seconds`: the cost of the tick and the card alone. Needs no adapter.
#include "user.h"

static int idle(void) {
    u32 before[2], after[2];
    put(FD_CONSOLE, "idle\n");
    put(FD_LOG, "@idle start\n");
    system_call3(CALL_TICKS, (u32)before, 0, 0);
    pause_for(option_milliseconds("seconds", "10") * 1000);
    system_call3(CALL_TICKS, (u32)after, 0, 0);
    print_load(before, after);
    system_call3(CALL_COUNTERS, 0, 0, 0);
    put(FD_LOG, "@idle end\n");
    return 0;
}

PROGRAM(idle, "idle", "seconds");
