// SPDX-License-Identifier: GPL-2.0-or-later
//
// When a measurement ended. Its record cannot show it, because COM1's output waits for the tick meanwhile.
#include "user.h"

static struct timeval origin;

void start_clock(void) { system_call3(CALL_TIME, (u32)&origin, 0, 0); }

struct timeval between(const struct timeval *from, const struct timeval *to) {
    struct timeval t = {to->sec - from->sec, to->usec - from->usec};
    if (to->usec < from->usec) {
        t.usec += 1000000;
        t.sec--;
    }
    return t;
}

void ended_at(const struct timeval *stop) {
    struct timeval t = between(&origin, stop);
    field(" ended_s=", t.sec);
    field(" ended_us=", t.usec);
}
