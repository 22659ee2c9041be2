// SPDX-License-Identifier: GPL-2.0-or-later
// Interrupt controllers, timer and DMA set-up, interrupt vectors, NMI, and the interrupts that only need an
// acknowledgement. Interrupts of the Micro Channel (docs/hardware/micro-channel.md#interrupts) and of PCI are
// level-sensitive: a source that is not serviced would interrupt again forever, so the default handler masks it.
#include "board.h"
#include "firmware.h"

enum {
    pic1 = 0x20, pic2 = 0xA0,
    eoi = 0x20, read_in_service = 0x0B,
    port_b = 0x61, port_a = 0x92,
};

void pic_init(u8 master_base, u8 slave_base)
{
    outb(pic1, board_icw1);
    outb(pic2, board_icw1);
    outb(pic1 + 1, master_base);
    outb(pic2 + 1, slave_base);
    outb(pic1 + 1, 0x04);    // slave at input 2
    outb(pic2 + 1, 0x02);
    outb(pic1 + 1, 0x01);    // 8086 mode, normal end of interrupt
    outb(pic2 + 1, 0x01);
    outb(pic1 + 1, 0xFB);    // all masked except the cascade
    outb(pic2 + 1, 0xFF);
}

void pic_eoi(int irq)
{
    if (irq >= 8)
        outb(pic2, eoi);
    outb(pic1, eoi);
}

void pic_unmask(int irq)
{
    u16 port = irq >= 8 ? pic2 + 1 : pic1 + 1;
    outb(port, (u8)(inb(port) & ~(1 << (irq & 7))));
}

void pic_mask(int irq)
{
    u16 port = irq >= 8 ? pic2 + 1 : pic1 + 1;
    outb(port, (u8)(inb(port) | 1 << (irq & 7)));
}

// Channel 0: mode 3, count 65536, 18.2 Hz.
void pit_init(void)
{
    outb(0x43, 0x36);
    outb(0x40, 0);
    outb(0x40, 0);
    outb(0x43, 0xB6);
    outb(0x42, 0x33);        // 1331: 896 Hz, the beep
    outb(0x42, 0x05);
    board_timer_init();
}

void dma_init(void)
{
    outb(0x0D, 0);           // master clear
    outb(0xDA, 0);
    outb(0x0F, 0x0F);        // all channels masked
    outb(0xDE, 0x0F);
}

void vectors_init(void)
{
    for (u16 vector = 0; vector < 256; ++vector)
        set_vector((u8)vector, rom_segment, rom_offset(iret_entry));
    for (u8 irq = 0; irq < 8; ++irq) {
        set_vector((u8)(0x08 + irq), rom_segment, rom_offset(unexpected_entry));
        set_vector((u8)(0x70 + irq), rom_segment, rom_offset(unexpected_entry));
    }
    set_vector(0x02, rom_segment, rom_offset(int02_entry));
    set_vector(0x05, rom_segment, rom_offset(int05_entry));
    set_vector(0x08, rom_segment, rom_offset(int08_entry));
    set_vector(0x09, rom_segment, rom_offset(int09_entry));
    set_vector(0x0A, rom_segment, rom_offset(int0a_entry));
    set_vector(0x0E, rom_segment, rom_offset(int0e_entry));
    set_vector(0x10, rom_segment, rom_offset(int10_entry));
    set_vector(0x11, rom_segment, rom_offset(int11_entry));
    set_vector(0x12, rom_segment, rom_offset(int12_entry));
    set_vector(0x13, rom_segment, rom_offset(int13_entry));
    set_vector(0x14, rom_segment, rom_offset(int14_entry));
    set_vector(0x15, rom_segment, rom_offset(int15_entry));
    set_vector(0x16, rom_segment, rom_offset(int16_entry));
    set_vector(0x17, rom_segment, rom_offset(int17_entry));
    set_vector(0x18, rom_segment, rom_offset(int18_entry));
    set_vector(0x19, rom_segment, rom_offset(int19_entry));
    set_vector(0x1A, rom_segment, rom_offset(int1a_entry));
    set_vector(0x1E, rom_segment, rom_offset(diskette_parameters));
    set_vector(0x40, rom_segment, rom_offset(int13_entry));
    set_vector(0x42, rom_segment, rom_offset(int10_entry));
    set_vector(0x41, ebda_segment, ebda_disk_table0);
    set_vector(0x46, ebda_segment, ebda_disk_table1);
    set_vector(0x70, rom_segment, rom_offset(int70_entry));
    set_vector(0x71, rom_segment, rom_offset(int71_entry));
    set_vector(0x74, rom_segment, rom_offset(int74_entry));
    set_vector(0x75, rom_segment, rom_offset(int75_entry));
    set_vector(0x76, rom_segment, rom_offset(int76_entry));
    for (u8 vector = 0x60; vector < 0x68; ++vector)
        set_vector(vector, 0, 0);  // for user programs, empty by convention
}

static u8 in_service(u16 pic)
{
    outb(pic, read_in_service);
    return inb(pic);
}

void unexpected_interrupt(struct Regs* r)
{
    (void)r;
    u8 master = in_service(pic1);
    u8 slave = in_service(pic2);
    u8 seen = 0xFF;          // nothing in service: a software interrupt or a spurious one
    if (slave) {
        seen = slave;
        outb(pic2 + 1, inb(pic2 + 1) | slave);
        outb(pic2, eoi);
        outb(pic1, eoi);
    } else if (master) {
        seen = master;
        outb(pic1 + 1, inb(pic1 + 1) | (master & 0xFB));
        outb(pic1, eoi);
    }
    bda->last_interrupt = seen;
}

// Vector 0Ah: nobody has hooked IRQ 9; int71_entry has acknowledged the second controller.
void unexpected_irq9(struct Regs* r)
{
    (void)r;
    if (in_service(pic1)) {
        pic_mask(9);
        outb(pic1, eoi);
        bda->last_interrupt = 0x02;
    }
}

void fpu_interrupt(struct Regs* r)
{
    (void)r;
    outb(0xF0, 0);
    pic_eoi(13);
    asm volatile("int $0x02" : : : "memory");
}

void disk_interrupt(struct Regs* r)
{
    (void)r;
    bda->disk_interrupt = 0xFF;
    pic_mask(14);            // disk.c polls; nothing here waits for it
    pic_eoi(14);
}

// Parity and channel check are cleared through their disable bits in port
// 61h.
void nmi(struct Regs* r)
{
    (void)r;
    u8 b = inb(port_b), a = inb(port_a), central = board_arbitration();
    if (b & 0x80)
        print(TEXT("\n110 Parity check\n"));
    if (b & 0x40)
        print(TEXT("\n111 Channel check\n"));
    if (a != 0xFF && (a & 0x10))
        print(TEXT("\n112 Watchdog time-out\n"));
    if (central != 0xFF && (central & 0x20))
        print(TEXT("\n113 Bus time-out\n"));
    if (b & 0xC0) {
        outb(port_b, (b & 0x0F) | 0x0C);
        outb(port_b, b & 0x03);
    }
    board_arbitrate_again(central);
}
