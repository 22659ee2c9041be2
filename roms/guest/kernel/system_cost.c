// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an interrupt or a call of another system executes beyond Linux 2.2's, as the settings declare it: so many
// instructions, of the mix and the cache footprint of the bodies in linux_cost.asm, which are run in turn. The same for
// every adapter and machine. Without the settings none of it runs.
#include "linux_cost.h"
#include "kernel.h"

#define BODIES(BODY)                                                                                              \
    BODY(write_entry, 240) BODY(ip_receive, 200) BODY(ack, 195) BODY(tick_bh, 142) BODY(segment_build, 92)          \
    BODY(tcp_receive, 90) BODY(write_exit, 83) BODY(tcp_transmit, 80) BODY(alloc, 71) BODY(block, 64)              \
    BODY(ip_transmit, 57) BODY(free_data, 57) BODY(write_space, 54) BODY(append, 44) BODY(start_transmit, 33)

#define DECLARE(site, count) void cost_##site(void);
BODIES(DECLARE)

void system_cost(u32 instructions) {
    static const struct {
        void (*run)(void);
        u32 instructions;
    } body[] = {
#define ROW(site, count) {cost_##site, count},
        BODIES(ROW)
    };
    for (u32 i = 0; instructions >= body[i].instructions / 2; i = (i + 1) % (sizeof body / sizeof *body)) {
        body[i].run();
        instructions -= instructions < body[i].instructions ? instructions : body[i].instructions;
    }
}

static irq_handler *driver;
static u32 of_interrupt;

static void deferred(int irq, void *dev, struct regs *r) {
    system_cost(of_interrupt);
    driver(irq, dev, r);
}

void system_cost_of_interrupt(int irq, u32 instructions) {
    of_interrupt = instructions;
    driver = irq_replace(irq, deferred);
}
