// SPDX-License-Identifier: GPL-2.0-or-later
// The 8042: commands, and bytes to and from keyboard and mouse. All waits are bounded.
#include "firmware.h"

enum {
    data = 0x60, control = 0x64,
    out_full = 0x01, in_full = 0x02, from_aux = 0x20,
    command_read_mode = 0x20, command_write_mode = 0x60, command_self_test = 0xAA,
    command_keyboard_test = 0xAB, command_keyboard_on = 0xAE, command_mouse_on = 0xA8,
    command_to_mouse = 0xD4, command_write_port = 0xD1,
    port_a20_off = 0xDD,                       // reset line high, interrupt and clock lines idle
    mode_irq1 = 0x01, mode_irq12 = 0x02, mode_system = 0x04, mode_keyboard_off = 0x10,
    mode_mouse_off = 0x20, mode_translate = 0x40,
    ready_us = 20000, answer_us = 30000, test_us = 200000,
    acknowledge = 0xFA, resend = 0xFE, test_passed = 0xAA,
    refresh_us = 15,
};

// Progress of the self-tests that POST starts and whose results it collects later.
enum { keyboard_waiting = 1, keyboard_passed = 2, mouse_waiting = 4, mouse_passed = 8 };

static int wait_input_empty(void)
{
    for (u32 us = 0; us < ready_us; us += refresh_us) {
        if (!(inb(control) & in_full))
            return 1;
        delay_refreshes(1);
    }
    return 0;
}

int kbc_command(u8 command)
{
    if (!wait_input_empty())
        return 0;
    outb(control, command);
    return 1;
}

int kbc_write_data(u8 value)
{
    if (!wait_input_empty())
        return 0;
    outb(data, value);
    return 1;
}

int kbc_read(u8* value, u8* from_mouse, u32 timeout_us)
{
    for (u32 us = 0;; us += refresh_us) {
        u8 status = inb(control);
        if (status != 0xFF && (status & out_full)) {
            *from_mouse = (status & from_aux) != 0;
            *value = inb(data);
            return 1;
        }
        if (us >= timeout_us)
            return 0;
        delay_refreshes(1);
    }
}

u8 kbc_command_byte(u8 clear, u8 set)
{
    u32 flags = save_flags_cli();
    u8 mode = mode_translate | mode_system | mode_irq1, aux;
    if (kbc_command(command_read_mode))
        kbc_read(&mode, &aux, answer_us);
    mode = (u8)((mode & ~clear) | set);
    if (kbc_command(command_write_mode))
        kbc_write_data(mode);
    wait_input_empty();
    restore_flags(flags);
    return mode;
}

// POST keeps its two waiting flags in a byte that is otherwise unused until the keyboard is ready.
static void collect(u8 value, u8 aux)
{
    u8 state = bda->key_alt_number;
    if (aux && value == test_passed && (state & mouse_waiting))
        state = (u8)((state & ~mouse_waiting) | mouse_passed);
    if (!aux && value == test_passed && (state & keyboard_waiting))
        state = (u8)((state & ~keyboard_waiting) | keyboard_passed);
    bda->key_alt_number = state;
}

static int expect(u8 wanted_aux, u32 timeout_us)
{
    u8 value, aux;
    for (int other = 0; other < 16 && kbc_read(&value, &aux, timeout_us); ++other) {
        if (aux == wanted_aux)
            return value;
        collect(value, aux);
    }
    return -1;
}

// The controller's A20 output is high after its reset, and address line 20 is enabled while either that output
// or port 92h enables it.
void kbc_a20_off(void)
{
    if (kbc_command(command_write_port))
        kbc_write_data(port_a20_off);
    wait_input_empty();
}

int kbc_init(void)
{
    u8 value, aux;
    for (int i = 0; i < 64 && kbc_read(&value, &aux, 0); ++i) {
    }
    if (!kbc_command(command_self_test) || !kbc_read(&value, &aux, test_us) || value != 0x55)
        return 0;
    kbc_a20_off();
    kbc_command(command_write_mode);
    kbc_write_data(mode_translate | mode_system | mode_keyboard_off | mode_mouse_off);
    if (!kbc_command(command_keyboard_test) || !kbc_read(&value, &aux, answer_us) || value != 0)
        return 0;
    kbc_command(command_write_mode);
    kbc_write_data(mode_translate | mode_system);
    kbc_command(command_mouse_on);
    kbc_command(command_keyboard_on);
    kbc_write_data(0xFF);                       // keyboard reset
    u8 state = 0;
    if (expect(0, answer_us) == acknowledge)
        state |= keyboard_waiting;
    bda->key_alt_number = state;
    if (kbc_command(command_to_mouse) && kbc_write_data(0xFF) && expect(1, answer_us) == acknowledge)
        bda->key_alt_number |= mouse_waiting;
    return 1;
}

void kbc_poll(void)
{
    u8 value, aux;
    for (int i = 0; i < 16 && kbc_read(&value, &aux, 0); ++i)
        collect(value, aux);
}

int kbc_finish(void)
{
    enum { limit_ticks = 20 };                  // 1.1 s
    u32 start = bda->ticks;
    for (;;) {
        kbc_poll();
        if (!(bda->key_alt_number & (keyboard_waiting | mouse_waiting)) || ticks_since(start) > limit_ticks)
            break;
        wait_for_interrupt();                   // the timer's: those of keyboard and mouse are masked
    }
    cli();
    u8 value, aux;
    while (kbc_read(&value, &aux, 2000)) {      // the mouse's ID follows its test result
    }
    u8 state = bda->key_alt_number;
    bda->key_alt_number = 0;
    if (state & mouse_passed)
        bda->equipment |= 0x04;
    kbc_command_byte(mode_keyboard_off, mode_system | mode_translate | mode_irq1 | mode_mouse_off);
    return (state & keyboard_passed) != 0;
}

// Called with interrupts off or IRQ 1 masked, so that the answer is not treated as a key.
int keyboard_send(u8 value)
{
    for (int tries = 0; tries < 3; ++tries) {
        if (!kbc_write_data(value))
            return 0;
        int answer = expect(0, answer_us);
        if (answer != resend)
            return answer == acknowledge;
    }
    return 0;
}

int mouse_send(u8 value)
{
    for (int tries = 0; tries < 3; ++tries) {
        if (!kbc_command(command_to_mouse) || !kbc_write_data(value))
            return 0;
        int answer = expect(1, answer_us);
        if (answer != resend)
            return answer == acknowledge;
    }
    return 0;
}

int mouse_read(u8* value, u32 timeout_us)
{
    int answer = expect(1, timeout_us);
    *value = (u8)answer;
    return answer >= 0;
}

void keyboard_leds(void)
{
    u8 leds = (bda->key_flags1 >> 4) & 7;
    if ((bda->key_leds & 7) == leds)
        return;
    u32 flags = save_flags_cli();
    bda->key_leds |= 0x40;                      // update in progress
    if (keyboard_send(0xED))
        keyboard_send(leds);
    bda->key_leds = (u8)((bda->key_leds & 0xB8) | leds);
    restore_flags(flags);
}
