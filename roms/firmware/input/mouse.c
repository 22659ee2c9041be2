// SPDX-License-Identifier: GPL-2.0-or-later
// The pointing device: INT 15h C2h and INT 74h, which collects packets and calls the user's handler.
#include "firmware.h"

enum {
    mode_irq12 = 0x02, mode_mouse_off = 0x20,
    handler_present = 0x80, size_mask = 0x07,
    answer_us = 30000, reset_us = 1000000,
    mouse_bad_function = 1, mouse_bad_input = 2, mouse_interface = 3, mouse_no_handler = 5,
};

static void mouse_interrupts(int on)
{
    if (on) {
        kbc_command_byte(mode_mouse_off, mode_irq12);
        pic_unmask(12);
    } else {
        kbc_command_byte(mode_irq12, 0);
    }
}

static int send_with_data(u8 command, u8 value) { return mouse_send(command) && mouse_send(value); }

static u8 reset(struct Regs* r)
{
    u8 result, id;
    kbc_command_byte(mode_irq12 | mode_mouse_off, 0);
    if (!mouse_send(0xFF) || !mouse_read(&result, reset_us) || !mouse_read(&id, answer_us))
        return mouse_interface;
    r->bl = result;
    r->bh = id;
    far_write8(ebda_segment, ebda_mouse_flags1, 0);
    return result == 0xAA ? 0 : mouse_interface;
}

static u8 extended(struct Regs* r)
{
    u8 status[3];
    switch (r->bh) {
    case 0:
        if (!mouse_send(0xE9))
            return mouse_interface;
        for (int i = 0; i < 3; ++i)
            if (!mouse_read(&status[i], answer_us))
                return mouse_interface;
        r->bl = status[0];
        r->cl = status[1];
        r->dl = status[2];
        return 0;
    case 1: return mouse_send(0xE6) ? 0 : mouse_interface;
    case 2: return mouse_send(0xE7) ? 0 : mouse_interface;
    default: return mouse_bad_input;
    }
}

static u8 serve(struct Regs* r)
{
    ROM u8 rates[] = {10, 20, 40, 60, 80, 100, 200};
    u8 flags2 = far_read8(ebda_segment, ebda_mouse_flags2);
    u8 id;
    switch (r->al) {
    case 0x00:
        if (r->bh > 1)
            return mouse_bad_input;
        if (r->bh == 0) {
            int sent = mouse_send(0xF5);
            mouse_interrupts(0);
            return sent ? 0 : mouse_interface;
        }
        if (!(flags2 & handler_present))
            return mouse_no_handler;
        far_write8(ebda_segment, ebda_mouse_flags1, 0);
        kbc_command_byte(mode_mouse_off, 0);
        if (!mouse_send(0xF4))
            return mouse_interface;
        mouse_interrupts(1);
        return 0;
    case 0x01: return reset(r);
    case 0x02:
        if (r->bh >= sizeof rates)
            return mouse_bad_input;
        return send_with_data(0xF3, rates[r->bh]) ? 0 : mouse_interface;
    case 0x03:
        if (r->bh > 3)
            return mouse_bad_input;
        return send_with_data(0xE8, r->bh) ? 0 : mouse_interface;
    case 0x04:
        if (!mouse_send(0xF2) || !mouse_read(&id, answer_us))
            return mouse_interface;
        r->bh = id;
        return 0;
    case 0x05:
        if (r->bh < 1 || r->bh > 8)
            return mouse_bad_input;
        far_write8(ebda_segment, ebda_mouse_flags2, (u8)((flags2 & ~size_mask) | (r->bh - 1)));
        return reset(r);
    case 0x06: return extended(r);
    case 0x07:
        far_write16(ebda_segment, ebda_mouse_handler, r->bx);
        far_write16(ebda_segment, ebda_mouse_handler + 2, r->es);
        if (r->es | r->bx) {
            far_write8(ebda_segment, ebda_mouse_flags2, flags2 | handler_present);
        } else {
            far_write8(ebda_segment, ebda_mouse_flags2, flags2 & size_mask);
            mouse_interrupts(0);
        }
        return 0;
    default: return mouse_bad_function;
    }
}

// The mouse's answers must not be treated as movement: its interrupt is masked during the call.
void mouse_service(struct Regs* r)
{
    u8 mask = inb(0xA1);
    outb(0xA1, mask | 0x10);
    u8 was_on = kbc_command_byte(mode_irq12, 0);
    (void)was_on;
    u8 before = far_read8(ebda_segment, ebda_mouse_flags1) & 0x80;
    u8 status = serve(r);
    // Bit 7 of our flags records whether the stream is on.
    u8 on = before;
    if (status == 0 && r->al == 0x00)
        on = r->bh ? 0x80 : 0;
    if (r->al == 0x01 || r->al == 0x05)
        on = 0;
    if (r->al == 0x07 && !(r->es | r->bx))
        on = 0;
    u8 flags1 = far_read8(ebda_segment, ebda_mouse_flags1) & 0x7F;
    far_write8(ebda_segment, ebda_mouse_flags1, flags1 | on);
    if (on)
        kbc_command_byte(mode_mouse_off, mode_irq12);
    outb(0xA1, on ? mask & ~0x10 : mask);
    r->ah = status;
    set_carry(r, status != 0);
}

void mouse_interrupt(struct Regs* r)
{
    (void)r;
    u8 status = inb(0x64);
    if (!(status & 0x20) || !(status & 0x01)) {
        pic_eoi(12);
        return;
    }
    u8 value = inb(0x60);
    u8 flags1 = far_read8(ebda_segment, ebda_mouse_flags1);
    u8 flags2 = far_read8(ebda_segment, ebda_mouse_flags2);
    u8 index = flags1 & 7, size = (u8)((flags2 & size_mask) + 1);
    pic_eoi(12);
    if (!(flags2 & handler_present))
        return;
    far_write8(ebda_segment, (u16)(ebda_mouse_packet + index), value);
    if (++index < size) {
        far_write8(ebda_segment, ebda_mouse_flags1, (u8)((flags1 & 0xF8) | index));
        return;
    }
    far_write8(ebda_segment, ebda_mouse_flags1, flags1 & 0xF8);
    u16 words[4];
    for (int i = 0; i < 4; ++i)
        words[i] = i < 3 ? far_read8(ebda_segment, (u16)(ebda_mouse_packet + i)) : 0;
    call_mouse_handler(far_read16(ebda_segment, ebda_mouse_handler + 2),
                       far_read16(ebda_segment, ebda_mouse_handler), words);
}
