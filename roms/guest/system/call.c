// SPDX-License-Identifier: GPL-2.0-or-later
//
// System calls (INT 80h, number in EAX, arguments in EBX, ECX, EDX: calls.h), the alarm signal, files. A process has a
// table of files: the console, the log, and its sockets. write() on a connection is the measured path: call -> file ->
// socket -> TCP.
#include "calls.h"
#include "linux_cost.h"
#include "ip_fragment.h"
#include "system.h"
#include "tcp.h"

struct file files[FILES];

static int write_console(struct file *f, const u8 *from, u32 n) {
    (void)f;
    console_write((const char *)from, n);
    return (int)n;
}

static int write_log(struct file *f, const u8 *from, u32 n) {
    (void)f;
    serial_write((const char *)from, n);
    return (int)n;
}

int write_socket(struct file *f, const u8 *from, u32 n) {
    return tcp_sendmsg(f->sk, from, n);
}

static int sys_write(struct regs r) {
    struct file *f = get_file(r.ebx);
    if (!f)
        return -EBADF;
    if (bad_user((void *)r.ecx, r.edx))
        return -EFAULT;
    if (!r.edx)
        return 0;
    COST(write_entry);
    int done = f->write(f, (const u8 *)r.ecx, r.edx);
    COST(write_exit);
    return done;
}

static int sys_read(struct regs r) {
    struct sock *sk = file_socket(r.ebx);
    if (!sk)
        return -EBADF;
    if (bad_user((void *)r.ecx, r.edx))
        return -EFAULT;
    return tcp_recvmsg(sk, (u8 *)r.ecx, r.edx);
}

static void alarm_rings(u32 data) {
    struct task *t = (struct task *)data;
    t->sigpending = 1;
    wake_up_task(t);
}

// EBX = microseconds (0 cancels), ECX = handler, EDX = restorer. Rounded up to ticks, like setitimer.
static int sys_alarm(struct regs r) {
    struct task *t = current;
    timer_del(&t->alarm);
    t->alarm_handler = r.ecx;
    t->alarm_restorer = r.edx;
    t->alarm.function = alarm_rings;
    t->alarm.data = (u32)t;
    if (r.ebx)
        timer_set(&t->alarm, jiffies + (r.ebx + 1000000 / HZ - 1) / (1000000 / HZ));
    return 0;
}

static int sys_time(struct regs r) {
    if (bad_user((void *)r.ebx, sizeof(struct timeval)))
        return -EFAULT;
    get_time((struct timeval *)r.ebx);
    return 0;
}

static int sys_ticks(struct regs r) {   // as in /proc/stat: all ticks, and those of processes
    if (bad_user((void *)r.ebx, 8))
        return -EFAULT;
    u32 *to = (u32 *)r.ebx;
    to[0] = jiffies;
    to[1] = busy_ticks;
    return 0;
}

static int sys_settings(struct regs r) {
    if (bad_user((void *)r.ebx, SETTINGS_BYTES))
        return -EFAULT;
    memcpy((void *)r.ebx, settings_text, SETTINGS_BYTES);
    return 0;
}

// EBX = 1: a measurement is running, and COM1 output waits for the tick.
static int sys_measure(struct regs r) {
    serial_defer((int)r.ebx);
    return 0;
}

static int sys_counters(struct regs r) {
    (void)r;
    net_report_adapters();
    forward_report();
    net_report_counters();
    return 0;
}

// Return from the signal handler: the saved frame is on the user's stack.
static int sys_sigreturn(struct regs r) {
    struct regs *frame = (struct regs *)((u32)(current) + sizeof(union task_union)) - 1;
    if (bad_user((void *)r.esp, sizeof *frame))
        fail("bad signal frame");
    struct regs saved;
    memcpy(&saved, (void *)r.esp, sizeof saved);
    frame->ebx = saved.ebx, frame->ecx = saved.ecx, frame->edx = saved.edx;
    frame->esi = saved.esi, frame->edi = saved.edi, frame->ebp = saved.ebp;
    frame->eip = saved.eip, frame->esp = saved.esp;
    frame->eflags = (saved.eflags & 0xDD5) | 0x202;
    frame->orig_eax = ~0u;
    return (int)saved.eax;
}

// Delivers the alarm that a blocked or finished call, or a tick, finds pending on its return to ring 3.
void do_signal(struct regs *r) {
    struct task *t = current;
    if ((r->cs & 3) != 3 || !t->sigpending)
        return;
    t->sigpending = 0;
    if ((s32)r->orig_eax >= 0 && r->eax == (u32)-ERESTARTSYS) {
        r->eax = r->orig_eax;
        r->eip -= 2;                    // restart INT 80h after the handler
    }
    u32 sp = r->esp - sizeof *r;
    if (bad_user((void *)sp, sizeof *r))
        fail("no room for a signal frame");
    memcpy((void *)sp, r, sizeof *r);
    sp -= 4;
    *(u32 *)sp = t->alarm_restorer;
    r->esp = sp;
    r->eip = t->alarm_handler;
}

static __attribute__((noreturn)) int sys_exit(struct regs r) {
    serial_defer(0);
    report("@done %d\n", (int)r.ebx);
    printk("done\n");
    serial_flush();
    current->state = TASK_INTERRUPTIBLE;
    for (;;)
        schedule();
}

// More memory for the process, in its state in Linux 2.2 after it was touched (do_anonymous_page; read): addresses that
// are only read share a single page of zeros, and those that are written have pages of their own.
static int sys_heap(struct regs r) {
    enum { HEAP = 0x09000000, HEAP_PAGES = 16384 };
    static u32 used;                    // pages
    u32 begin = HEAP + used * PAGE_SIZE, pages = r.ebx;
    if (pages > HEAP_PAGES - used)
        return -ENOMEM;
    u32 own = r.ecx ? phys(alloc_pages(pages)) : 0;
    for (u32 at = 0; at < pages * PAGE_SIZE; at += PAGE_SIZE)
        if (r.ecx)
            mm_map_user(current->cr3, begin + at, own + at);
        else
            mm_map_zeros(current->cr3, begin + at);
    used += pages;
    return (int)begin;
}

static int sys_pause(struct regs r) {   // sleeps until the alarm expires
    (void)r;
    while (!current->sigpending) {
        cli();
        if (!current->sigpending)
            current->state = TASK_INTERRUPTIBLE;
        sti();
        schedule();
    }
    current->state = TASK_RUNNING;
    return -EINTR;
}

_Static_assert(CALLS == 33, "NR_CALLS in entry.asm");
int (*const call_table[CALLS])(struct regs r) = {
    [CALL_EXIT] = sys_exit, [CALL_WRITE] = sys_write, [CALL_READ] = sys_read,
    [CALL_CONNECT] = sys_connect, [CALL_CLOSE] = sys_close, [CALL_ALARM] = sys_alarm,
    [CALL_TIME] = sys_time, [CALL_TICKS] = sys_ticks, [CALL_SETTINGS] = sys_settings,
    [CALL_MEASURE] = sys_measure, [CALL_SIGRETURN] = sys_sigreturn, [CALL_COUNTERS] = sys_counters,
    [CALL_PAUSE] = sys_pause, [CALL_LISTEN] = sys_listen, [CALL_ACCEPT] = sys_accept,
    [CALL_SOCKET] = sys_socket, [CALL_SEND_BUFFER] = sys_send_buffer, [CALL_SHUTDOWN] = sys_shutdown,
    [CALL_RECEIVE] = sys_receive, [CALL_ACCEPT_UNTIL] = sys_accept_until, [CALL_LEAVE] = sys_leave,
    [CALL_UDP_SOCKET] = sys_udp_socket, [CALL_UDP_BIND] = sys_udp_bind, [CALL_UDP_CONNECT] = sys_udp_connect,
    [CALL_UDP_SEND] = sys_udp_send, [CALL_UDP_RECEIVE] = sys_udp_receive, [CALL_UDP_COUNTERS] = sys_udp_counters,
    [CALL_SINK] = sys_sink, [CALL_FORWARDED] = sys_forwarded, [CALL_SEND_FRAMES] = sys_send_frames,
    [CALL_BUFFER] = sys_buffer, [CALL_BIND] = sys_bind, [CALL_HEAP] = sys_heap,
};

void files_init(void) {
    files[FD_CONSOLE].write = write_console;
    files[FD_LOG].write = write_log;
}
