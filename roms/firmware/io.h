// SPDX-License-Identifier: GPL-2.0-or-later
// Types, ports, segments and far memory: everything that the C part of the firmware needs from the CPU.
//
// The C code is compiled for 16-bit segments (gcc -m16) and runs in real and virtual-8086 mode on
// the caller's stack. Segment rules, set up by the entry stubs in entry.asm:
//   SS = DS   the caller's stack, so locals may be addressed
//   FS = 0    interrupt vectors and BIOS data area (bda.h)
//   GS = CS   F000h, this ROM: constants are declared ROM and carry the __seg_gs qualifier
//   ES        free for the far_ functions below
// The linker script rejects .rodata, .data and .bss, so no constant can be accessed through DS.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef signed short s16;
typedef signed int s32;

#define ROM static const __seg_gs __attribute__((section(".romdata")))
typedef const __seg_gs char* RomText;
#define TEXT(s)                       \
    ({                                \
        ROM char text_[] = s;         \
        (RomText)text_;               \
    })

enum { rom_segment = 0xF000 };

// Register frame of a service, in the order in which the entry stub pushes it.
struct Regs {
    union { u32 edi; u16 di; };
    union { u32 esi; u16 si; };
    union { u32 ebp; u16 bp; };
    u32 pushad_esp;
    union { u32 ebx; u16 bx; struct { u8 bl, bh; }; };
    union { u32 edx; u16 dx; struct { u8 dl, dh; }; };
    union { u32 ecx; u16 cx; struct { u8 cl, ch; }; };
    union { u32 eax; u16 ax; struct { u8 al, ah; }; };
    u16 gs, fs, es, ds;
    u16 ip, cs, flags;
} __attribute__((packed));

enum { flag_carry = 0x0001, flag_zero = 0x0040, flag_interrupt = 0x0200 };

static inline void set_carry(struct Regs* r, int on)
{
    r->flags = on ? (r->flags | flag_carry) : (r->flags & ~flag_carry);
}

static inline void set_zero(struct Regs* r, int on)
{
    r->flags = on ? (r->flags | flag_zero) : (r->flags & ~flag_zero);
}

static inline u8 inb(u16 port)
{
    u8 value;
    asm volatile("inb %w1, %b0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline void outb(u16 port, u8 value)
{
    asm volatile("outb %b0, %w1" : : "a"(value), "Nd"(port));
}

// A register selected by an index port, whose data port is the next port.
static inline void out_indexed(u16 port, u8 index, u8 value)
{
    outb(port, index);
    outb(port + 1, value);
}

static inline void outw(u16 port, u16 value)
{
    asm volatile("outw %w0, %w1" : : "a"(value), "Nd"(port));
}

static inline void outl(u16 port, u32 value)
{
    asm volatile("outl %0, %w1" : : "a"(value), "Nd"(port));
}

static inline u16 inw(u16 port)
{
    u16 value;
    asm volatile("inw %w1, %w0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline u32 inl(u16 port)
{
    u32 value;
    asm volatile("inl %w1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline void cli(void) { asm volatile("cli" : : : "memory"); }
static inline void sti(void) { asm volatile("sti" : : : "memory"); }

static inline u32 save_flags_cli(void)
{
    u32 flags;
    asm volatile("pushfl\n\tpopl %0\n\tcli" : "=r"(flags) : : "memory");
    return flags;
}

static inline void restore_flags(u32 flags)
{
    asm volatile("pushl %0\n\tpopfl" : : "r"(flags) : "memory", "cc");
}

// If protection is enabled, a monitor is running us in virtual-8086 mode.
static inline int in_protected_mode(void)
{
    u16 msw;
    asm volatile("smsw %w0" : "=r"(msw));
    return msw & 1;
}

// --- far memory ---------------------------------------------------------------------------------

static inline u8 far_read8(u16 seg, u16 off)
{
    u8 value;
    asm volatile("movw %w1, %%es\n\tmovb %%es:(%2), %0"
                 : "=q"(value) : "r"(seg), "r"((u32)off) : "memory");
    return value;
}

static inline u16 far_read16(u16 seg, u16 off)
{
    u16 value;
    asm volatile("movw %w1, %%es\n\tmovw %%es:(%2), %0"
                 : "=r"(value) : "r"(seg), "r"((u32)off) : "memory");
    return value;
}

static inline u32 far_read32(u16 seg, u16 off)
{
    u32 value;
    asm volatile("movw %w1, %%es\n\tmovl %%es:(%2), %0"
                 : "=r"(value) : "r"(seg), "r"((u32)off) : "memory");
    return value;
}

static inline void far_write8(u16 seg, u16 off, u8 value)
{
    asm volatile("movw %w1, %%es\n\tmovb %0, %%es:(%2)"
                 : : "q"(value), "r"(seg), "r"((u32)off) : "memory");
}

static inline void far_write16(u16 seg, u16 off, u16 value)
{
    asm volatile("movw %w1, %%es\n\tmovw %w0, %%es:(%2)"
                 : : "r"(value), "r"(seg), "r"((u32)off) : "memory");
}

static inline void far_write32(u16 seg, u16 off, u32 value)
{
    asm volatile("movw %w1, %%es\n\tmovl %0, %%es:(%2)"
                 : : "r"(value), "r"(seg), "r"((u32)off) : "memory");
}

static inline void far_copy8(u16 dst_seg, u16 dst, u16 src_seg, u16 src, u16 bytes)
{
    u32 d = dst, s = src, n = bytes;
    asm volatile("pushw %%ds\n\tmovw %w3, %%es\n\tmovw %w4, %%ds\n\tcld\n\trep movsb\n\tpopw %%ds"
                 : "+D"(d), "+S"(s), "+c"(n) : "r"(dst_seg), "r"(src_seg) : "memory", "cc");
}

static inline void far_copy16(u16 dst_seg, u16 dst, u16 src_seg, u16 src, u16 words)
{
    u32 d = dst, s = src, n = words;
    asm volatile("pushw %%ds\n\tmovw %w3, %%es\n\tmovw %w4, %%ds\n\tcld\n\trep movsw\n\tpopw %%ds"
                 : "+D"(d), "+S"(s), "+c"(n) : "r"(dst_seg), "r"(src_seg) : "memory", "cc");
}

static inline void far_fill8(u16 seg, u16 off, u8 value, u16 bytes)
{
    u32 d = off, n = bytes;
    asm volatile("movw %w3, %%es\n\tcld\n\trep stosb"
                 : "+D"(d), "+c"(n) : "a"(value), "r"(seg) : "memory", "cc");
}

static inline void far_fill16(u16 seg, u16 off, u16 value, u16 words)
{
    u32 d = off, n = words;
    asm volatile("movw %w3, %%es\n\tcld\n\trep stosw"
                 : "+D"(d), "+c"(n) : "a"(value), "r"(seg) : "memory", "cc");
}

// A constant of this ROM read by its offset, for tables to which callers get pointers.
static inline u8 rom_read8(u16 off) { return *(const __seg_gs u8*)(u32)off; }
