// SPDX-License-Identifier: GPL-2.0-or-later
#include "fdc.h"

enum {
    dor = 0x3F2, msr = 0x3F4, fifo = 0x3F5, dir = 0x3F7, ccr = 0x3F7,
    dor_run = 0x0C,                        // not in reset; bit 3 matters on other machines only
    pic1_mask = 0x21,
    msr_ready = 0x80, msr_to_cpu = 0x40, msr_busy = 0x10,
    command_specify = 0x03, command_recalibrate = 0x07, command_sense = 0x08,
    command_read_id = 0x4A, command_seek = 0x0F, command_perpendicular = 0x12,
    byte_refreshes = 2000,                 // 30 ms for the controller to accept or supply a byte
    interrupt_ticks = 37,                  // 2 s
    interrupt_seen = 0x80,
};

u8 diskette_parameter(int index)
{
    return far_read8(vector_segment(0x1E), (u16)(vector_offset(0x1E) + index));
}

static int send(u8 value)
{
    for (u32 n = 0; n < byte_refreshes; ++n) {
        if ((inb(msr) & (msr_ready | msr_to_cpu)) == msr_ready) {
            outb(fifo, value);
            return 1;
        }
        delay_refreshes(1);
    }
    return 0;
}

static int receive(u8* value)
{
    for (u32 n = 0; n < byte_refreshes; ++n) {
        if ((inb(msr) & (msr_ready | msr_to_cpu)) == (msr_ready | msr_to_cpu)) {
            *value = inb(fifo);
            return 1;
        }
        delay_refreshes(1);
    }
    return 0;
}

void diskette_interrupt(struct Regs* r)
{
    (void)r;
    bda->diskette_seek |= interrupt_seen;
    // Micro Channel interrupts are level-triggered, and the controller asserts this one until its status is
    // read, which happens outside the handler: masked until somebody waits for the next interrupt.
    outb(pic1_mask, inb(pic1_mask) | 1 << 6);
    pic_eoi(6);
    u32 ax = 0x9101;
    asm volatile("int $0x15" : "+a"(ax) : : "memory", "cc");
}

static void expect_interrupt(void) { bda->diskette_seek &= (u8)~interrupt_seen; }

static int wait_interrupt(void)
{
    u32 ax = 0x9001;
    asm volatile("int $0x15" : "+a"(ax) : : "memory", "cc");
    u32 start = bda->ticks;
    cli();
    outb(pic1_mask, inb(pic1_mask) & ~(1 << 6));
    sti();
    // The second bound applies if no timer interrupt arrives.
    for (u32 loops = 0; loops < 200000; ++loops) {
        cli();
        if (bda->diskette_seek & interrupt_seen) {
            expect_interrupt();
            sti();
            return 1;
        }
        if (ticks_since(start) > interrupt_ticks)
            break;
        wait_for_interrupt();
    }
    sti();
    return 0;
}

static int sense_interrupt(u8* st0, u8* cylinder)
{
    return send(command_sense) && receive(st0) && ((*st0 & 0xC0) == 0x80 || receive(cylinder));
}

static u8 motor_bits(void) { return (u8)((bda->diskette_motor & 0x0F) << 4); }

static void select(u8 drive)
{
    bda->diskette_motor = (u8)((bda->diskette_motor & 0xCF) | drive << 4);
    outb(dor, motor_bits() | dor_run | drive);
}

u8 fdc_reset(void)
{
    u8 drive = (bda->diskette_motor >> 4) & 3, st0, cylinder;
    cli();
    bda->diskette_seek = 0;                // every drive needs a recalibration
    outb(dor, motor_bits() | (dor_run & ~0x04) | drive);
    delay_us(20);
    outb(dor, motor_bits() | dor_run | drive);
    sti();
    u8 status = wait_interrupt() ? diskette_ok : diskette_controller;
    for (int i = 0; i < 4 && status == diskette_ok; ++i)
        if (!sense_interrupt(&st0, &cylinder) || (st0 & 0xC0) != 0xC0)
            status = diskette_controller;
    if (status == diskette_ok
        && !(send(command_specify) && send(diskette_parameter(0)) && send(diskette_parameter(1))))
        status = diskette_controller;
    return status;
}

void fdc_motor_on(u8 drive, int writing)
{
    cli();
    bda->diskette_motor_ticks = 0xFF;      // keep the motor on meanwhile
    u8 mask = (u8)(1 << drive), running = bda->diskette_motor & mask;
    bda->diskette_motor = (u8)(mask | (writing ? 0x80 : 0));
    select(drive);
    sti();
    if (running)
        return;
    // Hook for multitasking software: carry set = it has already waited.
    u32 ax = 0x90FD;
    u8 waited;
    asm volatile("clc\n\tint $0x15\n\tsetc %1" : "+a"(ax), "=q"(waited) : : "memory", "cc");
    if (!waited)
        sleep_ticks(diskette_parameter(10) * 37u / 16 + 2);  // eighths of a second: 2.28 ticks each
}

void fdc_motor_timeout(void) { bda->diskette_motor_ticks = diskette_parameter(2); }

// Timer interrupt: turns the motors off when the count expires.
void motor_tick(void)
{
    if (bda->diskette_motor_ticks && --bda->diskette_motor_ticks == 0) {
        bda->diskette_motor &= 0xF0;
        outb(dor, dor_run | ((bda->diskette_motor >> 4) & 3));
    }
}

void fdc_set_rate(u8 rate, int perpendicular)
{
    outb(ccr, rate);
    bda->diskette_rate = (u8)(rate << 6);
    if (perpendicular && send(command_perpendicular))
        send(rate == rate_1000 ? 0x03 : 0x00);
}

int fdc_change_line(u8 drive)
{
    select(drive);
    return (inb(dir) & 0x80) != 0;
}

static u8 finish_move(u8 wanted_cylinder)
{
    u8 st0, cylinder = 0xFF;
    if (!wait_interrupt())
        return diskette_timeout;
    if (!sense_interrupt(&st0, &cylinder))
        return diskette_controller;
    if ((st0 & 0xE0) != 0x20 || cylinder != wanted_cylinder)
        return diskette_seek_failed;
    return diskette_ok;
}

u8 fdc_recalibrate(u8 drive)
{
    u8 status = diskette_seek_failed;
    // One command gives up after 79 steps; a second one reaches track 0 from any track.
    for (int tries = 0; tries < 2 && status == diskette_seek_failed; ++tries) {
        expect_interrupt();
        if (!send(command_recalibrate) || !send(drive))
            return diskette_controller;
        status = finish_move(0);
    }
    if (status == diskette_ok) {
        bda->diskette_seek |= (u8)(1 << drive);
        bda->diskette_track[drive] = 0;
    }
    return status;
}

u8 fdc_seek(u8 drive, u8 cylinder, u8 head)
{
    u8 status;
    if (!(bda->diskette_seek & (1 << drive))) {
        status = fdc_recalibrate(drive);
        if (status != diskette_ok)
            return status;
        if (cylinder == 0)
            delay_ms(diskette_parameter(9));
    }
    if (bda->diskette_track[drive] == cylinder)
        return diskette_ok;
    expect_interrupt();
    if (!send(command_seek) || !send((u8)(head << 2 | drive)) || !send(cylinder))
        return diskette_controller;
    status = finish_move(cylinder);
    if (status == diskette_ok) {
        bda->diskette_track[drive] = cylinder;
        delay_ms(diskette_parameter(9));
    } else {
        bda->diskette_seek &= (u8)~(1 << drive);
    }
    return status;
}

static u8 decode_result(void)
{
    u8 st0 = bda->diskette_result[0], st1 = bda->diskette_result[1];
    if ((st0 & 0xC0) == 0)
        return diskette_ok;
    if ((st0 & 0xC0) != 0x40)
        return diskette_controller;
    if (st1 & 0x80)
        return diskette_sector_not_found;  // beyond the last sector
    if (st1 & 0x20)
        return diskette_crc;
    if (st1 & 0x10)
        return diskette_dma_overrun;
    if (st1 & 0x04)
        return diskette_sector_not_found;
    if (st1 & 0x02)
        return diskette_write_protected;
    if (st1 & 0x01)
        return diskette_no_address_mark;
    return diskette_controller;
}

u8 fdc_execute(const u8* command, int length)
{
    expect_interrupt();
    for (int i = 0; i < length; ++i)
        if (!send(command[i]))
            return diskette_controller;
    if (!wait_interrupt())
        return diskette_timeout;
    for (int i = 0; i < 7; ++i) {
        u8 value;
        if (!receive(&value))
            return diskette_controller;
        bda->diskette_result[i] = value;
    }
    return decode_result();
}

u8 fdc_read_id(u8 drive, u8 head)
{
    u8 command[2] = {command_read_id, (u8)(head << 2 | drive)};
    return fdc_execute(command, 2);
}

void fdc_start_dma(u8 mode, u32 address, u32 bytes)
{
    u32 count = bytes - 1;
    u32 flags = save_flags_cli();
    outb(0x0A, 0x06);                      // mask channel 2
    outb(0x0C, 0);
    outb(0x0B, mode);
    outb(0x04, (u8)address);
    outb(0x04, (u8)(address >> 8));
    outb(0x81, (u8)(address >> 16));
    outb(0x05, (u8)count);
    outb(0x05, (u8)(count >> 8));
    outb(0x0A, 0x02);
    restore_flags(flags);
}

u32 fdc_dma_left(void)
{
    u32 flags = save_flags_cli();
    outb(0x0A, 0x06);
    outb(0x0C, 0);
    u32 low = inb(0x05), high = inb(0x05);
    restore_flags(flags);
    return ((high << 8 | low) + 1) & 0xFFFF;
}
