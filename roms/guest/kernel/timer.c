// SPDX-License-Identifier: GPL-2.0-or-later
//
// The 100 Hz tick (PIT channel 0, mode 2), timers, time of day, and the period's load accounting.
//
// Accounting (docs/hardware/linux-2.2-network-path.md#accounting-of-load): the interrupt counts the
// tick; its bottom half charges it to the task that is then current, unless that is the idle
// task. Work done in interrupts on top of idle therefore counts as idle.
#include "device.h"
#include "linux_cost.h"

enum { PIT_CH0 = 0x40, PIT_MODE = 0x43, PORT_B = 0x61, TICK_US = 1000000 / HZ };

volatile u32 jiffies;
u32 busy_ticks;
static u32 lost_ticks;
static struct timer *timers;
static u32 loops_per_tick;

static void timer_interrupt(int irq, void *dev, struct regs *r) {
    (void)irq, (void)dev, (void)r;
    COST(tick);
    jiffies++;
    lost_ticks++;
    mark_bh(TIMER_BH);
    if (has_mca) {                      // IRQ 0 is level-triggered on a PS/2: bit 7 of port 61h resets it
        u8 b = inb_p(PORT_B);
        outb_p(b | 0x80, PORT_B);
    }
}

static void charge_ticks(void) {
    u32 ticks;
    cli();
    ticks = lost_ticks;
    lost_ticks = 0;
    sti();
    struct task *t = current;
    if (ticks && t->pid) {
        busy_ticks += ticks;
        t->counter -= (int)ticks;
        if (t->counter < 0) {
            t->counter = 0;
            t->need_resched = 1;
        }
    }
}

static void run_timers(void) {
    struct timer **p;
restart:
    cli();
    for (p = &timers; *p; p = &(*p)->next) {
        struct timer *t = *p;
        if ((s32)(jiffies - t->expires) >= 0) {
            *p = t->next;
            t->pending = 0;
            sti();
            t->function(t->data);
            goto restart;
        }
    }
    sti();
}

static void timer_bottom_half(void) {
    COST(tick_bh);
    charge_ticks();
    run_timers();
    serial_tick();
}

void timer_set(struct timer *t, u32 expires) {
    u32 flags;
    save_flags_cli(flags);
    t->expires = expires;
    if (!t->pending) {
        t->pending = 1;
        t->next = timers;
        timers = t;
    }
    restore_flags(flags);
}

void timer_del(struct timer *t) {
    u32 flags;
    save_flags_cli(flags);
    if (t->pending) {
        struct timer **p = &timers;
        while (*p != t)
            p = &(*p)->next;
        *p = t->next;
        t->pending = 0;
    }
    restore_flags(flags);
}

// Microseconds since the tick began, from the latched counter; a tick that is due but not yet
// handled appears as a request in the 8259.
static u32 since_tick(void) {
    outb_p(0x00, PIT_MODE);
    u32 count = inb_p(PIT_CH0);
    count |= (u32)inb_p(PIT_CH0) << 8;
    u32 gone = count > LATCH ? 0 : LATCH - count;
    if ((inb(0x20) & 1) && gone < LATCH / 2)
        gone += LATCH;
    return mul_div(gone, TICK_US, LATCH);
}

void get_time(struct timeval *tv) {
    u32 flags, usec, now;
    save_flags_cli(flags);
    usec = since_tick();
    now = jiffies;
    restore_flags(flags);
    tv->sec = now / HZ;
    tv->usec = now % HZ * TICK_US + usec;
    while (tv->usec >= 1000000) {
        tv->usec -= 1000000;
        tv->sec++;
    }
}

static void spin(u32 loops) {
    __asm__ volatile("1: decl %0\n\tjns 1b" : "+r"(loops)::"cc");
}

// A delay loop calibrated against the tick, like the period's udelay: no bus traffic.
void udelay_spin(u32 microseconds) {
    spin(mul_div(microseconds, loops_per_tick, TICK_US));
}

static void calibrate(void) {
    u32 chunk = 64, start, count = 0;
    for (start = jiffies; jiffies == start;)
        ;
    for (start = jiffies; jiffies == start; count += chunk)
        spin(chunk);
    loops_per_tick = count;
}

void timer_init(void) {
    bh_init(TIMER_BH, timer_bottom_half);
    outb_p(0x34, PIT_MODE);             // channel 0, low then high byte, mode 2, binary
    outb_p(LATCH & 0xFF, PIT_CH0);
    outb(LATCH >> 8, PIT_CH0);
    request_irq(0, timer_interrupt, IRQF_INTERRUPT, NULL);
    sti();
    calibrate();
}

// ---- load as other systems count it -------------------------------------------------------------
// Some systems count time in interrupts on top of idle as load, where Linux 2.2 counts it as idle.
static irq_handler *tick;

static void counting_tick(int irq, void *dev, struct regs *r) {
    if (!current->pid && (local_bh_count || local_irq_count > 1))
        busy_ticks++;
    tick(irq, dev, r);
}

void load_count_interrupts(void) { tick = irq_replace(0, counting_tick); }

// ---- waiting while there is no process yet ------------------------------------------------------
int wait_for(const volatile int *flag, u32 ticks) {
    u32 start = jiffies;
    while (!*flag && jiffies - start < ticks) {
        cli();                          // no interrupt may come between the test and the halt
        if (!*flag)
            __asm__ volatile("sti\n\thlt");
        sti();
    }
    return *flag;
}
