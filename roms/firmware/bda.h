// SPDX-License-Identifier: GPL-2.0-or-later
// BIOS data area at 0040:0000 and extended BIOS data area (1 KB at 639 KB),
// docs/hardware/bios.md#data-areas.
#pragma once

#include "io.h"

struct Bda {
    u16 com[4];               // 00 serial port bases
    u16 lpt[3];               // 08 parallel port bases
    u16 ebda_segment;         // 0E
    u16 equipment;            // 10 INT 11h
    u8 manufacturing;         // 12
    u16 base_kb;              // 13 INT 12h
    u16 reserved15;           // 15
    u8 key_flags1;            // 17
    u8 key_flags2;            // 18
    u8 key_alt_number;        // 19
    u16 key_head;             // 1A
    u16 key_tail;             // 1C
    u16 key_ring[16];         // 1E
    u8 diskette_seek;         // 3E bit 7 interrupt seen, bits 1-0 drive calibrated
    u8 diskette_motor;        // 3F bit 7 writing, bits 5-4 selected drive, bits 1-0 motor on
    u8 diskette_motor_ticks;  // 40
    u8 diskette_status;       // 41
    u8 diskette_result[7];    // 42
    u8 video_mode;            // 49
    u16 video_columns;        // 4A
    u16 video_page_bytes;     // 4C
    u16 video_page_start;     // 4E
    u16 video_cursor[8];      // 50
    u16 video_cursor_type;    // 60
    u8 video_page;            // 62
    u16 video_crtc;           // 63
    u8 video_mode_select;     // 65
    u8 video_palette;         // 66
    u32 shutdown_vector;      // 67
    u8 last_interrupt;        // 6B
    u32 ticks;                // 6C
    u8 midnight;              // 70
    u8 break_flag;            // 71
    u16 warm_flag;            // 72
    u8 disk_status;           // 74
    u8 disk_count;            // 75
    u8 disk_control;          // 76
    u8 disk_port;             // 77
    u8 lpt_timeout[4];        // 78
    u8 com_timeout[4];        // 7C
    u16 key_ring_start;       // 80
    u16 key_ring_end;         // 82
    u8 video_rows;            // 84 rows - 1
    u16 video_char_height;    // 85
    u8 video_control;         // 87
    u8 video_switches;        // 88
    u8 video_flags;           // 89
    u8 video_combination;     // 8A
    u8 diskette_rate;         // 8B last data rate
    u8 disk_result;           // 8C
    u8 disk_error;            // 8D
    u8 disk_interrupt;        // 8E
    u8 diskette_info;         // 8F
    u8 diskette_media[2];     // 90
    u8 diskette_start[2];     // 92
    u8 diskette_track[2];     // 94
    u8 key_mode;              // 96
    u8 key_leds;              // 97
    u16 wait_pointer_off;     // 98
    u16 wait_pointer_seg;     // 9A
    u32 wait_count;           // 9C
    u8 wait_active;           // A0
    u8 reserved_a1[7];        // A1
    u32 video_save_pointer;   // A8
} __attribute__((packed));

_Static_assert(__builtin_offsetof(struct Bda, ticks) == 0x6C, "BDA layout");
_Static_assert(__builtin_offsetof(struct Bda, video_save_pointer) == 0xA8, "BDA layout");

#define bda ((volatile struct Bda __seg_fs*)0x400)

enum { ring_start = 0x1E, ring_end = 0x3E };  // keyboard ring, offsets in segment 40h

// Extended BIOS data area. Offsets up to 11Fh are IBM's; those from 120h on are ours.
enum {
    ebda_segment = 0x9FC0,
    ebda_size_kb = 0x00,
    ebda_error_count = 0x17,   // byte
    ebda_error_log = 0x18,     // 5 words
    ebda_mouse_handler = 0x22, // far pointer
    ebda_mouse_flags1 = 0x26,  // bits 2-0 index of the next packet byte
    ebda_mouse_flags2 = 0x27,  // bit 7 handler present, bits 2-0 packet size - 1
    ebda_mouse_packet = 0x28,  // 8 bytes
    ebda_watchdog = 0x39,      // word
    ebda_disk_table0 = 0x3D,   // 16 zero bytes, at which vectors 41h and 46h point: no fixed disk
    ebda_disk_table1 = 0x4D,
    ebda_typematic = 0x6E,
    ebda_cpu_family = 0xEE,
    ebda_keyboard_id = 0x117,  // word
    ebda_extended_low_kb = 0x120,   // dword: RAM from 1 MB up to the first hole or 16 MB
    ebda_extended_high_64k = 0x124, // dword: RAM from 16 MB up, in units of 64 KB
    ebda_memory_table = 0x130,      // INT 15h C7h
    ebda_clock_day = 0x180,         // word: days since 1-1-1980, INT 1Ah 0Ah
    ebda_scsi_port = 0x190,         // word: port of the SCSI adapter, 0 without one
    ebda_disk_entries = 0x198,      // 7 entries of 8 bytes: disk.c
    ebda_scb = 0x200,               // control block, 28 bytes
    ebda_tsb = 0x240,               // termination status block, 26 bytes
    ebda_scsi_data = 0x280,         // replies of targets, 36 bytes
};

// Sets a vector of the real-mode interrupt table.
static inline void set_vector(u8 number, u16 segment, u16 offset)
{
    *(volatile u16 __seg_fs*)(number * 4u) = offset;
    *(volatile u16 __seg_fs*)(number * 4u + 2u) = segment;
}

static inline u16 vector_offset(u8 number) { return *(volatile u16 __seg_fs*)(number * 4u); }
static inline u16 vector_segment(u8 number) { return *(volatile u16 __seg_fs*)(number * 4u + 2u); }
