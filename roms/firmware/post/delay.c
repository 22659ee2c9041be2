// SPDX-License-Identifier: GPL-2.0-or-later
// Delays. The time base is the refresh request that toggles port 61h bit 4 every 15.12 us
// (docs/hardware/micro-channel.md#refresh); nothing depends on the speed of the processor.
#include "firmware.h"

enum { refresh_ns = 15120, refreshes_per_second = 66138, polls_per_refresh_limit = 4096 };

void delay_refreshes(u32 count)
{
    u8 last = inb(0x61) & 0x10;
    while (count) {
        // The limit prevents a hang on a machine whose refresh does not run.
        for (u32 polls = polls_per_refresh_limit; polls; --polls) {
            u8 now = inb(0x61) & 0x10;
            if (now != last) {
                last = now;
                break;
            }
        }
        --count;
    }
}

void delay_us(u32 us)
{
    // Rounded up, plus the period already in progress. 32 bits hold one second in nanoseconds.
    while (us > 1000000) {
        delay_refreshes(refreshes_per_second);
        us -= 1000000;
    }
    delay_refreshes((us * 1000u + refresh_ns - 1) / refresh_ns + 1);
}

void delay_ms(u32 ms)
{
    while (ms--)
        delay_us(1000);
}

void sleep_ticks(u32 ticks)
{
    u32 start = bda->ticks;
    // The bound, 62 ms per tick, applies if no timer interrupt arrives: each iteration is then a refresh period.
    for (u32 turns = ticks << 12; turns && ticks_since(start) < ticks; --turns)
        wait_for_interrupt();
}

u32 ticks_since(u32 start)
{
    u32 now = bda->ticks;
    return now >= start ? now - start : now + 0x1800B0 - start;
}

void wait_for_interrupt(void)
{
    // HLT only if the timer interrupt is certain: not under a monitor, not with IRQ 0 masked.
    if (!in_protected_mode() && !(inb(0x21) & 1)) {
        asm volatile("sti\n\thlt" : : : "memory");
    } else {
        sti();
        delay_refreshes(1);
    }
}
