// SPDX-License-Identifier: GPL-2.0-or-later
//
// Load as systems count it that take the time of interrupts on top of idle for load, where Linux 2.2 takes it for idle
// (timer.c): by a setting, and at no cost where it is not set.
#include "kernel.h"

static irq_handler *tick;

static void counting_tick(int irq, void *dev, struct regs *r) {
    if (!current->pid && (local_bh_count || local_irq_count > 1))
        busy_ticks++;
    tick(irq, dev, r);
}

void load_count_interrupts(void) { tick = irq_replace(0, counting_tick); }
