// SPDX-License-Identifier: GPL-2.0-or-later
//
// Screen (VGA text memory at B8000h) and COM1 (115200 8N1). The screen scrolls as Linux 2.2's does (vgacon.c), by the
// CRTC's start address, so a message that a driver prints in its interrupt handler does not copy the screen. Lines for
// programs begin with '@' and go to COM1 only. The writer of a line waits until it has been sent, halted until the
// UART's interrupt says that its transmit FIFO is empty (16 bytes, or 1 without a FIFO). During a measurement, COM1
// output is queued and each tick hands the UART one FIFO load: no interrupt, no waiting.
#include "kernel.h"

enum { COLUMNS = 80, ROWS = 25, CELLS = 0x8000 / 2, ATTRIBUTE = 0x07, CRTC_START = 0x0C, CRTC_CURSOR = 0x0E };
enum { COM1 = 0x3F8, THR = 0, IER = 1, IIR_FCR = 2, LCR = 3, MCR = 4, LSR = 5 };
enum { IER_THR_EMPTY = 0x02, MCR_DTR_RTS = 0x03, MCR_OUT2 = 0x08, LSR_THR_EMPTY = 0x20, LSR_ALL_SENT = 0x40 };
enum { COM1_IRQ = 4, EFLAGS_IF = 0x200 };
enum { QUEUE = 4096 };

static u32 row, column, origin;          // `origin`: the first cell displayed
static char queue[QUEUE];
static u32 queue_in, queue_out;
static int deferred, have_com1, have_irq, fifo_bytes = 1;

static void crtc(u8 index, u32 cell) {
    outb(index, 0x3D4);
    outb((u8)(cell >> 8), 0x3D5);
    outb(index + 1, 0x3D4);
    outb((u8)cell, 0x3D5);
}

static void screen_cursor(void) { crtc(CRTC_CURSOR, origin + row * COLUMNS + column); }

// At the end of the memory the screen is copied to its beginning.
static void scroll(u16 *cell) {
    if (origin + COLUMNS * (ROWS + 1) > CELLS) {
        memcpy(cell, cell + origin + COLUMNS, COLUMNS * (ROWS - 1) * 2);
        origin = 0;
    } else {
        origin += COLUMNS;
    }
    for (u32 i = 0; i < COLUMNS; i++)
        cell[origin + COLUMNS * (ROWS - 1) + i] = ATTRIBUTE << 8 | ' ';
    crtc(CRTC_START, origin);
    row--;
}

static void screen_put(char c) {
    u16 *cell = (u16 *)virt(0xB8000);
    if (c == '\n') {
        column = 0;
        row++;
    } else if (c != '\r') {
        cell[origin + row * COLUMNS + column] = (u16)(ATTRIBUTE << 8 | (u8)c);
        if (++column == COLUMNS) {
            column = 0;
            row++;
        }
    }
    if (row == ROWS)
        scroll(cell);
}

void console_init(void) {
    u16 *cell = (u16 *)virt(0xB8000);
    for (u32 i = 0; i < COLUMNS * ROWS; i++)
        cell[i] = ATTRIBUTE << 8 | ' ';
    row = column = origin = 0;
    crtc(CRTC_START, origin);
    outb(0x00, COM1 + IER);
    outb(0x80, COM1 + LCR);
    outb(1, COM1 + THR);                // 115200
    outb(0, COM1 + IER);
    outb(0x03, COM1 + LCR);
    outb(0x07, COM1 + IIR_FCR);
    outb(MCR_DTR_RTS | MCR_OUT2, COM1 + MCR);
    have_com1 = inb(COM1 + LSR) != 0xFF;
    if ((inb(COM1 + IIR_FCR) & 0xC0) == 0xC0)
        fifo_bytes = 16;
}

static void serial_send(u32 room) {
    while (room-- && queue_in != queue_out) {
        outb((u8)queue[queue_out % QUEUE], COM1 + THR);
        queue_out++;
    }
}

static void send_if_empty(void) {
    if (queue_in != queue_out && (inb(COM1 + LSR) & LSR_THR_EMPTY))
        serial_send((u32)fifo_bytes);
}

void serial_tick(void) {
    if (deferred)
        send_if_empty();
}

static void transmit_interrupt(int irq, void *dev, struct regs *r) {
    (void)irq, (void)dev, (void)r;
    inb(COM1 + IIR_FCR);                // clears the interrupt
}

void console_interrupts(void) { have_irq = have_com1 && !request_irq(COM1_IRQ, transmit_interrupt, IRQF_SHARED, NULL); }

// Called with interrupts off. Halts until the FIFO is empty if the caller had them on, according to `flags`; otherwise
// returns, and the caller asks again.
static void wait_for_fifo(u32 flags) {
    if (!have_irq || !(flags & EFLAGS_IF))
        return;
    outb(IER_THR_EMPTY, COM1 + IER);
    __asm__ volatile("sti\n\thlt\n\tcli" ::: "memory");
    outb(0, COM1 + IER);
}

// Waits for the UART with the caller's interrupt state: sending a line takes longer than a card's buffers last.
void serial_flush(void) {
    u32 flags;
    while (queue_in != queue_out) {
        save_flags_cli(flags);
        send_if_empty();
        wait_for_fifo(flags);
        restore_flags(flags);
    }
    while (have_com1 && !(inb(COM1 + LSR) & LSR_ALL_SENT))
        ;
}

void serial_defer(int on) {
    deferred = on;
    barrier();                          // from here on the tick leaves the queue alone
    if (!on)
        serial_flush();
}

static void serial_put(char c) {
    if (!have_com1)
        return;
    if (queue_in - queue_out == QUEUE)
        serial_flush();
    queue[queue_in % QUEUE] = c;
    queue_in++;
}

void serial_write(const char *text, u32 n) {
    u32 flags;
    save_flags_cli(flags);
    for (; n; n--, text++) {
        if (*text == '\n')
            serial_put('\r');
        serial_put(*text);
    }
    restore_flags(flags);
    if (!deferred)
        serial_flush();
}

void console_write(const char *text, u32 n) {
    for (u32 i = 0; i < n; i++)
        screen_put(text[i]);
    screen_cursor();
    serial_write(text, n);
}

void printk(const char *f, ...) {
    char line[160];
    __builtin_va_list ap;
    __builtin_va_start(ap, f);
    int n = format(line, sizeof line, f, ap);
    __builtin_va_end(ap);
    console_write(line, (u32)n);
}

void report(const char *f, ...) {
    char line[REPORT_LINE];
    __builtin_va_list ap;
    __builtin_va_start(ap, f);
    int n = format(line, sizeof line, f, ap);
    __builtin_va_end(ap);
    serial_write(line, (u32)n);
}

// Ends the run: reports why, on both, and stops the processor.
void fail(const char *f, ...) {
    char line[160];
    __builtin_va_list ap;
    __builtin_va_start(ap, f);
    format(line, sizeof line, f, ap);
    __builtin_va_end(ap);
    cli();
    deferred = 0;
    printk("failed: %s\n", line);
    report("@fail %s\n@done 1\n", line);
    serial_flush();
    for (;;)
        __asm__ volatile("hlt");
}
