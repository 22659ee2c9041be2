// SPDX-License-Identifier: GPL-2.0-or-later
// The interfaces between the firmware's files; one block per file.
#pragma once

#include "bda.h"
#include "io.h"

// entry.asm, pmode.asm, fixed.asm
u32 cpu_family(void);
void cache_off(void);
void cache_on(void);
u32 probe_memory(u32 start, u32 end);
void block_move(u16 seg, u16 off, u16 words);
void enter_protected(struct Regs* r) __attribute__((noreturn));
void call_far(u16 seg, u16 off);
void call_mouse_handler(u16 seg, u16 off, const u16* words);
void start_program(u16 seg, u16 off, u8 drive) __attribute__((noreturn));
// Entry points and fixed places. They are in the code segment, so C takes only their addresses.
extern const __seg_gs char configuration_table[], diskette_parameters[], font8_low[], iret_entry[];
extern const __seg_gs char int02_entry[], int05_entry[], int08_entry[], int09_entry[], int0a_entry[];
extern const __seg_gs char int0e_entry[], int10_entry[], int11_entry[], int12_entry[], int13_entry[];
extern const __seg_gs char int14_entry[], int15_entry[], int16_entry[], int17_entry[], int18_entry[];
extern const __seg_gs char int19_entry[], int1a_entry[], int70_entry[], int71_entry[], int74_entry[];
extern const __seg_gs char int75_entry[], int76_entry[], unexpected_entry[];
static inline u16 rom_offset(const __seg_gs void* place) { return (u16)(u32)place; }

// delay.c
void delay_refreshes(u32 count);  // at least this many refresh periods of 15.12 us
void delay_us(u32 us);
void delay_ms(u32 ms);
void sleep_ticks(u32 ticks);      // of 54.925 ms, the first one up to a tick shorter; the processor is halted
u32 ticks_since(u32 start);       // BDA ticks, correct across midnight
void wait_for_interrupt(void);    // returns after an interrupt or about a refresh period

// checkpoint.c
void checkpoint(u8 code, RomText panel_text);
void panel_show(RomText text);
enum PostError {
    error_power_lost = 161,
    error_checksum = 162,
    error_clock = 163,
    error_memory_size = 164,
    error_adapter_id = 165,
    error_adapter_timeout = 166,
    error_keyboard = 301,
    error_diskette = 601,
};
enum { no_slot = -1 };
void post_error(u16 number, RomText text, int slot);
void print(RomText text);
void print_char(u8 c);
void print_decimal(u32 value);
void print_hex(u32 value, int digits);

// cmos.c
enum {
    cmos_status_a = 0x0A, cmos_status_b = 0x0B, cmos_status_c = 0x0C, cmos_status_d = 0x0D,
    cmos_diagnostic = 0x0E, cmos_shutdown = 0x0F, cmos_diskettes = 0x10, cmos_base_kb = 0x15,
    cmos_extended_kb = 0x17,
    diagnostic_power_lost = 0x80, diagnostic_checksum = 0x40, diagnostic_configuration = 0x20,
    diagnostic_memory_size = 0x10, diagnostic_disk = 0x08, diagnostic_clock = 0x04,
    diagnostic_adapters = 0x02, diagnostic_adapter_timeout = 0x01,
};
u8 cmos_read(u8 index);
void cmos_write(u8 index, u8 value);
void nmi_enable(void);
int cmos_checksum_good(void);
void diagnostic_set(u8 bits);
u8 nvram_read(u16 address);
int nvram_good(void);

// memory.c
u32 size_base_memory(void);      // KB
void size_extended_memory(void); // results in the EBDA
u32 extended_kb_low(void);       // RAM from 1 MB up to the first hole or 16 MB, KB
u32 extended_64k_high(void);     // RAM from 16 MB up, in units of 64 KB
void a20_set(int on);
int a20_is_on(void);

// irq.c
void pic_init(u8 master_base, u8 slave_base);
void pic_eoi(int irq);
void pic_unmask(int irq);
void pic_mask(int irq);
void vectors_init(void);
void pit_init(void);
void dma_init(void);

// video*.c
void video_set_mode(u8 mode);
void video_teletype(u8 c, u8 page, u8 colour);
void video_wake_registers(void);
void video_font_service(struct Regs* r);
void video_palette_service(struct Regs* r);
void video_state_service(struct Regs* r);
void video_save_service(struct Regs* r);
u16 video_rom_font(int height);   // offset of the built-in font of 16, 14 or 8 lines
void video_load_font(int height, u8 block);
void video_apply_height(int height);
void video_set_start(u16 start);
void video_show_cursor(void);
void video_write_attribute(u8 index, u8 value);
int video_is_text(void);
u16 video_segment(void);
void graphics_write_pixel(u16 x, u16 y, u8 page, u8 colour);
u8 graphics_read_pixel(u16 x, u16 y, u8 page);
void graphics_put(u8 page, u8 row, u8 column, u8 c, u8 colour);
u8 graphics_read(u8 page, u8 row, u8 column);
void graphics_copy_row(u8 page, u8 to, u8 from, u8 column, u8 count);
void graphics_fill_row(u8 page, u8 row, u8 column, u8 count, u8 colour);

// kbc.c
int kbc_init(void);
void kbc_a20_off(void);
void kbc_poll(void);              // collects self-test results while POST continues
int kbc_finish(void);             // returns 1 if the keyboard has passed its test
int kbc_command(u8 command);
int kbc_write_data(u8 value);
int kbc_read(u8* value, u8* from_mouse, u32 timeout_us);
u8 kbc_command_byte(u8 clear, u8 set);
int keyboard_send(u8 value);      // 1 if acknowledged
int mouse_send(u8 value);
int mouse_read(u8* value, u32 timeout_us);
void keyboard_leds(void);
void keyboard_ring_init(void);
int keyboard_ring_put(u16 key);

// diskette.c, fdc.c
void diskette_init(void);
void motor_tick(void);

// disk.c
void disk_init(void);
void disk_service(struct Regs* r);

// others
void serial_parallel_init(void);
void clock_init(void);
void scan_option_roms(void);
void post(void) __attribute__((noreturn));
