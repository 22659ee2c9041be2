// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two tasks: idle (pid 0) and the ring-3 program (pid 1), each with its own kernel stack and task
// state segment, the program with its own page directory. Wait queues and the rules of Linux 2.2:
// a woken task runs when the present one blocks, exhausts its slice or is idle; the idle task halts
// until an interrupt and then asks the scheduler.
//
// Not modelled: more than one program, priorities, real-time classes.
#include "kernel.h"
#include "linux_cost.h"

enum { SLICE = 20 };                    // ticks, DEF_PRIORITY of Linux 2.2 at 100 Hz
enum { TSS_IDLE = 0x30, TSS_USER = 0x38 };
enum { USER_TEXT = 0x08048000, USER_STACK_TOP = 0xC0000000, USER_STACK_PAGES = 2 };

union task_union idle_union __attribute__((section(".data.task"), aligned(8192)));
static struct task *const idle = &idle_union.task;
static union task_union *user_union;
u32 context_switches;

extern u64 gdt_table[];
extern u32 swapper_pg_dir[];
extern void switch_to(struct task *prev, struct task *next);
extern u8 ret_from_fork[], user_image[], user_image_end[];
extern const u32 user_bytes;            // image and zeroed data

static void set_tss(u32 selector, struct tss *t) {
    u32 a = (u32)t;
    gdt_table[selector >> 3] = (u64)(a << 16 | 0x67) |
                               (u64)((a & 0xFF000000) | 0x8900 | (a >> 16 & 0xFF)) << 32;
}

static void enqueue(struct task *t) {
    t->next_run = idle->next_run;
    t->prev_run = idle;
    idle->next_run->prev_run = t;
    idle->next_run = t;
}

static void dequeue(struct task *t) {
    t->next_run->prev_run = t->prev_run;
    t->prev_run->next_run = t->next_run;
    t->next_run = NULL;
}

void sched_init(void) {
    idle->next_run = idle->prev_run = idle;
    idle->counter = -100;
    idle->cr3 = phys(swapper_pg_dir);
    idle->tss_selector = TSS_IDLE;
    idle->tss.ss0 = 0x18;
    idle->tss.esp0 = (u32)(&idle_union + 1);
    idle->tss.bitmap = sizeof(struct tss);
    set_tss(TSS_IDLE, &idle->tss);
    __asm__ volatile("ltr %w0" ::"r"(TSS_IDLE));
}

void spawn_user(void) {
    user_union = alloc_pages(4);
    user_union = (void *)(((u32)user_union + 8191) & ~8191u);
    struct task *t = &user_union->task;
    t->pid = 1;
    t->counter = t->priority = SLICE;
    t->cr3 = mm_new_directory();
    t->tss_selector = TSS_USER;
    t->tss.ss0 = 0x18;
    t->tss.esp0 = (u32)(user_union + 1);
    t->tss.bitmap = sizeof(struct tss);
    set_tss(TSS_USER, &t->tss);

    u32 pages = (user_bytes + PAGE_SIZE - 1) / PAGE_SIZE;
    u8 *image = alloc_pages(pages);
    memcpy(image, user_image, (u32)(user_image_end - user_image));
    for (u32 i = 0; i < pages; i++)
        mm_map_user(t->cr3, USER_TEXT + i * PAGE_SIZE, phys(image) + i * PAGE_SIZE);
    for (u32 i = 1; i <= USER_STACK_PAGES; i++)
        mm_map_user(t->cr3, USER_STACK_TOP - i * PAGE_SIZE, phys(alloc_pages(1)));

    struct regs *r = (struct regs *)(user_union + 1) - 1;
    memset(r, 0, sizeof *r);
    r->ds = r->es = r->ss = 0x2B;
    r->cs = 0x23;
    r->eip = USER_TEXT;
    r->esp = USER_STACK_TOP - 16;
    r->eflags = 0x202;
    r->orig_eax = ~0u;
    u32 *sp = (u32 *)r;
    *--sp = (u32)ret_from_fork;
    sp -= 4;                            // ebp, edi, esi, ebx
    t->esp = (u32)sp;
    t->state = TASK_RUNNING;
    enqueue(t);
    current->need_resched = 1;
}

static int goodness(struct task *t) {
    return t->counter ? t->counter + t->priority : 0;
}

void schedule(void) {
    struct task *prev, *next, *t;
    int best;
    sti();
    prev = current;
    if (local_irq_count)
        fail("scheduling in an interrupt");
    if (bh_mask & bh_active)
        do_bottom_half();
    sti();
    COST(schedule);
    cli();
    if (prev->state == TASK_INTERRUPTIBLE && prev->sigpending)
        prev->state = TASK_RUNNING;
    if (prev->state != TASK_RUNNING && prev->next_run)
        dequeue(prev);
    prev->need_resched = 0;
again:
    next = idle;
    best = -1000;
    for (t = idle->next_run; t != idle; t = t->next_run) {
        int g = goodness(t);
        if (g > best) {
            best = g;
            next = t;
        }
    }
    if (!best) {                        // all slices used up: deal new ones
        for (t = idle->next_run; t != idle; t = t->next_run)
            t->counter = (t->counter >> 1) + t->priority;
        goto again;
    }
    sti();
    if (next != prev) {
        context_switches++;
        switch_to(prev, next);
    }
}

void wake_up_task(struct task *t) {
    u32 flags;
    save_flags_cli(flags);
    t->state = TASK_RUNNING;
    if (!t->next_run) {
        enqueue(t);
        if (goodness(t) > goodness(current))
            current->need_resched = 1;
    }
    restore_flags(flags);
}

void wake_up(struct wait_queue *q) {
    for (struct wait_entry *e = q->first; e; e = e->next)
        if (e->task->state == TASK_INTERRUPTIBLE)
            wake_up_task(e->task);
}

void wait_add(struct wait_queue *q, struct wait_entry *e) {
    u32 flags;
    save_flags_cli(flags);
    e->next = q->first;
    q->first = e;
    restore_flags(flags);
}

void wait_remove(struct wait_queue *q, struct wait_entry *e) {
    u32 flags;
    save_flags_cli(flags);
    for (struct wait_entry **p = &q->first; *p; p = &(*p)->next)
        if (*p == e) {
            *p = e->next;
            break;
        }
    restore_flags(flags);
}

void cpu_idle(void) {
    for (;;) {
        cli();                          // no interrupt may slip in between the test and the halt
        if (!current->need_resched)
            __asm__ volatile("sti\n\thlt");
        sti();
        schedule();
    }
}
