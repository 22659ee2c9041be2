// SPDX-License-Identifier: GPL-2.0-or-later
// Option ROMs, INT 19h and INT 18h.
#include "board.h"
#include "firmware.h"

enum { boot_tries = 4, boot_address = 0x7C00 };

// Adapter ROMs in C0000h to DFFFFh: 55h AAh, length in units of 512 bytes, byte sum 0, entry at 3.
// They are visible only after the POS set-up has enabled and placed them.
void scan_option_roms(void)
{
    u16 segment = 0xC000;
    while (segment < 0xE000) {
        u16 step = 0x80;                   // 2 KB
        if (far_read16(segment, 0) == 0xAA55) {
            u32 bytes = far_read8(segment, 2) * 512u;
            u8 sum = 0;
            for (u32 i = 0; i < bytes; ++i)
                sum = (u8)(sum + far_read8((u16)(segment + (i >> 4)), (u16)(i & 15)));
            if (sum == 0 && bytes) {
                call_far(segment, 3);
                step = (u16)((bytes + 2047) / 2048 * 0x80);
            }
        }
        segment = (u16)(segment + step);
    }
}

static int read_boot_sector(u8 drive)
{
    for (int tries = 0; tries < boot_tries; ++tries) {
        u32 ax = 0x0201, bx = boot_address, cx = 0x0001, dx = drive;
        u32 failed;
        asm volatile("pushw %%es\n\tpushw %%ds\n\txorw %%si, %%si\n\tmovw %%si, %%es\n\t"
                     "int $0x13\n\tsbbl %%esi, %%esi\n\tpopw %%ds\n\tpopw %%es"
                     : "+a"(ax), "+b"(bx), "+c"(cx), "+d"(dx), "=S"(failed)
                     : : "edi", "memory", "cc");
        if (!failed)
            return 1;
        ax = 0;
        dx = drive;
        asm volatile("int $0x13" : "+a"(ax), "+d"(dx) : : "ebx", "ecx", "memory", "cc");
    }
    return 0;
}

static void boot_diskette(void)
{
    checkpoint(0x20, TEXT("BOOT A  "));
    if (!(bda->equipment & 1)) {
        print(TEXT("No diskette drive.\n"));
    } else if (!read_boot_sector(0)) {
        print(TEXT("No bootable diskette: drive A cannot be read.\n"));
    } else if (far_read16(0, boot_address + 510) != 0xAA55) {
        print(TEXT("No bootable diskette: the first sector of drive A has no 55 AA signature.\n"));
    } else {
        checkpoint(0x21, TEXT("        "));
        start_program(0, boot_address, 0);
    }
}

static void boot_disk(void)
{
    if (bda->disk_count) {
        checkpoint(0x22, TEXT("BOOT C  "));
        if (!read_boot_sector(0x80)) {
            print(TEXT("The first disk cannot be read.\n"));
        } else if (far_read16(0, boot_address + 510) != 0xAA55) {
            print(TEXT("The first disk is not bootable: its first sector has no 55 AA signature.\n"));
        } else {
            checkpoint(0x21, TEXT("        "));
            start_program(0, boot_address, 0x80);
        }
    }
}

void boot(struct Regs* r)
{
    (void)r;
    sti();
    board_boot(boot_diskette, boot_disk);
    asm volatile("int $0x18" : : : "memory");
    for (;;)
        wait_for_interrupt();
}

// There is no BASIC in ROM to fall back on. Interrupts stay enabled, so that Ctrl-Alt-Del works.
void no_boot(struct Regs* r)
{
    (void)r;
    sti();
    checkpoint(0x2F, TEXT("NO BOOT "));
    print(TEXT("Nothing to start. Insert a bootable diskette and press Ctrl-Alt-Del.\n"));
    for (;;)
        wait_for_interrupt();
}
