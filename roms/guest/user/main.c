// SPDX-License-Identifier: GPL-2.0-or-later
//
// Chooses the program.
#include "user.h"

struct settings set;

int main(void) {
    system_call3(CALL_SETTINGS, (u32)&set, 0, 0);
    switch (set.program) {
    case DO_IDLE:
        return idle();
    case DO_TRANSFER:
        return transfer();
    case DO_SERVE:
        return serve();
    case DO_NETIO_SERVER:
        return server();
    default:
        return netio();
    }
}
