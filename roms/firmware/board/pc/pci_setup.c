// SPDX-License-Identifier: GPL-2.0-or-later
// PCI at POST: every function on bus 0, and on the host bridge's second bus if it has one, gets addresses, an interrupt
// line, latency timer and cache line size. I/O is assigned from 6000h up, memory from FEB00000h down; expansion ROMs
// are off. INTA# to INTD# are connected to PIRQA# to PIRQD# as in the routing table, which operating systems use too
// (fixed_board.inc); each PIRQ in use gets an interrupt line of its own, which is then level-triggered (ELCR).
#include "board.h"
#include "firmware.h"
#include "pci.h"

enum {
    first_io = 0x6000,
    latency_clocks = 32, cache_line_dwords = 8,
    pirq_route = 0x60, pirq_off = 0x80,    // in the PCI-to-ISA bridge: PIIX, PIIX3, PIIX4
    route_index = 0xC00, route_line = 0xC01,   // in ServerWorks OSB4, where all are off after a reset
    ide_timing = 0x40, ide_decode = 0x8000,
    elcr = 0x4D0,
    base_io = 1, base_64 = 4, base_type = 7,
};
#define TOP_OF_MEMORY 0xFEB00000u

struct Windows { u32 io, memory; };        // next free addresses, from below and from above

ROM u8 pirq_lines[4] = {9, 10, 11, 5};

// $PIR: 32 bytes, with the length at 6, then 16 per slot: bus, device, and for each pin a register of the bridge and
// the possible lines.
extern const __seg_gs char routing_table[];
enum { routing_length = 6, routing_slots = 32, routing_slot = 16, slot_device = 1, slot_pin = 2, pin_bytes = 3 };

// The last possible function on the last bus, which is that of the table's last slot.
static int last_function(void)
{
    u16 table = rom_offset(routing_table);
    return rom_read8((u16)(table + rom_read8((u16)(table + routing_length)) - routing_slot)) << 8 | 0xFF;
}

// The next function after `devfn` in bus order; -1 to begin with, and after the last.
static int next_function(int devfn)
{
    for (++devfn; devfn <= last_function(); ++devfn) {
        if ((devfn & 7) && !(pci_read8((u16)(devfn & ~7), pci_header) & 0x80)) {
            devfn |= 7;
            continue;
        }
        if (pci_read16((u16)devfn, pci_vendor) != 0xFFFF)
            return devfn;
        if (!(devfn & 7))
            devfn |= 7;
    }
    return -1;
}

static int is_bridge(u16 devfn) { return pci_read16(devfn, pci_class) >> 8 == class_bridge; }

void board_reset_bus(void)
{
    for (int f = next_function(-1); f >= 0; f = next_function(f))
        if (!is_bridge((u16)f))
            pci_write16((u16)f, pci_command, 0);
}

// A PCI display adapter decodes the VGA's addresses if its command register says so; an ISA adapter has port 3C3h.
void board_wake_video(void)
{
    for (int f = next_function(-1); f >= 0; f = next_function(f))
        if (pci_read16((u16)f, pci_class) == class_vga)
            pci_write16((u16)f, pci_command, command_io | command_memory);
    outb(0x3C3, 1);
}

// Assigns an address to base address register `where` if it is implemented; returns the command bits that it needs.
// 64-bit ones are placed below 4 GB.
static u16 place_base(u16 devfn, u8 where, struct Windows* free)
{
    pci_write32(devfn, where, 0xFFFFFFFF);
    u32 mask = pci_read32(devfn, where);
    if (mask == 0 || mask == 0xFFFFFFFF)
        return 0;
    if (mask & base_io) {
        u32 bytes = ~(mask | 0xFFFF0003u) + 1;
        free->io = (free->io + bytes - 1) & ~(bytes - 1);
        pci_write32(devfn, where, free->io);
        free->io += bytes;
        return command_io;
    }
    u32 bytes = ~(mask & ~15u) + 1;
    free->memory = (free->memory - bytes) & ~(bytes - 1);
    pci_write32(devfn, where, free->memory);
    if ((mask & base_type) == base_64)
        pci_write32(devfn, where + 4, 0);
    return command_memory;
}

static u16 place_bases(u16 devfn, struct Windows* free)
{
    u16 command = 0;
    for (u8 where = pci_base; where < pci_base + 24; where += 4) {
        command |= place_base(devfn, where, free);
        if ((pci_read32(devfn, where) & base_type) == base_64)
            where += 4;
    }
    pci_write32(devfn, pci_rom, 0);
    return command;
}

static int isa_bridge(void)
{
    for (int f = next_function(-1); f >= 0; f = next_function(f))
        if (pci_read16((u16)f, pci_class) == class_isa_bridge)
            return f;
    return -1;
}

// The table's link of a pin, 1 to 4: a register of PIIX from 60h on, an index of OSB4 below that; the low bits are the
// PIRQ, 0 to 3. Devices that are not in a slot are rotated. A device number is used on one bus only.
static u8 link_of(u16 devfn, u8 pin)
{
    u16 table = rom_offset(routing_table), bytes = rom_read8((u16)(table + routing_length));
    for (u16 at = routing_slots; at < bytes; at += routing_slot)
        if (rom_read8((u16)(table + at + slot_device)) == (devfn & 0xF8))
            return rom_read8((u16)(table + at + slot_pin + (pin - 1) * pin_bytes));
    return (u8)((rom_read8((u16)(table + routing_slots + slot_pin)) & ~3) | (((devfn >> 3) - 1 + pin - 1) & 3));
}

// The interrupt line of the function's pin; 0 without one.
static u8 route_interrupt(u16 devfn, int bridge)
{
    u8 pin = pci_read8(devfn, pci_pin);
    if (pin < 1 || pin > 4 || bridge < 0)
        return 0;
    u8 link = link_of(devfn, pin);
    u8 line = pirq_lines[link & 3];
    if (link >= pirq_route) {
        pci_write8((u16)bridge, link, line);
    } else {
        outb(route_index, link);
        outb(route_line, line);
    }
    u16 port = (u16)(elcr + (line >> 3));
    outb(port, (u8)(inb(port) | 1 << (line & 7)));
    pci_write8(devfn, pci_line, line);
    return line;
}

static void show(u16 devfn, u8 line)
{
    u32 id = pci_read32(devfn, pci_vendor);
    print(TEXT("PCI device "));
    print_decimal(devfn >> 3 & 31);
    print(TEXT(": "));
    print_hex((u16)id, 4);
    print_char(':');
    print_hex(id >> 16, 4);
    print(TEXT(", interrupt "));
    print_decimal(line);
    print_char('\n');
}

static void set_up(u16 devfn, int bridge, struct Windows* free)
{
    u16 class = pci_read16(devfn, pci_class);
    if (class >> 8 == class_bridge || (pci_read8(devfn, pci_header) & 0x7F))
        return;
    pci_write16(devfn, pci_command, 0);
    u16 command = place_bases(devfn, free);
    pci_write8(devfn, pci_cache_line, cache_line_dwords);
    pci_write8(devfn, pci_latency, latency_clocks);
    u8 line = route_interrupt(devfn, bridge);
    if (class == class_ide) {              // PIIX: both channels, at the AT's ports
        pci_write16(devfn, ide_timing, ide_decode);
        pci_write16(devfn, ide_timing + 2, ide_decode);
        command |= command_io;
    }
    if (class == class_vga)
        command |= command_io | command_memory;
    pci_write16(devfn, pci_command, command | command_master);
    if (class >> 8 == class_network)
        show(devfn, line);
}

void pci_set_up(void)
{
    struct Windows free = {first_io, TOP_OF_MEMORY};
    int bridge = isa_bridge();
    if (bridge >= 0)
        for (u8 pirq = 0; pirq < 4; ++pirq)
            pci_write8((u16)bridge, (u8)(pirq_route + pirq), pirq_off);
    outb(elcr, 0);
    outb(elcr + 1, 0);
    for (int f = next_function(-1); f >= 0; f = next_function(f))
        set_up((u16)f, bridge, &free);
}
