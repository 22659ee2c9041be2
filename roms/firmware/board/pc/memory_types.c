// SPDX-License-Identifier: GPL-2.0-or-later
// The memory type range registers of a P6: memory is write-back, the ROM write-protected, all else uncacheable.
#include "board.h"
#include "firmware.h"

enum {
    first_variable = 0x200, fixed_64k = 0x250, fixed_16k_low = 0x258, fixed_rom = 0x26C, fixed_end = 0x270, default_type = 0x2FF,
    in_force = 0x800, enabled = 0xC00,
    write_protected = 0x05050505, write_back = 0x06060606,
    address_high = 0xF,                    // 36 address lines
};

static void write_register(u32 number, u32 low, u32 high) { asm volatile("wrmsr" : : "c"(number), "a"(low), "d"(high)); }

void memory_types_set_up(void)
{
    if (cpu_family() < 6)
        return;
    write_register(fixed_64k, write_back, write_back);
    write_register(fixed_16k_low, write_back, write_back);
    for (u32 number = fixed_rom; number < fixed_end; ++number)
        write_register(number, write_protected, write_protected);
    // The size of a variable range is a power of two, and its base a multiple of the size.
    u32 base = 0, left = 0x100000 + extended_kb_low() * 1024 + extended_64k_high() * 0x10000;
    for (u32 number = first_variable; left; number += 2) {
        u32 size = 0x80000000;
        while (size > left)
            size >>= 1;
        write_register(number, base | (write_back & 0xFF), 0);
        write_register(number + 1, (0 - size) | in_force, address_high);
        base += size;
        left -= size;
    }
    write_register(default_type, enabled, 0);
}
