// SPDX-License-Identifier: GPL-2.0-or-later
// INT 14h (serial), INT 17h (parallel), INT 05h (print screen), and detection of the ports.
#include "firmware.h"

enum {  // UART registers
    thr = 0, ier = 1, iir = 2, lcr = 3, mcr = 4, lsr = 5, msr = 6,
    lcr_divisor = 0x80, lsr_ready = 0x01, lsr_empty = 0x20, msr_cts = 0x10, msr_dsr = 0x20,
    serial_timeout = 0x80,
};

static u16 port_of(u16 number) { return number < 4 ? bda->com[number] : 0; }

// Time-outs are counts in the BDA; one unit is a quarter second here.
static int wait_bits(u16 port, u8 mask, u8 units)
{
    u32 refreshes = (units ? units : 1) * 16534u;
    for (;; --refreshes) {
        if ((inb(port) & mask) == mask)
            return 1;
        if (!refreshes)
            return 0;
        delay_refreshes(1);
    }
}

static void set_line(u16 port, u16 divisor, u8 line)
{
    outb(port + lcr, lcr_divisor);
    outb(port, (u8)divisor);
    outb(port + 1, (u8)(divisor >> 8));
    outb(port + lcr, line);
    outb(port + ier, 0);
}

void serial_service(struct Regs* r)
{
    ROM u16 divisors[] = {1047, 768, 384, 192, 96, 48, 24, 12, 6};
    u16 port = port_of(r->dx);
    sti();
    if (!port)
        return;
    u8 units = bda->com_timeout[r->dx];
    switch (r->ah) {
    case 0x00:
        set_line(port, divisors[r->al >> 5], r->al & 0x1F);
        break;
    case 0x01:
        outb(port + mcr, 0x03);
        if (!wait_bits(port + msr, msr_cts | msr_dsr, units)
            || !wait_bits(port + lsr, lsr_empty, units)) {
            r->ah = inb(port + lsr) | serial_timeout;
            return;
        }
        outb(port + thr, r->al);
        r->ah = inb(port + lsr);
        return;
    case 0x02:
        outb(port + mcr, 0x01);
        if (!wait_bits(port + msr, msr_dsr, units) || !wait_bits(port + lsr, lsr_ready, units)) {
            r->ah = inb(port + lsr) | serial_timeout;
            return;
        }
        r->ah = inb(port + lsr) & 0x1E;
        r->al = inb(port + thr);
        return;
    case 0x03: break;
    case 0x04: {   // extended: AL break, BH parity, BL stop bits, CH length, CL speed
        ROM u8 parities[] = {0x00, 0x08, 0x18, 0x28, 0x38};
        if (r->bh > 4 || r->bl > 1 || r->ch > 3 || r->cl > 8)
            break;
        set_line(port, divisors[r->cl],
                 (u8)(parities[r->bh] | r->bl << 2 | r->ch | (r->al ? 0x40 : 0)));
        break;
    }
    case 0x05:     // modem control: AL = 0 read, 1 write
        if (r->al == 1)
            outb(port + mcr, r->bl & 0x1F);
        else
            r->bl = inb(port + mcr);
        break;
    default: return;
    }
    r->ah = inb(port + lsr);
    r->al = inb(port + msr);
}

enum { printer_timeout = 0x01, printer_busy = 0x80, control_strobe = 0x01, control_init = 0x04,
       control_select = 0x08 };

// Status as returned by INT 17h: bits 6 and 3 inverted, unused bits 0.
static u8 printer_status(u16 port) { return (inb(port + 1) ^ 0x48) & 0xF8; }

static u8 print_byte(u16 number, u8 value)
{
    u16 port = bda->lpt[number];
    outb(port, value);
    u8 units = bda->lpt_timeout[number];
    if (!wait_bits(port + 1, printer_busy, units))
        return printer_status(port) | printer_timeout;
    u32 flags = save_flags_cli();
    outb(port + 2, control_select | control_init | control_strobe);
    delay_refreshes(1);
    outb(port + 2, control_select | control_init);
    restore_flags(flags);
    return printer_status(port);
}

void printer_service(struct Regs* r)
{
    sti();
    if (r->dx > 2 || !bda->lpt[r->dx])
        return;
    u16 port = bda->lpt[r->dx];
    switch (r->ah) {
    case 0x00: r->ah = print_byte(r->dx, r->al); break;
    case 0x01:
        outb(port + 2, control_select);
        delay_ms(1);
        outb(port + 2, control_select | control_init);
        r->ah = printer_status(port);
        break;
    case 0x02: r->ah = printer_status(port); break;
    default: break;
    }
}

// INT 05h. 0050:0000 is 1 while it runs, FFh after an error.
void print_screen(struct Regs* r)
{
    (void)r;
    sti();
    if (far_read8(0x50, 0) == 1 || !bda->lpt[0] || !video_is_text())
        return;
    far_write8(0x50, 0, 1);
    u8 failed = 0;
    u16 from = bda->video_page_start, columns = bda->video_columns;
    for (u16 row = 0; row <= bda->video_rows && !failed; ++row) {
        for (u16 column = 0; column < columns && !failed; ++column) {
            u8 c = far_read8(video_segment(), (u16)(from + (row * columns + column) * 2));
            failed = print_byte(0, c ? c : ' ') & printer_timeout;
        }
        failed |= print_byte(0, '\r') & printer_timeout;
        failed |= print_byte(0, '\n') & printer_timeout;
    }
    far_write8(0x50, 0, failed ? 0xFF : 0);
}

// A UART retains two interrupt enable bits; an absent one reads as a floating bus.
static int uart_present(u16 port)
{
    outb(port + lcr, 0x03);
    outb(port + ier, 0x05);
    int present = inb(port + ier) == 0x05;
    outb(port + ier, 0x00);
    return present && inb(port + ier) == 0x00;
}

static int parallel_present(u16 port)
{
    outb(port, 0xAA);
    int present = inb(port) == 0xAA;
    outb(port, 0x55);
    return present && inb(port) == 0x55;
}

void serial_parallel_init(void)
{
    ROM u16 serial[] = {0x3F8, 0x2F8};
    ROM u16 parallel[] = {0x3BC, 0x378, 0x278};
    u8 found = 0;
    for (int i = 0; i < 2; ++i)
        if (uart_present(serial[i]))
            bda->com[found++] = serial[i];
    bda->equipment |= (u16)(found << 9);
    found = 0;
    for (int i = 0; i < 3; ++i)
        if (parallel_present(parallel[i])) {
            outb((u16)(parallel[i] + 2), control_select | control_init);
            bda->lpt[found++] = parallel[i];
        }
    bda->equipment |= (u16)(found << 14);
    for (int i = 0; i < 4; ++i) {
        bda->lpt_timeout[i] = 20;
        bda->com_timeout[i] = 1;
    }
}
