// SPDX-License-Identifier: GPL-2.0-or-later
//
// An interrupt line that several adapters share, which the Micro Channel's level-triggered lines allow. As Linux 2.2
// (arch/i386/kernel/irq.c): all handlers of the line run, in the order in which they were installed; a line is shared
// only by those who all say that they can (IRQF_SHARED).
#include "adapters.h"

struct action {
    struct action *next;
    irq_handler *handler;
    void *dev;
    int flags;
};
enum { LINES = 16 };
static struct action actions[ADAPTERS_MOST];
static u32 used;
static struct action *first[LINES];

static void run_actions(int irq, void *dev, struct regs *r) {
    (void)dev;
    for (struct action *a = first[irq]; a; a = a->next)
        a->handler(irq, a->dev, r);
}

int several_request_irq(int irq, irq_handler *handler, int flags, void *dev) {
    struct action **at = &first[irq], *a = &actions[used];
    if (used == ADAPTERS_MOST)
        return -1;
    if (*at ? !((*at)->flags & flags & IRQF_SHARED) : request_irq(irq, handler, flags, dev))
        return -1;
    used++;
    a->handler = handler;
    a->dev = dev;
    a->flags = flags;
    if (*at)
        irq_replace(irq, run_actions);
    while (*at)
        at = &(*at)->next;
    *at = a;
    return 0;
}
