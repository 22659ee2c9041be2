// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two tasks: idle (pid 0) and the ring-3 program (pid 1), each with its own kernel stack and task
// state segment, the program with its own page directory. Wait queues and the rules of Linux 2.2:
// a woken task runs when the current one blocks, exhausts its slice or is idle; the idle task halts
// until an interrupt and then calls the scheduler.
//
// Not modelled: more than one program, priorities, real-time classes.
#include "kernel.h"
#include "linux_cost.h"

union task_union idle_union __attribute__((aligned(8192)));
static struct task *const idle = &idle_union.task;
// The task that runs or, once it has been chosen, is about to run: a task woken afterwards is compared with it.
static struct task *chosen = &idle_union.task;
u32 context_switches;

extern void switch_to(struct task *prev, struct task *next);

void sched_enqueue(struct task *t) {
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
    if (!best) {                        // all time slices used up: assign new ones
        for (t = idle->next_run; t != idle; t = t->next_run)
            t->counter = (t->counter >> 1) + t->priority;
        goto again;
    }
    chosen = next;
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
        sched_enqueue(t);
        if (goodness(t) > goodness(chosen))
            chosen->need_resched = 1;
    }
    restore_flags(flags);
}

int wake_up(struct wait_queue *q) {
    int woken = 0;
    for (struct wait_entry *e = q->first; e; e = e->next)
        if (e->task->state == TASK_INTERRUPTIBLE) {
            wake_up_task(e->task);
            woken++;
        }
    return woken;
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
        cli();                          // no interrupt may come between the test and the halt
        if (!current->need_resched)
            __asm__ volatile("sti\n\thlt");
        sti();
        schedule();
    }
}
