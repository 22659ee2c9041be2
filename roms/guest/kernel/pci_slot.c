// SPDX-License-Identifier: GPL-2.0-or-later
//
// Finds the chassis slot of a PCI device in the firmware's interrupt routing table (`$PIR`, 16 bytes per slot after a
// 32-byte header). Linux 2.2 does not look at it; here results are identified by slot.
#include "device.h"

enum { ROM = 0xF0000, ROM_END = 0x100000, PARAGRAPH = 16, HEAD = 32, ENTRY = 16 };
enum { TABLE_BYTES = 6, ENTRY_BUS = 0, ENTRY_DEVFN = 1, ENTRY_SLOT = 14 };

static const u8 *routing_table(void) {
    for (const u8 *at = virt(ROM); at < (const u8 *)virt(ROM_END); at += PARAGRAPH)
        if (!memcmp(at, "$PIR", 4))
            return at;
    return NULL;
}

int pci_slot(u32 devfn) {
    static const u8 *table;
    if (!table && !(table = routing_table()))
        return (int)(devfn >> 3 & 31);
    const u8 *end = table + (table[TABLE_BYTES] | table[TABLE_BYTES + 1] << 8);
    for (const u8 *entry = table + HEAD; entry < end; entry += ENTRY)
        if ((u32)(entry[ENTRY_BUS] << 8 | entry[ENTRY_DEVFN]) >> 3 == devfn >> 3 && entry[ENTRY_SLOT])
            return entry[ENTRY_SLOT];
    return (int)(devfn >> 3 & 31);
}
