// SPDX-License-Identifier: GPL-2.0-or-later
// Memory sizing and address line 20. The probing itself needs protected mode: pmode.asm.
#include "firmware.h"

enum {
    block = 0x10000,
    base_limit = 0xA0000,
    low_start = 0x100000,
    low_end = 0x1000000,
    high_end = 0x40000000,  // 1 GB: more than any of these planars supports
    port_92 = 0x92,
};

// FFFF:0500 is 0:04F0 while A20 is disabled. That byte belongs to programs: it is restored.
int a20_is_on(void)
{
    enum { low = 0x4F0, high = 0x500 };
    u32 flags = save_flags_cli();
    u8 saved = far_read8(0, low);
    int on = far_read8(0xFFFF, high) != saved;
    if (!on) {
        far_write8(0, low, (u8)~saved);
        on = far_read8(0xFFFF, high) == saved;
        far_write8(0, low, saved);
    }
    restore_flags(flags);
    return on;
}

// Bit 0 is the fast reset: it must never be written as 1 here.
void a20_set(int on)
{
    u8 value = inb(port_92) & 0xFE;
    outb(port_92, on ? value | 2 : value & 0xFD);
    if (!on && a20_is_on())
        kbc_a20_off();
}

// The first 64 KB hold POST's stack and one of the guards: they are known to work.
u32 size_base_memory(void) { return probe_memory(block, base_limit) / 1024; }

// On a processor with 24 address lines 16 MB wraps to 0, which the guard of probe_memory detects. If the last
// 128 KB below 16 MB read as the ROM (386SX), the low part ends there; memory may continue at 16 MB.
void size_extended_memory(void)
{
    u32 low = probe_memory(low_start, low_start + block);  // from here on it holds the second guard
    if (low > low_start)
        low = probe_memory(low, low_end);
    u32 high = low_end;
    if (low >= low_end - 0x20000)
        high = probe_memory(low_end, high_end);
    far_write32(ebda_segment, ebda_extended_low_kb, (low - low_start) / 1024);
    far_write32(ebda_segment, ebda_extended_high_64k, (high - low_end) / block);
}

u32 extended_kb_low(void) { return far_read32(ebda_segment, ebda_extended_low_kb); }
u32 extended_64k_high(void) { return far_read32(ebda_segment, ebda_extended_high_64k); }
