// SPDX-License-Identifier: GPL-2.0-or-later
// INT 15h C3h and C4h, which only a PS/2 has; for services/system.c alone.
#pragma once

// C3h: the watchdog, timer channel 3. It counts ticks whose interrupt is not serviced.
static void watchdog(struct Regs* r)
{
    if (r->al > 1 || (r->al == 1 && (r->bh != 0 || r->bl == 0))) {
        fail(r, unsupported);
        return;
    }
    outb(0x47, 0x10);                      // channel 3, low byte, mode 0: stops counting
    if (r->al == 1)
        outb(0x44, r->bl);
    far_write16(ebda_segment, ebda_watchdog, r->al ? r->bx : 0);
    succeed(r);
}

// C4h: 0 = base address of the POS registers, 1 = put slot BL into setup, 2 = end of setup.
static void pos_service(struct Regs* r)
{
    switch (r->al) {
    case 0: r->dx = pos0; break;
    case 1:
        if (r->bl < 1 || r->bl > 8) {
            fail(r, unsupported);
            return;
        }
        outb(setup_system, 0xFF);
        outb(setup_adapter, (u8)(0x08 | (r->bl - 1)));
        break;
    case 2: pos_end(); break;
    default: fail(r, unsupported); return;
    }
    succeed(r);
}

#define BOARD_SERVICES(r) \
    case 0xC3: watchdog(r); return; \
    case 0xC4: pos_service(r); return;
