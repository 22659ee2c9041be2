// SPDX-License-Identifier: GPL-2.0-or-later
//
// The kernel's basic definitions: types, register frame, tasks, time, interrupts, memory, console.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;

#define NULL ((void *)0)
#define PAGE_OFFSET 0xC0000000u
#define PAGE_SIZE 4096u
#define virt(p) ((void *)((u32)(p) + PAGE_OFFSET))
#define phys(p) ((u32)(p) - PAGE_OFFSET)
#define offsetof(t, m) __builtin_offsetof(t, m)
#define unlikely(x) __builtin_expect(!!(x), 0)

enum { HZ = 100 };                      // ticks per second, as in Linux on i386
enum { PIT_HZ = 1193180, LATCH = (PIT_HZ + HZ / 2) / HZ };

enum {                                  // error numbers of the Linux system call interface
    EINTR = 4, EBADF = 9, EAGAIN = 11, ENOMEM = 12, EFAULT = 14, EINVAL = 22, EMFILE = 24, EPIPE = 32, EPROTO = 71,
    EMSGSIZE = 90, ENOSYS = 38, EADDRINUSE = 98, ECONNRESET = 104, ENOBUFS = 105, EISCONN = 106, ENOTCONN = 107,
    ETIMEDOUT = 110, ECONNREFUSED = 111, EHOSTUNREACH = 113, ERESTARTSYS = 512
};

// The registers that entry.asm saves on the kernel stack.
struct regs {
    u32 ebx, ecx, edx, esi, edi, ebp, eax, ds, es, orig_eax, eip, cs, eflags, esp, ss;
};

// ---- tasks (sched.c) ----------------------------------------------------------------------------
enum { TASK_RUNNING = 0, TASK_INTERRUPTIBLE = 1 };

struct tss {
    u32 link, esp0, ss0, esp1, ss1, esp2, ss2, cr3, eip, eflags, eax, ecx, edx, ebx, esp, ebp, esi,
        edi, es, cs, ss, ds, fs, gs, ldt;
    u16 trap, bitmap;
};

struct timer {
    struct timer *next;
    int pending;
    u32 expires;                        // jiffies
    void (*function)(u32 data);
    u32 data;
};

struct task {                           // entry.asm knows the first eight words
    volatile u32 state;
    volatile u32 sigpending;
    volatile u32 need_resched;
    u32 esp;
    u32 cr3;
    u32 tss_selector;
    u32 fs, gs;
    int pid;
    int counter, priority;              // time slice, in ticks
    struct task *next_run, *prev_run;   // on the run queue if next_run is set
    struct tss tss;
    struct timer alarm;
    u32 alarm_handler, alarm_restorer;  // ring-3 addresses
};

union task_union {
    struct task task;
    u32 stack[2048];                    // 8 KB, aligned: current is found from the stack pointer
};

static inline struct task *current_task(void) {
    struct task *t;
    __asm__("andl %%esp,%0" : "=r"(t) : "0"(~8191u));
    return t;
}
#define current current_task()

struct wait_entry {
    struct task *task;
    struct wait_entry *next;
};
struct wait_queue {
    struct wait_entry *first;
};

extern union task_union idle_union;
extern u32 context_switches;
void schedule(void);
void cpu_idle(void) __attribute__((noreturn));
int wake_up(struct wait_queue *q);      // returns the number of tasks woken
void wake_up_task(struct task *t);
void wait_add(struct wait_queue *q, struct wait_entry *e);
void wait_remove(struct wait_queue *q, struct wait_entry *e);
void sched_enqueue(struct task *t);

// process.c
void sched_init(void);
void spawn_user(void);

// ---- time (timer.c) -----------------------------------------------------------------------------
extern volatile u32 jiffies;
extern u32 busy_ticks;                  // ticks charged to a process
void load_count_interrupts(void);       // from now on also charge ticks in interrupts on top of idle
struct timeval {
    u32 sec, usec;
};
void timer_init(void);
void timer_set(struct timer *t, u32 expires);
void timer_del(struct timer *t);
void get_time(struct timeval *tv);
void udelay_spin(u32 microseconds);

// Halts until an interrupt handler has set *flag (returns 1) or `ticks` ticks have passed (returns 0). For start-up
// only: with a process running it would block everything else.
int wait_for(const volatile int *flag, u32 ticks);

// ---- interrupts (irq.c) -------------------------------------------------------------------------
enum { IRQ_LINES = 16 };
enum { IRQF_INTERRUPT = 1, IRQF_SHARED = 2 };   // handler runs with interrupts off; line may be shared
void irq_init(void);
void idt_init(void);
typedef void irq_handler(int irq, void *dev, struct regs *r);
int request_irq(int irq, irq_handler *handler, int flags, void *dev);     // not 0: the line is taken
// Replaces the line's handler and returns the old one.
irq_handler *irq_replace(int irq, irq_handler *handler);
// system_cost.c: what other systems execute in addition to Linux 2.2, in instructions
struct system_path {
    u8 *code;                           // copies of linux_cost.asm's bodies
    u32 bodies;                         // number of bodies to run, one copy after another
};
struct system_path system_path(u32 instructions);
void system_cost_run(const struct system_path *path);
static inline void system_cost(const struct system_path *path) {
    if (path->bodies)
        system_cost_run(path);
}
void system_cost_of_interrupt(int irq, u32 instructions);  // before the line's current handler
u32 irq_count(int irq);                 // interrupts taken on the line
int irq_disabled(int irq);              // number of disable_irq() calls not yet undone by enable_irq()
void bh_run(int nr);                    // if it is marked; for callers that meanwhile keep bottom halves out
void disable_irq(int irq);
void enable_irq(int irq);
void do_irq(struct regs *r);

enum { TIMER_BH = 0, NET_BH = 9 };      // Linux 2.2's numbers: the loop over them has a cost
extern volatile u32 bh_mask, bh_active;
extern u32 local_bh_count, local_irq_count;
void bh_init(int nr, void (*f)(void));
void do_bottom_half(void);
static inline void mark_bh(int nr) {
    __asm__ volatile("btsl %1,%0" : "+m"(bh_active) : "Ir"(nr) : "memory");
}
#define barrier() __asm__ volatile("" ::: "memory")
static inline void bh_atomic_begin(void) { local_bh_count++; barrier(); }
static inline void bh_atomic_end(void) { barrier(); local_bh_count--; }

// ---- processor and ports ------------------------------------------------------------------------
#define cli() __asm__ volatile("cli" ::: "memory")
#define sti() __asm__ volatile("sti" ::: "memory")
#define save_flags(f) __asm__ volatile("pushfl ; popl %0" : "=g"(f)::"memory")
#define restore_flags(f) __asm__ volatile("pushl %0 ; popfl" ::"g"(f) : "memory", "cc")
#define save_flags_cli(f) __asm__ volatile("pushfl ; popl %0 ; cli" : "=g"(f)::"memory")

static inline void outb(u8 v, u16 port) { __asm__ volatile("outb %0,%1" ::"a"(v), "Nd"(port)); }
static inline u8 inb(u16 port) {
    u8 v;
    __asm__ volatile("inb %1,%0" : "=a"(v) : "Nd"(port));
    return v;
}
// The "slow" forms: an additional write to port 80h, a full bus cycle, as in Linux's _p macros.
static inline void outb_p(u8 v, u16 port) {
    __asm__ volatile("outb %0,%1\n\toutb %%al,$0x80" ::"a"(v), "Nd"(port));
}
static inline u8 inb_p(u16 port) {
    u8 v;
    __asm__ volatile("inb %1,%0\n\toutb %%al,$0x80" : "=a"(v) : "Nd"(port));
    return v;
}
static inline void outw(u16 v, u16 port) { __asm__ volatile("outw %0,%1" ::"a"(v), "Nd"(port)); }
static inline u16 inw(u16 port) {
    u16 v;
    __asm__ volatile("inw %1,%0" : "=a"(v) : "Nd"(port));
    return v;
}
static inline void outl(u32 v, u16 port) { __asm__ volatile("outl %0,%1" ::"a"(v), "Nd"(port)); }
static inline u32 inl(u16 port) {
    u32 v;
    __asm__ volatile("inl %1,%0" : "=a"(v) : "Nd"(port));
    return v;
}
static inline void insw(u16 port, void *to, u32 words) {
    __asm__ volatile("cld\n\trep insw" : "+D"(to), "+c"(words) : "d"(port) : "memory");
}
static inline void outsw(u16 port, const void *from, u32 words) {
    __asm__ volatile("cld\n\trep outsw" : "+S"(from), "+c"(words) : "d"(port) : "memory");
}
static inline void insl(u16 port, void *to, u32 dwords) {
    __asm__ volatile("cld\n\trep insl" : "+D"(to), "+c"(dwords) : "d"(port) : "memory");
}
static inline void outsl(u16 port, const void *from, u32 dwords) {
    __asm__ volatile("cld\n\trep outsl" : "+S"(from), "+c"(dwords) : "d"(port) : "memory");
}

// Copies to and from an adapter's memory with the instructions of Linux 2.2's inline memcpy:
// doublewords, then a word and a byte as the length requires; short constant lengths by single moves.
static inline void memcpy_io(volatile void *to, const volatile void *from, u32 n) {
    if (__builtin_constant_p(n) && n % 4 == 0 && n <= 20 && n != 0) {
        for (u32 i = 0; i < n / 4; i++)
            ((volatile u32 *)to)[i] = ((const volatile u32 *)from)[i];
    } else if (__builtin_constant_p(n) && n % 4 == 0) {
        u32 words = n / 4;
        __asm__ volatile("cld\n\trep movsl" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
    } else {
        u32 words = n / 4;
        __asm__ volatile("cld\n\trep movsl\n\ttestb $2,%b3\n\tje 1f\n\tmovsw\n"
                         "1:\ttestb $1,%b3\n\tje 2f\n\tmovsb\n2:"
                         : "+D"(to), "+S"(from), "+c"(words)
                         : "q"(n)
                         : "memory", "cc");
    }
}
#define memcpy_toio memcpy_io
#define memcpy_fromio memcpy_io

// ---- byte order: the 386 has no BSWAP -----------------------------------------------------------
static inline u32 htonl(u32 x) {
    __asm__("xchgb %b0,%h0\n\troll $16,%0\n\txchgb %b0,%h0" : "+q"(x) : : "cc");
    return x;
}
static inline u16 htons(u16 x) {
    __asm__("xchgb %b0,%h0" : "+q"(x));
    return x;
}
#define ntohl htonl
#define ntohs htons

// a * b / c with a 64-bit product; the quotient must fit in 32 bits
static inline u32 mul_div(u32 a, u32 b, u32 c) {
    u32 q, r;
    __asm__("mull %3\n\tdivl %4" : "=a"(q), "=&d"(r) : "0"(a), "rm"(b), "rm"(c) : "cc");
    return q;
}

// ---- memory (mm.c, string.c) --------------------------------------------------------------------
void mm_init(void);
extern int has_prefetch;                // the processor fetches by PREFETCHh
static inline void prefetch(const volatile void *at) {
    __asm__ volatile("prefetcht0 %0" ::"m"(*(const volatile u8 *)at));
}
void *alloc_pages(u32 count);           // zeroed, physically contiguous; panics if memory runs out
// Maps registers of an adapter above the RAM, uncached. For probes only: the process's page directory is a copy of the
// mappings that exist before it starts.
volatile void *ioremap(u32 physical, u32 bytes);
struct cache {
    u32 size;
    void *free;
    int raw;                            // 1: new objects keep the old contents of memory, as kmalloc()'s do; 0: zeroed
};
void *cache_alloc(struct cache *c);     // NULL if memory runs out
void cache_free(struct cache *c, void *object);
u32 mm_new_directory(void);
void mm_map_user(u32 directory, u32 address, u32 page);
void mm_map_zeros(u32 directory, u32 address);  // a page of zeros shared by all pages that are read and never written

void *memcpy(void *to, const void *from, u32 n);
void *memset(void *to, int value, u32 n);
int memcmp(const void *a, const void *b, u32 n);
u32 strlen(const char *s);
int strncmp(const char *a, const char *b, u32 n);
int format(char *to, u32 room, const char *f, __builtin_va_list ap);
int sformat(char *to, u32 room, const char *f, ...) __attribute__((format(printf, 3, 4)));

// 0 if [p, p + n) lies in ring-3 space. A hole in it causes a page fault, which fails the run.
static inline int bad_user(const void *p, u32 n) {
    u32 a = (u32)p;
    return a >= PAGE_OFFSET || n > PAGE_OFFSET - a;
}

// 0 if the kernel may write there: checked page by page on a 386 (user_pages.c), elsewhere by the processor.
int verify_write(const void *to, u32 n);

// ---- console (console.c) ------------------------------------------------------------------------
void console_init(void);
void console_interrupts(void);                  // from here on the writer of a line waits halted
void console_write(const char *text, u32 n);    // screen and COM1
void serial_write(const char *text, u32 n);     // COM1 only: the machine-readable lines
void serial_defer(int on);                      // 1: queued and sent from the tick; 0: sent at once
void serial_tick(void);
void serial_flush(void);
void printk(const char *f, ...) __attribute__((format(printf, 1, 2)));
// A truncated record loses its line feed, and with it the next record: the longest must fit.
enum { REPORT_LINE = 256 };
void report(const char *f, ...) __attribute__((format(printf, 1, 2)));
// For a format with `fields` numbers of up to ten digits, each of which replaces two characters.
#define REPORT_FITS(f, fields) _Static_assert(sizeof(f) + (fields) * 8 <= REPORT_LINE, "a record may be cut off")
void fail(const char *f, ...) __attribute__((format(printf, 1, 2), noreturn));

// ---- what the firmware said (main.c fills it in) ------------------------------------------------
struct boot_params {                    // boot/setup.asm
    u16 base_kb, extended_kb;
    u8 drive, pad[3];
    u16 table_length;
    u8 model, submodel, revision, feature[5];
};
extern struct boot_params boot_params;
extern char __placement[];              // kernel.ld: not an address, but the number of this kernel's placement
#define PLACEMENT ((u32)__placement)
enum { BOOT_PROGRAMS = 0x618 };         // physical address of boot/setup.asm's description of the ring-3 programs
struct boot_programs {
    u32 address, text_bytes, data_bytes;
};
