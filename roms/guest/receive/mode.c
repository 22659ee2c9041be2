// SPDX-License-Identifier: GPL-2.0-or-later
//
// How frames come from an adapter to the stack, by the setting `receive` (mode.h). None of it runs without the
// setting: then the driver's interrupt handler gives its frames to netif_rx(), as Linux 2.2 has it.
//
// All modes use the driver as it is: its interrupt handler looks at the adapter's status, takes what has come and what
// was sent, and does not ask who called it. With the adapter's line masked in the 8259 it is a service routine. A driver may
// have one of its own for polling (begin_polling), and may have its adapter delay interrupts (receive_delayed).
#include "mode.h"
#include "kernel.h"
#include "settings.h"
#include "tcp.h"

enum { MODE_INTERRUPT, MODE_BATCH, MODE_TIMER, MODE_POLL, MODE_DELAYED };
enum { QUOTA = 8 };                     // frames that a visit takes, and runs to completion (Click's burst)
enum { WIRE_FRAMES = 1640 };            // more than an Ethernet has in a second for each of its Mbit/s
enum { RECEIVE_BH = 10 };               // after NET_BH
enum { RTC_IRQ = 8, RTC_INDEX = 0x70, RTC_DATA = 0x71, NMI_OFF = 0x80, RTC_A = 10, RTC_B = 11, RTC_C = 12, RTC_PIE = 0x40 };
enum { SOURCES = ADAPTERS_MOST };
enum { SLOWEST = 2, FASTEST = 8192, RATE = 1024 };     // interrupts a second of the clock: powers of two

int receive_delayed, receive_polled;
int receive_direct;
struct skb_queue receive_taken;
static u32 mode, rate = RATE;
static struct {
    struct netdev *dev;
    irq_handler *service;
    int quota;                          // frames that a visit of its driver takes at most
} source[SOURCES];
static u32 sources;

// A driver that keeps its own interrupts out, besides what this file does, is in the middle of something. 1: the visit ended at
// its limit, there may be more.
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

// Frames that were taken, up the stack, up to `most`: how many.
__attribute__((noinline)) u32 receive_run(u32 most) {
    struct skb *b;
    u32 n = 0;
    while (n < most && (b = next_taken())) {
        net_deliver(b);
        n++;
        for (u32 at = 0; at < sources; at++)    // what waits to be sent is not to wait for all that came
            if (source[at].dev->queue.length)
                service(at);
        bh_run(NET_BH);
    }
    return n;
}

// ---- several frames per interrupt --------------------------------------------------------------
// The first frame interrupts, and masks its adapter. The bottom half takes frame for frame from the adapter up the stack
// until there is none, and lets it interrupt again. It gives way after two ticks, as net_bh() does, if there is somebody
// who wants the processor. A bottom half that is marked while bottom halves run is not run before the next interrupt in Linux 2.2,
// and the adapter's is masked then: the idle task looks for it, before it halts.
static void first_interrupt(int irq, void *dev, struct regs *r) {
    (void)dev, (void)r;
    disable_irq(irq);
    mark_bh(RECEIVE_BH);
}

static void receive_bottom_half(void) {
    u32 start = jiffies;
    int more;                           // also when no frame goes up, because all end in the driver (system/sink.c)
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
        schedule();                     // runs what is marked
    }
}

// ---- by a timer ---------------------------------------------------------------------------------
// The periodic interrupt of the clock chip, as Linux's rtc driver sets it: the tick keeps its 100 Hz.
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
    rtc_read(RTC_C);                    // takes the request back
    service_all();
}

static void start_clock(void) {
    u32 select = 3;                     // 8192 Hz, and half of it for each one more
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
    cli();                              // no interrupt may slip in between the test and the halt
    if (*flag && !current->sigpending && !(bh_mask & bh_active))
        __asm__ volatile("sti\n\thlt");
    sti();
}

// The idle task: a visit after the other, and whoever wants the processor between two of them.
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
    if (service == first_interrupt) {   // a shared line: its handlers are there already
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
