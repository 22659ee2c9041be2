// SPDX-License-Identifier: GPL-2.0-or-later
// Programmable Option Select at POST: in the order of docs/hardware/pos-and-adf.md#post-sequence, with the records of
// roms/README.md section 2. Byte accesses only; planar and adapter setup are never on at the same time.
#include "board.h"
#include "firmware.h"

enum {
    select_planar = 0x7F,   // port 94h, one zero bit
    select_video = 0xDF,
    select_scsi_56 = 0xF7,
    select_scsi_other = 0xFD,
    select_none = 0xFF,
    adapter_setup = 0x08,   // port 96h
    channel_reset = 0x80,
    slots = 8,
    record_base = 0x08, record_bytes = 0x10,
    record_planar = 8, record_scsi = 10,
    flag_enable = 1,
    // Planar POS 2 without a valid record: master enable, diskette, COM1, LPT1, standard parallel port.
    planar_default = 0x9F,
    id_poll_us = 1000, id_limit_polls = 1000,  // IDs may read 0000h for 1 s after a reset
};

static u8 record_byte(int record, int offset)
{
    return nvram_read((u16)(record_base + record * record_bytes + offset));
}

static u16 record_id(int record)
{
    return (u16)(record_byte(record, 0) | record_byte(record, 1) << 8);
}

static u16 pos_id(void) { return (u16)(inb(pos0) | inb(pos0 + 1) << 8); }

// POS 3 to 7 first, POS 2 last: it has the enable bit.
static void write_record(int record, int last_pos)
{
    int count = record_byte(record, 3);
    if (count > 6)
        count = 6;
    for (int i = 1; i < count && i + 2 <= last_pos; ++i)
        outb((u16)(pos0 + 2 + i), record_byte(record, 4 + i));
    if (count > 0) {
        u8 pos2 = record_byte(record, 4) & 0xFE;
        outb(pos0 + 2, pos2 | (record_byte(record, 2) & flag_enable));
    }
}

void pos_end(void)
{
    outb(setup_system, select_none);
    outb(setup_adapter, 0);
}

void board_reset_bus(void)
{
    outb(setup_system, select_none);
    outb(setup_adapter, channel_reset);
    delay_us(100);
    outb(setup_adapter, 0);
}

void board_wake_video(void)
{
    outb(setup_adapter, 0);
    outb(setup_system, select_video);
    outb(pos0 + 2, inb(pos0 + 2) | 1);
    outb(setup_system, select_none);
    outb(0x3C3, 1);
}

void board_set_up(int records_valid)
{
    outb(setup_adapter, 0);
    outb(setup_system, select_planar);
    int match = records_valid && pos_id() == record_id(record_planar) && record_byte(record_planar, 3);
    if (match)
        write_record(record_planar, 5);
    else
        outb(pos0 + 2, planar_default);
    outb(setup_system, select_none);
    if (records_valid && !match) {
        diagnostic_set(diagnostic_adapters);
        post_error(error_adapter_id, TEXT("System board differs from the record"), no_slot);
    }
    if (records_valid && record_id(record_scsi) != 0xFFFF) {
        outb(setup_system, select_scsi_56);
        if (inb(pos0 + 2) == 0xFF && inb(pos0 + 3) == 0xFF)
            outb(setup_system, select_scsi_other);
        write_record(record_scsi, 3);
        outb(setup_system, select_none);
    }
}

static void setup_slot(int slot, int* polls_left)
{
    u16 expected = record_id(slot);
    outb(setup_adapter, (u8)(adapter_setup | slot));
    u16 found = pos_id();
    for (; found == 0 && *polls_left > 0; --*polls_left) {
        delay_us(id_poll_us);
        found = pos_id();
    }
    if (found == expected && found != 0xFFFF)
        write_record(slot, 7);
    if (found == expected)
        disk_note_adapter(found, inb(pos0 + 2));
    outb(setup_adapter, 0);
    if (found == 0) {
        diagnostic_set(diagnostic_adapter_timeout);
        post_error(error_adapter_timeout, TEXT("Adapter does not answer"), slot + 1);
    } else if (found != expected) {
        diagnostic_set(diagnostic_adapters);
        post_error(error_adapter_id, TEXT("Adapter differs from the record"), slot + 1);
        print(TEXT("    found "));
        print_hex(found, 4);
        print(TEXT(", recorded "));
        print_hex(expected, 4);
        print_char('\n');
    }
}

void board_set_up_slots(void)
{
    outb(setup_system, select_none);
    int polls_left = id_limit_polls;
    for (int slot = 0; slot < slots; ++slot)
        setup_slot(slot, &polls_left);
}
