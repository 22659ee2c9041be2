// SPDX-License-Identifier: GPL-2.0-or-later
// The disks of a PS/2, for disk/disk.c alone: SCSI disks on the first IBM SCSI adapter that the POS set-up
// found, accessed through subsystem control blocks (docs/hardware/scsi-subsystem.md#control-block).
// The disk with the highest SCSI address is 80h, as on these machines. The adapter's interrupt is
// off while a service polls; between services it is enabled, as operating systems' drivers expect.
// Buffers are physical addresses, so a monitor that remaps memory must do the transfer itself.
#pragma once

enum {
    reg_attention = 4, reg_control = 5, reg_interrupt = 6, reg_status = 7,
    status_interrupt = 0x02, status_busy = 0x01,
    control_polled = 0x02, control_interrupts = 0x03,
    attention_immediate = 0x10, attention_block = 0x30, attention_eoi = 0xE0,
    subsystem = 15, targets = 7,
    immediate_assign = 0x040E,
    result_ok = 0x10, result_retried = 0x50, result_immediate = 0xA0,
    poll_us = 20, short_polls = 10000, long_polls = 1500000,  // 0.2 s, 30 s
};

enum {  // control block: command and enable words
    scb_read = 0x1C01, scb_write = 0x1C02, scb_verify = 0x1C03, scb_sense = 0x1C08, scb_capacity = 0x1C09,
    scb_inquiry = 0x1C0B,
    enable_in = 0x8000, enable_quiet = 0x4000, enable_retry = 0x2000, enable_short = 0x0400,
};

enum { sense_bytes = 14 };
enum { edd_version = 0x01, edd_subsets = 0x0001 };   // 1.x, packets only
enum { disk_read = scb_read, disk_write = scb_write, disk_verify = scb_verify };

// 48h reports the same geometry that programs see.
static inline u16 own_geometry_flags(u8 drive) { return (void)drive, 2; }
static inline u16 own_cylinders(u8 drive) { return cylinders(drive); }
static inline u8 own_heads(u8 drive) { return entry8(drive, entry_heads); }
static inline u8 own_track(u8 drive) { return entry8(drive, entry_track); }
static inline void give_interface(struct Regs* r, u8 drive, u16 room) { (void)r, (void)drive, (void)room; }

static u16 adapter_port(void) { return far_read16(ebda_segment, ebda_scsi_port); }

static u32 ebda_linear(u16 offset) { return ((u32)ebda_segment << 4) + offset; }

// Called by the POS set-up while the slot's registers are selected.
void disk_note_adapter(u16 id, u8 pos2)
{
    if ((id == 0x8EFF || id == 0x8EFE) && (pos2 & 1) && adapter_port() == 0)
        far_write16(ebda_segment, ebda_scsi_port, (u16)(0x3540 + ((pos2 & 0x0E) << 2)));
}

// Writes a request and waits for its result; 0 if the adapter does not answer.
static u8 request(u32 command, u8 attention, u32 polls)
{
    u16 port = adapter_port();
    u32 left = short_polls;
    while (inb((u16)(port + reg_status)) & status_busy) {
        if (--left == 0)
            return 0;
        delay_us(poll_us);
    }
    outl(port, command);
    outb((u16)(port + reg_attention), attention);
    while (!(inb((u16)(port + reg_status)) & status_interrupt)) {
        if (--polls == 0)
            return 0;
        delay_us(poll_us);
    }
    u8 result = inb((u16)(port + reg_interrupt));
    outb((u16)(port + reg_attention), (u8)(attention_eoi | (result & 15)));
    return (u8)(result & 0xF0);
}

static u8 run_block(u8 device, u16 command, u16 enable, u32 lba, u32 buffer, u32 bytes, u16 count)
{
    u16 scb = ebda_scb;
    far_write16(ebda_segment, scb, command);
    far_write16(ebda_segment, (u16)(scb + 2), (u16)(enable | enable_quiet | enable_retry));
    far_write32(ebda_segment, (u16)(scb + 4), lba);
    far_write32(ebda_segment, (u16)(scb + 8), buffer);
    far_write32(ebda_segment, (u16)(scb + 12), bytes);
    far_write32(ebda_segment, (u16)(scb + 16), ebda_linear(ebda_tsb));
    far_write32(ebda_segment, (u16)(scb + 20), 0);
    far_write16(ebda_segment, (u16)(scb + 24), count);
    far_write16(ebda_segment, (u16)(scb + 26), block_bytes);
    return request(ebda_linear(scb), (u8)(attention_block | device), long_polls);
}

// The status of a failed block, from the target's sense key.
static u8 sense_status(u8 device, int writing)
{
    u8 result = run_block(device, scb_sense, enable_in | enable_short, 0, ebda_linear(ebda_scsi_data), sense_bytes, 0);
    if (result != result_ok)
        return disk_controller;
    switch (far_read8(ebda_segment, ebda_scsi_data + 2) & 15) {
    case 2: return disk_not_ready;
    case 3: return writing ? disk_write_fault : disk_data_error;
    case 5: return disk_not_found;
    case 7: return disk_write_protected;
    default: return disk_controller;
    }
}

// Runs a block on a device; retries after a unit attention.
static u8 on_device(u8 device, u16 command, u16 enable, u32 lba, u32 buffer, u32 bytes, u16 count)
{
    u8 status = disk_controller;
    for (int tries = 0; tries < 3; ++tries) {
        u8 result = run_block(device, command, enable, lba, buffer, bytes, count);
        if (result == result_ok || result == result_retried)
            return disk_ok;
        if (result == 0)
            return disk_timeout;
        status = sense_status(device, command == scb_write);
        if (status != disk_controller)
            break;
    }
    return status;
}

static void interrupts(int on)
{
    outb((u16)(adapter_port() + reg_control), on ? control_interrupts : control_polled);
}

static u32 big_endian(u16 offset)
{
    u32 value = 0;
    for (u16 i = 0; i < 4; ++i)
        value = value << 8 | far_read8(ebda_segment, (u16)(offset + i));
    return value;
}

// 64 heads of 32 sectors up to 1 GB, 255 of 63 above (docs/hardware/bios.md#disk-geometry).
static void add_disk(u8 device, u32 sectors)
{
    u16 entry = (u16)(ebda_disk_entries + bda->disk_count * entry_bytes);
    int large = sectors > 1024ul * 64 * 32;
    far_write8(ebda_segment, (u16)(entry + entry_device), device);
    far_write8(ebda_segment, (u16)(entry + entry_heads), large ? 255 : 64);
    far_write8(ebda_segment, (u16)(entry + entry_track), large ? 63 : 32);
    far_write32(ebda_segment, (u16)(entry + entry_sectors), sectors);
    ++bda->disk_count;
    print(TEXT("SCSI disk "));
    print_decimal(device);
    print(TEXT(": "));
    print_decimal(sectors >> 11);
    print(TEXT(" MB\n"));
}

// POST: finds the disks. Logical device n is assigned to target n.
void disk_init(void)
{
    if (adapter_port() == 0)
        return;
    interrupts(0);
    u32 data = ebda_linear(ebda_scsi_data);
    for (int id = targets - 1; id >= 0; --id) {
        u8 device = (u8)id;
        u32 assign = immediate_assign | (u32)device << 20 | (u32)device << 16;
        if (request(assign, attention_immediate | subsystem, short_polls) != result_immediate)
            continue;
        if (run_block(device, scb_inquiry, enable_in | enable_short, 0, data, 36, 0) != result_ok)
            continue;
        if (far_read8(ebda_segment, ebda_scsi_data) != 0)
            continue;                      // not a disk
        if (on_device(device, scb_capacity, enable_in | enable_short, 0, data, 8, 0) != disk_ok
            || big_endian(ebda_scsi_data + 4) != block_bytes)
            continue;
        add_disk(device, big_endian(ebda_scsi_data) + 1);
    }
    interrupts(1);
}

static u8 move(u8 drive, u16 command, u32 lba, u16 count, u32 buffer)
{
    u8 wrong = wrong_range(drive, lba, count);
    if (wrong)
        return wrong;
    u32 bytes = command == scb_verify ? 0 : (u32)count * block_bytes;
    u16 enable = command == scb_write ? 0 : enable_in;
    interrupts(0);
    u8 status = on_device(entry8(drive, entry_device), command, enable, lba, buffer, bytes, count);
    interrupts(1);
    return status;
}
