// SPDX-License-Identifier: GPL-2.0-or-later
// Timer tick (INT 08h), clock interrupt (INT 70h), time of day (INT 1Ah), and the event wait of
// INT 15h 83h, which uses the clock's periodic interrupt.
#include "board.h"
#include "firmware.h"

enum {
    ticks_per_day = 0x1800B0,
    update_in_progress = 0x80,
    b_set = 0x80, b_periodic = 0x40, b_alarm = 0x20, b_24_hours = 0x02,
    periodic_us = 976,
    wait_running = 0x01, wait_done = 0x80,
};

void timer_tick(struct Regs* r)
{
    (void)r;
    u32 ticks = bda->ticks + 1;
    if (ticks >= ticks_per_day) {
        ticks = 0;
        bda->midnight = 1;
        u16 day = far_read16(ebda_segment, ebda_clock_day);
        far_write16(ebda_segment, ebda_clock_day, (u16)(day + 1));
    }
    bda->ticks = ticks;
    motor_tick();
    board_timer_served();
    asm volatile("int $0x1C" : : : "memory");
    cli();
    pic_eoi(0);
}

static u8 from_bcd(u8 value) { return (u8)((value >> 4) * 10 + (value & 15)); }

static int bcd_in(u8 value, u8 low, u8 high)
{
    return (value & 15) < 10 && value >= low && value <= high;
}

// Waits until an update is over, at most 2.3 ms; 0 = the clock is stopped.
static int clock_readable(void)
{
    for (int n = 0; n < 400; ++n) {
        if (!(cmos_read(cmos_status_a) & update_in_progress))
            return 1;
        delay_refreshes(1);
    }
    return 0;
}

static u32 ticks_of_day(u8 hours, u8 minutes, u8 seconds)
{
    u32 total = ((u32)hours * 60 + minutes) * 60 + seconds;
    // 1193182 / 65536 ticks per second = 18 + 13534 / 65536
    return total * 18 + (total >> 8) * 13534 / 256 + (total & 0xFF) * 13534 / 65536;
}

// POST: start the clock chip, check its time, set the tick count.
void clock_init(void)
{
    cmos_write(cmos_status_a, 0x26);       // 32.768 kHz, periodic rate 1024 Hz
    cmos_write(cmos_status_b, b_24_hours);
    cmos_read(cmos_status_c);
    int good = clock_readable();
    u8 s = cmos_read(0), m = cmos_read(2), h = cmos_read(4);
    u8 day = cmos_read(7), month = cmos_read(8), year = cmos_read(9), century = cmos_read(cmos_century);
    good = good && bcd_in(s, 0, 0x59) && bcd_in(m, 0, 0x59) && bcd_in(h, 0, 0x23)
        && bcd_in(day, 1, 0x31) && bcd_in(month, 1, 0x12) && bcd_in(year, 0, 0x99);
    (void)century;
    if (good) {
        bda->ticks = ticks_of_day(from_bcd(h), from_bcd(m), from_bcd(s));
    } else {
        diagnostic_set(diagnostic_clock);
        post_error(error_clock, TEXT("Date and time are not set"), no_slot);
    }
    bda->midnight = 0;
}

void clock_interrupt(struct Regs* r)
{
    (void)r;
    u8 cause = cmos_read(cmos_status_c);   // reading clears IRQ 8
    u8 enabled = cmos_read(cmos_status_b);
    nmi_enable();
    if ((cause & b_periodic) && (enabled & b_periodic)) {
        u32 left = bda->wait_count;
        if (left > periodic_us) {
            bda->wait_count = left - periodic_us;
        } else {
            cmos_write(cmos_status_b, enabled & ~b_periodic);
            nmi_enable();
            bda->wait_count = 0;
            bda->wait_active = 0;
            u16 seg = bda->wait_pointer_seg, off = bda->wait_pointer_off;
            far_write8(seg, off, far_read8(seg, off) | wait_done);
        }
    }
    pic_eoi(8);
    if ((cause & b_alarm) && (enabled & b_alarm))
        asm volatile("int $0x4A" : : : "memory");
}

// INT 15h 83h: AL = 0 start, 1 cancel.
void event_wait(struct Regs* r)
{
    if (r->al == 1) {
        cmos_write(cmos_status_b, cmos_read(cmos_status_b) & ~b_periodic);
        nmi_enable();
        bda->wait_active = 0;
        r->ah = 0;
        set_carry(r, 0);
        return;
    }
    if (r->al != 0 || (bda->wait_active & wait_running)) {
        r->ah = r->al ? 0x86 : 0x83;
        set_carry(r, 1);
        return;
    }
    u32 flags = save_flags_cli();
    bda->wait_pointer_seg = r->es;
    bda->wait_pointer_off = r->bx;
    bda->wait_count = (u32)r->cx << 16 | r->dx;
    bda->wait_active = wait_running;
    cmos_read(cmos_status_c);
    cmos_write(cmos_status_b, cmos_read(cmos_status_b) | b_periodic);
    nmi_enable();
    pic_unmask(8);
    restore_flags(flags);
    r->ah = 0;
    set_carry(r, 0);
}

static void set_clock(u8 on)
{
    u8 b = cmos_read(cmos_status_b);
    cmos_write(cmos_status_b, on ? b & ~b_set : b | b_set);
}

static void set_alarm(struct Regs* r)
{
    u8 b = cmos_read(cmos_status_b);
    if (b & b_alarm) {
        set_carry(r, 1);
        return;
    }
    cmos_write(1, r->dh);
    cmos_write(3, r->cl);
    cmos_write(5, r->ch);
    cmos_read(cmos_status_c);
    cmos_write(cmos_status_b, b | b_alarm);
    pic_unmask(8);
}

void clock_service(struct Regs* r)
{
    sti();
    if (board_time_service(r))
        return;
    set_carry(r, 0);
    u8 function = r->ah;
    if (function == 0x02 || function == 0x04 || function == 0x06) {
        if (!clock_readable()) {
            nmi_enable();
            set_carry(r, 1);
            return;
        }
    }
    switch (function) {
    case 0x00: {
        u32 flags = save_flags_cli();
        r->dx = (u16)bda->ticks;
        r->cx = (u16)(bda->ticks >> 16);
        r->al = bda->midnight;
        bda->midnight = 0;
        restore_flags(flags);
        return;
    }
    case 0x01: {
        u32 flags = save_flags_cli();
        bda->ticks = (u32)r->cx << 16 | r->dx;
        bda->midnight = 0;
        restore_flags(flags);
        r->ah = 0;
        return;
    }
    case 0x02:
        r->dh = cmos_read(0);
        r->cl = cmos_read(2);
        r->ch = cmos_read(4);
        r->dl = cmos_read(cmos_status_b) & 1;
        break;
    case 0x03:
        set_clock(0);
        cmos_write(0, r->dh);
        cmos_write(2, r->cl);
        cmos_write(4, r->ch);
        cmos_write(cmos_status_b, (u8)((cmos_read(cmos_status_b) & 0x60) | b_24_hours | (r->dl & 1)));
        break;
    case 0x04:
        r->dl = cmos_read(7);
        r->dh = cmos_read(8);
        r->cl = cmos_read(9);
        r->ch = cmos_read(cmos_century);
        break;
    case 0x05:
        set_clock(0);
        cmos_write(7, r->dl);
        cmos_write(8, r->dh);
        cmos_write(9, r->cl);
        cmos_write(cmos_century, r->ch);
        set_clock(1);
        break;
    case 0x06: set_alarm(r); break;
    case 0x07: cmos_write(cmos_status_b, cmos_read(cmos_status_b) & ~b_alarm); break;
    case 0x09:
        r->dh = cmos_read(1);
        r->cl = cmos_read(3);
        r->ch = cmos_read(5);
        r->dl = cmos_read(cmos_status_b) & b_alarm ? 1 : 0;
        break;
    case 0x0A: r->cx = far_read16(ebda_segment, ebda_clock_day); return;
    case 0x0B: far_write16(ebda_segment, ebda_clock_day, r->cx); return;
    default: set_carry(r, 1); return;
    }
    nmi_enable();
}
