// SPDX-License-Identifier: GPL-2.0-or-later
// An IDE channel: waiting for the selected device, and access to its data register.
#include "ata.h"

// An absent channel reads FFh, which means busy.
int wait_idle(u16 port, u32 ms)
{
    for (u32 polls = ms * 66; inb((u16)(port + reg_command)) & status_busy; --polls) {
        if (polls == 0)
            return 0;
        delay_refreshes(poll_refreshes);
    }
    return 1;
}

u16 segment_of(u32 linear) { return linear < 0xFFFF0 ? (u16)(linear >> 4) : 0xFFFF; }

void read_words(u16 port, u32 buffer, u16 words)
{
    u16 segment = segment_of(buffer);
    u32 at = buffer - ((u32)segment << 4), left = words;
    asm volatile("movw %w2, %%es\n\tcld\n\trep insw" : "+D"(at), "+c"(left) : "r"(segment), "d"(port) : "memory", "cc");
}

void give_bytes(u16 segment, u16 offset, const void* from, u16 bytes)
{
    u32 to = offset, left = bytes;
    asm volatile("movw %w3, %%es\n\tcld\n\trep movsb" : "+S"(from), "+D"(to), "+c"(left) : "r"(segment) : "memory", "cc");
}
