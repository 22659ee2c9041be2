// SPDX-License-Identifier: GPL-2.0-or-later
// Power-on self test: the sequence from reset to INT 19h. Checkpoints go to port 680h:
//   01 processor     02 DMA, ports   03 vectors, interrupt controllers   04 timer
//   05 bus reset     06 records, video       07 keyboard controller   08 memory   09 CMOS, NVRAM
//   0A clock         0B board, adapters     0C serial, parallel      0D diskette, disks
//   0E keyboard, mouse   0F adapter ROMs    20 INT 19h   21 boot sector started   22 disk   2F nothing to boot
//   A1 to A6 (161 to 166 decimal): the configuration errors
// Errors are displayed and logged; they never stop the start-up and never wait for a key.
#include "board.h"
#include "firmware.h"

enum { warm_start = 0x1234, first_equipment = 0x0020 };  // 80x25 colour; the rest is detected

static void clear_low_memory(void)
{
    far_fill16(0x40, 0, 0, 0x80);          // BDA
    far_fill16(0x50, 0, 0, 0x08);
    far_fill16(ebda_segment, 0, 0, 0x200);
    far_write8(ebda_segment, ebda_size_kb, 1);
    far_write16(ebda_segment, ebda_keyboard_id, 0x41AB);
    far_write8(ebda_segment, ebda_typematic, 0x2B);
    bda->ebda_segment = ebda_segment;
    bda->base_kb = 639;
    bda->equipment = first_equipment;
    keyboard_ring_init();
}

// Returns the base memory in KB.
static u32 test_memory(void)
{
    a20_set(1);
    u32 base = size_base_memory();
    size_extended_memory();
    a20_set(0);
    print_decimal(base);
    print(TEXT(" KB base, "));
    print_decimal(extended_kb_low() + extended_64k_high() * 64);
    print(TEXT(" KB extended memory\n"));
    return base;
}

static void test_cmos(u32 base_kb)
{
    u8 lost = (u8)(!(cmos_read(cmos_status_d) & 0x80)
                   || (cmos_read(cmos_diagnostic) & diagnostic_power_lost));
    cmos_write(cmos_diagnostic, lost ? diagnostic_power_lost : 0);
    if (lost)
        post_error(error_power_lost, TEXT("Clock and configuration memory lost power"), no_slot);
    if (!board_cmos_good()) {
        diagnostic_set(diagnostic_checksum);
        post_error(error_checksum, TEXT("Configuration memory (CMOS) checksum"), no_slot);
        return;
    }
    u32 extended = extended_kb_low() + extended_64k_high() * 64;
    u32 recorded = cmos_read(cmos_extended_kb) | (u32)cmos_read(cmos_extended_kb + 1) << 8;
    u32 base = cmos_read(cmos_base_kb) | (u32)cmos_read(cmos_base_kb + 1) << 8;
    // Set-up programs record the base memory with or without the extended BIOS data area.
    if (recorded != (extended > 0xFFFF ? 0xFFFF : extended) || base > base_kb || base + 1 < base_kb) {
        diagnostic_set(diagnostic_memory_size);
        post_error(error_memory_size, TEXT("Memory size differs from the record"), no_slot);
    }
}

static int test_records(void)
{
    if (board_records_valid())
        return 1;
    diagnostic_set(diagnostic_configuration);
    post_error(error_checksum, BOARD_RECORDS_LOST, no_slot);
    return 0;
}

static void unmask_standard_interrupts(void)
{
    pic_unmask(0);
    pic_unmask(1);
    pic_unmask(6);
    pic_unmask(12);
    pic_unmask(13);
}

// Gates of timer 2 and of its output; the timer is set to the tone of a beep.
static void speaker(u8 gates) { outb(0x61, (u8)((inb(0x61) & 0x0C) | gates)); }

void post(void)
{
    checkpoint(0x01, TEXT("POST 01 "));
    u32 family = cpu_family();
    if (family >= 4)
        cache_off();                       // sizing must access the memory, not a cache line
    checkpoint(0x02, TEXT("POST 02 "));
    u16 warm = bda->warm_flag;
    dma_init();
    board_ports_init();
    a20_set(0);
    checkpoint(0x03, TEXT("POST 03 "));
    clear_low_memory();
    bda->warm_flag = warm == warm_start ? warm : 0;
    far_write8(ebda_segment, ebda_cpu_family, (u8)family);
    vectors_init();
    pic_init(0x08, 0x70);
    checkpoint(0x04, TEXT("POST 04 "));
    pit_init();
    checkpoint(0x05, TEXT("POST 05 "));
    board_reset_bus();
    checkpoint(0x06, TEXT("POST 06 "));
    int records_valid = board_records_valid();
    board_wake_video();
    video_wake_registers();
    video_set_mode(3);
    print(BOARD_TITLE);
    checkpoint(0x07, TEXT("POST 07 "));
    int keyboard_controller = kbc_init();
    checkpoint(0x08, TEXT("POST 08 "));
    u32 base_kb = test_memory();
    if (family >= 4)
        cache_on();
    kbc_poll();
    checkpoint(0x09, TEXT("POST 09 "));
    test_cmos(base_kb);
    checkpoint(0x0A, TEXT("POST 0A "));
    clock_init();
    checkpoint(0x0B, TEXT("POST 0B "));
    records_valid = records_valid && test_records();
    board_set_up(records_valid);
    if (records_valid)
        board_set_up_slots();
    else
        test_records();
    board_set_up_ends();
    kbc_poll();
    checkpoint(0x0C, TEXT("POST 0C "));
    serial_parallel_init();
    checkpoint(0x0D, TEXT("POST 0D "));
    unmask_standard_interrupts();
    pic_mask(1);                           // the keyboard is still polled
    pic_mask(12);
    sti();
    diskette_init();
    disk_init();
    cli();
    checkpoint(0x0E, TEXT("POST 0E "));
    // One short beep if there was no error so far. It lasts as long as the keyboard's self-test, which must be waited
    // for anyway: 0.3 to 0.5 s.
    speaker(far_read8(ebda_segment, ebda_error_count) ? 0 : 3);
    if (!keyboard_controller || !kbc_finish())
        post_error(error_keyboard, TEXT("Keyboard does not answer"), no_slot);
    speaker(0);
    pic_unmask(1);
    pic_unmask(12);
    nmi_enable();
    sti();
    checkpoint(0x0F, TEXT("POST 0F "));
    scan_option_roms();
    asm volatile("int $0x19" : : : "memory");
    for (;;)
        wait_for_interrupt();
}
