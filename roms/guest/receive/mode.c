// SPDX-License-Identifier: GPL-2.0-or-later
//
// How frames get from an adapter to the stack, depending on the setting `receive` (mode.h). Without the setting none of
// this runs: the driver's interrupt handler passes its frames to netif_rx(), as in Linux 2.2.
//
// All modes use the driver as it is: its interrupt handler checks the adapter's status, takes received frames and
// completed transmissions, and does not care who called it. With the adapter's line masked in the 8259 it serves as a
// service routine. A driver may have a separate one for polling (begin_polling), and may make its adapter delay
// interrupts (receive_delayed).
#include "mode.h"
#include "kernel.h"
#include "settings.h"
#include "tcp.h"

enum { MODE_INTERRUPT, MODE_BATCH, MODE_TIMER, MODE_POLL, MODE_DELAYED };
enum { QUOTA = 8 };                     // frames that a visit takes and runs to completion (Click's burst)
enum { WIRE_FRAMES = 1640 };            // more frames per second than an Ethernet carries per Mbit/s
enum { RECEIVE_BH = 10 };               // after NET_BH
enum { RTC_IRQ = 8, RTC_INDEX = 0x70, RTC_DATA = 0x71, NMI_OFF = 0x80, RTC_A = 10, RTC_B = 11, RTC_C = 12, RTC_PIE = 0x40 };
enum { SOURCES = ADAPTERS_MOST };
enum { SLOWEST = 2, FASTEST = 8192, RATE = 1024 };     // the clock's interrupts per second: powers of two

int receive_delayed, receive_polled;
int receive_direct;
struct skb_queue receive_taken;
static u32 mode, rate = RATE;
static struct {
    struct netdev *dev;
    irq_handler *service;
    int quota;                          // maximum number of frames per visit of its driver
} source[SOURCES];
static u32 sources;

// A line disabled more than once is also disabled by its driver, which is in the middle of something. Returns 1 if the
// visit ended at its limit: there may be more.
static int service(u32 n) {
    receive_allowed = source[n].quota;
    if (irq_disabled(source[n].dev->irq) <= 1)
        source[n].service(source[n].dev->irq, source[n].dev, NULL);
    return receive_allowed <= 0;
}

static int service_all(void) {
    int more = 0;
    for (u32 n = 0; n < sources; n++)
        more |= service(n);
    return more;
}

static struct skb *next_taken(void) {
    u32 flags;
    save_flags_cli(flags);
    struct skb *b = queue_first(&receive_taken);
    if (b)
        queue_unlink(b);
    restore_flags(flags);
    return b;
}

// Runs up to `most` of the taken frames up the stack; returns how many.
__attribute__((noinline)) u32 receive_run(u32 most) {
    struct skb *b;
    u32 n = 0;
    while (n < most && (b = next_taken())) {
        net_deliver(b);
        n++;
        for (u32 at = 0; at < sources; at++)    // queued transmissions need not wait for all received frames
            if (source[at].dev->queue.length)
                service(at);
        bh_run(NET_BH);
    }
    return n;
}

// ---- several frames per interrupt --------------------------------------------------------------
// The first frame interrupts and masks its adapter. The bottom half takes frames from the adapter up the stack one by
// one until there are none left, and re-enables its interrupt. After two ticks it yields, as net_bh() does, if another
// task wants the processor. In Linux 2.2, a bottom half that is marked while bottom halves run does not run before the
// next interrupt, but here the adapter's is masked: the idle task therefore checks for it before it halts.
static void first_interrupt(int irq, void *dev, struct regs *r) {
    (void)dev, (void)r;
    disable_irq(irq);
    mark_bh(RECEIVE_BH);
}

static void receive_bottom_half(void) {
    u32 start = jiffies;
    int more;                           // set also if no frame goes up, all ending in the driver (system/sink.c)
    do {
        if (jiffies - start > 1 && (current->pid || current->need_resched)) {
            mark_bh(RECEIVE_BH);
            return;
        }
        more = service_all();
    } while (receive_run(~0u) || more);
    for (u32 n = 0; n < sources; n++)
        enable_irq(source[n].dev->irq);
}

static void batch_idle(void) {
    for (;;) {
        cli();
        if (!current->need_resched && !(bh_mask & bh_active))
            __asm__ volatile("sti\n\thlt");
        sti();
        schedule();                     // runs the marked bottom halves
    }
}

// ---- by a timer ---------------------------------------------------------------------------------
// The periodic interrupt of the real-time clock, as set by Linux's rtc driver: the tick remains at 100 Hz.
static u8 rtc_read(u32 index) {
    outb((u8)(NMI_OFF | index), RTC_INDEX);
    return inb(RTC_DATA);
}

static void rtc_write(u32 index, u8 value) {
    outb((u8)(NMI_OFF | index), RTC_INDEX);
    outb(value, RTC_DATA);
}

static void clock_interrupt(int irq, void *dev, struct regs *r) {
    (void)irq, (void)dev, (void)r;
    rtc_read(RTC_C);                    // clears the request
    service_all();
}

static void start_clock(void) {
    u32 select = 3;                     // 8192 Hz, halved by each increment
    while ((u32)FASTEST >> (select - 3) > rate)
        select++;
    rtc_write(RTC_A, (u8)((rtc_read(RTC_A) & 0xF0) | select));
    rtc_write(RTC_B, rtc_read(RTC_B) | RTC_PIE);
    rtc_read(RTC_C);
    if (request_irq(RTC_IRQ, clock_interrupt, 0, NULL))
        fail("interrupt 8 is taken");
}

// ---- polling ------------------------------------------------------------------------------------
__attribute__((noinline)) void receive_visit(void) {
    bh_atomic_begin();
    if (queue_empty(&receive_taken))
        service_all();
    receive_run(QUOTA);
    bh_atomic_end();
    if (bh_mask & bh_active) {
        cli();
        do_bottom_half();
    }
    sti();
}

void receive_wait(const volatile int *flag) {
    if (mode == MODE_POLL) {
        receive_visit();
        return;
    }
    cli();                              // no interrupt may come between the test and the halt
    if (*flag && !current->sigpending && !(bh_mask & bh_active))
        __asm__ volatile("sti\n\thlt");
    sti();
}

// The idle task: visit after visit, with a switch to any task that wants the processor in between.
void receive_idle(void) {
    if (mode == MODE_BATCH)
        batch_idle();
    if (mode != MODE_POLL || !sources)
        cpu_idle();
    for (;;) {
        receive_visit();
        if (current->need_resched)
            schedule();
    }
}

// ---- settings -----------------------------------------------------------------------------------
void network_settings(const char *text) {
    stack_settings(text);
    static const char *const names[] = {"interrupt", "batch", "timer", "poll", "delayed"};
    const char *value = settings_find(text, "receive");
    queue_init(&receive_taken);
    for (mode = 0; value && mode < sizeof names / sizeof *names && !settings_is(value, names[mode]); mode++)
        ;
    if (mode == sizeof names / sizeof *names)
        fail("setting not understood: receive");
    receive_delayed = mode == MODE_DELAYED;
    receive_polled = mode == MODE_POLL;
    value = settings_find(text, "receive_rate");
    if (value && (!settings_number(value, SLOWEST, FASTEST, &rate) || (rate & (rate - 1))))
        fail("setting not understood: receive_rate");
}

static void opened(struct netdev *dev) {
    if (mode == MODE_DELAYED && !dev->can_delay)
        fail("receive=delayed: %s cannot delay its interrupts", dev->name);
    if (mode == MODE_INTERRUPT || mode == MODE_DELAYED || sources == SOURCES)
        return;
    cli();
    irq_handler *service = irq_replace(dev->irq, first_interrupt);
    if (service == first_interrupt) {   // a shared line: its handlers are already in `source`
        sti();
        return;
    }
    if (mode == MODE_POLL && dev->begin_polling)
        service = dev->begin_polling(dev);
    int most = mode == MODE_TIMER ? (int)(WIRE_FRAMES * dev->megabits / rate) : 0;
    source[sources].dev = dev;
    source[sources].quota = most > QUOTA ? most : QUOTA;
    source[sources++].service = service;
    if (mode != MODE_BATCH)
        disable_irq(dev->irq);
    if (mode == MODE_BATCH || mode == MODE_POLL) {
        receive_direct = 1;
        netdev_backlog.length = netdev_backlog.length % BACKLOG_BIAS + BACKLOG_BIAS;
    }
    if (mode == MODE_BATCH)
        bh_init(RECEIVE_BH, receive_bottom_half);
    sti();
    receive_limited = 1;
    if (mode == MODE_TIMER && sources == 1)
        start_clock();
}

void network_opened(void) {
    stack_opened();
    for (u32 n = 0; n < net_adapter_count; n++)
        opened(&net_adapters[n]);
}
