// SPDX-License-Identifier: GPL-2.0-or-later
//
// Chooses the program.
#include "user.h"

struct settings set;

int main(void) {
    system_call3(CALL_SETTINGS, (u32)&set, 0, 0);
    switch (set.task[0]) {
    case 'i':
        return idle();
    case 't':
        return transfer();
    case 's':
        return serve();
    default:
        return set.task[5] == '-' ? server() : netio();
    }
}
