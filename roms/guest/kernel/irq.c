// SPDX-License-Identifier: GPL-2.0-or-later
//
// 8259 pair, interrupt dispatch, bottom halves, exceptions.
//
// Accesses to the controllers have the order and number of Linux 2.2
// (docs/hardware/linux-2.2-network-path.md#port-accesses): an interrupt reads the mask register
// once (a dummy read), writes the mask, sends a specific EOI (to the slave, then for the cascade input),
// runs the handler and writes the mask again: 3 writes and 1 read for a master line (plus 1 EOI for
// a slave line). Masking or unmasking a line elsewhere is one write. ICW1 is 11h (edge) even on the
// Micro Channel: the planar remains level-triggered.
#include "kernel.h"
#include "linux_cost.h"

enum { PIC1 = 0x20, PIC1_MASK = 0x21, PIC2 = 0xA0, PIC2_MASK = 0xA1 };
enum { VECTOR_BASE = 0x20, LINES = IRQ_LINES };
enum { LINE_DISABLED = 1, LINE_IN_PROGRESS = 2 };

struct line {
    u32 status, depth;
    irq_handler *handler;
    int flags;
    void *dev;
    u32 count;
};
static struct line lines[LINES];
static u16 mask = 0xFFFF;

u32 local_irq_count, local_bh_count;
volatile u32 bh_mask, bh_active;
static void (*bh_function[32])(void);

static void write_mask(int irq) {
    if (irq & 8)
        outb((u8)(mask >> 8), PIC2_MASK);
    else
        outb((u8)mask, PIC1_MASK);
}

static void mask_and_acknowledge(int irq) {
    mask |= (u16)(1 << irq);
    if (irq & 8) {
        inb(PIC2_MASK);
        outb((u8)(mask >> 8), PIC2_MASK);
        outb((u8)(0x60 + (irq & 7)), PIC2);
        outb(0x62, PIC1);
    } else {
        inb(PIC1_MASK);
        outb((u8)mask, PIC1_MASK);
        outb((u8)(0x60 + irq), PIC1);
    }
}

static void unmask(int irq) {
    mask &= (u16)~(1 << irq);
    write_mask(irq);
}

void irq_init(void) {
    outb_p(0x11, PIC1);
    outb_p(0x11, PIC2);
    outb_p(VECTOR_BASE, PIC1_MASK);
    outb_p(VECTOR_BASE + 8, PIC2_MASK);
    outb_p(0x04, PIC1_MASK);
    outb_p(0x02, PIC2_MASK);
    outb_p(0x01, PIC1_MASK);
    outb_p(0x01, PIC2_MASK);
    mask = 0xFFFF & ~(1 << 2);          // the cascade stays open
    outb_p((u8)(mask >> 8), PIC2_MASK);
    outb_p((u8)mask, PIC1_MASK);
    for (int i = 0; i < LINES; i++)
        lines[i].status = LINE_DISABLED;
}

// One handler of a line that several adapters share, which the Micro Channel's level-triggered lines allow. All
// handlers run, in the order in which they were installed (Linux 2.2 arch/i386/kernel/irq.c), if all of them allow
// sharing (IRQF_SHARED).
struct action {
    struct action *next;
    irq_handler *handler;
    void *dev;
};
enum { ACTIONS = 8 };
static struct action actions[ACTIONS], *shared[LINES];
static u32 actions_used;

static void run_actions(int irq, void *dev, struct regs *r) {
    (void)dev;
    for (struct action *a = shared[irq]; a; a = a->next)
        a->handler(irq, a->dev, r);
}

static int add_action(int irq, irq_handler *handler, void *dev) {
    struct action **at = &shared[irq];
    if (actions_used == ACTIONS)
        return -1;
    while (*at)
        at = &(*at)->next;
    *at = &actions[actions_used++];
    (*at)->handler = handler;
    (*at)->dev = dev;
    return 0;
}

int request_irq(int irq, irq_handler *handler, int flags, void *dev) {
    u32 eflags;
    struct line *l = &lines[irq];
    if (l->handler) {
        if (!(l->flags & flags & IRQF_SHARED))
            return -1;
        if (!shared[irq] && add_action(irq, l->handler, l->dev))
            return -1;
        if (add_action(irq, handler, dev))
            return -1;
        l->handler = run_actions;
        return 0;
    }
    save_flags_cli(eflags);
    l->handler = handler;
    l->flags = flags;
    l->dev = dev;
    l->depth = 0;
    l->status &= ~(u32)LINE_DISABLED;
    unmask(irq);
    restore_flags(eflags);
    return 0;
}

u32 irq_count(int irq) { return lines[irq].count; }

void disable_irq(int irq) {
    u32 flags;
    save_flags_cli(flags);
    if (!lines[irq].depth++) {
        lines[irq].status |= LINE_DISABLED;
        mask |= (u16)(1 << irq);
        write_mask(irq);
    }
    restore_flags(flags);
}

void enable_irq(int irq) {
    u32 flags;
    save_flags_cli(flags);
    if (lines[irq].depth == 1) {
        lines[irq].status &= ~(u32)LINE_DISABLED;
        unmask(irq);
    }
    if (lines[irq].depth)
        lines[irq].depth--;
    restore_flags(flags);
}

static void run_handler(int irq, struct line *l, struct regs *r) {
    local_irq_count++;
    if (!(l->flags & IRQF_INTERRUPT))
        sti();
    l->handler(irq, l->dev, r);
    cli();
    local_irq_count--;
}

// As in Linux, a line without a handler and a disabled line stay masked.
void do_irq(struct regs *r) {
    int irq = (int)(r->orig_eax & 0xFF);
    struct line *l = &lines[irq];
    l->count++;
    mask_and_acknowledge(irq);
    if (l->handler && !(l->status & (LINE_DISABLED | LINE_IN_PROGRESS))) {
        l->status |= LINE_IN_PROGRESS;
        COST(irq_entry);
        run_handler(irq, l, r);
        l->status &= ~(u32)LINE_IN_PROGRESS;
        if (!(l->status & LINE_DISABLED))
            unmask(irq);
        COST(irq_exit);
    }
    if (bh_active & bh_mask)
        do_bottom_half();
}

void bh_init(int nr, void (*f)(void)) {
    bh_function[nr] = f;
    bh_mask |= 1u << nr;
}

// One at a time, never on top of an interrupt handler. A bottom half that is marked while the lock is held waits
// for the next interrupt, system call exit or schedule.
void do_bottom_half(void) {
    if (local_bh_count || local_irq_count)
        return;
    local_bh_count = 1;
    sti();
    u32 active = bh_active & bh_mask;
    __asm__ volatile("andl %1,%0" : "+m"(bh_active) : "r"(~active) : "memory");
    for (void (**f)(void) = bh_function; active; active >>= 1, f++)
        if (active & 1)
            (*f)();
    cli();
    local_bh_count = 0;
}

// ---- interrupt descriptor table -----------------------------------------------------------------
extern u8 irq_stubs[], exception_stubs[], system_call[];
static u64 idt[256];

static void set_gate(int n, u32 address, u32 type) {
    idt[n] = (u64)(0x10u << 16 | (address & 0xFFFF)) | (u64)((address & 0xFFFF0000) | type) << 32;
}

void idt_init(void) {
    struct {
        u16 limit;
        u32 base;
    } __attribute__((packed)) descriptor = {sizeof idt - 1, (u32)idt};
    for (int i = 0; i < 20; i++)
        set_gate(i, (u32)exception_stubs + (u32)i * 16, 0x8E00);
    for (int i = 0; i < LINES; i++)
        set_gate(VECTOR_BASE + i, (u32)irq_stubs + (u32)i * 16, 0x8E00);
    set_gate(0x80, (u32)system_call, 0xEF00);   // trap gate, accessible from ring 3
    __asm__ volatile("lidt %0" ::"m"(descriptor));
}

void do_exception(struct regs *r) {
    u32 cr2;
    __asm__ volatile("movl %%cr2,%0" : "=r"(cr2));
    fail("exception %u error %x at %x:%x address %x", r->eax, r->orig_eax, r->cs & 0xFFFF, r->eip,
         cr2);
}

irq_handler *irq_replace(int irq, irq_handler *handler) {
    irq_handler *old = lines[irq].handler;
    lines[irq].handler = handler;
    return old;
}

int irq_disabled(int irq) { return (int)lines[irq].depth; }

void bh_run(int nr) {
    u32 flags, marked;
    save_flags_cli(flags);
    marked = bh_active & bh_mask & 1u << nr;
    bh_active &= ~marked;
    restore_flags(flags);
    if (marked)
        bh_function[nr]();
}
