// SPDX-License-Identifier: GPL-2.0-or-later
// INT 1Ah, AH=B1h: the PCI BIOS in real mode. pci_bios.inc implements the functions.
#include "board.h"
#include "firmware.h"

enum { pci_function = 0xB1 };

// pci_entry.asm: loads EAX to EDI from the frame, and stores the service's results in it. Returns the carry flag.
int pci_bios_call(struct Regs* r);

int board_time_service(struct Regs* r)
{
    if (r->ah != pci_function)
        return 0;
    u32 flags = save_flags_cli();          // the address register and the data must be accessed together
    set_carry(r, pci_bios_call(r));
    restore_flags(flags);
    return 1;
}
