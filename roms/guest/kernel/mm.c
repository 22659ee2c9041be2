// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory: all of it mapped at C0000000h, a page allocator that never takes pages back, object caches
// with a last-in first-out free list (what Linux's slab does in a steady state), and the page
// directory of the process. If the processor supports 4 MB pages, the kernel is mapped with them,
// as in Linux.
#include "kernel.h"

extern u32 swapper_pg_dir[1024];
extern u8 __free_memory[];               // kernel.ld

enum { PTE_PRESENT = 1, PTE_WRITE = 2, PTE_USER = 4, PTE_UNCACHED = 0x10, PDE_4MB = 0x80 };
enum { KERNEL_PDE = PAGE_OFFSET >> 22, MAX_MB = 16 };
enum { IO_PDE = KERNEL_PDE + 6 };       // 8 MB above the mapped RAM, as in Linux 2.2

static u32 next_free, end_of_memory;    // physical

int has_prefetch;

// CPUID exists if bit 21 of EFLAGS can be toggled; feature bit 3 = 4 MB pages. PREFETCHh came with SSE, in the Pentium
// III, family 6, model 7.
static int has_4mb_pages(void) {
    u32 before, after, a = 1, b, c, d;
    __asm__ volatile("pushfl\n\tpopl %0\n\tmovl %0,%1\n\txorl $0x200000,%1\n\tpushl %1\n\tpopfl\n\t"
                     "pushfl\n\tpopl %1\n\tpushl %0\n\tpopfl"
                     : "=&r"(before), "=&r"(after)::"cc");
    if (!((before ^ after) & 0x200000))
        return 0;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    has_prefetch = (a & 0xF00) == 0x600 && (a & 0xF0) >= 0x70;
    return (d >> 3) & 1;
}

void mm_init(void) {
    u32 extended = boot_params.extended_kb;
    if (extended > (MAX_MB - 1) * 1024)
        extended = (MAX_MB - 1) * 1024;
    end_of_memory = 0x100000 + extended * 1024;
    next_free = phys(__free_memory);
    if (next_free + 0x40000 > end_of_memory)
        fail("not enough memory: %u KB above 1 MB", extended);

    u32 tables = (end_of_memory + 0x3FFFFF) >> 22;
    if (has_4mb_pages()) {
        u32 cr4;
        __asm__ volatile("movl %%cr4,%0\n\torl $0x10,%0\n\tmovl %0,%%cr4" : "=&r"(cr4));
        for (u32 i = 0; i < tables; i++)
            swapper_pg_dir[KERNEL_PDE + i] = i << 22 | PDE_4MB | PTE_WRITE | PTE_PRESENT;
    } else {
        for (u32 i = 1; i < tables; i++) {
            u32 *table = alloc_pages(1);
            for (u32 j = 0; j < 1024; j++)
                table[j] = (i << 22 | j << 12) | PTE_WRITE | PTE_PRESENT;
            swapper_pg_dir[KERNEL_PDE + i] = phys(table) | PTE_WRITE | PTE_PRESENT;
        }
    }
    u32 cr3;
    __asm__ volatile("movl %%cr3,%0\n\tmovl %0,%%cr3" : "=r"(cr3)::"memory");
}

static void *take_pages(u32 count) {
    u32 at = next_free;
    if (count * PAGE_SIZE > end_of_memory - at)
        fail("out of memory");
    next_free += count * PAGE_SIZE;
    return virt(at);
}

void *alloc_pages(u32 count) { return memset(take_pages(count), 0, count * PAGE_SIZE); }

// One page table is enough: the adapters of a machine have a few KB each. An unmapped page follows each area.
volatile void *ioremap(u32 physical, u32 bytes) {
    static u32 *table, used;
    u32 offset = physical & (PAGE_SIZE - 1), pages = (offset + bytes + PAGE_SIZE - 1) / PAGE_SIZE, first = used;
    if (!table) {
        table = alloc_pages(1);
        swapper_pg_dir[IO_PDE] = phys(table) | PTE_WRITE | PTE_PRESENT;
    }
    if (pages >= 1024 - used)
        fail("no room to map %u bytes of an adapter", bytes);
    for (u32 n = 0; n < pages; n++)
        table[used++] = (physical - offset + n * PAGE_SIZE) | PTE_UNCACHED | PTE_WRITE | PTE_PRESENT;
    used++;
    return (volatile u8 *)((u32)IO_PDE << 22 | first * PAGE_SIZE | offset);
}

// Refills a cache that has run out with a page of objects, or with one object larger than a page. NULL: no memory.
static void *grow(struct cache *c) {
    u32 pages = c->size > PAGE_SIZE ? c->size / PAGE_SIZE : 1;
    if (next_free + pages * PAGE_SIZE > end_of_memory)
        return NULL;
    u8 *page = c->raw ? take_pages(pages) : alloc_pages(pages);
    for (u32 at = pages * PAGE_SIZE / c->size; at-- > 1;) {
        *(void **)(page + at * c->size) = c->free;
        c->free = page + at * c->size;
    }
    return page;
}

void *cache_alloc(struct cache *c) {
    u32 flags;
    save_flags_cli(flags);
    void *object = c->free;
    if (unlikely(!object)) {
        object = grow(c);
    } else {
        c->free = *(void **)object;
    }
    restore_flags(flags);
    return object;
}

void cache_free(struct cache *c, void *object) {
    u32 flags;
    save_flags_cli(flags);
    *(void **)object = c->free;
    c->free = object;
    restore_flags(flags);
}

u32 mm_new_directory(void) {
    u32 *dir = alloc_pages(1);
    memcpy(dir + KERNEL_PDE, swapper_pg_dir + KERNEL_PDE, (1024 - KERNEL_PDE) * 4);
    return phys(dir);
}

static void map_user(u32 directory, u32 address, u32 entry) {
    u32 *dir = virt(directory);
    if (!dir[address >> 22])
        dir[address >> 22] = phys(alloc_pages(1)) | PTE_USER | PTE_WRITE | PTE_PRESENT;
    u32 *table = virt(dir[address >> 22] & ~0xFFFu);
    table[(address >> 12) & 1023] = entry | PTE_USER | PTE_PRESENT;
}

void mm_map_user(u32 directory, u32 address, u32 page) { map_user(directory, address, page | PTE_WRITE); }

void mm_map_zeros(u32 directory, u32 address) {
    static u32 zeros;                   // its address
    if (!zeros)
        zeros = phys(alloc_pages(1));
    map_user(directory, address, zeros);
}
