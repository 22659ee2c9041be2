// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an interrupt or a call of another system executes in addition to Linux 2.2's, as declared by the settings: a
// number of instructions of the mix of the bodies in linux_cost.asm. A system's path through its layers executes an
// instruction once, not in a loop that fits in a cache: each further run of the bodies therefore uses another copy, and
// interrupts and calls have separate copies. With the code density that was counted in Linux, 1000 instructions take
// about 10 KB. The same for every adapter and machine. Without the settings none of it runs, and no copy is made.
#include "linux_cost.h"
#include "kernel.h"

#define BODIES(BODY)                                                                                              \
    BODY(write_entry, 240) BODY(ip_receive, 200) BODY(ack, 195) BODY(tick_bh, 142) BODY(segment_build, 92)          \
    BODY(tcp_receive, 90) BODY(write_exit, 83) BODY(tcp_transmit, 80) BODY(alloc, 71) BODY(block, 64)              \
    BODY(ip_transmit, 57) BODY(free_data, 57) BODY(write_space, 40) BODY(append, 44) BODY(start_transmit, 33)

#define DECLARE(site, count) extern const u8 cost_##site[], cost_##site##_begin[], cost_##site##_end[];
BODIES(DECLARE)

static const struct {
    const u8 *begin, *run, *end;
    u32 instructions;
} body[] = {
#define ROW(site, count) {cost_##site##_begin, cost_##site, cost_##site##_end, count},
    BODIES(ROW)
};
enum { BODY_COUNT = sizeof body / sizeof *body };

static u32 room[BODY_COUNT];            // bytes that a copy of each takes

// Makes a copy of all bodies for every pass of the path through them; returns the path.
struct system_path system_path(u32 instructions) {
    struct system_path path = {0, 0};
    u32 copies = 0, left = instructions;
    for (u32 i = 0; left >= body[i % BODY_COUNT].instructions / 2; i++, path.bodies++) {
        copies = i / BODY_COUNT + 1;
        left -= left < body[i % BODY_COUNT].instructions ? left : body[i % BODY_COUNT].instructions;
    }
    u32 bytes = 0;
    for (u32 i = 0; i < BODY_COUNT; i++)
        bytes += room[i] = (u32)(body[i].end - body[i].begin + 31) & ~31u;
    if (copies)
        path.code = alloc_pages((copies * bytes + PAGE_SIZE - 1) / PAGE_SIZE);
    u8 *to = path.code;
    for (u32 n = 0; n < copies * BODY_COUNT; n++) {
        u32 i = n % BODY_COUNT;
        memcpy(to, body[i].begin, (u32)(body[i].end - body[i].begin));
        to += room[i];
    }
    return path;
}

void system_cost_run(const struct system_path *path) {
    const u8 *copy = path->code;
    for (u32 i = 0, n = 0; n < path->bodies; n++) {
        ((void (*)(void))(copy + (body[i].run - body[i].begin)))();
        copy += room[i];
        if (++i == BODY_COUNT)
            i = 0;
    }
}

static irq_handler *driver[IRQ_LINES];
static struct system_path of_interrupt;

static void deferred(int irq, void *dev, struct regs *r) {
    system_cost(&of_interrupt);
    driver[irq](irq, dev, r);
}

void system_cost_of_interrupt(int irq, u32 instructions) {
    if (driver[irq])                    // a line shared by adapters
        return;
    if (!of_interrupt.bodies)
        of_interrupt = system_path(instructions);
    driver[irq] = irq_replace(irq, deferred);
}
