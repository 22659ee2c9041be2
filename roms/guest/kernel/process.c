// SPDX-License-Identifier: GPL-2.0-or-later
//
// Creates the two tasks: idle, which start.asm has begun, and the process with its memory. The ring-3 programs are
// copied from low memory, where the boot sector put them, to pages of the process.
#include "kernel.h"

enum { SLICE = 20 };                    // ticks, DEF_PRIORITY of Linux 2.2 at 100 Hz
enum { TSS_IDLE = 0x30, TSS_USER = 0x38 };
enum { USER_TEXT = 0x08048000, USER_DATA = 0x08080000 };    // programs/user.ld
enum { USER_STACK_TOP = 0xC0000000, USER_STACK_PAGES = 2 };
enum { ENVIRONMENT = 272 };             // bytes: a different environment size in each placement moves the stack

static struct task *const idle = &idle_union.task;

extern u64 gdt_table[];
extern u32 swapper_pg_dir[];
extern u8 ret_from_fork[];

static void set_tss(u32 selector, struct tss *t) {
    u32 a = (u32)t;
    gdt_table[selector >> 3] = (u64)(a << 16 | 0x67) |
                               (u64)((a & 0xFF000000) | 0x8900 | (a >> 16 & 0xFF)) << 32;
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
    const struct boot_programs *programs = virt(BOOT_PROGRAMS);
    union task_union *user_union = alloc_pages(4);
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

    u32 text = (programs->text_bytes + PAGE_SIZE - 1) / PAGE_SIZE;
    u32 data = (programs->data_bytes + PAGE_SIZE - 1) / PAGE_SIZE;
    u8 *pages = alloc_pages(text + data);
    memcpy(pages, virt(programs->address), programs->text_bytes);
    for (u32 i = 0; i < text; i++)
        mm_map_user(t->cr3, USER_TEXT + i * PAGE_SIZE, phys(pages) + i * PAGE_SIZE);
    for (u32 i = 0; i < data; i++)
        mm_map_user(t->cr3, USER_DATA + i * PAGE_SIZE, phys(pages) + (text + i) * PAGE_SIZE);
    for (u32 i = 1; i <= USER_STACK_PAGES; i++)
        mm_map_user(t->cr3, USER_STACK_TOP - i * PAGE_SIZE, phys(alloc_pages(1)));

    struct regs *r = (struct regs *)(user_union + 1) - 1;
    memset(r, 0, sizeof *r);
    r->ds = r->es = r->ss = 0x2B;
    r->cs = 0x23;
    r->eip = USER_TEXT;
    r->esp = USER_STACK_TOP - 16 - PLACEMENT * ENVIRONMENT;
    r->eflags = 0x202;
    r->orig_eax = ~0u;
    u32 *sp = (u32 *)r;
    *--sp = (u32)ret_from_fork;
    sp -= 4;                            // ebp, edi, esi, ebx
    t->esp = (u32)sp;
    t->state = TASK_RUNNING;
    sched_enqueue(t);
    current->need_resched = 1;
}
