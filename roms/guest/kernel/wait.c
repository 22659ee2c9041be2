// SPDX-License-Identifier: GPL-2.0-or-later
//
// Waiting while there is no process yet.
#include "kernel.h"

int wait_for(const volatile int *flag, u32 ticks) {
    u32 start = jiffies;
    while (!*flag && jiffies - start < ticks) {
        cli();                          // no interrupt may slip in between the test and the halt
        if (!*flag)
            __asm__ volatile("sti\n\thlt");
        sti();
    }
    return *flag;
}
