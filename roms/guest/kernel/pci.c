// SPDX-License-Identifier: GPL-2.0-or-later
//
// PCI: searches bus 0 by configuration mechanism 1 with the accesses of Linux 2.2 (arch/i386/kernel/bios32.c and
// drivers/pci/pci.c; read): first checks that the mechanism is present, then scans every function, and the buses that
// ServerWorks' host bridges report. The firmware has assigned addresses and interrupts; as in Linux 2.2 the interrupt
// line register is the only source of an adapter's interrupt.
//
// Left out: mechanism 2, the search for peer buses of other host bridges, PCI-to-PCI bridges, and the order of a PCI
// BIOS, which puts functions with the same ID next to each other.
#include "device.h"

enum { CONFIG_ADDRESS = 0xCF8, MECHANISM = 0xCFB, CONFIG_DATA = 0xCFC };
#define CONFIG_ENABLE 0x80000000u
enum { VENDOR = 0x00, CLASS_REVISION = 0x08, CLASS = 0x0A, HEADER_TYPE = 0x0E, BASE = 0x10, ROM_BASE = 0x30, LINE = 0x3C,
       PIN = 0x3D };
enum { MULTIFUNCTION = 0x80, HEADER_LAYOUT = 0x7F };
enum { BASE_IO = 1, BASE_TYPE = 7, BASE_64 = 4 };
enum { HOST_BRIDGE = 0x0600, VGA = 0x0300, IDE = 0x0101, INTEL = 0x8086, COMPAQ = 0x0E11 };
enum { SERVERSET_LE = 0x11660009, FIRST_BUS = 0x44, LAST_BUS = 0x45 };

int has_pci;

static void select(u32 devfn, u32 where) { outl(CONFIG_ENABLE | devfn << 8 | (where & ~3u), CONFIG_ADDRESS); }

static u8 read_byte(u32 devfn, u32 where) {
    select(devfn, where);
    return inb((u16)(CONFIG_DATA + (where & 3)));
}
static u16 read_word(u32 devfn, u32 where) {
    select(devfn, where);
    return inw((u16)(CONFIG_DATA + (where & 2)));
}
static u32 read_dword(u32 devfn, u32 where) {
    select(devfn, where);
    return inl(CONFIG_DATA);
}
static void write_byte(u32 devfn, u32 where, u8 value) {
    select(devfn, where);
    outb(value, (u16)(CONFIG_DATA + (where & 3)));
}

u8 pci_read_byte(const struct device *d, u32 where) { return read_byte(d->devfn, where); }
u16 pci_read_word(const struct device *d, u32 where) { return read_word(d->devfn, where); }
u32 pci_read_dword(const struct device *d, u32 where) { return read_dword(d->devfn, where); }
void pci_write_byte(const struct device *d, u32 where, u8 value) { write_byte(d->devfn, where, value); }
void pci_write_word(const struct device *d, u32 where, u16 value) {
    select(d->devfn, where);
    outw(value, (u16)(CONFIG_DATA + (where & 2)));
}
void pci_write_dword(const struct device *d, u32 where, u32 value) {
    select(d->devfn, where);
    outl(value, CONFIG_DATA);
}

// ---- is it there? -------------------------------------------------------------------------------
static int looks_sane(void) {
    for (u32 devfn = 0; devfn < 256; devfn++) {
        u16 word = read_word(devfn, CLASS);
        if (word == HOST_BRIDGE || word == VGA)
            return 1;
        word = read_word(devfn, VENDOR);
        if (word == INTEL || word == COMPAQ)
            return 1;
    }
    return 0;
}

static int mechanism_1(void) {
    u32 flags, before;
    save_flags_cli(flags);
    outb(0x01, MECHANISM);
    before = inl(CONFIG_ADDRESS);
    outl(CONFIG_ENABLE, CONFIG_ADDRESS);
    int found = inl(CONFIG_ADDRESS) == CONFIG_ENABLE && looks_sane();
    outl(before, CONFIG_ADDRESS);
    restore_flags(flags);
    return found;
}

// ---- the search ---------------------------------------------------------------------------------
// Linux finds out which functions can be bus masters; it keeps the result and never uses it.
static void try_master(u32 devfn) {
    u8 command = read_byte(devfn, PCI_COMMAND);
    write_byte(devfn, PCI_COMMAND, command | PCI_COMMAND_MASTER);
    read_byte(devfn, PCI_COMMAND);
    write_byte(devfn, PCI_COMMAND, command);
}

static void read_bases(struct device *d) {
    for (u32 n = 0; n < PCI_BASES; n++) {
        u32 value = read_dword(d->devfn, BASE + n * 4);
        if (value == ~0u)
            continue;
        d->base[n] = value;
        if ((value & BASE_TYPE) == BASE_64 && n + 1 < PCI_BASES) {
            n++;
            if (read_dword(d->devfn, BASE + n * 4))
                d->base[n - 1] = 0;     // above 4 GB
        }
    }
    read_dword(d->devfn, ROM_BASE);
}

// Sets the addresses for drivers, and enables decoding, which some firmware fails to do; not for displays or disks.
static void enable(struct device *d) {
    u16 wanted = 0, command;
    for (u32 n = PCI_BASES; n-- > 0;) {
        if (d->base[n] & BASE_IO) {
            wanted |= PCI_COMMAND_IO;
            d->io = (u16)(d->base[n] & ~3u);
        } else if (d->base[n] & ~15u) {
            wanted |= PCI_COMMAND_MEMORY;
            d->mem = d->base[n] & ~15u;
        }
    }
    if (d->class >> 8 == VGA || d->class >> 8 == IDE)
        return;
    command = pci_read_word(d, PCI_COMMAND);
    if (wanted & ~command)
        pci_write_word(d, PCI_COMMAND, command | wanted);
}

static struct device *function_found(u32 devfn, u32 id) {
    struct device *d = device_add(&pci_bus, id >> 16 | id << 16, pci_slot(devfn), 1);
    d->devfn = (u16)devfn;
    try_master(devfn);
    u32 class = read_dword(devfn, CLASS_REVISION);
    d->class = class >> 8;
    d->revision = (u8)class;
    return d;
}

static void read_header(struct device *d) {
    u8 line = read_byte(d->devfn, PIN);
    if (line)
        line = read_byte(d->devfn, LINE);
    d->irq = line < IRQ_LINES ? line : 0;
    read_bases(d);
}

static void scan_bus(u32 bus) {
    int functions = 0;
    for (u32 devfn = bus << 8; devfn < (bus << 8 | 255); devfn++) {
        if (devfn & 7 && !functions)
            continue;
        u8 header = read_byte(devfn, HEADER_TYPE);
        if (!(devfn & 7))
            functions = header & MULTIFUNCTION;
        u32 id = read_dword(devfn, VENDOR);
        if (id == ~0u || id == 0 || id == 0x0000FFFF || id == 0xFFFF0000) {
            functions = 0;
            continue;
        }
        struct device *d = function_found(devfn, id);
        if ((header & HEADER_LAYOUT) == 0)
            read_header(d);
    }
}

static void scan(void) {
    has_pci = mechanism_1();
    if (!has_pci)
        return;
    u32 first = device_count;
    scan_bus(0);
    const struct device *end = devices + device_count;
    for (const struct device *d = devices + first; d < end; d++) {
        if (d->id != SERVERSET_LE)
            continue;
        u32 bus = pci_read_byte(d, FIRST_BUS), last = pci_read_byte(d, LAST_BUS);
        for (bus += bus == 0; bus <= last; bus++)
            scan_bus(bus);
    }
    for (struct device *d = devices + first; d < devices + device_count; d++)
        enable(d);
}

// ---- for drivers --------------------------------------------------------------------------------
void pci_raise_latency(const struct device *d, u8 least, u8 raised) {
    u8 latency = pci_read_byte(d, PCI_LATENCY_TIMER);
    if (latency >= least)
        return;
    printk("PCI device %d: latency timer raised from %d to %d\n", d->devfn >> 3 & 31, latency, raised);
    pci_write_byte(d, PCI_LATENCY_TIMER, raised);
}

void pci_set_master(const struct device *d) {
    u16 command = pci_read_word(d, PCI_COMMAND);
    if (!(command & PCI_COMMAND_MASTER)) {
        printk("PCI device %d: made a bus master\n", d->devfn >> 3 & 31);
        pci_write_word(d, PCI_COMMAND, command | PCI_COMMAND_MASTER);
    }
    pci_raise_latency(d, 16, 64);
}

const struct bus pci_bus = {"PCI", scan};
