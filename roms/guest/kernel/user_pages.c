// SPDX-License-Identifier: GPL-2.0-or-later
//
// Looks up pages of the process before the kernel writes to them. Linux 2.2 does that only on a 386 (__verify_write;
// read): from the 486 on, CR0.WP makes ring-0 writes to read-only pages fault, too, and the fault is caught.
#include "linux_cost.h"
#include "kernel.h"

enum { PTE_PRESENT = 1, PTE_WRITE = 2, PTE_USER = 4, PTE_ALL = PTE_PRESENT | PTE_WRITE | PTE_USER };

// Bit 18 of EFLAGS (alignment check) exists if and only if CR0.WP does; a 386 has neither.
static int has_write_protect(void) {
    static int known;                   // 1: no, 2: yes
    if (!known) {
        u32 before, after;
        __asm__ volatile("pushfl\n\tpopl %0\n\tmovl %0,%1\n\txorl $0x40000,%1\n\tpushl %1\n\tpopfl\n\t"
                         "pushfl\n\tpopl %1\n\tpushl %0\n\tpopfl"
                         : "=&r"(before), "=&r"(after)::"cc");
        known = (before ^ after) & 0x40000 ? 2 : 1;
    }
    return known == 2;
}

int verify_write(const void *to, u32 n) {
    u32 at = (u32)to, last = at + n - 1;
    if (has_write_protect() || !n)
        return 0;
    for (at &= ~(PAGE_SIZE - 1); at <= last; at += PAGE_SIZE) {
        const u32 *directory = virt(current->cr3);
        u32 entry = directory[at >> 22];
        COST(verify_page);
        if ((entry & PTE_ALL) != PTE_ALL)
            return -EFAULT;
        entry = ((const u32 *)virt(entry & ~(PAGE_SIZE - 1)))[at >> 12 & 1023];
        if ((entry & PTE_ALL) != PTE_ALL)
            return -EFAULT;
    }
    return 0;
}
